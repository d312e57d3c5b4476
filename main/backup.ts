// `npm run backup -- <folder> [--connections 4]`: writes one consistent snapshot of the database,
// the files and the SECRET while the product runs. An interrupted backup resumes with the same
// command.
import { spawn } from 'node:child_process';
import path from 'node:path';
import { writeBackup } from '#platform/server/backup/write.ts';
import { openFiles } from '#platform/server/files.ts';
import { copyArguments } from './copy-arguments.ts';
import { prepareCommand } from './prepare.ts';

const HOLDER = path.join(import.meta.dirname, 'backup-instant.ts');

async function backup(): Promise<void> {
  const { target, connections } = copyArguments('backup');
  const { config, close } = await prepareCommand();
  try {
    const { databaseUrl, secret } = config;
    const facts = await writeBackup(
      { databaseUrl, secret, files: openFiles(config.files) },
      target,
      {
        connections,
        say: console.log,
        // A detached process group, so that the holder survives signals that end the backup.
        startHolder: () =>
          spawn(process.execPath, [HOLDER], {
            detached: true,
            stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
          }),
      },
    );
    const kept = facts.kept > 0 ? ` ${facts.kept} pieces of it were there already.` : '';
    console.log(
      `Backed up ${facts.rows} rows and ${facts.files} files of ${facts.at} to ${target}.${kept} Keep it safe: it holds the SECRET.`,
    );
  } finally {
    await close();
  }
}

try {
  await backup();
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
