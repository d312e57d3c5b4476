// `npm run backup -- <folder> [--connections 4]`: writes one consistent snapshot of the database,
// the files and the SECRET while the product runs.
import { writeBackup } from '#platform/server/backup/write.ts';
import { createFileStore } from '#platform/server/files/files.ts';
import { parseCopyArguments } from './copy-arguments.ts';
import { prepareCommand } from './prepare.ts';

async function backup(): Promise<void> {
  const { target, connections } = parseCopyArguments('backup');
  const { config, close } = await prepareCommand();
  try {
    const { databaseUrl, secret } = config;
    const manifest = await writeBackup(
      { databaseUrl, secret, files: createFileStore(config.files) },
      target,
      { connections, print: console.log },
    );
    console.log(
      `Backed up ${manifest.rows} rows and ${manifest.files} files of ${manifest.at} to ${target}. Store it securely: it contains SECRET.`,
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
