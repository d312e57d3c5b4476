// SQL of assistants: their use of today's budgets and their latest actions.
import { sql } from 'kysely';
import type { Db, Reader } from '#platform/server/database/database.ts';
import type { Budget } from '../shared.ts';

export type AgentKey = { accountId: number; caller: string };
export type Spent = Partial<Record<Budget, number>>;

/**
 * Adds to what the caller used today, if no bound is exceeded. Concurrent calls wait for the row, so
 * together they never exceed a bound.
 * @returns whether it was added
 */
export async function spend(
  db: Reader,
  { accountId, caller }: AgentKey,
  spent: Spent,
  bounds: Readonly<Record<Budget, number>>,
  at: Date,
): Promise<boolean> {
  const { calls = 0, people = 0, drafts = 0, proposals = 0, emails = 0 } = spent;
  const { rows } = await sql`
    insert into agent_use as used (account_id, caller, day, calls, people, drafts, proposals, emails)
    values (${accountId}, ${caller}, (${at}::timestamptz at time zone 'UTC')::date,
      ${calls}, ${people}, ${drafts}, ${proposals}, ${emails})
    on conflict (account_id, caller, day) do update set
      calls = used.calls + excluded.calls, people = used.people + excluded.people,
      drafts = used.drafts + excluded.drafts, proposals = used.proposals + excluded.proposals,
      emails = used.emails + excluded.emails
    where used.calls + excluded.calls <= ${bounds.calls}::int
      and used.people + excluded.people <= ${bounds.people}::int
      and used.drafts + excluded.drafts <= ${bounds.drafts}::int
      and used.proposals + excluded.proposals <= ${bounds.proposals}::int
      and used.emails + excluded.emails <= ${bounds.emails}::bigint
    returning 1`.execute(db);
  return rows.length > 0;
}

/**
 * The idempotency key of an act: that of an equal act after `since`, otherwise the given one. Two
 * concurrent equal acts get the same key.
 */
export async function keyOfAct(
  db: Reader,
  { accountId, caller }: AgentKey,
  act: { hash: Buffer; key: string; at: Date; since: Date },
): Promise<string> {
  const { rows } = await sql<{ key: string }>`
    insert into agent_acts as act (account_id, caller, hash, key, at)
    values (${accountId}, ${caller}, ${act.hash}, ${act.key}, ${act.at})
    on conflict (account_id, caller, hash) do update set
      key = case when act.at > ${act.since} then act.key else excluded.key end,
      at = case when act.at > ${act.since} then act.at else excluded.at end
    returning key`.execute(db);
  return rows[0]?.key ?? act.key;
}

/** Deletes use and acts that no budget and no repeat needs any more. */
export async function deleteOldUse(db: Db, accountId: number, before: Date): Promise<void> {
  await sql`
    delete from agent_use
    where account_id = ${accountId} and day < (${before}::timestamptz at time zone 'UTC')::date`.execute(
    db,
  );
  await db
    .deleteFrom('agent_acts')
    .where('account_id', '=', accountId)
    .where('at', '<', before)
    .execute();
}
