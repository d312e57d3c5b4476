// Endpoints for the signed-in user's second factor: its status, setting up and confirming an app,
// renewing the recovery codes, and turning the app off.
import { z } from 'zod';
import { dataResponse, defineCalls, SuccessResponse } from '#platform/contract.ts';

const PasswordConfirmation = z.strictObject({ password: z.string().max(1000) });
const RecoveryCodes = dataResponse(z.object({ recovery_codes: z.array(z.string()) }));

export const twoFactorCalls = defineCalls({
  readTwoFactor: {
    method: 'GET',
    path: '/client-api/api/two_factor',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Get the two-factor status',
    description: 'Includes the number of recovery codes left.',
    response: dataResponse(
      z.object({
        is_on: z.boolean(),
        /** Whether an app generates codes; false for users with passkeys only. */
        has_app: z.boolean(),
        recovery_left: z.number(),
      }),
    ),
  },
  setUpTwoFactor: {
    method: 'POST',
    path: '/client-api/api/two_factor',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Create an authenticator secret',
    description: 'Takes effect once it is confirmed with a code.',
    body: PasswordConfirmation,
    response: dataResponse(
      z.object({
        secret: z.string(),
        /** The `otpauth://` address, which apps read. */
        address: z.string(),
        /** The same address as a QR code in a data: URL. */
        picture: z.string(),
      }),
    ),
    errors: { wrong_password: 422, two_factor_on: 409 },
  },
  confirmTwoFactor: {
    method: 'POST',
    path: '/client-api/api/two_factor/confirm',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Activate two-factor authentication',
    description: 'Returns the recovery codes, once.',
    body: z.strictObject({ code: z.string().max(100) }),
    response: RecoveryCodes,
    errors: { wrong_code: 422, two_factor_on: 409 },
  },
  renewRecoveryCodes: {
    method: 'POST',
    path: '/client-api/api/two_factor/recovery_codes',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Rotate the recovery codes',
    description: 'Previous codes stop working.',
    body: PasswordConfirmation,
    response: RecoveryCodes,
    errors: { wrong_password: 422, two_factor_off: 409 },
  },
  turnOffTwoFactor: {
    method: 'POST',
    path: '/client-api/api/two_factor/off',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Deactivate two-factor authentication',
    description:
      'Removes the app. Passkeys remain a second factor; without them, the recovery codes are deleted.',
    body: PasswordConfirmation,
    response: SuccessResponse,
    errors: { wrong_password: 422 },
  },
});
