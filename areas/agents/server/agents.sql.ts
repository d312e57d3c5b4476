// Queries for assistants: today's budget usage and latest actions.
import { sql } from 'kysely';
import type { Db, Reader } from '#platform/server/database/database.ts';
import { prepareStatement } from '#platform/server/database/prepared.ts';
import { type Budget, BUDGETS } from '../shared.ts';

export type AgentKey = { accountId: number; caller: string };
export type BudgetUse = Partial<Record<Budget, number>>;

type UseRow = AgentKey & Required<BudgetUse> & { at: Date };

const addUse = prepareStatement<UseRow>(
  (v) => sql`
    insert into agent_use as used (account_id, caller, day, calls, people, drafts, proposals, emails)
    values (${v.accountId}, ${v.caller}, (${v.at}::timestamptz at time zone 'UTC')::date,
      ${v.calls}, ${v.people}, ${v.drafts}, ${v.proposals}, ${v.emails})
    on conflict (account_id, caller, day) do update set
      calls = used.calls + excluded.calls, people = used.people + excluded.people,
      drafts = used.drafts + excluded.drafts, proposals = used.proposals + excluded.proposals,
      emails = used.emails + excluded.emails
    where used.calls + excluded.calls <= ${BUDGETS.calls}::int
      and used.people + excluded.people <= ${BUDGETS.people}::int
      and used.drafts + excluded.drafts <= ${BUDGETS.drafts}::int
      and used.proposals + excluded.proposals <= ${BUDGETS.proposals}::int
      and used.emails + excluded.emails <= ${BUDGETS.emails}::bigint
    returning 1 as added`,
);

const isOver = (use: BudgetUse) =>
  Object.entries(use).some(([budget, amount]) => amount > BUDGETS[budget as Budget]);

/**
 * Adds to the caller's usage of today unless that would exceed a budget. Concurrent calls wait for
 * the row, so that together they never exceed a budget.
 * @returns whether the use was added
 */
export async function spendBudget(
  db: Db,
  key: AgentKey,
  use: BudgetUse,
  at: Date,
): Promise<boolean> {
  if (isOver(use)) return false;
  const noUse = { calls: 0, people: 0, drafts: 0, proposals: 0, emails: 0 };
  return (await addUse(db, { ...key, ...noUse, ...use, at })).length > 0;
}

/**
 * Returns the idempotency key of an action: the key of an identical action after `since`, or else
 * the given one. Two concurrent identical actions get the same key.
 */
export async function resolveIdempotencyKey(
  db: Reader,
  { accountId, caller }: AgentKey,
  action: { hash: Buffer; key: string; at: Date; since: Date },
): Promise<string> {
  const { rows } = await sql<{ key: string }>`
    insert into agent_acts as act (account_id, caller, hash, key, at)
    values (${accountId}, ${caller}, ${action.hash}, ${action.key}, ${action.at})
    on conflict (account_id, caller, hash) do update set
      key = case when act.at > ${action.since} then act.key else excluded.key end,
      at = case when act.at > ${action.since} then act.at else excluded.at end
    returning key`.execute(db);
  return rows[0]?.key ?? action.key;
}

/** Deletes usage and actions no longer needed for budgets or for recognizing repeats. */
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
