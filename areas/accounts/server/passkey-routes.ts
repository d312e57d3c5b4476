// The endpoints of passkeys.
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import {
  type Handlers,
  type CallLimits,
  type Route,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { toNetwork } from '#platform/server/limits/visitor-network.ts';
import { passkeyCalls } from '../passkey-contract.ts';
import { findUser } from './accounts.sql.ts';
import { mayUsePassword } from './identities.ts';
import * as passkeys from './passkeys.ts';
import { limitPasswords } from './passwords.ts';
import { readSession } from './profile.ts';
import { openSession, requireLiveSession } from './sessions.ts';
import { announceSignInChange } from './sign-in.ts';
import * as factor from './two-factor.ts';

const ATTEMPT_LIMIT = { capacity: 30, perSecond: 30 / 60 };
/**
 * Every view of the sign-in screen requests a challenge so that the browser can offer its passkeys,
 * and a whole office may share one IP address.
 */
const SIGN_IN_OPTIONS = { capacity: 120, perSecond: 120 / 60 };

const limits: CallLimits<typeof passkeyCalls> = {
  beginPasskey: ({ db, caller }) => limitPasswords(db, caller.userId),
  removePasskey: ({ db, caller }) => limitPasswords(db, caller.userId),
  beginSignIn: ({ db, request }) =>
    requireToken(db, `passkey-options:${toNetwork(request.ip)}`, SIGN_IN_OPTIONS),
  signInByPasskey: ({ db, request }) =>
    requireToken(db, `passkey:${toNetwork(request.ip)}`, ATTEMPT_LIMIT),
};

const handlers: Handlers<typeof passkeyCalls> = {
  listPasskeys: ({ tx, caller }) => passkeys.listPasskeys(tx, caller.userId),
  beginPasskey: async ({ tx, caller, body }) => {
    const user = await factor.requireOwner(tx, caller, body.password);
    return { ...(await passkeys.startPasskey(tx, user)) };
  },
  addPasskey: async ({ db, caller, body }) => {
    const challenge = await passkeys.spendChallenge(db, body.passkey, caller.userId);
    return inTransaction(db, async (tx) => {
      await requireLiveSession(tx, caller);
      const codes = await factor.createFirstCodes(tx, caller.userId);
      const passkey = await passkeys.addPasskey(tx, caller, body.name, body.passkey, challenge);
      const user = await findUser(tx, caller.userId);
      if (user)
        await announceSignInChange(tx, caller.accountId, user, 'passkey_added', clock.now());
      return { passkey, recovery_codes: codes };
    });
  },
  renamePasskey: ({ tx, caller, params, body }) =>
    passkeys.renamePasskey(tx, caller.userId, params.id, body.name),
  removePasskey: ({ tx, caller, params, body }) =>
    factor.removePasskey(tx, caller, params.id, body.password),
  beginSignIn: async ({ tx }) => ({ ...(await passkeys.startSignIn(tx)) }),
  signInByPasskey: async ({ db, body, request, reply }) => {
    const challenge = await passkeys.spendChallenge(db, body.passkey, null);
    return inTransaction(db, async (tx) => {
      const session = await passkeys.signInByPasskey(tx, body.passkey, challenge);
      const user = await findUser(tx, session.userId);
      if (!user || !mayUsePassword(user.email)) throw new AppError('passkey_failed');
      await openSession(tx, session, request, reply);
      return readSession(tx, session.accountId, session.userId, request);
    });
  },
};

export const passkeyRoutes: Route[] = createRoutes('accounts', passkeyCalls, handlers, limits);
