// Queries for the included and excluded groups and segments of broadcasts.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { LeadId } from '#areas/delivery/lead-id.ts';
import { waitsForWinner } from './experiments/experiments.sql.ts';
import type { BroadcastTables } from './adapter.ts';

export type RecipientChoiceRow = {
  campaign_id: number;
  id: number;
  title: string;
  is_excluded: boolean;
};
export type ChosenKind = 'groups' | 'segments';

const COLUMN = { groups: 'group_id', segments: 'segment_id' } as const;

/** Returns the titles of included and excluded groups (or segments) of some broadcasts. */
export async function readChosen(
  db: Reader,
  tables: BroadcastTables,
  kind: ChosenKind,
  accountId: number,
  ids: readonly number[],
): Promise<RecipientChoiceRow[]> {
  const { rows } = await sql<RecipientChoiceRow>`
    select c.campaign_id, t.id, t.title, c.is_excluded
    from ${sql.table(tables[kind])} c
    join ${sql.table(kind)} t on t.account_id = ${accountId} and t.id = c.${sql.ref(COLUMN[kind])}
    where c.account_id = ${accountId} and c.campaign_id = any(${[...ids]}::bigint[])
    order by t.title`.execute(db);
  return rows;
}

/**
 * Replaces the included or the excluded groups (or segments). Returns how many of the chosen ones
 * exist in the account.
 */
export async function replaceChosen(
  tx: Tx,
  tables: BroadcastTables,
  kind: ChosenKind,
  target: { accountId: number; id: number; isExcluded: boolean },
  chosenIds: readonly number[],
): Promise<number> {
  const table = sql.table(tables[kind]);
  await sql`delete from ${table} where account_id = ${target.accountId} and campaign_id = ${target.id}
    and is_excluded = ${target.isExcluded}`.execute(tx);
  if (chosenIds.length === 0) return 0;
  const { numAffectedRows } = await sql`
    insert into ${table} (account_id, campaign_id, ${sql.ref(COLUMN[kind])}, is_excluded)
    select t.account_id, ${target.id}::bigint, t.id, ${target.isExcluded}::boolean
    from ${sql.table(kind)} t
    where t.account_id = ${target.accountId} and t.id = any(${[...chosenIds]}::bigint[])`.execute(
    tx,
  );
  return Number(numAffectedRows ?? 0);
}

/** Copies the selection of groups and segments from one broadcast to another. */
export async function copyChosen(
  tx: Tx,
  tables: BroadcastTables,
  accountId: number,
  from: number,
  to: number,
): Promise<void> {
  for (const kind of ['groups', 'segments'] as const) {
    const column = sql.ref(COLUMN[kind]);
    await sql`
      insert into ${sql.table(tables[kind])} (account_id, campaign_id, ${column}, is_excluded)
      select c.account_id, ${to}::bigint, c.${column}, c.is_excluded
      from ${sql.table(tables[kind])} c
      where c.account_id = ${accountId} and c.campaign_id = ${from}`.execute(tx);
  }
}

export type ReadingRow = {
  id: number;
  title: string;
  status: string;
  message_id: LeadId | null;
  /** Whether the remaining recipients of its experiment will be read from the group or segment. */
  waits_for_winner: boolean;
};

/**
 * Lists broadcasts that may still read their recipients from this group or segment: scheduled ones,
 * broadcasts sent after `sentAfter`, broadcasts with a pending experiment, and models of an active
 * series.
 */
export async function listRowsChoosing(
  db: Reader,
  tables: BroadcastTables,
  kind: ChosenKind,
  accountId: number,
  chosenId: number,
  sentAfter: Date,
): Promise<ReadingRow[]> {
  const { rows } = await sql<ReadingRow>`
    select distinct b.id, b.title, b.status, b.message_id,
      ${waitsForWinner(tables, accountId, 'b.id')} as waits_for_winner
    from ${sql.table(tables[kind])} c
    join ${sql.table(tables.rows)} b on b.account_id = ${accountId} and b.id = c.campaign_id
    where c.account_id = ${accountId} and c.${sql.ref(COLUMN[kind])} = ${chosenId}
      and b.deleted_at is null and (b.status = 'SCHEDULED' or b.sent_at > ${sentAfter}
        or ${waitsForWinner(tables, accountId, 'b.id')}
        or exists (select 1 from ${sql.table(tables.series)} s where s.account_id = ${accountId}
          and s.campaign_id = b.id and s.next_at is not null))`.execute(db);
  return rows;
}

export async function deleteChosen(
  tx: Tx,
  tables: BroadcastTables,
  kind: ChosenKind,
  accountId: number,
  chosenId: number,
): Promise<void> {
  await sql`delete from ${sql.table(tables[kind])}
    where account_id = ${accountId} and ${sql.ref(COLUMN[kind])} = ${chosenId}`.execute(tx);
}

/**
 * Turns removed broadcasts with a schedule into drafts, because restoring one without this group or
 * segment would send it to a different audience. `dependentContents`: IDs of the contents with
 * sections that depend on the group or segment, for kinds with contents.
 */
export async function unscheduleRemoved(
  tx: Tx,
  tables: BroadcastTables,
  kind: ChosenKind,
  accountId: number,
  chosenId: number,
  dependentContents?: readonly number[],
): Promise<void> {
  const hasDependentContent = dependentContents
    ? sql<boolean>`b.content_id = any(${[...dependentContents]}::bigint[])`
    : sql<boolean>`false`;
  await sql`
    update ${sql.table(tables.rows)} b set status = 'DRAFT', schedule_time = null,
      schedule_zone = null, scheduled_at = null
    where b.account_id = ${accountId} and b.deleted_at is not null and b.status = 'SCHEDULED'
      and b.message_id is null
      and (${hasDependentContent} or exists (select 1 from ${sql.table(tables[kind])} c
        where c.account_id = ${accountId} and c.campaign_id = b.id
          and c.${sql.ref(COLUMN[kind])} = ${chosenId}))`.execute(tx);
}
