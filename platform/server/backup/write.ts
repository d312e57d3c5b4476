// Writes a backup while the product runs: first the rows of all tables at a single snapshot, read
// over several connections (over one on a cluster), then the files.
import { existsSync } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import { to as copyTo } from 'pg-copy-streams';
import { clock } from '../clock.ts';
import type { FileStore } from '../files/files.ts';
import { type ParallelTask, runParallel } from '../work/parallel.ts';
import { SnapshotError } from './snapshot-error.ts';
import * as tables from './snapshot.sql.ts';
import { connect } from './connect.ts';
import * as place from './folder.ts';
import * as store from './parts.sql.ts';

export type BackupSource = { databaseUrl: string; secret: string; files: FileStore };
export type BackupOptions = {
  /**
   * Number of parts, and later files, written concurrently. Each worker reads parts over its own
   * connection; on a cluster, a single connection reads all parts.
   */
  connections: number;
  print(sentence: string): void;
};
export type BackupSummary = { at: string; rows: number; files: number };

type Plan = {
  plan: place.BackupPlan;
  /** The exported snapshot, which all connections share; undefined on a cluster. */
  snapshot: string | undefined;
};

const PART_TRIES = 3;
const LOCK_MS = 3_000;
const REPORT_MS = 10_000;

export async function writeBackup(
  source: BackupSource,
  target: string,
  options: BackupOptions,
): Promise<BackupSummary> {
  const folder = `${target}.partial`;
  const control = await connect(source.databaseUrl);
  try {
    await refuseOtherBackups(control, target);
    if (await store.isHalfRestored(control)) {
      throw new SnapshotError('A restore into this database did not finish.');
    }
    // The folder of a killed backup may still exist.
    await rm(folder, { recursive: true, force: true });
    try {
      await place.openFolder(folder);
      const backup = await startBackup(control);
      const rows = await writeRows(source, folder, backup, options);
      const files = await writeFiles(source.files, folder, options);
      const finishedParts = [...rows, ...files];
      await place.writeManifest(folder, {
        ...backup.plan,
        secret: source.secret,
        done: finishedParts,
      });
      await replaceBackup(folder, target);
      await record(control, backup.plan.at, options);
      const rowCount = rows.reduce((all, row) => all + row.rows, 0);
      return { at: backup.plan.at, rows: rowCount, files: files.length };
    } catch (error) {
      // The original error is thrown even if the removal fails as well.
      await rm(folder, { recursive: true, force: true }).catch(() => {});
      throw error;
    }
  } finally {
    await control.end();
  }
}

/**
 * Records the time of the complete backup. A failure only means that monitoring does not know its
 * age.
 */
async function record(control: pg.Client, at: string, { print }: BackupOptions): Promise<void> {
  try {
    await control.query('commit');
    await store.recordBackup(control, at, clock.now());
  } catch (error) {
    print(`Could not store the time of this backup for monitoring: ${(error as Error).message}.`);
  }
}

/**
 * Throws if another backup is being written to this target. Waits a moment first, because the
 * session of a killed backup ends shortly after its process.
 */
async function refuseOtherBackups(control: pg.Client, target: string): Promise<void> {
  const until = performance.now() + LOCK_MS;
  while (!(await store.lockPlace(control, target))) {
    if (performance.now() > until) {
      throw new SnapshotError(`Another backup is being written to ${target}.`);
    }
    await sleep(200);
  }
}

/** Starts the backup; the transaction of `control` holds the snapshot until the backup ends. */
async function startBackup(control: pg.Client): Promise<Plan> {
  const isSpread = await store.isSpread(control);
  await store.beginTransactionAt(control);
  const all = await tables.readTables(control);
  // The parts are ranges of pages. The lock prevents VACUUM FULL, which would move rows to other
  // pages.
  await store.lockTables(
    control,
    all.map((table) => table.name),
  );
  const snapshot = isSpread ? undefined : await store.exportSnapshot(control);
  return { snapshot, plan: await planAt(control, all, isSpread) };
}

async function planAt(
  client: pg.Client,
  all: readonly tables.TableSchema[],
  isSpread: boolean,
): Promise<place.BackupPlan> {
  const at = clock.now().toISOString();
  const lastValues: Record<string, number> = {};
  for (const { name, identity } of all) {
    for (const column of identity) {
      lastValues[`${name}.${column}`] = await tables.readReached(client, name, column);
    }
  }
  return {
    format: place.FORMAT,
    product: 'sendloom',
    at,
    migrations: await tables.readMigrationNames(client),
    tables: all.map(({ name, columns, parents }) => ({ name, columns, parents })),
    parts: isSpread
      ? all.map(({ name }) => wholeTable(name, name))
      : partsOf(await store.readHeaps(client)),
    jobs: await tables.readJobs(client),
    reached: lastValues,
  };
}

const wholeTable = (table: string, heap: string): place.Part => ({ name: heap, table, heap });

/** Lists the parts largest first, so that no large part runs alone at the end. */
function partsOf(heaps: readonly store.Heap[]): place.Part[] {
  return heaps
    .filter(({ pages }) => pages > 0)
    .toSorted((a, b) => b.pages - a.pages)
    .flatMap(({ heap, table, pages, pageBytes }) => {
      const step = Math.floor(store.PART_BYTES / pageBytes);
      if (pages <= step) return [wholeTable(table, heap)];
      return Array.from({ length: Math.ceil(pages / step) }, (_, i) => ({
        ...wholeTable(table, heap),
        name: `${heap}.${i + 1}`,
        range: { from: i * step, ...((i + 1) * step < pages ? { to: (i + 1) * step } : {}) },
      }));
    });
}

async function writeRows(
  { databaseUrl }: BackupSource,
  folder: string,
  { plan, snapshot }: Plan,
  { connections, print }: BackupOptions,
): Promise<place.BackupPart[]> {
  const columns = new Map(plan.tables.map((table) => [table.name, table.columns]));
  const atOnce = snapshot === undefined ? 1 : connections;
  const readers = new Readers(databaseUrl, snapshot);
  const report = createReporter(print, plan.parts.length, 'parts');
  const finishedParts: place.BackupPart[] = [];
  try {
    await runParallel(plan.parts, atOnce, async (part, worker) => {
      const statement = store.copyPartOut(part.heap, columns.get(part.table) ?? [], part.range);
      finishedParts.push(
        await readers.read(worker, async (client) => {
          const copy = client.query(copyTo(statement));
          const partId = { kind: 'rows', name: part.name } as const;
          return place.storeContent(folder, partId, copy, () => copy.rowCount ?? 0);
        }),
      );
      report(finishedParts.length);
    });
    return finishedParts;
  } finally {
    await readers.close();
  }
}

/**
 * One connection per worker, all at the same snapshot. A lost connection is replaced while the
 * snapshot is held.
 */
class Readers {
  private readonly clients = new Map<number, pg.Client>();
  private readonly databaseUrl: string;
  private readonly snapshot: string | undefined;

  constructor(databaseUrl: string, snapshot: string | undefined) {
    this.databaseUrl = databaseUrl;
    this.snapshot = snapshot;
  }

  async read<T>(worker: number, work: (client: pg.Client) => Promise<T>): Promise<T> {
    for (let attempts = 1; ; attempts++) {
      const client = this.clients.get(worker) ?? (await this.open(worker));
      try {
        return await work(client);
      } catch (error) {
        this.clients.delete(worker);
        await client.end().catch(() => {});
        // If the snapshot cannot be shared, only this connection can read at it.
        if (this.snapshot === undefined || attempts >= PART_TRIES || !isLost(error)) throw error;
      }
    }
  }

  private async open(worker: number): Promise<pg.Client> {
    const client = await connect(this.databaseUrl);
    this.clients.set(worker, client);
    if (this.snapshot === undefined) await store.oneConnectionToEachNode(client);
    if (!(await store.beginTransactionAt(client, this.snapshot))) {
      throw new SnapshotError(
        'The database ended the transaction with the backup’s snapshot: run the command again to start a new backup.',
      );
    }
    return client;
  }

  async close(): Promise<void> {
    await Promise.all([...this.clients.values()].map((client) => client.end().catch(() => {})));
  }
}

/** Returns true if the connection failed, rather than the statement or the disk. */
function isLost(error: unknown): boolean {
  const { code = '', message = '' } = error as { code?: string; message?: string };
  return /^(08|57P)|^(ECONNRESET|EPIPE)$/.test(code) || /connection terminated/i.test(message);
}

/**
 * Runs after the rows that refer to the files are written. A file that was deleted since then is
 * skipped: the product has deleted its row as well.
 */
async function writeFiles(
  files: FileStore,
  folder: string,
  { connections, print }: BackupOptions,
): Promise<place.BackupPart[]> {
  const pieces = (await Array.fromAsync(files.list())).map((name): ParallelTask => ({ name }));
  const report = createReporter(print, pieces.length, 'files');
  const finishedParts: place.BackupPart[] = [];
  await runParallel(pieces, connections, async ({ name }) => {
    const content = await files.get(name);
    if (!content) return;
    finishedParts.push(await place.storeContent(folder, { kind: 'file', name }, content, () => 0));
    report(finishedParts.length);
  });
  return finishedParts;
}

function createReporter(
  print: BackupOptions['print'],
  all: number,
  subject: string,
): (count: number) => void {
  let last = performance.now();
  return (count) => {
    if (performance.now() - last < REPORT_MS) return;
    last = performance.now();
    print(`${count} of ${all} ${subject} …`);
  };
}

/** Replaces the previous backup of this name once the new one is complete. */
async function replaceBackup(folder: string, target: string): Promise<void> {
  const former = `${target}.former`;
  await rm(former, { recursive: true, force: true });
  if (existsSync(target)) await rename(target, former);
  await rename(folder, target);
  await rm(former, { recursive: true, force: true });
}
