// Runs the tests of the official Python client, and the unchanged examples of its README against
// the product.
import { execFile, execFileSync } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { publicClient } from '#testing/setup/public-client.ts';
import { testServer } from '#testing/setup/server.ts';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';

const run = promisify(execFile);
const CLIENT = path.resolve(import.meta.dirname, '../clients/python');
const ENV = { ...process.env, PYTHONPATH: CLIENT, PYTHONDONTWRITEBYTECODE: '1' };
const MIN_MINOR_VERSION = 9;

/** Returns whether a Python that the client supports is in PATH. */
function hasPython(): boolean {
  try {
    const version = execFileSync('python3', ['--version'], { encoding: 'utf8' });
    if (Number(/^Python 3\.(\d+)/.exec(version)?.[1]) >= MIN_MINOR_VERSION) return true;
    console.info(`Tests of the Python client are skipped: ${version.trim()} is too old`);
  } catch {
    console.info('Tests of the Python client are skipped: python3 is not in PATH');
  }
  return false;
}

const isPythonHere = hasPython();

test.runIf(isPythonHere)('the tests of the Python client succeed', async () => {
  const { stderr } = await run('python3', ['-m', 'unittest', 'tests/test_client.py'], {
    ...{ cwd: CLIENT, env: ENV },
  });
  expect(stderr).toMatch(/Ran [1-9]\d* tests[\s\S]*\nOK\n$/);
});

test.runIf(isPythonHere)(
  'the examples of the README run unchanged against the product',
  async () => {
    const server = await testServer();
    const owner = await server.owner();
    await owner.patch('/client-api/api/account_questionnaire', {
      ...{ address: 'Storgata 1', city: 'Oslo', state: 'Oslo', country: 'NO', zip_code: '0155' },
      timezone: 'Europe/Oslo',
    });
    await proveDomain(server.db, owner.accountId);
    const { token } = await publicClient(server, owner);
    await server.app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = server.app.server.address() as AddressInfo;
    const env = { ...ENV, SENDLOOM_TOKEN: token, SENDLOOM_URL: `http://127.0.0.1:${port}` };
    const readme = await readFile(path.join(CLIENT, 'README.md'), 'utf8');
    const outputLines: string[] = [];
    for (const [, code = ''] of readme.matchAll(/```python\n([\s\S]*?)```/g))
      outputLines.push((await run('python3', ['-c', code], { env })).stdout);
    expect(outputLines).toEqual(["['ada@home.example']\n", "422 invalid ['email']\n", '1\n']);
  },
);

test.runIf(isPythonHere)(
  'the generated types are valid Python with as many methods as the API has calls',
  async () => {
    const script = `import ast, sys
tree = ast.parse(open("sendloom/calls.pyi").read())
calls = next(node for node in tree.body if isinstance(node, ast.ClassDef)).body
print(len(calls))`;
    const { stdout } = await run('python3', ['-c', script], { cwd: CLIENT });
    const description = await readFile(path.join(CLIENT, '../../docs/api/v2.json'), 'utf8');
    const { paths } = JSON.parse(description) as { paths: Record<string, object> };
    const count = Object.values(paths).flatMap((methods) => Object.keys(methods)).length;
    expect(stdout).toBe(`${count}\n`);
  },
);
