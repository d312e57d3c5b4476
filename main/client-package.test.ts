// The official client as a package: packed, installed into an empty project, and used there as its
// README shows, by each runtime installed on this machine.
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import vm from 'node:vm';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { publicClient } from '#testing/setup/public-client.ts';
import { testServer } from '#testing/setup/server.ts';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';

const run = promisify(execFile);
const ROOT = path.resolve(import.meta.dirname, '..');
const CLIENT = path.join(ROOT, 'clients/node');
const TYPESCRIPT = path.join(ROOT, 'node_modules/typescript7/bin/tsc');

let project: string;
let packedFiles: string[];
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
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
  env = { ...process.env, SENDLOOM_TOKEN: token, SENDLOOM_URL: `http://127.0.0.1:${port}` };

  project = await realpath(await mkdtemp(path.join(tmpdir(), 'sendloom-client-')));
  const { stdout } = await run('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: CLIENT,
  });
  const [{ filename, files }] = JSON.parse(stdout.slice(stdout.indexOf('[')));
  packedFiles = files.map((file: { path: string }) => file.path).sort();
  await writeFile(path.join(project, 'package.json'), '{ "private": true }');
  const install = ['install', '--offline', '--no-audit', '--no-fund', `./${filename}`];
  await run('npm', install, { cwd: project });
}, 120_000);

afterAll(() => rm(project, { recursive: true, force: true }));

/** Returns the JavaScript examples of the README, in order. */
async function examples(): Promise<{ file: string; code: string }[]> {
  const readme = await readFile(path.join(CLIENT, 'README.md'), 'utf8');
  return [...readme.matchAll(/```js\n([\s\S]*?)```/g)].map(([, code = ''], index) => ({
    file: `example-${index}.${code.includes('require(') ? 'cjs' : 'mjs'}`,
    code,
  }));
}

/** Returns one Node.js binary per version since 20: this process's binary, and the ones in PATH. */
function nodes(): Map<string, string> {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  const candidates = [process.execPath, ...folders.map((folder) => path.join(folder, 'node'))];
  const byVersion = new Map<string, string>();
  for (const binary of candidates) {
    if (!existsSync(binary)) continue;
    const version = execFileSync(binary, ['--version'], { encoding: 'utf8' }).trim();
    if (!byVersion.has(version) && Number.parseInt(version.slice(1), 10) >= 20)
      byVersion.set(version, binary);
  }
  return byVersion;
}

function deno(): string | undefined {
  const folders = (process.env.PATH ?? '').split(path.delimiter);
  return folders.map((folder) => path.join(folder, 'deno')).find((binary) => existsSync(binary));
}

/** Runs all examples with the command and returns their output lines. */
async function runAndListLines(command: string, args: string[]): Promise<string[]> {
  const lines: string[] = [];
  for (const { file } of await examples())
    lines.push(
      ...(await run(command, [...args, file], { cwd: project, env })).stdout.trim().split('\n'),
    );
  return lines.filter((line) => line !== '');
}

test('the package contains only the built client with types, its README and its license', () => {
  expect(packedFiles).toEqual([
    ...['LICENSE', 'README.md', 'dist/calls.generated.d.cts', 'dist/calls.generated.d.ts'],
    ...['dist/index.cjs', 'dist/index.d.cts', 'dist/index.d.ts', 'dist/index.js', 'package.json'],
  ]);
});

test('the README examples run unchanged on every Node.js and Deno version on this machine', async () => {
  for (const { file, code } of await examples()) await writeFile(path.join(project, file), code);
  const runtimes = [...nodes()].map(([name, binary]) => ({ name, binary, args: [] as string[] }));
  const denoPath = deno();
  if (denoPath) {
    const args = ['run', '--no-prompt', '--allow-env', '--allow-net', '--allow-read'];
    runtimes.push({ name: 'Deno', binary: denoPath, args: [...args, '--node-modules-dir=manual'] });
  } else console.info('Deno is not in PATH: its run of the examples is skipped');
  expect(runtimes.length).toBeGreaterThan(0);
  for (const { name, binary, args } of runtimes) {
    // Titles of groups are unique, so each run starts without the group of the previous run.
    await deleteGroups();
    expect([name, ...(await runAndListLines(binary, args))]).toEqual([
      name,
      "[ 'ada@home.example' ]".replaceAll("'", name === 'Deno' ? '"' : "'"),
      '2 saved, 0 failed',
      expect.stringMatching(/^422 invalid \[/),
      '1',
    ]);
  }
}, 120_000);

async function deleteGroups(): Promise<void> {
  const headers = { authorization: `Bearer ${env.SENDLOOM_TOKEN}` };
  const { data } = (await (await fetch(`${env.SENDLOOM_URL}/v2/groups`, { headers })).json()) as {
    data: { id: string }[];
  };
  for (const { id } of data)
    await fetch(`${env.SENDLOOM_URL}/v2/groups/${id}`, { method: 'DELETE', headers });
}

test('the client runs in a worker that has only web standard APIs', async () => {
  const folder = path.join(project, 'node_modules/@sendloom/node/dist');
  const module = { exports: {} as { Sendloom: new (options: object) => PackagedClient } };
  const scope = {
    ...{ AbortController, AbortSignal, URL, crypto, fetch, setTimeout, clearTimeout },
    ...{ module, exports: module.exports },
  };
  vm.runInNewContext(await readFile(path.join(folder, 'index.cjs'), 'utf8'), scope);
  type PackagedClient = { call(name: string): Promise<{ data: unknown[] }> };
  const { SENDLOOM_TOKEN: token, SENDLOOM_URL: baseUrl } = env;
  const sendloom = new module.exports.Sendloom({ token, baseUrl });
  expect(Array.isArray((await sendloom.call('GET /v2/groups')).data)).toBe(true);
});

test('the types are valid for programs in both module formats', async () => {
  const checks = `
    const sendloom = new Sendloom({ token: process.env.TOKEN, baseUrl: 'https://news.shop.example' });
    export const title: Promise<string> = sendloom
      .call('GET /v2/groups/{id}', { params: { id: 'a' }, signal: AbortSignal.timeout(1) })
      .then(({ data }) => data.title);
    // @ts-expect-error
    void sendloom.call('GET /v2/groups/{id}');
    // @ts-expect-error
    void sendloom.call('GET /v2/nonsense');`;
  const scope = 'declare const process: { env: Record<string, string | undefined> };';
  const esm = `import { Sendloom } from '@sendloom/node';`;
  const common = `import { Sendloom, type SendloomError } from '@sendloom/node';
    export const findings = (error: SendloomError) => error.findings.map(({ code }) => code);`;
  await writeFile(path.join(project, 'esm.mts'), `${esm}${scope}${checks}`);
  await writeFile(path.join(project, 'common.cts'), `${common}${scope}${checks}`);
  const compilerOptions = {
    ...{ noEmit: true, strict: true, module: 'nodenext', lib: ['es2023', 'dom'], types: [] },
  };
  const settings = { compilerOptions, files: ['esm.mts', 'common.cts'] };
  await writeFile(path.join(project, 'tsconfig.json'), JSON.stringify(settings));
  const compileResult = await run(process.execPath, [TYPESCRIPT, '-p', '.'], {
    cwd: project,
  }).catch((error: { stdout: string }) => error);
  expect(compileResult.stdout).toBe('');
});
