// SQL that distributes a database over a Citus cluster. migrations/tables.json defines how each
// table is distributed.
import type pg from 'pg';

type Name = { name: string };

/** Returns the worker nodes, without the coordinator; undefined if the extension is missing. */
export async function readNodes(client: pg.Client): Promise<string[] | undefined> {
  const extension = await client.query("select 1 from pg_extension where extname = 'citus'");
  if (extension.rows.length === 0) return undefined;
  const { rows } = await client.query<Name>(
    `select nodename || ':' || nodeport as name from pg_dist_node
    where groupid <> 0 and isactive and shouldhaveshards order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Returns the PostgreSQL settings a cluster depends on. */
export async function readClusterSettings(
  client: pg.Client,
): Promise<{ connections: number; prepared: number; level: string }> {
  const { rows } =
    await client.query(`select current_setting('max_connections')::int as connections,
    current_setting('max_prepared_transactions')::int as prepared, current_setting('wal_level') as level`);
  return rows[0];
}

/** Returns all tables not distributed yet, without partitions. */
export async function readUndistributed(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<Name>(
    `select c.relname::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p') and not c.relispartition
      and not exists (select 1 from pg_dist_partition d where d.logicalrelid = c.oid) order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** Reads the foreign keys that reference these tables, with the statements to drop and add them. */
export async function readForeignKeys(
  client: pg.Client,
  parents: readonly string[],
): Promise<{ child: string; drop: string; add: string }[]> {
  const { rows } = await client.query<{ child: string; drop: string; add: string }>(
    `select k.conrelid::regclass::text as child,
      format('alter table %s drop constraint %I', k.conrelid::regclass, k.conname) as drop,
      format('alter table %s add constraint %I %s', k.conrelid::regclass, k.conname,
        pg_get_constraintdef(k.oid)) as add
    from pg_constraint k join pg_class p on p.oid = k.confrelid
    where k.contype = 'f' and k.conparentid = 0 and p.relname = any($1::text[]) order by 1, 2`,
    [[...parents]],
  );
  return rows;
}

/** Reads foreign keys as pairs of child and parent table. */
export async function readParents(client: pg.Client): Promise<{ child: string; parent: string }[]> {
  const { rows } = await client.query<{ child: string; parent: string }>(
    `select distinct c.relname::text as child, p.relname::text as parent
    from pg_constraint k join pg_class c on c.oid = k.conrelid join pg_class p on p.oid = k.confrelid
    where k.contype = 'f' and k.conrelid <> k.confrelid and not c.relispartition`,
  );
  return rows;
}

/**
 * Sets session settings: keys from account tables to global tables can only be created node by
 * node.
 */
export async function prepareSession(client: pg.Client, shards: number): Promise<void> {
  await client.query(
    `select set_config('citus.multi_shard_modify_mode', 'sequential', false),
      set_config('citus.enable_local_reference_table_foreign_keys', 'off', false),
      set_config('citus.shard_count', $1, false), set_config('client_min_messages', 'warning', false)`,
    [String(shards)],
  );
}

export async function run(client: pg.Client, statement: string): Promise<void> {
  await client.query(statement);
}

/** Makes tables logged, because unlogged tables cannot be moved while in use. */
export async function setLogged(client: pg.Client, tables: readonly string[]): Promise<void> {
  const { rows } = await client.query<Name>(
    `select c.oid::regclass::text as name from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relpersistence = 'u' and c.relname = any($1::text[])`,
    [[...tables]],
  );
  for (const { name } of rows) await client.query(`alter table ${name} set logged`);
}

export async function distribute(client: pg.Client, table: string): Promise<void> {
  if (table === 'accounts') await client.query("select create_distributed_table('accounts', 'id')");
  else {
    await client.query(
      "select create_distributed_table($1::text::regclass, 'account_id', colocate_with => 'accounts')",
      [table],
    );
  }
}

export async function copyToEachNode(client: pg.Client, table: string): Promise<void> {
  await client.query('select create_reference_table($1::text::regclass)', [table]);
}

/** Drops the coordinator's local copies of rows that are on the nodes now. */
export async function dropLocalRows(client: pg.Client): Promise<void> {
  const { rows } = await client.query<Name>(
    `select logicalrelid::text as name from pg_dist_partition
    where logicalrelid not in (select inhrelid from pg_inherits) order by 1`,
  );
  for (const { name } of rows) {
    await client.query('select truncate_local_data_after_distributing_table($1::text::regclass)', [
      name,
    ]);
  }
}
