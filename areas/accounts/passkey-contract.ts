// Endpoints for passkeys: a signed-in user manages them, and a signed-out user signs in with one.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
} from '#platform/contract.ts';
import { PasskeyResponse, SignedInResponse, WireText } from './contract.ts';
import { MAX_PASSKEY_NAME } from './shared.ts';

const NewPasskey = z.looseObject({
  id: z.string().min(1).max(2_000),
  rawId: z.string().max(2_000),
  type: z.literal('public-key'),
  response: z.looseObject({ clientDataJSON: WireText, attestationObject: WireText }),
});

const Name = line(MAX_PASSKEY_NAME, 1);
const Options = dataResponse(z.looseObject({ challenge: z.string() }));
const Password = z.string().max(1000);

export const Passkey = z.object({
  id: Id,
  name: z.string(),
  created: Instant,
  last_used: Instant.nullable(),
});
export type Passkey = z.infer<typeof Passkey>;

export const passkeyCalls = defineCalls({
  listPasskeys: {
    method: 'GET',
    path: '/client-api/api/passkeys',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'List passkeys of the current user',
    description: 'Returns the newest first.',
    response: dataResponse(z.array(Passkey)),
  },
  beginPasskey: {
    method: 'POST',
    path: '/client-api/api/passkeys/options',
    caller: 'account',
    requiredRight: 'none',
    audit: 'none',
    isPersonal: true,
    summary: 'Start a passkey registration',
    description: "Returns the options for the browser's authenticator.",
    body: z.strictObject({ password: Password }),
    response: Options,
    errors: { wrong_password: 422, too_many_passkeys: 422 },
  },
  addPasskey: {
    method: 'POST',
    path: '/client-api/api/passkeys',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Add a passkey',
    description:
      'Returns recovery codes, which cannot be read again, if the user had no second factor before.',
    transaction: 'own',
    body: z.strictObject({ name: Name, passkey: NewPasskey }),
    response: dataResponse(
      z.object({ passkey: Passkey, recovery_codes: z.array(z.string()).nullable() }),
    ),
    errors: { passkey_failed: 422, too_many_passkeys: 422 },
  },
  renamePasskey: {
    method: 'PATCH',
    path: '/client-api/api/passkeys/{id}',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Rename a passkey',
    params: z.object({ id: idOf('passkey') }),
    body: z.strictObject({ name: Name }),
    response: dataResponse(Passkey),
  },
  removePasskey: {
    method: 'POST',
    path: '/client-api/api/passkeys/{id}/remove',
    caller: 'account',
    requiredRight: 'none',
    isPersonal: true,
    summary: 'Delete a passkey',
    description: 'Deleting the last second factor deletes the recovery codes.',
    params: z.object({ id: idOf('passkey') }),
    body: z.strictObject({ password: Password }),
    response: SuccessResponse,
    errors: { wrong_password: 422 },
  },
  beginSignIn: {
    method: 'POST',
    path: '/auth/api/passkey/options',
    caller: 'visitor',
    summary: 'Start a passkey sign-in',
    description: "Returns the options for the browser's authenticator.",
    response: Options,
  },
  signInByPasskey: {
    method: 'POST',
    path: '/auth/api/passkey',
    caller: 'visitor',
    summary: 'Start a session by passkey',
    transaction: 'own',
    body: z.strictObject({ passkey: PasskeyResponse }),
    response: SignedInResponse,
    errors: { passkey_failed: 422 },
  },
});
