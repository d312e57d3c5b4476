// SQL for backups and restores: the tables in order, their last assigned IDs, the waiting jobs, and
// the state of the database to restore into.
import pg from 'pg';

export type TableSchema = {
  name: string;
  columns: string[];
  identity: string[];
  /** The tables its foreign keys reference. */
  parents: string[];
};

const quote = (name: string) => pg.escapeIdentifier(name);

/** Returns every table and its columns, parents before children by foreign key. */
export async function readTables(client: pg.Client): Promise<TableSchema[]> {
  const { rows } = await client.query<TableSchema>(`
    select c.relname as name,
      array_agg(a.attname::text order by a.attnum) as columns,
      coalesce(array_agg(a.attname::text) filter (where a.attidentity <> ''), '{}') as identity,
      coalesce((select array_agg(distinct p.relname::text) from pg_constraint k join pg_class p on p.oid = k.confrelid
        where k.conrelid = c.oid and k.contype = 'f' and k.confrelid <> c.oid), '{}') as parents
    from pg_class c
    join pg_namespace n on n.oid = c.relnamespace and n.nspname = 'public'
    join pg_attribute a on a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
    where c.relkind in ('r', 'p') and not c.relispartition and c.relname <> 'schema_migrations'
    group by c.oid, c.relname order by c.relname`);
  const sortedTables: TableSchema[] = [];
  const sortedNames = new Set<string>();
  while (sortedTables.length < rows.length) {
    const next = rows.filter(
      (row) => !sortedNames.has(row.name) && row.parents.every((parent) => sortedNames.has(parent)),
    );
    if (next.length === 0) throw new Error('The tables have circular foreign keys');
    for (const table of next) {
      sortedTables.push(table);
      sortedNames.add(table.name);
    }
  }
  return sortedTables;
}

export function copyIn({ name, columns }: { name: string; columns: string[] }): string {
  return `copy ${quote(name)} (${columns.map(quote).join(', ')}) from stdin`;
}

export async function readMigrationNames(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    'select name from schema_migrations order by name',
  );
  return rows.map((row) => row.name);
}

/** Returns the last assigned ID, even if its row was deleted. */
export async function readReached(
  client: pg.Client,
  table: string,
  column: string,
): Promise<number> {
  const sequence = await client.query<{ name: string }>(
    'select pg_get_serial_sequence($1, $2) as name',
    [quote(table), column],
  );
  const { rows } = await client.query<{ last: string }>(
    `select last_value::text as last from ${sequence.rows[0]?.name}`,
  );
  return Number(rows[0]?.last ?? 0);
}

/**
 * IDs that were assigned between the backup and the failure have no row here, but emails contain
 * them, so they must not be reused. Tokens in emails have room for 2^48 accounts, messages and
 * subscribers, and for 2^32 transactional emails; columns and public IDs have more.
 */
const ID_GAP = 10_000_000;

/** Makes new rows continue with IDs far beyond the IDs of the snapshot. */
export async function continueIdentity(
  client: pg.Client,
  table: string,
  column: string,
  lastValue: number,
): Promise<void> {
  await client.query(
    `select setval(pg_get_serial_sequence($1, $2),
      greatest((select coalesce(max(${quote(column)}), 0) from ${quote(table)}), $3::bigint) + $4::bigint)`,
    [quote(table), column, lastValue, ID_GAP],
  );
}

export type WaitingJob = {
  identifier: string;
  payload: unknown;
  queue: string | null;
  run_at: string;
  max_attempts: number;
  key: string | null;
  priority: number;
};

export async function readJobs(client: pg.Client): Promise<WaitingJob[]> {
  const { rows } = await client.query<WaitingJob>(`
    select t.identifier, j.payload, q.queue_name as queue, j.run_at::text as run_at, j.max_attempts, j.key, j.priority
    from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
    where j.attempts < j.max_attempts order by j.id`);
  return rows;
}

export async function addWaitingJob(client: pg.Client, job: WaitingJob): Promise<void> {
  await client.query(
    `select 1 from graphile_worker.add_job(identifier => $1::text, payload => $2::json, queue_name => $3::text,
      run_at => $4::timestamptz, max_attempts => $5::int, job_key => $6::text, priority => $7::int)`,
    [
      job.identifier,
      JSON.stringify(job.payload),
      job.queue,
      job.run_at,
      job.max_attempts,
      job.key,
      job.priority,
    ],
  );
}

/**
 * Finds running roles of the product on this database by session name, and by heartbeats later than
 * `after`, because an idle process may have no session and a pooler may hide names.
 */
export async function readRunningRoles(client: pg.Client, after: Date): Promise<string[]> {
  const sessions = await client.query<{ name: string }>(
    `select distinct application_name as name from pg_stat_activity
     where datname = current_database() and application_name like 'sendloom %'`,
  );
  const tables = await client.query("select 1 where to_regclass('processes') is not null");
  // A database without tables was never used.
  const signs = tables.rows.length === 0 ? [] : await readSignsOfLife(client, after);
  return [...sessions.rows, ...signs].map((row) => row.name);
}

async function readSignsOfLife(client: pg.Client, after: Date): Promise<{ name: string }[]> {
  const { rows } = await client.query<{ name: string }>(
    "select distinct 'sendloom ' || role as name from processes where seen_at > $1",
    [after],
  );
  return rows;
}

/** Removes the rows that an earlier start of the product wrote to the otherwise unused database. */
export async function clearTraces(client: pg.Client): Promise<void> {
  await client.query('delete from processes');
  await client.query('delete from rate_buckets');
}

/**
 * Analyzes the restored rows, because the following statements join them and autovacuum may not
 * have analyzed them yet.
 */
export async function analyze(client: pg.Client): Promise<void> {
  await client.query('analyze');
}

/** Returns whether the instance is unused; only such an instance may be overwritten. */
export async function isUnused(client: pg.Client): Promise<boolean> {
  const users = await client.query(`select to_regclass('users') is null as are_missing`);
  if (users.rows[0].are_missing) return true;
  const { rows } = await client.query('select 1 from users limit 1');
  return rows.length === 0;
}

export async function pauseSending(client: pg.Client, at: Date, snapshotAt: string): Promise<void> {
  await client.query(
    `insert into instance_settings (key, value, modified_at) values ('sending_paused', $1, $2)
     on conflict (key) do update set value = excluded.value, modified_at = excluded.modified_at`,
    [JSON.stringify({ reason: 'restored', snapshot_at: snapshotAt }), at],
  );
}
