// SQL that finds accounts with their own relays or SMS providers. Each of these accounts has its
// own senders; the installation's senders send the messages of all other accounts.
import { type RawBuilder, sql } from 'kysely';
import { inAnyAccount, type AccountScope } from '#platform/server/database/across-accounts.sql.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { MessageChannel } from '../../message-kinds.ts';

/** SQL: rows (account_id) of the accounts with their own SMS providers. */
let ownSms: RawBuilder<unknown> = sql`select null::bigint as account_id where false`;

/**
 * Sets the query that finds accounts with their own active SMS providers; the area that stores them
 * calls this once per process. The query runs every second, so it needs an index.
 */
export function setAccountsWithOwnSms(rows: RawBuilder<unknown>): void {
  ownSms = rows;
}

export const listAccountsWithOwnSms = () => ownSms;

/** SQL: whether the account has its own senders. */
export function hasOwnSenders(
  channel: MessageChannel,
  account: RawBuilder<unknown>,
  scope: AccountScope = inAnyAccount,
): RawBuilder<boolean> {
  const inScope = scope(sql`own.account_id`);
  if (channel === 'email') {
    return sql`exists (select 1 from relays own where own.account_id = ${account} and own.is_on and ${inScope})`;
  }
  return sql`exists (select 1 from (${ownSms}) own where own.account_id = ${account} and ${inScope})`;
}

export async function accountHasOwnSenders(
  db: Reader,
  channel: MessageChannel,
  accountId: number,
): Promise<boolean> {
  const { rows } = await sql<{ is_own: boolean }>`
    select ${hasOwnSenders(channel, sql`${accountId}::bigint`)} as is_own`.execute(db);
  return rows[0]?.is_own === true;
}
