// Forward-only SQL migrations: each file runs once, in order, in its own transaction, under one
// lock. Contract migrations remove what the previous version reads; they are marked (`-- contract:
// why`) and remain pending while a process of that version runs.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { runMigrations } from 'graphile-worker';
import pg from 'pg';
import { isHalfRestored } from '../backup/parts.sql.ts';
import { silentLogger } from '../jobs/job-log.ts';
import { EXPIRY_MS } from '../jobs/heartbeat.ts';
import { splitStatements } from './sql-statements.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../../migrations');
const LOCK = 7_305_411;

export type Migration = {
  name: string;
  sql: string;
  checksum: string;
  /** True if the migration removes tables or columns that the previous version reads. */
  isContract: boolean;
};

/**
 * The first line of a contract migration, and the checksum prefix that identifies it to other
 * versions.
 */
const CONTRACT = /^-- contract: \S/;
const CONTRACT_CHECKSUM = 'contract:';

/** A migration that ran on every database from before the squash of the migrations. */
const BEFORE_SQUASH = '0004-people.sql';

/**
 * True if these migrations ran in a checkout from before the squash; `npm run convert-backup`
 * converts its backups.
 */
export const isBeforeSquash = (names: Iterable<string>): boolean =>
  [...names].includes(BEFORE_SQUASH);

export async function readMigrations(folder = FOLDER): Promise<Migration[]> {
  const names = (await readdir(folder)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort();
  return Promise.all(
    names.map(async (name) => {
      const sql = await readFile(path.join(folder, name), 'utf8');
      const isContract = CONTRACT.test(sql);
      const hash = createHash('sha256').update(sql).digest('hex');
      return { name, sql, isContract, checksum: isContract ? CONTRACT_CHECKSUM + hash : hash };
    }),
  );
}

/** Lists this version's contract migrations by name; each process publishes them as supported. */
export async function listContractNames(folder = FOLDER): Promise<string[]> {
  const migrations = await readMigrations(folder);
  return migrations.filter(({ isContract }) => isContract).map(({ name }) => name);
}

/**
 * Migrates the schema and returns the names of the migrations run. Safe to call from many
 * processes. A contract migration remains pending until every live process supports it.
 */
export async function migrate(databaseUrl: string, folder = FOLDER): Promise<string[]> {
  const migrations = await readMigrations(folder);
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    await lockMigrations(client);
    if (await isHalfRestored(client)) {
      throw new Error(
        'A restore into this database did not finish: run it again, it first removes the rows of the unfinished one.',
      );
    }
    const ran = await runPending(client, migrations);
    await migrateJobQueue(databaseUrl);
    return ran;
  } finally {
    await client.end();
  }
}

/** Names of migrations that have not run. */
export async function listPendingMigrations(databaseUrl: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: databaseUrl, connectionTimeoutMillis: 10_000 });
  await client.connect();
  try {
    const { pending } = await readPending(client, await readMigrations());
    return pending.map(({ name }) => name);
  } finally {
    await client.end();
  }
}

/** Waits for the lock: no other process migrates until this connection ends. */
export async function lockMigrations(client: pg.Client): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [LOCK]);
}

/**
 * Runs pending migrations within the caller's transaction; with `names` only those. The caller
 * holds the lock. Returns migrations outside `names` that had run before.
 */
export async function migrateWithin(client: pg.Client, names?: string[]): Promise<string[]> {
  const { applied, pending } = await readPending(client, await readMigrations());
  const selectedNames = names && new Set(names);
  for (const migration of pending) {
    if (!selectedNames || selectedNames.has(migration.name)) await run(client, migration);
  }
  return applied.filter((name) => selectedNames && !selectedNames.has(name));
}

/**
 * Prepares a transaction with other statements before its migrations, which must also run node by
 * node on a cluster.
 */
export async function prepareMigrations(client: pg.Client): Promise<void> {
  await client.query(ON_A_CLUSTER);
}

/** Lets the job queue create its tables in a separate schema. */
export async function migrateJobQueue(databaseUrl: string): Promise<void> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: 1 });
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  try {
    await runMigrations({ pgPool: pool, logger: silentLogger });
  } finally {
    await pool.end();
  }
}

async function runPending(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  const { applied, pending } = await readPending(client, migrations);
  // A new database has no other processes.
  if (applied.length === 0) return runEach(client, pending);
  const addedMigrations = await runEach(
    client,
    pending.filter(({ isContract }) => !isContract),
  );
  const contracts = pending.filter(({ isContract }) => isContract);
  const waiting = await unknownToProcesses(client, contracts);
  const runnable = contracts.filter(({ name }) => !waiting.includes(name));
  return [...addedMigrations, ...(await runEach(client, runnable))];
}

/**
 * Gives up waiting for a lock after a while and retries, because a waiting statement blocks all
 * later statements on the table and a backup holds its locks for hours.
 */
const LOCK_TIMEOUT_MS = 3_000;
const LOCK_ATTEMPTS = 30;
const LOCK_NOT_AVAILABLE = '55P03';

async function runEach(client: pg.Client, migrations: Migration[]): Promise<string[]> {
  for (const migration of migrations) {
    for (let attempt = 1; !(await tryMigration(client, migration)); attempt++) {
      if (attempt < LOCK_ATTEMPTS) await setTimeout(1_000);
      else {
        throw new Error(
          `Migration ${migration.name} needs a lock that another transaction holds, for example a backup: start again once it has ended.`,
        );
      }
    }
  }
  return migrations.map(({ name }) => name);
}

/** Runs the migration. Returns false if another transaction holds a lock that it needs. */
async function tryMigration(client: pg.Client, migration: Migration): Promise<boolean> {
  await client.query('begin');
  try {
    await client.query(`set local lock_timeout = ${LOCK_TIMEOUT_MS}`);
    await run(client, migration);
    await client.query('commit');
    return true;
  } catch (error) {
    await client.query('rollback');
    const { cause } = error as { cause?: { code?: string } };
    if (cause?.code === LOCK_NOT_AVAILABLE) return false;
    throw error;
  }
}

/** Returns the contract migrations that some live process does not support. */
async function unknownToProcesses(client: pg.Client, contracts: Migration[]): Promise<string[]> {
  const names = contracts.map(({ name }) => name);
  if (names.length === 0) return [];
  const { rows } = await client.query<{ name: string }>(
    `select distinct name from unnest($1::text[]) name
    join processes p on not coalesce(p.facts -> 'contracts', '[]') ? name
    where p.seen_at > clock_timestamp() - make_interval(secs => $2)`,
    [names, EXPIRY_MS / 1000],
  );
  return rows.map(({ name }) => name);
}

async function readPending(
  client: pg.Client,
  migrations: Migration[],
): Promise<{ applied: string[]; pending: Migration[] }> {
  await client.query(`create table if not exists schema_migrations (
    name text primary key, checksum text not null, ran_at timestamptz not null default clock_timestamp())`);
  const { rows } = await client.query<{ name: string; checksum: string }>(
    'select name, checksum from schema_migrations',
  );
  const appliedChecksums = new Map(rows.map((row) => [row.name, row.checksum]));
  refuseForeignHistory(appliedChecksums, migrations);
  return {
    applied: [...appliedChecksums.keys()],
    pending: migrations.filter((migration) => !appliedChecksums.has(migration.name)),
  };
}

/**
 * Settings for the current transaction: foreign keys from account tables to global tables can only
 * be created node by node, and the coordinator's local tables must not be created on the nodes. The
 * settings have no effect on servers without Citus.
 */
const ON_A_CLUSTER = `select set_config('citus.multi_shard_modify_mode', 'sequential', true),
  set_config('citus.enable_local_reference_table_foreign_keys', 'off', true)`;

async function run(client: pg.Client, { name, sql, checksum }: Migration): Promise<void> {
  try {
    await client.query(ON_A_CLUSTER);
    for (const statement of splitStatements(sql)) await client.query(statement);
    await client.query('insert into schema_migrations (name, checksum) values ($1, $2)', [
      name,
      checksum,
    ]);
  } catch (error) {
    throw new Error(`Migration ${name} failed: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * Returns the reason why this version cannot start on a database with these migrations; undefined
 * if it can.
 */
export async function findIncompatibility(ran: readonly Migration[]): Promise<string | undefined> {
  try {
    refuseForeignHistory(
      new Map(ran.map(({ name, checksum }) => [name, checksum])),
      await readMigrations(),
    );
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

function refuseForeignHistory(
  appliedChecksums: Map<string, string>,
  migrations: Migration[],
): void {
  if (isBeforeSquash(appliedChecksums.keys())) {
    throw new Error(
      'This database was created by a checkout from before the first release and was left unchanged: back it up with that checkout, convert the backup with npm run convert-backup, and restore it into an empty DATA_DIR (docs/operations/convert.md).',
    );
  }
  const checksums = new Map(migrations.map((migration) => [migration.name, migration.checksum]));
  for (const [name, checksum] of appliedChecksums) {
    // The next version may run concurrently: its expand migrations do not affect this version.
    if (!checksums.has(name) && !checksum.startsWith(CONTRACT_CHECKSUM)) continue;
    if (!checksums.has(name)) {
      throw new Error(
        `The database is newer than this program: ${name} removed columns that this program reads.`,
      );
    }
    if (checksums.get(name) !== checksum) {
      throw new Error(`Migration ${name} was changed after it ran on this database.`);
    }
  }
}
