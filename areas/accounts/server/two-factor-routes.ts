// The endpoints of the user's own second factor.
import { type Handlers, type Limits, type Route, serve } from '#platform/server/http/serve.ts';
import { twoFactorCalls } from '../two-factor-contract.ts';
import { limitPasswords } from './passwords.ts';
import * as factor from './two-factor.ts';

const limits: Limits<typeof twoFactorCalls> = {
  setUpTwoFactor: ({ db, who }) => limitPasswords(db, who.userId),
  confirmTwoFactor: ({ db, who }) => factor.limitCodes(db, who.userId),
  renewRecoveryCodes: ({ db, who }) => limitPasswords(db, who.userId),
  turnOffTwoFactor: ({ db, who }) => limitPasswords(db, who.userId),
};

const handlers: Handlers<typeof twoFactorCalls> = {
  readTwoFactor: ({ tx, who }) => factor.readFactor(tx, who.userId),
  setUpTwoFactor: ({ tx, who, body }) => factor.setUpFactor(tx, who, body.password),
  confirmTwoFactor: async ({ tx, who, body }) => ({
    recovery_codes: await factor.confirmFactor(tx, who, body.code),
  }),
  renewRecoveryCodes: async ({ tx, who, body }) => ({
    recovery_codes: await factor.renewRecovery(tx, who, body.password),
  }),
  turnOffTwoFactor: ({ tx, who, body }) => factor.turnOffFactor(tx, who, body.password),
};

export const twoFactorRoutes: Route[] = serve('accounts', twoFactorCalls, handlers, limits);
