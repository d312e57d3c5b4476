// Generates docs/api/v2.json, the rights of all calls and the official clients' types from the
// contracts, or with `check` only verifies that all are current. The description of the client API
// is served at /docs/openapi.json and never written to a file.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { allRoutes, allTags } from '#main/wiring.ts';
import { loadConfig } from '#platform/server/config.ts';
import { getRight } from '#platform/rights.ts';
import { buildPublicApi } from '#platform/server/http/openapi.ts';
import type { Route } from '#platform/server/http/serve.ts';
import { renderClientTypes, type Description } from './client-types.ts';
import { renderPythonTypes } from './python-types.ts';

const CLIENT = '../../clients/node/calls.generated.ts';
const PYTHON_CLIENT = '../../clients/python/sendloom/calls.pyi';
const FOLDER = path.resolve(import.meta.dirname, '../docs/api');

/**
 * Writes the files, or with `check` only compares them. Returns whether all files were current or
 * have been written.
 */
export async function writeOpenApi(check = false): Promise<boolean> {
  const config = loadConfig({ NODE_ENV: 'test' });
  const routes = allRoutes(config);
  const publicSpec = buildPublicApi(routes, allTags(config));
  const areCurrent = [
    await write('v2.json', json(publicSpec), check),
    await write('rights.json', json(rightsOf(routes)), check),
    await write(CLIENT, renderClientTypes(publicSpec as unknown as Description), check),
    await write(PYTHON_CLIENT, renderPythonTypes(publicSpec as unknown as Description), check),
  ];
  return areCurrent.every(Boolean);
}

/** Returns the right of every account call, or null for calls about the caller alone. */
function rightsOf(routes: readonly Route[]): Record<string, string | null> {
  const account = routes.filter(({ call }) => call.caller === 'account');
  const rights = account.map(
    ({ call }) => [`${call.method} ${call.path}`, getRight(call) ?? null] as const,
  );
  return Object.fromEntries(rights.sort(([a], [b]) => (a < b ? -1 : 1)));
}

const json = (document: unknown) => `${JSON.stringify(document, null, 1)}\n`;

async function write(name: string, text: string, check: boolean): Promise<boolean> {
  const target = path.join(FOLDER, name);
  const currentText = await readFile(target, 'utf8').catch(() => '');
  if (currentText === text) return true;
  if (check) return false;
  await mkdir(FOLDER, { recursive: true });
  await writeFile(target, text);
  return true;
}

if (import.meta.main) await writeOpenApi();
