// Queries for the members of trigger segments, stored as bitmaps (one row per 64 ids), and for
// subscribers with a date on given days.
import { type RawBuilder, sql } from 'kysely';
import type { SubscriberLocation } from '#areas/subscribers/server/index.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

const ids = (list: readonly number[]) => sql`unnest(${[...list]}::bigint[]) u(id)`;
const BITMAP_COLUMNS = sql`id >> 6 as place, bit_or(1::bigint << (id & 63)::int) as bits`;

/**
 * Updates the membership of the subscribers in `checkedIds`: subscribers in `matchingIds` are
 * members. Returns the ids of the new members.
 */
export async function updateMembers(
  tx: Tx,
  accountId: number,
  workflowId: number,
  checkedIds: readonly number[],
  matchingIds: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select u.id from ${ids(matchingIds)}
    left join workflow_members m on m.account_id = ${accountId} and m.workflow_id = ${workflowId}
      and m.place = u.id >> 6
    where (coalesce(m.bits, 0) >> (u.id & 63)::int) & 1 = 0
    order by 1`.execute(tx);
  await sql`
    insert into workflow_members as m (account_id, workflow_id, place, bits)
    select ${accountId}::bigint, ${workflowId}::bigint, t.place,
      (coalesce(old.bits, 0) & ~t.bits) | coalesce(n.bits, 0)
    from (select ${BITMAP_COLUMNS} from ${ids(checkedIds)} group by 1) t
    left join (select ${BITMAP_COLUMNS} from ${ids(matchingIds)} group by 1) n on n.place = t.place
    left join workflow_members old on old.account_id = ${accountId}
      and old.workflow_id = ${workflowId} and old.place = t.place
    on conflict (account_id, workflow_id, place) do update set bits = excluded.bits
    where m.bits <> excluded.bits`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Reevaluates all subscribers; `condition` refers to a row `s` of subscribers. Returns the ids of
 * the new members.
 */
export async function sweepMembers(
  tx: Tx,
  accountId: number,
  workflowId: number,
  condition: RawBuilder<boolean>,
): Promise<number[]> {
  // The differences are written by a separate statement: PostgreSQL uses parallel workers only for
  // statements that only read.
  type BitsRow = { place: number; bits: string };
  const { rows: currentRows } = await sql<BitsRow>`
    select s.id >> 6 as place, bit_or(1::bigint << (s.id & 63)::int)::text as bits
    from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null and ${condition}
    group by 1`.execute(tx);
  const { rows: storedRows } = await sql<BitsRow>`
    select place, bits::text as bits from workflow_members
    where account_id = ${accountId} and workflow_id = ${workflowId}`.execute(tx);
  const previousBits = new Map(storedRows.map((row) => [row.place, row.bits]));
  const absentBits = new Map(previousBits);
  for (const { place } of currentRows) absentBits.delete(place);
  const clearedRows = [...absentBits.keys()].map((place) => ({ place, bits: '0' }));
  const changedRows = [...currentRows, ...clearedRows].filter(
    ({ place, bits }) => bits !== (previousBits.get(place) ?? '0'),
  );
  if (changedRows.length === 0) return [];
  await sql`
    insert into workflow_members as m (account_id, workflow_id, place, bits)
    select ${accountId}::bigint, ${workflowId}::bigint, place, bits::bigint
    from unnest(${changedRows.map((row) => row.place)}::bigint[],
      ${changedRows.map((row) => row.bits)}::text[]) u(place, bits)
    on conflict (account_id, workflow_id, place) do update set bits = excluded.bits`.execute(tx);
  return changedRows
    .flatMap(({ place, bits }) =>
      decodeIds(place, BigInt(bits) & ~BigInt(previousBits.get(place) ?? '0')),
    )
    .sort((a, b) => a - b);
}

/** Returns the ids in one 64-bit word of the bitmap; PostgreSQL's bigint is signed. */
function decodeIds(place: number, bits: bigint): number[] {
  const foundIds: number[] = [];
  for (
    let remainingBits = BigInt.asUintN(64, bits), bit = 0;
    remainingBits > 0n;
    remainingBits >>= 1n, bit++
  )
    if (remainingBits & 1n) foundIds.push(place * 64 + bit);
  return foundIds;
}

export async function deleteMembers(tx: Tx, accountId: number, workflowId: number): Promise<void> {
  await sql`
    delete from workflow_members
    where account_id = ${accountId} and workflow_id = ${workflowId}`.execute(tx);
}

/**
 * Returns subscribers, in any status, with one of these days in this date field: full dates, or
 * `MM-DD` in any year.
 */
export async function listSubscribersOnDays(
  db: Reader,
  accountId: number,
  fieldId: number,
  days: { fullDates: readonly string[] } | { monthDays: readonly string[] },
): Promise<(SubscriberLocation & { id: number; value: string })[]> {
  const value = sql`field_values ->> ${String(fieldId)}::text`;
  // Birthdays are MM-DD without a year.
  const monthDay = sql`case when length(${value}) = 5 then ${value} else substr(${value}, 6, 5) end`;
  const isOnDay =
    'fullDates' in days
      ? sql`left(${value}, 10) = any(${[...days.fullDates]}::text[])`
      : sql`${monthDay} = any(${[...days.monthDays]}::text[])`;
  const { rows } = await sql<SubscriberLocation & { id: number; value: string }>`
    select id, ${value} as value, timezone, country, phone from subscribers
    where account_id = ${accountId} and deleted_at is null and ${isOnDay}
    order by id`.execute(db);
  return rows;
}
