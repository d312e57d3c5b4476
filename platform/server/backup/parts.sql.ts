// SQL for backups and restores: one snapshot for many connections, tables divided into parts that
// are read in parallel, and the markers of a running restore and of the last backup.
import pg from 'pg';

const quote = (name: string) => pg.escapeIdentifier(name);

/** Bytes of a table per part; larger tables are read in page ranges. */
export const PART_BYTES = 32 * 1024 * 1024;

export type Heap = {
  /** The source of the rows: the table itself or one of its partitions. */
  heap: string;
  table: string;
  pages: number;
  pageBytes: number;
};

/** Returns the tables and partitions that store rows, and their sizes. */
export async function readHeaps(client: pg.Client): Promise<Heap[]> {
  const { rows } = await client.query<Heap>(`
    with recursive of_table (root, oid) as (
      select c.oid, c.oid from pg_class c
      where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
        and c.relname <> 'schema_migrations'
      union all
      select t.root, i.inhrelid from of_table t join pg_inherits i on i.inhparent = t.oid
    )
    select h.relname as heap, r.relname as table, current_setting('block_size')::int as "pageBytes",
      (pg_relation_size(h.oid) / current_setting('block_size')::int)::int as pages
    from of_table t join pg_class h on h.oid = t.oid and h.relkind = 'r' join pg_class r on r.oid = t.root
    order by 2, 1`);
  return rows;
}

/**
 * Returns true on a cluster, where distributed tables look local but have their pages on other
 * nodes.
 */
export async function isSpread(client: pg.Client): Promise<boolean> {
  const { rows } = await client.query("select 1 from pg_extension where extname = 'citus'");
  return rows.length > 0;
}

/** `to` is omitted for the last range: the table may have grown since it was measured. */
export type PageRange = { from: number; to?: number };

export function copyPartOut(heap: string, columns: readonly string[], range?: PageRange): string {
  const bounds = range
    ? ` where ctid >= '(${range.from},0)'${range.to === undefined ? '' : ` and ctid < '(${range.to},0)'`}`
    : '';
  return `copy (select ${columns.map(quote).join(', ')} from ${quote(heap)}${bounds}) to stdout`;
}

/**
 * Prevents statements that change the tables' definitions or rewrite them, such as ALTER TABLE and
 * VACUUM FULL, until the transaction ends.
 */
export async function lockTables(client: pg.Client, tables: readonly string[]): Promise<void> {
  if (tables.length === 0) return;
  await client.query(`lock table ${tables.map(quote).join(', ')} in access share mode`);
}

const BEGIN_READ = 'begin isolation level repeatable read read only';

/**
 * Begins a transaction at a new snapshot, or at a snapshot exported by another transaction. Returns
 * false if that transaction has ended.
 */
export async function beginTransactionAt(client: pg.Client, snapshot?: string): Promise<boolean> {
  await client.query(
    "select set_config('statement_timeout', '0', false), set_config('idle_in_transaction_session_timeout', '0', false)",
  );
  await client.query(BEGIN_READ);
  if (snapshot === undefined) return true;
  try {
    await client.query(`set transaction snapshot ${pg.escapeLiteral(snapshot)}`);
    return true;
  } catch (error) {
    await client.query('rollback');
    // 22023: not a snapshot name; 42704, 55000: the snapshot no longer exists.
    if (['22023', '42704', '55000'].includes((error as { code?: string }).code ?? '')) return false;
    throw error;
  }
}

/**
 * Limits a cluster's coordinator to one connection per node: a snapshot applies to one connection,
 * so a statement over several connections would read each shard at a different time. Has no effect
 * on other servers.
 */
export async function oneConnectionToEachNode(client: pg.Client): Promise<void> {
  await client.query("select set_config('citus.max_adaptive_executor_pool_size', '1', false)");
}

/** Returns the name that other transactions use to import this transaction's snapshot. */
export async function exportSnapshot(client: pg.Client): Promise<string> {
  const { rows } = await client.query<{ snapshot: string }>(
    'select pg_export_snapshot() as snapshot',
  );
  return rows[0]?.snapshot as string;
}

const LOCK_KEY = 7_305_412;

/** Tries to get the exclusive lock of the target; returns false if another connection holds it. */
export async function lockPlace(client: pg.Client, target: string): Promise<boolean> {
  const { rows } = await client.query<{ is_ours: boolean }>(
    'select pg_try_advisory_lock($1, hashtext($2)) as is_ours',
    [LOCK_KEY, target],
  );
  return rows[0]?.is_ours === true;
}

/** Marker in the database from the start of a restore to its completion. */
const RESTORE_MARKER = 'restoring';

export async function markRestoring(client: pg.Client, at: Date): Promise<void> {
  await client.query(
    `insert into instance_settings (key, value, modified_at) values ($1, 'true', $2)
     on conflict (key) do nothing`,
    [RESTORE_MARKER, at],
  );
}

export async function unmarkRestoring(client: pg.Client): Promise<void> {
  await client.query('delete from instance_settings where key = $1', [RESTORE_MARKER]);
}

/** Records the time of the last backup, so that monitoring can report its age. */
export async function recordBackup(client: pg.Client, at: string, now: Date): Promise<void> {
  await client.query(
    `insert into instance_settings (key, value, modified_at) values ('last_backup', $1, $2)
     on conflict (key) do update set value = excluded.value, modified_at = excluded.modified_at`,
    [JSON.stringify({ at }), now],
  );
}

/** Returns true if a restore started here and did not complete, so that the data is unusable. */
export async function isHalfRestored(client: pg.Client): Promise<boolean> {
  const { rows: tables } = await client.query<{ has: boolean }>(
    "select to_regclass('public.instance_settings') is not null as has",
  );
  if (!tables[0]?.has) return false;
  const { rows } = await client.query('select 1 from instance_settings where key = $1', [
    RESTORE_MARKER,
  ]);
  return rows.length > 0;
}

/** Removes all restored data, including the marker. */
export async function emptyTables(client: pg.Client, tables: readonly string[]): Promise<void> {
  await client.query(`truncate ${tables.map(quote).join(', ')} restart identity`);
}
