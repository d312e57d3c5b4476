// `npm run backup -- <file>`: one snapshot of the database, the files and the SECRET, while it runs.
import { createWriteStream } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { CannotStart } from '#platform/server/cannot-start.ts';
import { openFiles } from '#platform/server/files.ts';
import { writeSnapshot } from '#platform/server/snapshot.ts';
import { prepareCommand } from './prepare.ts';

async function backup(target: string | undefined): Promise<void> {
  if (!target) throw new CannotStart('Name the file: npm run backup -- <file>');
  const file = path.resolve(target);
  const partial = `${file}.partial`;
  const { config, close } = await prepareCommand();
  try {
    await mkdir(path.dirname(file), { recursive: true });
    // The SECRET is in it: nobody else may read it.
    const out = createWriteStream(partial, { mode: 0o600, flush: true });
    const facts = await writeSnapshot(
      { databaseUrl: config.databaseUrl, secret: config.secret, files: openFiles(config.files) },
      out,
    );
    await rename(partial, file);
    const rows = Object.values(facts.rows).reduce((sum, count) => sum + count, 0);
    console.log(
      `Backed up ${rows} rows and ${facts.files} files to ${file}. Keep it safe: it holds the SECRET.`,
    );
  } finally {
    await rm(partial, { force: true });
    await close();
  }
}

try {
  await backup(process.argv[2]);
  process.exit(0);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
}
