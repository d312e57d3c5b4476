// `npm run generate`: writes the generated files: the database types from the migrations, the API
// description from the contracts, and the licenses of packages from the lock file. With
// `--release`, it also writes the schema that the released version reads, for the check of the next
// version's migrations (release-schema.ts).
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '#platform/server/database/embedded-postgres.ts';
import { migrate } from '#platform/server/migrations/migrate.ts';
import { writeDatabaseTypes } from './database-types.ts';
import { writeNotice } from './notice.ts';
import { writeOpenApi } from './openapi.ts';
import { writeRelease } from './release-schema.ts';

/**
 * Writes the generated files, or with `check` only compares them. Returns the names of outdated
 * files (none after writing).
 */
export async function generate(check: boolean): Promise<string[]> {
  const results: [string, boolean][] = [
    ['platform/server/database/database.generated.ts', await databaseTypesAreCurrent(check)],
    ['docs/api/v2.json', await writeOpenApi(check)],
    ['NOTICE', writeNotice(check)],
  ];
  return results.filter(([, isCurrent]) => !isCurrent).map(([file]) => file);
}

async function databaseTypesAreCurrent(check: boolean): Promise<boolean> {
  const folder = mkdtempSync(join(tmpdir(), 'sendloom-generate-'));
  const server = await startEmbeddedPostgres({ folder, isTemporary: true });
  try {
    await migrate(server.url);
    if (process.argv.includes('--release')) await writeRelease(server.url);
    return await writeDatabaseTypes(server.url, check);
  } finally {
    await server.stop();
    for (const path of [server.cluster, folder]) rmSync(path, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  await generate(false);
  console.log('Generated files are up to date.');
  process.exit(0);
}
