// Queries for recurring broadcasts of any kind: the repetition of each model, and the campaigns
// made from the models.
import { sql } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { getRowTable } from './broadcasts.sql.ts';
import type {
  AnySeries,
  BroadcastRow,
  BroadcastTables,
  SeriesChanges,
  SeriesRow,
} from './adapter.ts';

type Tables = { tables: BroadcastTables };

const selectSeries = (tables: BroadcastTables) => tables.series as AnySeries;

/** Returns the repetitions of these models. */
export function readSeries(
  db: Reader,
  { tables }: Tables,
  accountId: number,
  modelIds: readonly number[],
): Promise<SeriesRow[]> {
  return db
    .selectFrom(selectSeries(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', sql<number>`any(${[...modelIds]}::bigint[])`)
    .execute();
}

/** Returns the account's repetitions whose models were not deleted, with the models' titles. */
export async function listSeries(
  db: Reader,
  { tables }: Tables,
  accountId: number,
): Promise<(SeriesRow & { title: string })[]> {
  const { rows } = await sql<SeriesRow & { title: string }>`
    select s.*, m.title from ${sql.table(tables.series)} s
    join ${sql.table(tables.rows)} m on m.account_id = ${accountId} and m.id = s.campaign_id
    where s.account_id = ${accountId} and m.deleted_at is null
    order by s.next_at nulls last, s.campaign_id`.execute(db);
  return rows;
}

/** Inserts or replaces the repetition of a model. */
export async function saveSeries(
  tx: Tx,
  { tables }: Tables,
  row: Pick<
    SeriesRow,
    'account_id' | 'campaign_id' | 'rule' | 'zone' | 'starts_on' | 'ends_on' | 'is_only_new'
  > & { next_at: Date | null },
  at: Date,
): Promise<void> {
  const values = { ...row, rule: JSON.stringify(row.rule), modified_at: at };
  const { account_id: _account, campaign_id: _campaign, ...changes } = values;
  await tx
    .insertInto(selectSeries(tables))
    .values({ ...values, created_at: at })
    .onConflict((conflict) => conflict.columns(['account_id', 'campaign_id']).doUpdateSet(changes))
    .execute();
}

export async function updateSeries(
  tx: Tx,
  { tables }: Tables,
  accountId: number,
  modelId: number,
  changes: SeriesChanges,
): Promise<void> {
  await tx
    .updateTable(selectSeries(tables))
    .set(changes)
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', modelId)
    .execute();
}

export async function deleteSeries(
  tx: Tx,
  { tables }: Tables,
  accountId: number,
  modelId: number,
): Promise<void> {
  await tx
    .deleteFrom(selectSeries(tables))
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', modelId)
    .execute();
}

/** Lists accounts that have an occurrence to create. The query takes no locks. */
export async function listAccountsWithDueSeries(
  db: Db,
  { tables }: Tables,
  until: Date,
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (withinNodes) => sql<{ account_id: number }>`
      select distinct s.account_id from ${sql.table(tables.series)} s
      join ${sql.table(tables.rows)} m on m.account_id = s.account_id and m.id = s.campaign_id
      where s.next_at <= ${until} and m.deleted_at is null
        and ${withinNodes(sql`s.account_id`)} and ${withinNodes(sql`m.account_id`)}
      limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/** Finds a model of the account with an occurrence to create, except the given ones. */
export async function findDueModel(
  tx: Tx,
  { tables }: Tables,
  accountId: number,
  until: Date,
  excludedIds: readonly number[],
): Promise<number | undefined> {
  const { rows } = await sql<{ campaign_id: number }>`
    select s.campaign_id from ${sql.table(tables.series)} s
    join ${sql.table(tables.rows)} m on m.account_id = ${accountId} and m.id = s.campaign_id
    where s.account_id = ${accountId} and s.next_at <= ${until} and m.deleted_at is null
      and s.campaign_id <> all(${[...excludedIds]}::bigint[])
    order by s.next_at limit 1`.execute(tx);
  return rows[0]?.campaign_id;
}

export type SeriesOccurrenceRow = BroadcastRow & { deleted_at: Date | null };

/** Reads the campaigns made from a model, newest occurrence first, including removed ones. */
export async function readOccurrences<Row extends BroadcastRow>(
  db: Reader,
  { tables }: Tables,
  accountId: number,
  modelId: number,
  limit: number,
): Promise<(Row & SeriesOccurrenceRow)[]> {
  const rows = await db
    .selectFrom(getRowTable(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('series_of', '=', modelId)
    .orderBy('occurs_on', 'desc')
    .limit(limit)
    .execute();
  return rows as (Row & SeriesOccurrenceRow)[];
}

/** Locks and returns the campaign of an occurrence, even a removed one. */
export async function lockOccurrence(
  tx: Tx,
  { tables }: Tables,
  accountId: number,
  modelId: number,
  on: string,
): Promise<SeriesOccurrenceRow | undefined> {
  return tx
    .selectFrom(getRowTable(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('series_of', '=', modelId)
    .where('occurs_on', '=', on)
    .forUpdate()
    .executeTakeFirst();
}

/** Deletes scheduled copies that were not edited; copies of the changed model replace them. */
export async function deleteUneditedCopies(
  tx: Tx,
  { tables }: Tables,
  accountId: number,
  modelId: number,
  at: Date,
): Promise<void> {
  await tx
    .updateTable(getRowTable(tables))
    .set({ deleted_at: at, series_of: null, occurs_on: null })
    .where('account_id', '=', accountId)
    .where('series_of', '=', modelId)
    .where('status', '=', 'SCHEDULED')
    .where('message_id', 'is', null)
    .where('scheduled_at', '>', at)
    .where('revision', '=', 1)
    .where('deleted_at', 'is', null)
    .execute();
}

/**
 * Finds campaigns of earlier occurrences that were not started at their scheduled time, turns them
 * into drafts, and returns their ids.
 */
export async function unscheduleEarlier(
  tx: Tx,
  { tables }: Tables,
  accountId: number,
  { series_of, occurs_on }: { series_of: number; occurs_on: string },
  at: Date,
): Promise<number[]> {
  const rows = await tx
    .updateTable(getRowTable(tables))
    .set({
      status: 'DRAFT',
      schedule_time: null,
      schedule_zone: null,
      scheduled_at: null,
      modified_at: at,
    })
    .where('account_id', '=', accountId)
    .where('series_of', '=', series_of)
    .where('occurs_on', '<', occurs_on)
    .where('status', '=', 'SCHEDULED')
    .where('message_id', 'is', null)
    .where('scheduled_at', '<=', at)
    .where('deleted_at', 'is', null)
    .returning('id')
    .execute();
  return rows.map((row) => row.id);
}

/**
 * Lists messages of all started campaigns of a series, including removed ones; for an experiment,
 * the messages of all variants.
 */
export async function listMessagesOfSeries(
  db: Reader,
  { tables }: Tables,
  accountId: number,
  modelId: number,
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select m.id from ${sql.table(tables.rows)} c
    join messages m on m.account_id = ${accountId}
      and (m.id = c.message_id or m.group_of = c.message_id)
    where c.account_id = ${accountId} and c.series_of = ${modelId}
      and c.message_id is not null`.execute(db);
  return rows.map((row) => row.id);
}
