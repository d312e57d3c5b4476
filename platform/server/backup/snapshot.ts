// Steps of a restore: refuses newer backups, creates the tables of the backup's schema version,
// moves ID sequences, and deletes the files of a failed restore. After a restore by other means,
// moves the ID sequences and pauses sending.
import type pg from 'pg';
import { clock } from '../clock.ts';
import type { FileStore } from '../files/files.ts';
import { log } from '../log.ts';
import {
  isBeforeSquash,
  lockMigrations,
  migrateWithin,
  readMigrations,
} from '../migrations/migrate.ts';
import * as tables from './snapshot.sql.ts';
import { SnapshotError } from './snapshot-error.ts';

/** Deletes files. A failure neither prevents further deletions nor hides the original error. */
export async function removeAll(files: FileStore, keys: readonly string[]): Promise<void> {
  for (const key of keys) {
    await files.remove(key).catch((error: unknown) => {
      log.warn('Could not delete a file of a failed restore', { key, error: error as Error });
    });
  }
}

/**
 * Creates the tables of the backup's schema version.
 * @throws SnapshotError if the target has data or newer tables
 */
export async function makeTables(client: pg.Client, migrations: string[]): Promise<void> {
  if (!(await tables.isUnused(client))) {
    throw new SnapshotError('The target is not empty: restore into an empty DATA_DIR or database.');
  }
  const newer = await migrateWithin(client, migrations);
  if (newer.length > 0) {
    throw new SnapshotError(
      'The tables are newer than the backup, and its rows would miss the data migrations: restore into an empty DATA_DIR or database.',
    );
  }
}

/** Makes new rows continue with IDs beyond the IDs of the backup. */
export async function resumeCounting(
  client: pg.Client,
  countedTables: tables.TableSchema[],
  lastValues: Record<string, number>,
): Promise<void> {
  for (const { name, identity } of countedTables) {
    for (const column of identity)
      await tables.continueIdentity(client, name, column, lastValues[`${name}.${column}`] ?? 0);
  }
}

/**
 * Prepares a database that was restored by other means: IDs continue beyond all IDs that may have
 * been assigned after the time of the restored data, and sending is paused. Returns the number of
 * ID sequences moved; undefined if the product's tables are missing.
 */
export async function finalizeRestore(client: pg.Client): Promise<number | undefined> {
  const all = await tables.readTables(client);
  if (!all.some(({ name }) => name === 'instance_settings')) return undefined;
  await client.query('begin');
  try {
    await lockMigrations(client);
    let counters = 0;
    for (const { name, identity } of all) {
      for (const column of identity) {
        const lastValue = await tables.readReached(client, name, column);
        await tables.continueIdentity(client, name, column, lastValue);
        counters += 1;
      }
    }
    // The time of the restored data is unknown; the current time is its upper bound.
    const now = clock.now();
    await tables.pauseSending(client, now, now.toISOString());
    await client.query('commit');
    return counters;
  } catch (error) {
    await client.query('rollback').catch(() => {});
    throw error;
  }
}

/** @throws SnapshotError unless this version knows every migration of the backup */
export async function refuseNewer(migrations: readonly string[]): Promise<void> {
  if (isBeforeSquash(migrations)) {
    throw new SnapshotError(
      'This backup was made by a checkout from before the first release: convert it with npm run convert-backup first (docs/operations/convert.md).',
    );
  }
  const knownMigrations = new Set((await readMigrations()).map((migration) => migration.name));
  const unknown = migrations.find((name) => !knownMigrations.has(name));
  if (unknown) {
    throw new SnapshotError(
      `The backup is newer than this program: it has the unknown migration ${unknown}.`,
    );
  }
}
