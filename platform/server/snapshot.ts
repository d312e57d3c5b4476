// Single-file backups of earlier versions (backup/ has the current format): one snapshot of every
// table by COPY, the files, the SECRET and the schema's version. A restored instance starts with
// sending paused, because its data is out of date.
// The file is zstd over frames: one letter, the length (uint32, big-endian), the bytes.
//   H header (JSON)   T start of a table (JSON)   F start of a file (JSON)   D its bytes
//   E its end         J a waiting job (JSON)      Z the end, with row counts (JSON)
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createZstdDecompress } from 'node:zlib';
import pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { clock } from './clock.ts';
import type { FileStore } from './files.ts';
import { log } from './log.ts';
import { lockMigrations, migrateJobQueue, migrateWithin, readMigrations } from './migrate.ts';
import { SnapshotError } from './snapshot-error.ts';
import * as tables from './snapshot.sql.ts';

const FORMAT = 1;
const MOST_FRAME = 1 << 20;

export type SnapshotFacts = {
  at: string;
  migrations: string[];
  rows: Record<string, number>;
  files: number;
};

type Header = {
  format: number;
  product: 'sendloom';
  at: string;
  migrations: string[];
  secret: string;
};

type Trailer = {
  rows: Record<string, number>;
  files: number;
  /** The last id assigned in each table; missing in older backups. */
  reached?: Record<string, number>;
};

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => {});
  await client.connect();
  return client;
}

type Frame = { letter: string; payload: Buffer };

async function* readFrames(input: Readable): AsyncGenerator<Frame> {
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of input) {
    rest = rest.length > 0 ? Buffer.concat([rest, chunk as Buffer]) : (chunk as Buffer);
    for (;;) {
      if (rest.length < 5) break;
      const length = rest.readUInt32BE(1);
      if (length > 64 * MOST_FRAME) throw new SnapshotError('This is not a Sendloom backup.');
      if (rest.length < 5 + length) break;
      yield { letter: rest.toString('latin1', 0, 1), payload: rest.subarray(5, 5 + length) };
      rest = rest.subarray(5 + length);
    }
  }
  if (rest.length > 0) throw new SnapshotError('The backup is cut off: its end is missing.');
}

const json = <T>(payload: Buffer) => JSON.parse(payload.toString('utf8')) as T;

/**
 * Restores a snapshot into an unused instance, all or nothing. Rows of an older version are loaded
 * into tables of that version, then both are migrated. Returns what was restored and the SECRET its
 * tokens and sealed values need.
 */
export async function readSnapshot(
  target: { databaseUrl: string; files: FileStore },
  input: Readable,
): Promise<SnapshotFacts & { secret: string }> {
  const source = readFrames(input.compose(createZstdDecompress()) as Readable);
  const first = await source.next().catch((error: unknown) => {
    throw error instanceof SnapshotError
      ? error
      : new SnapshotError('This is not a Sendloom backup.');
  });
  const header = first.value?.letter === 'H' ? json<Header>(first.value.payload) : undefined;
  if (header?.product !== 'sendloom' || header.format !== FORMAT) {
    throw new SnapshotError('This is not a Sendloom backup.');
  }
  await refuseNewer(header.migrations);
  const client = await connect(target.databaseUrl);
  const put: string[] = [];
  let isCommitting = false;
  try {
    await lockMigrations(client);
    await migrateJobQueue(target.databaseUrl);
    await client.query('begin');
    await makeTables(client, header.migrations);
    await tables.clearTraces(client);
    const { reached = {}, ...trailer } = await takeIn(client, target.files, source, put);
    await checkCounts(client, trailer.rows);
    const tablesThen = await tables.readTables(client);
    await goOnCounting(client, tablesThen, reached);
    await tables.analyze(client);
    await migrateWithin(client);
    const known = new Set(tablesThen.map((table) => table.name));
    const since = (await tables.readTables(client)).filter((table) => !known.has(table.name));
    await goOnCounting(client, since, {});
    await tables.pauseSending(client, clock.now(), header.at);
    isCommitting = true;
    await client.query('commit');
    return { at: header.at, migrations: header.migrations, secret: header.secret, ...trailer };
  } catch (error) {
    // Rows that may have been committed need their files; otherwise subscribers' data must not
    // remain on disk.
    if (!isCommitting) await removeAll(target.files, put);
    throw error;
  } finally {
    await client.end();
  }
}

/** Deletes as many as possible: one failure hides neither the others nor the original error. */
export async function removeAll(files: FileStore, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await files.remove(key).catch((error: unknown) => {
      log.warn('Could not delete a temporary backup file', { key, error: error as Error });
    });
  }
}

/** Creates the tables as of the backup's schema version. */
export async function makeTables(client: pg.Client, migrations: string[]): Promise<void> {
  if (!(await tables.isUnused(client))) {
    throw new SnapshotError(
      'There is data here already: restore into an empty DATA_DIR or database.',
    );
  }
  const newer = await migrateWithin(client, migrations);
  if (newer.length > 0) {
    throw new SnapshotError(
      'The tables here are newer than the backup, and upgrading would pass its rows by: restore into an empty DATA_DIR or database.',
    );
  }
}

/** Continues ids beyond those of the backup. */
export async function goOnCounting(
  client: pg.Client,
  counted: tables.TableFacts[],
  reached: Record<string, number>,
): Promise<void> {
  for (const { name, identity } of counted) {
    for (const column of identity)
      await tables.continueIdentity(client, name, column, reached[`${name}.${column}`] ?? 0);
  }
}

/**
 * Prepares a database that was restored by other means: ids continue beyond those assigned since,
 * and sending is paused. Returns how many counters were moved; undefined if the product's tables
 * are missing.
 */
export async function holdRestored(client: pg.Client): Promise<number | undefined> {
  const all = await tables.readTables(client);
  if (!all.some(({ name }) => name === 'instance_settings')) return undefined;
  await client.query('begin');
  try {
    await lockMigrations(client);
    let counters = 0;
    for (const { name, identity } of all) {
      for (const column of identity) {
        const reached = await tables.readReached(client, name, column);
        await tables.continueIdentity(client, name, column, reached);
        counters += 1;
      }
    }
    // The restored time is unknown: now is its upper bound.
    const now = clock.now();
    await tables.pauseSending(client, now, now.toISOString());
    await client.query('commit');
    return counters;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** This version must know every migration of the backup. */
export async function refuseNewer(migrations: readonly string[]): Promise<void> {
  const known = new Set((await readMigrations()).map((migration) => migration.name));
  const unknown = migrations.find((name) => !known.has(name));
  if (unknown) {
    throw new SnapshotError(
      `The backup is newer than this program: it has ${unknown}, which is not here.`,
    );
  }
}

async function takeIn(
  client: pg.Client,
  files: FileStore,
  source: AsyncGenerator<Frame>,
  /** Collects the keys of files that did not exist before. */
  put: string[],
): Promise<Trailer> {
  for await (const { letter, payload } of source) {
    if (letter === 'T') {
      const table = json<{ name: string; columns: string[] }>(payload);
      await pipeline(contentOf(source), client.query(copyFrom(tables.copyIn(table))));
    } else if (letter === 'F') {
      const { key } = json<{ key: string }>(payload);
      if ((await files.size(key)) === undefined) put.push(key);
      await files.put(key, contentOf(source));
    } else if (letter === 'J') await tables.addWaitingJob(client, json(payload));
    else if (letter === 'Z') return json(payload);
    else throw new SnapshotError('The backup is damaged.');
  }
  throw new SnapshotError('The backup is cut off: its end is missing.');
}

/** The bytes up to the end of one table or file; later frames remain in the source. */
function contentOf(source: AsyncGenerator<Frame>): Readable {
  async function* content() {
    for (;;) {
      const { value, done } = await source.next();
      if (done) throw new SnapshotError('The backup is cut off: its end is missing.');
      if (value.letter === 'E') return;
      if (value.letter !== 'D') throw new SnapshotError('The backup is damaged.');
      yield value.payload;
    }
  }
  return Readable.from(content());
}

async function checkCounts(client: pg.Client, expected: Record<string, number>): Promise<void> {
  for (const [table, count] of Object.entries(expected)) {
    const found = await tables.countRows(client, table);
    if (found !== count) {
      throw new SnapshotError(
        `The backup is damaged: ${table} has ${found} rows instead of ${count}.`,
      );
    }
  }
}
