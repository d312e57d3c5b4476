// SQL shared by all kinds of broadcasts: each statement works on the tables of the given kind.
import { sql, type Updateable } from 'kysely';
import type { LeadId } from '#areas/delivery/lead-id.ts';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import type { AnyRows, BroadcastAdapter, BroadcastRow, BroadcastTables } from './adapter.ts';

type Tables<Row extends BroadcastRow> = Pick<BroadcastAdapter<Row>, 'tables'>;

export type BroadcastChanges = Partial<
  Omit<BroadcastRow, 'account_id' | 'id' | 'title' | 'sent_at' | 'timing'> & {
    timing: string | null;
  }
>;

/** Writable columns of the broadcast's table. */
type ChangesOf<T extends BroadcastTables> = Updateable<DB[T['rows']]>;

export const getRowTable = (tables: BroadcastTables) => tables.rows as AnyRows;

export async function findRow<Row extends BroadcastRow>(
  db: Reader,
  { tables }: Tables<Row>,
  accountId: number,
  id: number,
): Promise<Row | undefined> {
  const row = await db
    .selectFrom(getRowTable(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row as Row | undefined;
}

/** Locks the row until the transaction ends so that the following steps happen once. */
export async function lockRow<Row extends BroadcastRow>(
  tx: Tx,
  { tables }: Tables<Row>,
  accountId: number,
  id: number,
): Promise<Row | undefined> {
  const row = await tx
    .selectFrom(getRowTable(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
  return row as Row | undefined;
}

/** Inserts a new draft. */
export async function insertRow<T extends BroadcastTables>(
  tx: Tx,
  { tables }: { tables: T },
  accountId: number,
  row: ChangesOf<T> & { title: string },
  at: Date,
): Promise<number> {
  const insertedRow = await tx
    .insertInto(getRowTable(tables))
    .values({
      ...(row as { title: string }),
      id: undefined,
      account_id: accountId,
      created_at: at,
      modified_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return insertedRow.id;
}

export async function updateRow<T extends BroadcastTables>(
  tx: Tx,
  { tables }: { tables: T },
  accountId: number,
  id: number,
  changes: ChangesOf<T>,
): Promise<void> {
  await tx
    .updateTable(getRowTable(tables))
    .set(changes as BroadcastChanges)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Returns true if a removed row was restored. */
export async function undeleteRow(
  tx: Tx,
  { tables }: { tables: BroadcastTables },
  accountId: number,
  id: number,
  at: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable(getRowTable(tables))
    .set({ deleted_at: null, modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * SQL condition of a due broadcast. A broadcast that was due at `lateBefore` or before is not sent
 * automatically, unless the local times of some recipients are still in the future: the last
 * recipients, in UTC−12, follow at most 49 hours after the first ones in UTC+14.
 */
const isDue = (now: Date, lateBefore: Date) => sql<boolean>`
  status = 'SCHEDULED' and deleted_at is null and message_id is null
  and scheduled_at <= ${now} and scheduled_at > ${lateBefore}::timestamptz - interval '49 hours'
  and (scheduled_at > ${lateBefore} or ${now} < (case
    when timing ->> 'when' = 'own_time' then schedule_time + interval '12 hours'
    when timing ->> 'when' = 'best_hour' then date_trunc('day', schedule_time) + interval '35 hours'
    end at time zone 'UTC'))`;

/**
 * Lists accounts that have due broadcasts. The query takes no locks; each account is then processed
 * separately.
 */
export async function listAccountsWithDue(
  db: Db,
  { tables }: { tables: BroadcastTables },
  now: Date,
  lateBefore: Date,
): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (withinNodes) => sql<{ account_id: number }>`
      select distinct account_id from ${sql.table(tables.rows)}
      where ${isDue(now, lateBefore)} and ${withinNodes(sql`account_id`)}
      limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/**
 * Locks a due broadcast of the account, except the given ones; rows locked by another process are
 * skipped.
 */
export async function lockDueBroadcast<Row extends BroadcastRow>(
  tx: Tx,
  { tables }: Tables<Row>,
  accountId: number,
  now: Date,
  lateBefore: Date,
  excludedIds: readonly number[],
): Promise<Row | undefined> {
  const row = await tx
    .selectFrom(getRowTable(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '<>', sql<number>`all(${[...excludedIds]}::bigint[])`)
    .where(isDue(now, lateBefore))
    .orderBy('scheduled_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
  return row as Row | undefined;
}

/**
 * Marks a scheduled broadcast as SENT. Called at its first handoff, or at its end if it had no
 * recipients. Returns its ID, or undefined if it was not scheduled.
 */
export async function markSent(
  tx: Tx,
  { tables }: { tables: BroadcastTables },
  accountId: number,
  lead: LeadId,
  at: Date,
): Promise<number | undefined> {
  const row = await tx
    .updateTable(getRowTable(tables))
    .set({ status: 'SENT', sent_at: at })
    .where('account_id', '=', accountId)
    .where('message_id', '=', lead)
    .where('status', '=', 'SCHEDULED')
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Finds the broadcast of a lead message, including removed broadcasts. */
export async function findRowOfMessage<Row extends BroadcastRow>(
  db: Reader,
  { tables }: Tables<Row>,
  accountId: number,
  lead: LeadId,
): Promise<Row | undefined> {
  const row = await db
    .selectFrom(getRowTable(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('message_id', '=', lead)
    .executeTakeFirst();
  return row as Row | undefined;
}

/** Finds the last sent broadcast of this kind, except the one with the given id. */
export async function findLastSent<Row extends BroadcastRow>(
  db: Reader,
  { tables }: Tables<Row>,
  accountId: number,
  exceptId: number,
): Promise<Row | undefined> {
  const row = await db
    .selectFrom(getRowTable(tables))
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '!=', exceptId)
    .where('sent_at', 'is not', null)
    .where('deleted_at', 'is', null)
    .orderBy('sent_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row as Row | undefined;
}

/** Lists lead messages of the newest sent broadcasts. */
export async function listNewestMessages(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  max: number,
): Promise<LeadId[]> {
  const rows = await db
    .selectFrom(getRowTable(tables))
    .select('message_id')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('message_id', 'is not', null)
    .where('sent_at', 'is not', null)
    .orderBy('sent_at', 'desc')
    .limit(max)
    .execute();
  return rows.map((row) => row.message_id as LeadId);
}

/** Lists titles and lead messages of these broadcasts, including deleted broadcasts. */
export async function listMessagesOfBroadcasts(
  db: Reader,
  tables: BroadcastTables,
  accountId: number,
  ids: readonly number[],
): Promise<{ id: number; title: string; messageId: LeadId | null }[]> {
  const rows = await db
    .selectFrom(getRowTable(tables))
    .select(['id', 'title', 'message_id'])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute();
  return rows.map(({ id, title, message_id }) => ({ id, title, messageId: message_id }));
}
