// Restores a backup folder into an unused instance over several connections. They cannot commit
// together, so a marker in the database declares the data incomplete until all of it is there; a
// failed restore is cleared.
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from as copyFrom } from 'pg-copy-streams';
import { clock } from '../clock.ts';
import type { FileStore } from '../files/files.ts';
import { log } from '../log.ts';
import {
  lockMigrations,
  migrateJobQueue,
  migrateWithin,
  prepareMigrations,
} from '../migrations/migrate.ts';
import { type ParallelTask, runParallel } from '../work/parallel.ts';
import { resumeCounting, makeTables, refuseNewer, removeAll } from './snapshot.ts';
import { SnapshotError } from './snapshot-error.ts';
import * as tables from './snapshot.sql.ts';
import { connect } from './connect.ts';
import * as place from './folder.ts';
import * as store from './parts.sql.ts';

export type Target = { databaseUrl: string; files: FileStore };
export type RestoreResult = { at: string; secret: string; rows: number; files: number };

/**
 * Restores everything or nothing. After a kill the same command clears the partial data and starts
 * again.
 */
export async function restoreBackup(
  target: Target,
  folder: string,
  { connections, print }: { connections: number; print(sentence: string): void },
): Promise<RestoreResult> {
  const manifest = await place.readManifest(folder);
  if (!manifest) {
    throw new SnapshotError('This is not a complete Sendloom backup: manifest.json is missing.');
  }
  await refuseNewer(manifest.migrations);
  print('Checking the backup …');
  await place.refuseDamaged(folder, manifest);
  const client = await connect(target.databaseUrl, 'restore');
  const putFiles: string[] = [];
  let isCommitting = false;
  try {
    await lockMigrations(client);
    await migrateJobQueue(target.databaseUrl);
    await prepareTables(client, manifest.migrations, print);
    try {
      await restoreRows(target.databaseUrl, folder, manifest, { connections, print });
      await restoreFiles(target.files, folder, manifest, { connections, put: putFiles });
      await client.query('begin');
      await complete(client, manifest);
      isCommitting = true;
      await client.query('commit');
    } catch (error) {
      if (!isCommitting) await clear(client, target.files, putFiles);
      throw error;
    }
    const rows = manifest.done.reduce((all, part) => all + part.rows, 0);
    return { at: manifest.at, secret: manifest.secret, rows, files: countFiles(manifest) };
  } finally {
    await client.end();
  }
}

const countFiles = ({ done }: place.Manifest) => done.filter(({ kind }) => kind === 'file').length;

/** Creates the empty tables of the backup's schema version and marks the database as restoring. */
async function prepareTables(
  client: pg.Client,
  migrations: string[],
  print: (sentence: string) => void,
): Promise<void> {
  await client.query('begin');
  try {
    if (await store.isHalfRestored(client)) {
      print('Removing the rows of an earlier restore that did not finish.');
      await emptyAll(client);
    }
    await makeTables(client, migrations);
    await tables.clearTraces(client);
    await store.markRestoring(client, clock.now());
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function emptyAll(client: pg.Client): Promise<void> {
  const all = await tables.readTables(client);
  await store.emptyTables(
    client,
    all.map(({ name }) => name),
  );
}

/**
 * Deletes the restored rows, the marker, and the files that did not exist before. The empty tables
 * remain.
 */
async function clear(
  client: pg.Client,
  files: FileStore,
  putFiles: readonly string[],
): Promise<void> {
  await removeAll(files, putFiles);
  try {
    await client.query('rollback');
    await emptyAll(client);
  } catch (error) {
    // The marker blocks every start, and the next restore clears the data.
    log.warn('Could not remove the data of a failed restore', { error: error as Error });
  }
}

type RowsTask = ParallelTask & { part: place.Part; backupPart: place.BackupPart };

/**
 * Restores the rows of a table after those of the tables that it refers to, because each part is
 * committed separately.
 */
async function restoreRows(
  databaseUrl: string,
  folder: string,
  { done, parts, tables: shapes }: place.Manifest,
  { connections, print }: { connections: number; print(sentence: string): void },
): Promise<void> {
  const partByKey = new Map(done.map((part) => [`${part.kind} ${part.name}`, part]));
  const shape = new Map(shapes.map((shape) => [shape.name, shape]));
  const order = new Map(shapes.map((shape, i) => [shape.name, i]));
  const tasks: RowsTask[] = parts
    .toSorted((a, b) => (order.get(a.table) ?? 0) - (order.get(b.table) ?? 0))
    .map((part) => ({
      name: part.table,
      dependsOn: shape.get(part.table)?.parents ?? [],
      part,
      backupPart: partByKey.get(`rows ${part.name}`) as place.BackupPart,
    }));
  const clients = new Map<number, pg.Client>();
  let reportedAt = performance.now();
  let count = 0;
  try {
    await runParallel(tasks, connections, async (task, worker) => {
      const client = clients.get(worker) ?? (await connect(databaseUrl, 'restore'));
      clients.set(worker, client);
      await restorePart(client, folder, task, shape.get(task.part.table)?.columns ?? []);
      count += 1;
      if (performance.now() - reportedAt < REPORT_MS) return;
      reportedAt = performance.now();
      print(`${count} of ${tasks.length} parts …`);
    });
  } finally {
    await Promise.all([...clients.values()].map((client) => client.end().catch(() => {})));
  }
}

const REPORT_MS = 10_000;

async function restorePart(
  client: pg.Client,
  folder: string,
  { part, backupPart }: RowsTask,
  columns: string[],
): Promise<void> {
  await client.query('begin');
  try {
    const copy = client.query(copyFrom(tables.copyIn({ name: part.table, columns })));
    await pipeline(Readable.from(place.readContent(folder, backupPart)), copy);
    if (copy.rowCount !== backupPart.rows) {
      throw new SnapshotError(
        `The backup is damaged: ${part.name} has ${copy.rowCount} rows instead of ${backupPart.rows}.`,
      );
    }
    await client.query('commit');
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

async function restoreFiles(
  files: FileStore,
  folder: string,
  { done }: place.Manifest,
  { connections, put: putFiles }: { connections: number; put: string[] },
): Promise<void> {
  const all = done.filter(({ kind }) => kind === 'file');
  await runParallel(all, connections, async (part) => {
    if ((await files.size(part.name)) === undefined) putFiles.push(part.name);
    await files.put(part.name, Readable.from(place.readContent(folder, part)));
  });
}

/**
 * Completes the instance: ID sequences, waiting jobs, statistics, later migrations and the pause of
 * sending. Removes the marker last.
 */
async function complete(client: pg.Client, manifest: place.Manifest): Promise<void> {
  await prepareMigrations(client);
  const restoredTables = await tables.readTables(client);
  await resumeCounting(client, restoredTables, manifest.reached);
  for (const job of manifest.jobs) await tables.addWaitingJob(client, job);
  await tables.analyze(client);
  await migrateWithin(client);
  const restoredNames = new Set(restoredTables.map((table) => table.name));
  const newTables = (await tables.readTables(client)).filter(
    (table) => !restoredNames.has(table.name),
  );
  await resumeCounting(client, newTables, {});
  await tables.pauseSending(client, clock.now(), manifest.at);
  await store.unmarkRestoring(client);
}
