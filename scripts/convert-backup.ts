// `npm run convert-backup -- <backup> <new folder>`: converts a backup from before the squash of
// the migrations into one that this version restores. Rows are unchanged; only tables and columns
// get new names (before-squash.json). The backup itself is only read.
import { existsSync } from 'node:fs';
import { copyFile, link, mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  type BackupPart,
  type Manifest,
  openFolder,
  backupPartPath,
  readManifest,
  refuseDamaged,
  writeManifest,
} from '#platform/server/backup/folder.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { isBeforeSquash, readMigrations } from '#platform/server/migrations/migrate.ts';
import { SnapshotError } from '#platform/server/backup/snapshot-error.ts';
import beforeSquash from './before-squash.json' with { type: 'json' };

const TABLES: Record<string, string> = beforeSquash.tables;
const COLUMNS: Record<string, Record<string, string>> = beforeSquash.columns;

const newTableName = (table: string) => TABLES[table] ?? table;
const newColumnName = (table: string, column: string) => COLUMNS[table]?.[column] ?? column;

/** Writes `target` completely or not at all. Returns the time of the backup. */
export async function convertBackup(source: string, target: string): Promise<string> {
  if (existsSync(target)) throw new CannotStart(`${target} already exists: specify a new folder.`);
  const manifest = await readManifest(source);
  if (!manifest) {
    throw new SnapshotError('This is not a complete Sendloom backup: manifest.json is missing.');
  }
  requireLastMigration(manifest.migrations);
  await refuseDamaged(source, manifest);
  await mkdir(path.dirname(path.resolve(target)), { recursive: true });
  const folder = await mkdtemp(`${path.resolve(target)}.partial-`);
  try {
    await openFolder(folder);
    for (const finished of manifest.done) await linkOrCopy(source, folder, finished);
    await writeManifest(folder, convertManifest(manifest, await squashedMigrationNames()));
    await rename(folder, target);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
  return manifest.at;
}

function requireLastMigration(migrations: readonly string[]): void {
  if (!isBeforeSquash(migrations)) {
    throw new CannotStart('This backup needs no conversion: restore it with npm run restore.');
  }
  const missing = beforeSquash.migrations.find((name) => !migrations.includes(name));
  const unknown = migrations.find((name) => !beforeSquash.migrations.includes(name));
  if (missing) {
    throw new CannotStart(
      `This backup lacks the migration ${missing}: start the last checkout before the squash once on its data, then back it up again.`,
    );
  }
  if (unknown) throw new CannotStart(`This backup has an unknown migration: ${unknown}.`);
}

async function squashedMigrationNames(): Promise<string[]> {
  const migrations = await readMigrations();
  return migrations.slice(0, beforeSquash.squashed).map(({ name }) => name);
}

/** Returns the manifest with the new names of tables and columns. */
function convertManifest(manifest: Manifest, migrations: string[]): Manifest {
  return {
    ...manifest,
    migrations,
    tables: manifest.tables.map(({ name, columns, parents }) => ({
      name: newTableName(name),
      columns: columns.map((column) => newColumnName(name, column)),
      parents: parents.map(newTableName),
    })),
    parts: manifest.parts.map((backupPart) => ({
      ...backupPart,
      table: newTableName(backupPart.table),
    })),
    reached: Object.fromEntries(
      Object.entries(manifest.reached).map(([key, last]) => {
        const [table = '', column = ''] = key.split('.');
        return [`${newTableName(table)}.${newColumnName(table, column)}`, last];
      }),
    ),
  };
}

/**
 * Links the file if both folders are on the same disk, which takes no space; otherwise copies it.
 */
async function linkOrCopy(source: string, folder: string, backupPart: BackupPart): Promise<void> {
  const targetPath = backupPartPath(folder, backupPart);
  await mkdir(path.dirname(targetPath), { recursive: true, mode: 0o700 });
  await link(backupPartPath(source, backupPart), targetPath).catch(() =>
    copyFile(backupPartPath(source, backupPart), targetPath),
  );
}

if (import.meta.main) {
  const [source, target, ...more] = process.argv.slice(2);
  try {
    if (!source || !target || more.length > 0) {
      throw new CannotStart(
        'Specify both folders: npm run convert-backup -- <backup> <new folder>',
      );
    }
    const point = await convertBackup(source, target);
    console.log(`Converted the backup of ${point} to ${target}. Restore it with npm run restore.`);
    process.exit(0);
  } catch (error) {
    console.error(error instanceof Error ? error.message : error);
    process.exit(1);
  }
}
