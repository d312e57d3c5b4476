// Queries that enforce plan limits and suspensions: open marketing messages, and messages that a
// limit or suspension paused.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Tx } from '#platform/server/database/database.ts';
import { filterKinds, type MessageKind } from '../../message-kinds.ts';

const MARKETING = filterKinds(({ permission }) => permission === 'marketing');

/**
 * Returns a page of the accounts with open marketing messages, or with messages that a limit or
 * suspension paused. Uses two small partial indexes.
 */
export async function listAccountsSendingMarketing(
  db: Db,
  { after, size }: { after: number; size: number },
): Promise<{ account_id: number }[]> {
  return acrossAccounts(
    db,
    (scope) => sql<{ account_id: number }>`
    select distinct account_id from (
      select account_id from messages
      where ${scope(sql`account_id`)} and state in ('preparing', 'sending', 'waiting') and frozen_hash is null
        and kind = any(${MARKETING}::text[]) and account_id > ${after}
      union all
      select account_id from messages
      where ${scope(sql`account_id`)} and state = 'paused' and state_reason in ('plan_limit', 'account_suspended')
        and account_id > ${after}) marketing
    order by account_id limit ${size}`,
  );
}

export type LimitedMessage = {
  id: number;
  kind: MessageKind;
  source_id: number | null;
  state_reason: string | null;
};

/** Returns the account's open marketing messages. */
export async function listOpenMarketing(tx: Tx, accountId: number): Promise<LimitedMessage[]> {
  const { rows } = await sql<LimitedMessage>`
    select id, kind, source_id, state_reason from messages
    where account_id = ${accountId} and state in ('preparing', 'sending', 'waiting')
      and frozen_hash is null and kind = any(${MARKETING}::text[])
    order by id`.execute(tx);
  return rows;
}

/** Returns the account's messages that a plan limit or a suspension paused. */
export async function listLimitedMessages(tx: Tx, accountId: number): Promise<LimitedMessage[]> {
  const { rows } = await sql<LimitedMessage>`
    select id, kind, source_id, state_reason from messages
    where account_id = ${accountId} and state = 'paused'
      and state_reason in ('plan_limit', 'account_suspended')
    order by id`.execute(tx);
  return rows;
}
