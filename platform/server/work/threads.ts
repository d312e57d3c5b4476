// The threads of the pool (work-pool.ts). This module imports no other module of the product, so
// that all test files of a process share the idle threads. A new thread takes half a second to load
// its modules.
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

const IDLE_MS = 60_000;
const WATCH_MS = 100;
const HEAP_MEGABYTES = 512;
/**
 * Starting a thread and loading its modules takes half a second, and several seconds on a busy
 * machine.
 */
const MAX_LOADING_MS = 60_000;
/**
 * A thread that reports no further processor time for this multiple of its limit is killed: it runs
 * native code, which cannot be interrupted for a report. While a thread reports, only processor
 * time counts, because wall time may be arbitrarily long on a busy machine.
 */
const WALL_FACTOR = 6;

export type WorkRequest = { url: string; input: unknown };
/**
 * `startCpuMicroseconds`: the thread's processor time when its modules are loaded, in microseconds.
 */
export type WorkResponse =
  | { startCpuMicroseconds: number }
  | { output: unknown }
  | { failure: unknown };

type KillReason = 'cpu' | 'memory' | 'time';

/** `killReason` is undefined if the thread itself failed. */
type Result =
  | { output: unknown }
  | { failure: unknown }
  | { killReason: KillReason | undefined; error: Error };

const IDLE: PoolThread[] = [];

/**
 * Runs the request in an idle thread or a new one. Kills the thread once the request has used this
 * much processor time.
 */
export async function runInThread(request: WorkRequest, cpuMs: number): Promise<Result> {
  const thread = IDLE.pop() ?? new PoolThread();
  const result = await thread.run(request, cpuMs);
  if (!('killReason' in result)) thread.release();
  return result;
}

class PoolThread {
  private readonly worker: Worker;
  private settle: ((result: Result) => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private cpuMs = 0;

  constructor() {
    this.worker = new Worker(new URL('./work-pool-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    this.worker.on('message', (result: WorkResponse) => this.handleMessage(result));
    this.worker.on('error', (error: NodeJS.ErrnoException) => {
      this.end(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? 'memory' : undefined, error);
    });
    this.worker.on('exit', () => this.end(undefined, new Error('The thread ended')));
  }

  run(request: WorkRequest, cpuMs: number): Promise<Result> {
    clearTimeout(this.timer);
    this.cpuMs = cpuMs;
    this.worker.ref();
    return new Promise((resolve) => {
      this.settle = resolve;
      this.timer = setTimeout(() => this.end('time'), MAX_LOADING_MS);
      this.worker.postMessage(request);
    });
  }

  /** Returns the thread to the pool, which ends it after a minute without work. */
  release(): void {
    this.worker.unref();
    IDLE.push(this);
    this.timer = setTimeout(() => this.end(), IDLE_MS);
    this.timer.unref();
  }

  private handleMessage(result: WorkResponse): void {
    if ('startCpuMicroseconds' in result) return this.watchCpuTime(result.startCpuMicroseconds);
    clearTimeout(this.timer);
    const { settle } = this;
    this.settle = undefined;
    settle?.(result);
  }

  /**
   * Kills the thread once its processor time is used up. A limit on wall time would kill harmless
   * work on a busy machine.
   */
  private watchCpuTime(startMicroseconds: number): void {
    const { settle, cpuMs } = this;
    let usedMs = 0;
    let reportedMs = performance.now() + cpuMs * WALL_FACTOR;
    const check = async () => {
      const usage = await Promise.race([
        this.worker.cpuUsage(),
        delay(WATCH_MS, undefined, { ref: false }),
      ]).catch(() => {});
      if (this.settle !== settle || settle === undefined) return;
      const reported = usage ? (usage.user + usage.system - startMicroseconds) / 1e3 : 0;
      if (reported > usedMs) {
        usedMs = reported;
        reportedMs = performance.now() + cpuMs * WALL_FACTOR;
      }
      if (usedMs >= cpuMs) return this.end('cpu');
      if (performance.now() >= reportedMs) return this.end('time');
      this.timer = setTimeout(check, WATCH_MS);
    };
    clearTimeout(this.timer);
    this.timer = setTimeout(check, Math.min(WATCH_MS, cpuMs));
  }

  private end(reason?: KillReason, error = new Error(`Killed: ${reason ?? 'idle'}`)): void {
    clearTimeout(this.timer);
    const { settle } = this;
    this.settle = undefined;
    const index = IDLE.indexOf(this);
    if (index >= 0) IDLE.splice(index, 1);
    void this.worker.terminate();
    settle?.({ killReason: reason, error });
  }
}
