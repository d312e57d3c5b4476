// Queries for the partitions of events: one per month, with names such as events_2026_01.
import { sql } from 'kysely';
import type { Db, Tx } from '#platform/server/database/database.ts';

export async function listPartitionNames(db: Db): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select c.relname as name from pg_inherits i join pg_class c on c.oid = i.inhrelid
    where i.inhparent = 'events'::regclass`.execute(db);
  return new Set(rows.map((row) => row.name));
}

/**
 * Creates a month's partition, moves the month's rows from the default partition into it, and
 * attaches it.
 */
export async function addPartition(tx: Tx, name: string, from: Date, to: Date): Promise<void> {
  const table = sql.table(name);
  const [start, end] = [sql.lit(from.toISOString()), sql.lit(to.toISOString())];
  await sql`lock table events in share update exclusive mode`.execute(tx);
  await sql`lock table events_default in access exclusive mode`.execute(tx);
  await sql`create table ${table} (like events including all)`.execute(tx);
  await sql`insert into ${table} select * from events_default where at >= ${start} and at < ${end}`.execute(
    tx,
  );
  await sql`delete from events_default where at >= ${start} and at < ${end}`.execute(tx);
  await sql`alter table events attach partition ${table} for values from (${start}) to (${end})`.execute(
    tx,
  );
}
