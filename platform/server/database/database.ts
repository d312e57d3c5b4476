// The database: one pool per process, typed by the migrated schema, with retries after a lost
// connection or a deadlock where a repeat is safe.
import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  CompiledQuery,
  Kysely,
  type DatabaseConnection,
  type Driver,
  PostgresDialect,
  type PostgresDialectConfig,
  PostgresDriver,
  type PostgresPool,
  type Transaction,
  type TransactionSettings,
} from 'kysely';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { clock } from '../clock.ts';
import type { DB } from './database.generated.ts';
import { log } from '../log.ts';
import { histogram } from '../metrics.ts';
import { isTracing, recordStatement } from '../tracing/tracing.ts';
import { committingClient, committingPool, type NamedStatement } from './commit.ts';

export type Db = Kysely<DB>;
export type Tx = Transaction<DB>;
/** Parameter of functions that only read. */
export type Reader = Db | Tx;

// int8 (ids, counts) fits a JS number up to 2^53; numeric holds amounts, sums and averages.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
const INT8_ARRAY = 1016 as Parameters<typeof pg.types.setTypeParser>[0];
pg.types.setTypeParser(INT8_ARRAY, (value: string) =>
  value === '{}' ? [] : value.slice(1, -1).split(',').map(Number),
);
// Wall time without a zone stays text: it is not an instant.
pg.types.setTypeParser(pg.types.builtins.TIMESTAMP, (value) => value);
pg.types.setTypeParser(pg.types.builtins.DATE, (value) => value);

const pools = new WeakMap<Db, pg.Pool>();

/** @param slowMs minimum duration of logged statements; 0: none is logged */
export function createDatabase(
  url: string,
  connections = 20,
  applicationName = 'sendloom',
  slowMs = 0,
): Db {
  const pool = new pg.Pool({
    connectionString: withoutName(url),
    max: connections,
    application_name: applicationName,
    connectionTimeoutMillis: 10_000,
    idleTimeoutMillis: 60_000,
    // Detects a vanished machine or network, also on connections that only listen or hold a lock.
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  });
  pool.on('error', (error) => {
    // PostgreSQL may stop right after the pool is closed, so errors of connections are expected
    // then. `request` is cleared, because the request that opened the connection did not cause its
    // loss.
    const fields = { error: error.message, request: undefined };
    if (!pool.ending) log.warn('Lost a database connection', fields);
  });
  pool.on('connect', (client) => {
    client.on('error', () => {});
  });
  const watch =
    slowMs > 0 || isTracing() ? (text: string, ms: number) => observe(text, ms, slowMs) : undefined;
  const db = new Kysely<DB>({
    dialect: new LimitedDialect({ pool: committingPool(pool, takeLastStatements, watch) }),
    ...(watch && {
      log: ({ query, queryDurationMillis }) => watch(query.sql, queryDurationMillis),
    }),
  });
  pools.set(db, pool);
  return db;
}

/** Records a statement. Its text has placeholders, so the log and traces contain no values. */
function observe(text: string, ms: number, slowMs: number): void {
  recordStatement(text, ms);
  if (slowMs === 0 || ms < slowMs) return;
  const statement = text.replace(/\s+/g, ' ').slice(0, MAX_STATEMENT);
  log.warn('Slow statement', { ms: Math.round(ms), statement });
}

const MAX_STATEMENT = 500;

/**
 * Removes application_name from a connection string: pg would prefer it to the name that the
 * product sets.
 */
function withoutName(url: string): string {
  if (!url.includes('application_name=') || !URL.canParse(url)) return url;
  const address = new URL(url);
  address.searchParams.delete('application_name');
  return address.href;
}

/** Returns the underlying pool, for COPY streams, LISTEN and prepared statements. */
export function getPool(db: Db): pg.Pool {
  const pool = pools.get(db);
  if (!pool) throw new Error('This database was not opened by createDatabase');
  return pool;
}

const RETRIED = new Set(['40P01', '40001', '57P01', '57P02', '57P03']);

/**
 * Errors of cluster nodes within a COPY arrive as internal errors and are recognizable by message
 * alone.
 */
const NODE_MESSAGES: readonly [RegExp, string][] = [
  [/^duplicate key value violates unique constraint/, '23505'],
  [/deadlock/, '40P01'],
  [/^terminating connection/, '57P01'],
];

/** Returns PostgreSQL's or Node's error code; empty if there is none. */
function codeOf(error: unknown): string {
  const { code = '', message = '' } = (error ?? {}) as { code?: string; message?: string };
  if (code !== 'XX000') return code;
  return NODE_MESSAGES.find(([pattern]) => pattern.test(message))?.[1] ?? code;
}

/**
 * Returns the name of the violated constraint. A cluster reports the constraint of a shard,
 * sometimes only in the message; its name ends with the shard's ID (`domains_pkey_102092`).
 */
export function findConstraint(error: unknown): string {
  const { constraint, message = '' } = (error ?? {}) as { constraint?: string; message?: string };
  const name = constraint ?? /constraint "([^"]+)"/.exec(message)?.[1] ?? '';
  return name.replace(/_\d{6,}$/, '');
}

export function isRetriable(error: unknown): boolean {
  const code = codeOf(error);
  return (
    RETRIED.has(code) || code.startsWith('08') || code === 'ECONNRESET' || code === 'ECONNREFUSED'
  );
}

const isRetriableOnce = (error: unknown, attempt: number): boolean =>
  isRetriable(error) || (attempt === 1 && isUniqueViolation(error));

/**
 * Returns true if a unique index refused a row: another transaction inserted the same key first.
 */
export function isUniqueViolation(error: unknown): boolean {
  return codeOf(error) === '23505';
}

const DISK_FULL_CODES = new Set(['ENOSPC', 'EDQUOT']);

/**
 * Returns true if PostgreSQL is out of disk, memory or connections (class 53), or a disk of this
 * machine is full. This may be temporary or need an operator.
 */
export function isOutOfSpace(error: unknown): boolean {
  const code = codeOf(error);
  return code.startsWith('53') || DISK_FULL_CODES.has(code);
}

/**
 * Returns true if the connection broke or none was available in time; pg reports both without a
 * code.
 */
export function isConnectionLost(error: unknown): boolean {
  const { message = '' } = (error ?? {}) as { message?: string };
  return /connection terminated|connection error|timeout exceeded when trying to connect/i.test(
    message,
  );
}

type TransactionContext = {
  beforeCommit: ((tx: Tx) => Promise<void>)[];
  commitStatements: NamedStatement[];
  afterCommit: (() => void)[];
  outsideWork?: OutsideWork;
};
const current = new AsyncLocalStorage<TransactionContext>();
const newContext = (): TransactionContext => ({
  beforeCommit: [],
  commitStatements: [],
  afterCommit: [],
});
const takeLastStatements = () => current.getStore()?.commitStatements.splice(0) ?? [];

interface TransactionOptions {
  /** Milliseconds each statement may take. */
  statementMs?: number;
  /**
   * Repeats the work once after a unique violation: the work's own check then finds the row that
   * another transaction has inserted.
   */
  retriesOnDuplicate?: boolean;
}

/**
 * Runs `work` in one transaction and repeats it (at most three times in total) after a deadlock or
 * a connection lost before the commit. Never nest: pass the transaction down.
 */
export function inTransaction<T>(
  db: Db,
  work: (tx: Tx) => Promise<T>,
  { statementMs, retriesOnDuplicate = false }: TransactionOptions = {},
): Promise<T> {
  const attemptOnce = (attempt: (work: () => Promise<T>) => Promise<T>) =>
    db.transaction().execute((tx) => attempt(() => toCommit(tx, () => work(tx))));
  return withOutsideWork((attempt) =>
    withRetries(
      () =>
        statementMs === undefined
          ? attemptOnce(attempt)
          : statementLimit.run(statementMs, () => attemptOnce(attempt)),
      retriesOnDuplicate ? isRetriableOnce : undefined,
    ),
  );
}

async function toCommit<T>(tx: Tx, work: () => Promise<T>): Promise<T> {
  const result = await work();
  const waiting = current.getStore()?.beforeCommit ?? [];
  for (let run = waiting.shift(); run; run = waiting.shift()) await run(tx);
  return result;
}

/** Milliseconds each statement of a transaction may take before PostgreSQL cancels it (57014). */
const statementLimit = new AsyncLocalStorage<number>();

class LimitedDialect extends PostgresDialect {
  private readonly config: PostgresDialectConfig;

  constructor(config: PostgresDialectConfig) {
    super(config);
    this.config = config;
  }

  override createDriver(): Driver {
    return new LimitedDriver(this.config);
  }
}

const connectionWait = histogram(
  'database_wait_seconds',
  'Waiting time for a database connection',
  [],
  [0.001, 0.01, 0.1, 0.5, 1, 2.5, 5, 10],
);

class LimitedDriver extends PostgresDriver {
  override async acquireConnection(
    ...options: Parameters<PostgresDriver['acquireConnection']>
  ): Promise<DatabaseConnection> {
    const startedAt = performance.now();
    const connection = await super.acquireConnection(...options);
    connectionWait.observe((performance.now() - startedAt) / 1_000);
    return connection;
  }

  /** Adds the time limit to the BEGIN message, so that it costs no round trip. */
  override async beginTransaction(
    connection: DatabaseConnection,
    settings: TransactionSettings,
  ): Promise<void> {
    const limit = statementLimit.getStore();
    if (limit === undefined || settings.isolationLevel || settings.accessMode)
      return super.beginTransaction(connection, settings);
    const sql = `begin; set local statement_timeout = ${Math.ceil(limit)}`;
    await connection.executeQuery(CompiledQuery.raw(sql));
  }
}

/** A statement exceeded the limit of its transaction. */
export const isStatementTooSlow = (error: unknown): boolean => codeOf(error) === '57014';

/**
 * Runs slow work that needs no connection (for example in a thread). A transaction does not await
 * it: the transaction is rolled back, the work runs, and the transaction repeats with the result
 * available. No connection or lock is held while it runs.
 * @param key the same for the same work; the result is cached under it until the transaction ends
 */
export async function outsideTransaction<T>(key: () => string, work: () => Promise<T>): Promise<T> {
  const outsideWork = current.getStore()?.outsideWork;
  return outsideWork ? (outsideWork.getOutcome(key(), work) as T) : work();
}

type Outcome = { value: unknown } | { error: unknown };

class OutsideWorkRequired extends Error {}

class OutsideWork {
  private readonly outcomes = new Map<string, Outcome>();
  private requested = new Map<string, () => Promise<unknown>>();

  get hasRequests(): boolean {
    return this.requested.size > 0;
  }

  getOutcome(key: string, work: () => Promise<unknown>): unknown {
    const outcome = this.outcomes.get(key);
    if (outcome === undefined) {
      this.requested.set(key, work);
      throw new OutsideWorkRequired('This work must run outside the transaction');
    }
    if ('error' in outcome) throw outcome.error;
    return outcome.value;
  }

  async runRequested(): Promise<void> {
    const all = [...this.requested];
    this.requested = new Map();
    for (const [key, work] of all) {
      const outcome = await work().then(
        (value): Outcome => ({ value }),
        (error: unknown): Outcome => ({ error }),
      );
      this.outcomes.set(key, outcome);
    }
  }
}

/** Far more rounds than any transaction needs for its outside work. */
const MAX_ROUNDS = 50;

async function withOutsideWork<T>(
  run: (attempt: (work: () => Promise<T>) => Promise<T>) => Promise<T>,
): Promise<T> {
  const outsideWork = new OutsideWork();
  const attempt = async (work: () => Promise<T>): Promise<T> => {
    const context = current.getStore() ?? newContext();
    const result = await current.run({ ...context, outsideWork }, work);
    // A handler may have caught the error: the transaction must not commit without the result.
    if (outsideWork.hasRequests)
      throw new OutsideWorkRequired('This work must run outside the transaction');
    return result;
  };
  for (let attempts = 0; ; attempts++) {
    try {
      return await run(attempt);
    } catch (error) {
      if (!outsideWork.hasRequests || attempts >= MAX_ROUNDS) throw error;
      await outsideWork.runRequested();
    }
  }
}

/** Copies rows in COPY's text format into the table named by the statement. */
export type CopyIn = (statement: string, rows: Iterable<Buffer>) => Promise<void>;

/** Like inTransaction, for work that also copies rows in: `copy` runs in the same transaction. */
export function inCopyTransaction<T>(
  db: Db,
  work: (tx: Tx, copy: CopyIn) => Promise<T>,
): Promise<T> {
  return withOutsideWork((attempt) => withRetries(() => copyOnce(db, work, attempt)));
}

async function copyOnce<T>(
  db: Db,
  work: (tx: Tx, copy: CopyIn) => Promise<T>,
  attempt: (work: () => Promise<T>) => Promise<T>,
): Promise<T> {
  const client = await getPool(db).connect();
  const copy: CopyIn = (statement, rows) =>
    pipeline(Readable.from(rows), client.query(copyFrom(statement)));
  try {
    const session = new Kysely<DB>({
      dialect: new PostgresDialect({ pool: createSingleClientPool(client) }),
    });
    const result = await session
      .transaction()
      .execute((tx) => attempt(() => toCommit(tx, () => work(tx, copy))));
    client.release();
    return result;
  } catch (error) {
    // The connection may be inside a broken COPY, so it is not returned to the pool.
    client.release(true);
    throw error;
  }
}

/** Wraps a single client in the pool that Kysely expects, and leaves its release to the caller. */
function createSingleClientPool(client: pg.PoolClient): PostgresPool {
  const pinnedClient = { ...committingClient(client, takeLastStatements), release() {} };
  return { options: {}, connect: async () => pinnedClient, end: async () => {} };
}

/**
 * Runs a single statement that may be repeated even if it is unknown whether it was committed. For
 * other work use `inTransaction`.
 */
export async function withRetries<T>(
  attemptOnce: () => Promise<T>,
  shouldRetry: (error: unknown, attempt: number) => boolean = isRetriable,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const context = newContext();
    try {
      const result = await current.run(context, attemptOnce);
      for (const run of context.afterCommit) run();
      return result;
    } catch (error) {
      if (attempt >= 3 || !shouldRetry(error, attempt)) throw error;
      await new Promise((resolve) => setTimeout(resolve, 20 * attempt + Math.random() * 30));
    }
  }
}

/**
 * Defers statements to the end of the surrounding transaction, after all its other changes. By
 * then, rows of rolled-back savepoints no longer exist. Outside `inTransaction`, the statements run
 * immediately.
 */
export async function beforeCommit(tx: Tx, run: (tx: Tx) => Promise<void>): Promise<void> {
  const context = current.getStore();
  if (context) context.beforeCommit.push(run);
  else await run(tx);
}

/**
 * Sends a statement together with COMMIT, in one round trip; without a surrounding transaction it
 * runs immediately. If it fails, the transaction is rolled back and its error thrown.
 */
export async function sendWithCommit(tx: Tx, statement: NamedStatement): Promise<void> {
  const context = current.getStore();
  if (context) context.commitStatements.push(statement);
  else await tx.executeQuery(CompiledQuery.raw(statement.text, statement.values));
}

/** Runs a side effect (never a write) after the surrounding transaction has committed. */
export function afterCommit(run: () => void): void {
  const context = current.getStore();
  if (context) context.afterCommit.push(run);
  else run();
}

/** Throws if the database does not respond. */
export async function ping(db: Reader): Promise<void> {
  await db.executeQuery(CompiledQuery.raw('select 1'));
}

const TIME = 'select clock_timestamp() as at';

/** Sets the product's clock from the database. */
export async function adoptDatabaseTime(db: Db): Promise<void> {
  const { rows } = await db.executeQuery<{ at: Date }>(CompiledQuery.raw(TIME));
  if (rows[0]) clock.adopt(rows[0].at);
}

/** Sets the product's clock from the database, over a single connection. */
export async function adoptClientTime(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ at: Date }>(TIME);
  if (rows[0]) clock.adopt(rows[0].at);
}
