// Queries for the undo of an import: its progress, the memberships that it removes, and the
// subscribers that it leaves unchanged.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { UndoState, UnrestoredReason } from '../shared.ts';
import type { ImportRow } from './imports.sql.ts';

export async function setUndoState(
  tx: Tx,
  accountId: number,
  id: number,
  state: UndoState,
  at: Date,
): Promise<void> {
  await sql`
    update imports
    set undo_state = ${state}, modified_at = ${at},
      undone_at = case when ${state} = 'finished' then ${at}::timestamptz end
    where account_id = ${accountId} and id = ${id}`.execute(tx);
}

export interface UndoCounts {
  removed?: number;
  restored?: number;
  removedMemberships?: number;
}

/** Adds the counts of one slice in its transaction. */
export async function countUndone(
  tx: Tx,
  accountId: number,
  id: number,
  counts: UndoCounts & { checkpoint?: number | undefined; at: Date },
): Promise<void> {
  const { removed = 0, restored = 0, removedMemberships = 0 } = counts;
  const incrementCount = (name: string, increment: number) =>
    sql`${name}::text, coalesce((undo->>${name})::bigint, 0) + ${increment}::bigint`;
  await sql`
    update imports
    set undo = undo - 'failures' || jsonb_build_object(${incrementCount('removed', removed)}, ${incrementCount('restored', restored)},
        ${incrementCount('left', removedMemberships)}),
      undo_checkpoint = coalesce(${counts.checkpoint ?? null}::bigint, undo_checkpoint),
      modified_at = ${counts.at}
    where account_id = ${accountId} and id = ${id}`.execute(tx);
}

/** Counts a failed slice. Returns the number of consecutive failures. */
export async function countUndoFailure(db: Reader, accountId: number, id: number): Promise<number> {
  const { rows } = await sql<{ failures: number }>`
    update imports set undo = undo
      || jsonb_build_object('failures', coalesce((undo->>'failures')::int, 0) + 1)
    where account_id = ${accountId} and id = ${id}
    returning (undo->>'failures')::int as failures`.execute(db);
  return rows[0]?.failures ?? 0;
}

export async function insertUnrestored(
  tx: Tx,
  accountId: number,
  importId: number,
  unrestoredSubscribers: readonly { id: number; reason: UnrestoredReason }[],
): Promise<void> {
  if (unrestoredSubscribers.length === 0) return;
  await sql`
    insert into import_undo_kept (account_id, import_id, subscriber_id, reason)
    select ${accountId}::bigint, ${importId}::bigint, id, reason
    from unnest(${unrestoredSubscribers.map((subscriber) => subscriber.id)}::bigint[], ${unrestoredSubscribers.map((subscriber) => subscriber.reason)}::text[])
      as given (id, reason)
    on conflict (account_id, import_id, subscriber_id, reason) do nothing`.execute(tx);
}

export async function countUnrestored(
  db: Reader,
  accountId: number,
  importIds: readonly number[],
): Promise<{ import_id: number; reason: UnrestoredReason; count: number }[]> {
  if (importIds.length === 0) return [];
  const { rows } = await sql<{ import_id: number; reason: UnrestoredReason; count: number }>`
    select import_id, reason, count(*) as count from import_undo_kept
    where account_id = ${accountId} and import_id = any(${[...importIds]}::bigint[])
    group by import_id, reason order by count(*) desc, reason`.execute(db);
  return rows;
}

export interface UnrestoredSubscriber {
  subscriber_id: number;
  reason: UnrestoredReason;
  email: string | null;
  phone: string | null;
}

export async function listUnrestoredAfter(
  db: Reader,
  accountId: number,
  importId: number,
  after: { id: number; reason: string },
  limit: number,
): Promise<UnrestoredSubscriber[]> {
  const { rows } = await sql<UnrestoredSubscriber>`
    select k.subscriber_id, k.reason, s.email, s.phone from import_undo_kept k
    left join subscribers s on s.account_id = ${accountId} and s.id = k.subscriber_id
      and s.deleted_at is null
    where k.account_id = ${accountId} and k.import_id = ${importId}
      and (k.subscriber_id, k.reason) > (${after.id}::bigint, ${after.reason}::text)
    order by k.subscriber_id, k.reason limit ${limit}`.execute(db);
  return rows;
}

/**
 * Deletes and returns the next recorded memberships, in the transaction that removes the
 * subscribers from these groups.
 */
export async function claimMemberships(
  tx: Tx,
  accountId: number,
  importId: number,
  limit: number,
): Promise<{ subscriber_id: number; group_id: number }[]> {
  const { rows } = await sql<{ subscriber_id: number; group_id: number }>`
    with slice as materialized (
      select subscriber_id, group_id from import_memberships
      where account_id = ${accountId} and import_id = ${importId}
      order by subscriber_id, group_id limit ${limit}
    )
    delete from import_memberships m using slice
    where m.account_id = ${accountId} and m.import_id = ${importId}
      and m.subscriber_id = slice.subscriber_id and m.group_id = slice.group_id
    returning m.subscriber_id, m.group_id`.execute(tx);
  return rows;
}

/** Lists imports of one account whose undo period is over and whose undo data still exists. */
export async function listUndoOverBefore(
  db: Reader,
  accountId: number,
  before: Date,
): Promise<ImportRow[]> {
  return db
    .selectFrom('imports')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('undoable_until', '<', before)
    .where((eb) =>
      eb.or([eb('undo_state', 'is', null), eb('undo_state', 'in', ['finished', 'failed'])]),
    )
    .limit(100)
    .execute();
}

export async function closeUndo(tx: Tx, accountId: number, id: number): Promise<void> {
  await sql`
    update imports set undoable_until = null, file_key = null
    where account_id = ${accountId} and id = ${id}`.execute(tx);
}
