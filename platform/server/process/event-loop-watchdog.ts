// Event-loop watchdog: the loop beats each second, and a separate thread watches it. A process with
// a blocked loop (one endless request is enough) logs its stack and is ended, so that the process
// manager restarts it. Otherwise one request could block sending, jobs and all other requests
// forever.
import { monitorEventLoopDelay } from 'node:perf_hooks';
import inspector from 'node:inspector';
import { Worker } from 'node:worker_threads';
import { log } from '../log.ts';
import { EXITING, READY } from './process-stages.ts';

const BEAT_MS = 1000;
/** Resolution of the pause measurement. */
const DELAY_MS = 20;
/** A process with a loop blocked for this long is ended. */
export const FROZEN_MS = 10_000;
/**
 * Replaces FROZEN_MS before the process is ready. Loading the modules of a role blocks its loop for
 * about a second, and for much longer on an overloaded machine, where a restart would only load
 * them again.
 */
const STARTING_FROZEN_MS = 120_000;
/** The stack of a loop blocked for this long is logged. */
const STACK_LOG_MS = 6_000;
/**
 * Replaces STACK_LOG_MS before the process is ready, because a slow start on a busy machine is not
 * an error.
 */
const STARTING_STACK_LOG_MS = 60_000;
/**
 * Consecutive measurements over the memory limit before the process drains: a single peak is not a
 * leak.
 */
const MEMORY_STRIKES = 5;
const ACTIVITY_BYTES = 256;

export type Beat = {
  /** The longest pause of the event loop since the last beat, in milliseconds. */
  pauseMs: number;
  /**
   * Processor time of the event loop's thread since the last beat. If `pauseMs` is longer, the
   * machine caused the pause, not the process.
   */
  cpuMs: number;
  memoryMegabytes: number;
};

export interface Watchdog {
  /** Reports that the process is ready: from now on the stricter limits apply. */
  ready(): void;
  close(): void;
}

type Options = {
  role: string;
  isJson: boolean;
  /**
   * Memory limit in megabytes. A process above the limit drains. If the loop of a process is
   * blocked, the process is ended once its memory exceeds twice the limit.
   */
  memoryLimitMegabytes: number;
  onBeat(beat: Beat): void;
  onOverMemory(): void;
};

/** Shared between the threads: the number of beats, the stage, and the work started last. */
export type SharedState = { beats: Int32Array; stage: Int32Array; activity: Uint8Array };

let shared: SharedState | undefined;
const encoder = new TextEncoder();

/** The longest pause in each beat of the last minute. */
const PAUSES: number[] = [];
const MINUTE_OF_BEATS = 60;

/**
 * The longest pause of the event loop in the last minute, in milliseconds; undefined if not
 * measured.
 */
export const maxPause = () => (PAUSES.length > 0 ? Math.max(...PAUSES) : undefined);

/** Records the work the loop starts (a call, a job), in case it blocks the loop. */
export function markWork(kind: string, name = ''): void {
  if (!shared) return;
  const { written } = encoder.encodeInto(`${kind} ${name}`, shared.activity);
  shared.activity.fill(0, written);
}

export function startWatchdog({
  role,
  isJson,
  memoryLimitMegabytes,
  onBeat,
  onOverMemory,
}: Options): Watchdog {
  shared = {
    beats: new Int32Array(new SharedArrayBuffer(4)),
    stage: new Int32Array(new SharedArrayBuffer(4)),
    activity: new Uint8Array(new SharedArrayBuffer(ACTIVITY_BYTES)),
  };
  const { beats, stage } = shared;
  const delays = monitorEventLoopDelay({ resolution: DELAY_MS });
  delays.enable();
  let overCount = 0;
  let cpu = process.threadCpuUsage();
  const beat = () => {
    Atomics.add(beats, 0, 1);
    const memory = process.memoryUsage.rss() / 2 ** 20;
    const pauseMs = delays.count > 0 ? Math.max(0, delays.max / 1e6 - DELAY_MS) : 0;
    PAUSES.push(pauseMs);
    if (PAUSES.length > MINUTE_OF_BEATS) PAUSES.shift();
    const { user, system } = process.threadCpuUsage();
    const cpuMs = (user + system - cpu.user - cpu.system) / 1e3;
    cpu = { user, system };
    onBeat({ pauseMs, cpuMs, memoryMegabytes: memory });
    delays.reset();
    overCount = memory > memoryLimitMegabytes ? overCount + 1 : 0;
    if (overCount !== MEMORY_STRIKES) return;
    log.error('Memory limit exceeded; draining and restarting', {
      megabytes: Math.round(memory),
      limit: memoryLimitMegabytes,
    });
    onOverMemory();
  };
  const timer = setInterval(beat, BEAT_MS);
  timer.unref();
  const watch = watchLoop({ shared, role, isJson, memoryLimitMegabytes });
  // An exiting process writes the compile cache of its modules, which takes seconds on a slow disk.
  const exiting = () => void Atomics.store(stage, 0, EXITING);
  process.once('exit', exiting);
  return {
    ready: () => void Atomics.store(stage, 0, READY),
    close() {
      process.off('exit', exiting);
      clearInterval(timer);
      delays.disable();
      void watch?.terminate();
      shared = undefined;
    },
  };
}

export type WatchData = {
  shared: SharedState;
  role: string;
  isJson: boolean;
  memoryLimitMegabytes: number;
  stackLogMs: number;
  frozenMs: number;
  startingStackLogMs: number;
  startingFrozenMs: number;
};

/** Starts the thread; returns undefined under a debugger, which stops the loop on purpose. */
function watchLoop(
  data: Pick<WatchData, 'shared' | 'role' | 'isJson' | 'memoryLimitMegabytes'>,
): Worker | undefined {
  if (inspector.url()) return undefined;
  const thread = new Worker(new URL('./event-loop-watchdog-thread.ts', import.meta.url), {
    workerData: {
      ...data,
      stackLogMs: STACK_LOG_MS,
      frozenMs: FROZEN_MS,
      startingStackLogMs: STARTING_STACK_LOG_MS,
      startingFrozenMs: STARTING_FROZEN_MS,
    } satisfies WatchData,
    // The thread holds only a few numbers and a stack.
    resourceLimits: { maxOldGenerationSizeMb: 32, maxYoungGenerationSizeMb: 4 },
    stdout: false,
    stderr: false,
    execArgv: [],
  });
  thread.on('error', (error) => log.error('Event-loop watchdog stopped', { error }));
  thread.unref();
  return thread;
}
