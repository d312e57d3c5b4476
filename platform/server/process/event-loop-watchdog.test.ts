// Tests the thread that watches an event loop, with short time limits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { EXITING, READY, STARTING } from './process-stages.ts';

const THREAD = join(import.meta.dirname, 'event-loop-watchdog-thread.ts');

/** A script that blocks its event loop for 3 s in the first stage and for 9 s in the next stage. */
const scriptOf = (first: number, next: number) => `
  import { Worker } from 'node:worker_threads';
  import { pathToFileURL } from 'node:url';
  const part = (bytes) => new SharedArrayBuffer(bytes);
  const shared = {
    beats: new Int32Array(part(4)), stage: new Int32Array(part(4)), activity: new Uint8Array(part(256)),
  };
  Atomics.store(shared.stage, 0, ${first});
  const limits = {
    ...{ stackLogMs: 500, frozenMs: 6_000 },
    ...{ startingStackLogMs: 20_000, startingFrozenMs: 30_000 },
  };
  const workerData = { shared, role: 'web', isJson: true, memoryLimitMegabytes: 2_000, ...limits };
  new Worker(pathToFileURL(${JSON.stringify(THREAD)}), { workerData, execArgv: [] });
  const cell = new Int32Array(part(4));
  const block = (ms) => {
    // Sleeps, because a busy loop would slow down other tests.
    for (const until = Date.now() + ms; Date.now() < until; ) Atomics.wait(cell, 0, 0, 10);
  };
  setTimeout(() => {
    block(3_000);
    process.send('outlived the first stage');
    Atomics.store(shared.stage, 0, ${next});
    block(9_000);
    process.send('outlived the next stage', () => process.exit(0));
  }, 1_000);
`;

async function run(script: string) {
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const messages: unknown[] = [];
  let output = '';
  let firstOutput: string | undefined;
  child.on('message', (message) => {
    messages.push(message);
    firstOutput ??= output;
  });
  child.stderr?.on('data', (data: Buffer) => (output += data.toString()));
  const [code, signal] = await once(child, 'exit');
  return { messages, output, firstOutput, code, signal };
}

test('a long block of the event loop ends a ready process; a short block of a starting process is not logged', async () => {
  const { messages, output, firstOutput, signal } = await run(scriptOf(STARTING, READY));
  expect(signal).toBe('SIGKILL');
  expect(messages).toEqual(['outlived the first stage']);
  // A slow start is not an error, so it logs no stack.
  expect(firstOutput).toBe('');
  expect(output).toContain('"message":"Event loop blocked","doing":"","stack":["block ');
  expect(output).toContain('"message":"Event loop blocked; exiting"');
});

test('a long block of the event loop does not end a process that is exiting', async () => {
  const { messages, output, code } = await run(scriptOf(EXITING, EXITING));
  expect(messages).toEqual(['outlived the first stage', 'outlived the next stage']);
  expect([code, output]).toEqual([0, '']);
}, 60_000);
