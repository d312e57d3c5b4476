// The endpoint that returns the account of an API token, for plugins of the public API.
import { encodeAccountKey } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { type Caller, type Route, createRoutes } from '#platform/server/http/serve.ts';
import { publicCalls } from '../public-contract.ts';
import { readUserAndAccount } from './profile.ts';

export const publicAccountRoutes: Route[] = createRoutes('accounts', publicCalls, {
  readUsers: ({ tx, caller }) => getUser(tx, caller),
  readMe: ({ tx, caller }) => getUser(tx, caller),
  readAccount: async ({ tx, caller }) => (await getUser(tx, caller)).account,
});

/** The types of plans without a paid order, by plan ID. */
const TYPES: Record<string, 'FREE' | 'UNLIMITED'> = { free: 'FREE', unlimited: 'UNLIMITED' };

async function getUser(db: Reader, { accountId, userId }: Caller) {
  const { user, account } = await readUserAndAccount(db, accountId, userId);
  const { id, email, name, surname } = user;
  const { id: planId } = account.active_plan;
  const plan = { id: planId, type: TYPES[planId] ?? ('PAID' as const) };
  const presented = {
    id: account.id,
    title: account.title,
    resource_key: encodeAccountKey(accountId),
  };
  return { id, email, name, surname, account: { ...presented, active_plan: plan } };
}
