// The endpoints of the user's own second factor.
import {
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { twoFactorCalls } from '../two-factor-contract.ts';
import { limitPasswords } from './passwords.ts';
import * as factor from './two-factor.ts';

const limits: CallLimits<typeof twoFactorCalls> = {
  setUpTwoFactor: ({ db, caller }) => limitPasswords(db, caller.userId),
  confirmTwoFactor: ({ db, caller }) => factor.limitCodes(db, caller.userId),
  renewRecoveryCodes: ({ db, caller }) => limitPasswords(db, caller.userId),
  turnOffTwoFactor: ({ db, caller }) => limitPasswords(db, caller.userId),
};

const handlers: Handlers<typeof twoFactorCalls> = {
  readTwoFactor: ({ tx, caller }) => factor.readFactor(tx, caller.userId),
  setUpTwoFactor: ({ tx, caller, body }) => factor.setUpFactor(tx, caller, body.password),
  confirmTwoFactor: async ({ tx, caller, body }) => ({
    recovery_codes: await factor.confirmFactor(tx, caller, body.code),
  }),
  renewRecoveryCodes: async ({ tx, caller, body }) => ({
    recovery_codes: await factor.renewRecovery(tx, caller, body.password),
  }),
  turnOffTwoFactor: ({ tx, caller, body }) => factor.turnOffFactor(tx, caller, body.password),
};

export const twoFactorRoutes: Route[] = createRoutes('accounts', twoFactorCalls, handlers, limits);
