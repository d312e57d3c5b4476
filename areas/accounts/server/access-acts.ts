// Audit log entries for actions that begin without a session: through an emailed link or the
// identity provider.
import { actionAudited } from '#platform/server/audit.ts';
import type { Tx } from '#platform/server/database/database.ts';

type UserKey = { accountId: number; userId: number };

/** `ip` is the address of the request that contained the proof. */
export const recordAccess = (
  tx: Tx,
  { accountId, userId }: UserKey,
  { action, ip, after, subject = null }: AccessAct,
): Promise<void> =>
  actionAudited.announce(tx, {
    ...{ accountId, userId, via: 'session', viaId: null, ip },
    ...{ action: `accounts.${action}`, subject, fields: [] },
    change: after === undefined ? {} : { after },
  });

type AccessAct = {
  action: 'resetPassword' | 'acceptInvitation' | 'joinAccount' | 'connectIdentity';
  ip: string;
  after?: unknown;
  subject?: string | null;
};
