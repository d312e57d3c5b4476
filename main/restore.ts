// `npm run restore -- <file>`: puts a backup into an instance that nobody has used. Sending starts paused;
// `npm run restore -- --resume-sending` lets it go on.
import { createReadStream, existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { resumeInstance } from '#areas/delivery/server/index.ts';
import { CannotStart } from '#platform/server/cannot-start.ts';
import { createDatabase, inTransaction } from '#platform/server/database.ts';
import { openFiles } from '#platform/server/files.ts';
import { readSnapshot } from '#platform/server/snapshot.ts';
import { prepareCommand, readConfig } from './prepare.ts';

async function restore(source: string | undefined): Promise<void> {
  if (!source) throw new CannotStart('Name the file: npm run restore -- <file>');
  const file = path.resolve(source);
  if (!existsSync(file)) throw new CannotStart(`There is no file ${file}.`);
  const { config, close } = await prepareCommand({ isAlone: true });
  try {
    const facts = await readSnapshot(
      { databaseUrl: config.databaseUrl, files: openFiles(config.files) },
      createReadStream(file),
    );
    if (readConfig().secret === undefined) {
      await writeFile(path.join(config.dataDir, 'secret'), `${facts.secret}\n`, { mode: 0o600 });
    } else if (config.secret !== facts.secret) {
      console.log(
        'SECRET is set to another value than the backup has: links in mails already sent will not open.',
      );
    }
    const rows = Object.values(facts.rows).reduce((sum, count) => sum + count, 0);
    console.log(
      `Restored ${rows} rows and ${facts.files} files of ${facts.at}. Sending is paused: look at what is scheduled, then npm run restore -- --resume-sending`,
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
    console.log(wasPaused ? 'Sending goes on.' : 'Sending was not paused.');
  } finally {
    await db.destroy();
    await close();
  }
}

try {
  if (process.argv[2] === '--resume-sending') await resumeSending();
  else await restore(process.argv[2]);
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
