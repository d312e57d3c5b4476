// `npm run restore -- <folder> [--connections 4]`: restores a backup into an unused instance.
// Sending starts paused; `npm run restore -- --resume-sending` resumes it.
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { resumeInstance } from '#areas/delivery/server/ledger/index.ts';
import { restoreBackup } from '#platform/server/backup/restore.ts';
import { CannotStart } from '#platform/server/process/cannot-start.ts';
import { createDatabase, inTransaction } from '#platform/server/database/database.ts';
import { createFileStore } from '#platform/server/files/files.ts';
import { parseCopyArguments } from './copy-arguments.ts';
import { prepareCommand, readConfig } from './prepare.ts';

async function restore(): Promise<void> {
  const { target: source, connections } = parseCopyArguments('restore');
  if (!existsSync(source)) throw new CannotStart(`Backup not found: ${source}.`);
  const { config, close } = await prepareCommand({ isAlone: true });
  try {
    const target = { databaseUrl: config.databaseUrl, files: createFileStore(config.files) };
    const manifest = await restoreBackup(target, source, { connections, print: console.log });
    if (readConfig().secret === undefined) {
      await writeFile(path.join(config.dataDir, 'secret'), `${manifest.secret}\n`, { mode: 0o600 });
    } else if (config.secret !== manifest.secret) {
      console.log(
        'SECRET differs from the one in the backup: links in emails already sent will not work.',
      );
    }
    console.log(
      `Restored ${manifest.rows} rows and ${manifest.files} files of ${manifest.at}. Sending is paused. Review scheduled messages, then run npm run restore -- --resume-sending`,
    );
  } finally {
    await close();
  }
}

async function resumeSending(): Promise<void> {
  const { config, close } = await prepareCommand();
  const db = createDatabase(config.databaseUrl, 2);
  try {
    const wasPaused = await inTransaction(db, resumeInstance);
    console.log(wasPaused ? 'Sending resumed.' : 'Sending was not paused.');
  } finally {
    await db.destroy();
    await close();
  }
}

try {
  if (process.argv[2] === '--resume-sending') await resumeSending();
  else await restore();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
