// Writes docs/api/openapi.json from the contracts (or, with `check`, says whether it is stale).
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { allRoutes } from '#main/wiring.ts';
import { loadConfig } from '#platform/server/config.ts';
import { openApi } from '#platform/server/http/openapi.ts';

const TARGET = path.resolve(import.meta.dirname, '../docs/api/openapi.json');

/** True where the committed file is what the contracts say. */
export async function writeOpenApi(check = false): Promise<boolean> {
  const text = `${JSON.stringify(openApi(allRoutes(loadConfig({ NODE_ENV: 'test' }))), null, 1)}\n`;
  const before = await readFile(TARGET, 'utf8').catch(() => '');
  if (before === text) return true;
  if (check) return false;
  await mkdir(path.dirname(TARGET), { recursive: true });
  await writeFile(TARGET, text);
  return true;
}

if (import.meta.main) await writeOpenApi();
