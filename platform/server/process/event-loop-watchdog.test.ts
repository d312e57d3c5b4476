// The thread that watches an event loop, with short time limits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const THREAD = join(import.meta.dirname, 'event-loop-watchdog-thread.ts');

const SCRIPT = `
  import { Worker } from 'node:worker_threads';
  import { pathToFileURL } from 'node:url';
  const part = (bytes) => new SharedArrayBuffer(bytes);
  const shared = {
    beats: new Int32Array(part(4)), readiness: new Int32Array(part(4)), doing: new Uint8Array(part(256)),
  };
  const limits = { notedMs: 60_000, frozenMs: 1_000, startingFrozenMs: 30_000 };
  const workerData = { shared, role: 'web', isJson: true, memoryMegabytes: 2_000, ...limits };
  new Worker(pathToFileURL(${JSON.stringify(THREAD)}), { workerData, execArgv: [] });
  const block = (ms) => { for (const until = Date.now() + ms; Date.now() < until; ); };
  setTimeout(() => {
    block(3_000);
    process.send('outlived the start');
    Atomics.store(shared.readiness, 0, 1);
    block(20_000);
    process.send('outlived a blocked loop');
  }, 1_000);
`;

test('a loop that is blocked during the start does not end the process until it is ready', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '-e', SCRIPT], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const messages: unknown[] = [];
  child.on('message', (message) => messages.push(message));
  let output = '';
  child.stderr?.on('data', (data: Buffer) => (output += data.toString()));
  const [, signal] = await once(child, 'exit');
  expect(signal).toBe('SIGKILL');
  expect(messages).toEqual(['outlived the start']);
  expect(output).toContain('"message":"Event loop blocked; exiting"');
});
