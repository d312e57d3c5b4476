// The thread that watches the event loop of its process (event-loop-watchdog.ts). It writes to the
// terminal directly, because a thread's own streams pass through the blocked loop.
import { writeSync } from 'node:fs';
import inspector from 'node:inspector';
import { workerData } from 'node:worker_threads';
import type { WatchData } from './event-loop-watchdog.ts';
import { EXITING, STARTING } from './process-stages.ts';

const CHECK_MS = 500;
const FRAMES = 12;

const { shared, role, isJson, memoryLimitMegabytes, ...limits } = workerData as WatchData;
let lastBeats = Atomics.load(shared.beats, 0);
let silentMs = 0;
let isReported = false;
let checkedAt = performance.now();

const checks = setInterval(() => {
  const stage = Atomics.load(shared.stage, 0);
  if (stage === EXITING) return clearInterval(checks);
  const now = performance.now();
  // If the machine or this thread was suspended, the loop may be fine.
  const elapsed = Math.min(now - checkedAt, 2 * CHECK_MS);
  checkedAt = now;
  const beats = Atomics.load(shared.beats, 0);
  if (beats !== lastBeats) {
    lastBeats = beats;
    silentMs = 0;
    isReported = false;
    return;
  }
  silentMs += elapsed;
  const megabytes = process.memoryUsage.rss() / 2 ** 20;
  const isRunaway = silentMs >= 3000 && megabytes > 2 * memoryLimitMegabytes;
  const stackLogMs = stage === STARTING ? limits.startingStackLogMs : limits.stackLogMs;
  const frozenMs = stage === STARTING ? limits.startingFrozenMs : limits.frozenMs;
  if (!isReported && (silentMs >= stackLogMs || isRunaway)) {
    isReported = true;
    logStack();
  }
  if (silentMs < frozenMs && !isRunaway) return;
  logError('Event loop blocked; exiting', {
    silentMs: Math.round(silentMs),
    megabytes: Math.round(megabytes),
    doing: readActivity(),
  });
  process.kill(process.pid, 'SIGKILL');
}, CHECK_MS);

function readActivity(): string {
  const end = shared.activity.indexOf(0);
  return new TextDecoder().decode(shared.activity.slice(0, end < 0 ? undefined : end));
}

/** Interrupts the loop briefly and logs its stack. */
function logStack(): void {
  const session = new inspector.Session();
  try {
    session.connectToMainThread();
  } catch (error) {
    return logError('Event loop blocked', { doing: readActivity(), error: String(error) });
  }
  const files = new Map<string, string>();
  session.on('Debugger.scriptParsed', ({ params }) => files.set(params.scriptId, params.url));
  session.on('Debugger.paused', ({ params }) => {
    const stack = params.callFrames.slice(0, FRAMES).map((frame) => {
      const { functionName, location } = frame;
      return `${functionName || '(nameless)'} ${files.get(location.scriptId) ?? ''}:${location.lineNumber + 1}`;
    });
    logError('Event loop blocked', { doing: readActivity(), stack });
    session.post('Debugger.resume');
    session.post('Debugger.disable');
    session.disconnect();
  });
  session.post('Debugger.enable');
  session.post('Debugger.pause');
}

function logError(message: string, fields: Record<string, unknown>): void {
  const at = new Date().toISOString();
  const line = isJson
    ? JSON.stringify({ at, level: 'error', role, message, ...fields })
    : `${at.slice(11, 19)} ERROR ${message} ${JSON.stringify({ role, ...fields })}`;
  writeSync(2, `${line}\n`);
}
