// After the product was killed, an unrelated process may have the ID that PostgreSQL wrote into
// postmaster.pid, so a process is stopped only if it is identified as the server of this folder.
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readProcess } from '../process/other-process.ts';
import { stopLeftover } from './postgres-process.ts';

let dataFolder = '';
let file = '';
let child: ChildProcess | undefined;

beforeEach(() => {
  dataFolder = mkdtempSync(join(tmpdir(), 'sendloom-leftover-'));
  file = join(dataFolder, 'postmaster.pid');
});

afterEach(() => {
  child?.kill('SIGKILL');
  rmSync(dataFolder, { recursive: true, force: true });
});

/** Starts a process with these arguments and writes its id into the pid file. */
async function spawnWithPidFile(...args: string[]): Promise<ChildProcess & { pid: number }> {
  const code = 'console.log("here"); setInterval(() => {}, 1000)';
  child = spawn(process.execPath, ['-e', code, '--', ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout as NodeJS.ReadableStream, 'data');
  writeFileSync(file, `${child.pid}\n`);
  return child as ChildProcess & { pid: number };
}

const isAlive = (childProcess: ChildProcess) =>
  childProcess.exitCode === null && childProcess.signalCode === null;

/**
 * Calls stopLeftover as if on the given platform. The `darwin` lookup works on Linux because `ps`
 * accepts the same options there; the `win32` lookup fails because there is no PowerShell.
 */
async function stopOn(platform: NodeJS.Platform): Promise<void> {
  const realPlatform = process.platform;
  Object.defineProperty(process, 'platform', { value: platform });
  try {
    await stopLeftover(dataFolder, () => {});
  } finally {
    Object.defineProperty(process, 'platform', { value: realPlatform });
  }
}

test.each(['linux', 'darwin'] as const)(
  '%s: an unrelated process is left running',
  async (platform) => {
    const otherProcess = await spawnWithPidFile('-D', `${dataFolder}-of-another`, '-c', 'port=1');
    await stopOn(platform);
    expect(isAlive(otherProcess)).toBe(true);
    expect(existsSync(file)).toBe(false);
  },
);

test.each(['linux', 'darwin'] as const)(
  '%s: the server of this folder is stopped',
  async (platform) => {
    const ownProcess = await spawnWithPidFile('-D', dataFolder, '-c', 'port=1');
    const exit = once(ownProcess, 'exit');
    await stopOn(platform);
    await exit;
    expect(isAlive(ownProcess)).toBe(false);
  },
);

test('an unidentifiable process is not stopped and causes an error', async () => {
  const otherProcess = await spawnWithPidFile();
  await expect(stopOn('win32')).rejects.toThrow(`Process ${otherProcess.pid} may be the database`);
  expect(isAlive(otherProcess)).toBe(true);
});

test.each(['linux', 'darwin'] as const)(
  '%s: a process has the same start time in each lookup and is gone after its exit',
  async (platform) => {
    const spawnedProcess = await spawnWithPidFile();
    const processInfo = readProcess(spawnedProcess.pid, platform);
    expect(processInfo).toMatchObject({ state: 'alive', startedAt: expect.stringMatching(/\d/) });
    expect(readProcess(spawnedProcess.pid, platform)).toEqual(processInfo);
    const exit = once(spawnedProcess, 'exit');
    spawnedProcess.kill('SIGKILL');
    await exit;
    expect(readProcess(spawnedProcess.pid, platform)).toEqual({ state: 'gone' });
  },
);
