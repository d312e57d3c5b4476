// Processes that concurrently put builds of the client into one folder all succeed.
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');
const folder = mkdtempSync(join(tmpdir(), `sendloom-test-${process.pid}-client-`));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Installs a build repeatedly, each time as if the sources had changed. */
const CODE = `
  import { mkdirSync, writeFileSync } from 'node:fs';
  import { join } from 'node:path';
  import { installBuild } from '#main/client-build.ts';
  const target = process.argv[1];
  for (let round = 0; round < 60; round++) {
    const built = target + '.' + process.pid;
    mkdirSync(join(built, 'assets'), { recursive: true });
    for (let file = 0; file < 40; file++) writeFileSync(join(built, 'assets', file + '.js'), 'x');
    writeFileSync(join(built, 'index.html'), String(round));
    await installBuild(built, String(round), target);
  }
`;

function start(target: string): Promise<string> {
  const child = spawn(process.execPath, ['--input-type=module', '-e', CODE, target], {
    cwd: ROOT,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let output = '';
  child.stderr.on('data', (data: Buffer) => (output += data.toString()));
  return new Promise((settle) => child.once('close', (code) => settle(code === 0 ? '' : output)));
}

test('three processes put builds in place concurrently and leave a complete client', async () => {
  const target = join(folder, 'web');
  expect(await Promise.all([start(target), start(target), start(target)])).toEqual(['', '', '']);
  expect(readdirSync(folder).sort()).toEqual(['web', 'web.sources']);
  expect(readdirSync(join(target, 'assets'))).toHaveLength(40);
  expect(readFileSync(join(target, 'index.html'), 'utf8')).toMatch(/^\d+$/);
});
