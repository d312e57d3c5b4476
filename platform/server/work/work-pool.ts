// One thread pool for work whose cost depends on customer or visitor input (templates, HTML,
// emails, PDFs). The event loop never runs it. A piece that exceeds its kind's processor time or
// memory is killed with its thread and fails alone; accounts take turns, and none occupies all
// threads (docs/decisions/0078-one-pool-for-customers-content.md).
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { outsideTransaction } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { FairTurns, type TurnKey } from './fair-turns.ts';
import { counter, histogram, showFigures } from '../metrics.ts';

const IDLE_MS = 60_000;
const WATCH_MS = 100;
const HEAP_MEGABYTES = 512;
/**
 * Starting a thread and loading its modules takes half a second, and several seconds on a busy
 * machine.
 */
const MAX_LOADING_MS = 60_000;
/**
 * A thread that reports no further processor time for this multiple of its limit runs native code. While
 * it reports, only processor time counts: on a busy machine, wall time may be arbitrarily long.
 */
const WALL_FACTOR = 6;
const MAX_WAITING = 500;
const THREADS = Math.min(8, Math.max(2, availableParallelism()));

type Options<In = never> = {
  /** The label in metrics. */
  kind: string;
  /**
   * A module with `work` (plain data to plain data) and optionally `failure` (error to plain data).
   */
  url: URL;
  /** Milliseconds of processor time. */
  cpuMs: number;
  /** The error of a killed piece; `work_too_heavy` by default. */
  tooHeavy?: () => Error;
  /** Builds an error from the result of `failure`. */
  revive?: (failure: unknown) => Error;
  /** The part of the input that determines the result, if not all of it. */
  sameAs?: (input: In) => unknown;
};

/** @param cpuMs overrides the kind's limit */
export type Work<In, Out> = (input: In, options?: WorkOptions) => Promise<Out>;
type WorkOptions = { key?: TurnKey; cpuMs?: number };

/** A module of the pool, as its thread calls it. */
export type WorkModule = {
  work(input: unknown): unknown;
  failure?(error: unknown): unknown;
};
export type WorkRequest = { url: string; input: unknown };
/** `startedCpu`: its modules are loaded; the thread's processor time until then, in microseconds. */
export type WorkAnswer = { startedCpu: number } | { output: unknown } | { failure: unknown };

type KillReason = 'cpu' | 'memory' | 'time';

const killed = counter('work_killed', 'Thread tasks killed, by reason', ['kind', 'why']);
const seconds = histogram(
  'work_seconds',
  'Waiting and running time of thread tasks',
  ['kind'],
  [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10],
);
showFigures(async () => [
  {
    kind: 'gauge',
    name: 'work_waiting',
    help: 'Tasks waiting for a thread',
    values: [{ value: turns.waitingCount }],
  },
]);

/** No account can occupy all threads: one is reserved for other accounts. */
const turns = new FairTurns({ atOnce: THREADS, perKey: THREADS - 1, maxWaiting: MAX_WAITING });
const owner = new AsyncLocalStorage<TurnKey>();

/**
 * Schedules work that `run` starts under this account (or name); nested calls retain the outer one.
 */
export function workFor<T>(key: TurnKey, run: () => T): T {
  return owner.run(key, run);
}

/**
 * Runs work of one kind in the pool. Work requested within a transaction runs outside of it
 * (`outsideTransaction`).
 */
export function defineWork<In, Out>(options: Options<In>): Work<In, Out> {
  const { kind, sameAs = (input: In): unknown => input } = options;
  return (input, { key = owner.getStore() ?? 'shared', cpuMs = options.cpuMs } = {}) =>
    outsideTransaction(
      () => `${kind} ${cpuMs} ${hashOf(sameAs(input))}`,
      async () => {
        const startedAt = performance.now();
        const done = () => seconds.observe({ kind }, (performance.now() - startedAt) / 1_000);
        const work = () => runInThread(options, input, cpuMs);
        return (await turns.run(key, work).finally(done)) as Out;
      },
    );
}

const hashOf = (input: unknown) =>
  createHash('sha256').update(JSON.stringify(input)).digest('base64');

const IDLE: PoolThread[] = [];

async function runInThread(
  options: Omit<Options, 'sameAs'>,
  input: unknown,
  cpuMs: number,
): Promise<unknown> {
  const thread = IDLE.pop() ?? new PoolThread();
  const result = await thread.run({ url: options.url.href, input }, cpuMs);
  if (!('killed' in result)) {
    thread.rest();
    if ('output' in result) return result.output;
    throw (options.revive ?? asError)(result.failure);
  }
  if (result.killed === undefined) throw result.error;
  killed.inc({ kind: options.kind, why: result.killed });
  throw (options.tooHeavy ?? (() => new AppError('work_too_heavy')))();
}

/** `killed` is undefined if the thread itself failed. */
type Result =
  | { output: unknown }
  | { failure: unknown }
  | { killed: KillReason | undefined; error: Error };

class PoolThread {
  private readonly worker: Worker;
  private settle: ((result: Result) => void) | undefined;
  private timer: NodeJS.Timeout | undefined;
  private cpuMs = 0;

  constructor() {
    this.worker = new Worker(new URL('./work-pool-thread.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MEGABYTES },
    });
    this.worker.on('message', (answer: WorkAnswer) => this.take(answer));
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
  rest(): void {
    this.worker.unref();
    IDLE.push(this);
    this.timer = setTimeout(() => this.end(), IDLE_MS);
    this.timer.unref();
  }

  private take(answer: WorkAnswer): void {
    if ('startedCpu' in answer) return this.watch(answer.startedCpu);
    clearTimeout(this.timer);
    const { settle } = this;
    this.settle = undefined;
    settle?.(answer);
  }

  /**
   * Kills the thread once its processor time is used up. A limit on wall time would kill harmless
   * work on a busy machine.
   */
  private watch(startedMicroseconds: number): void {
    const { settle, cpuMs } = this;
    let used = 0;
    let until = performance.now() + cpuMs * WALL_FACTOR;
    const check = async () => {
      const usage = await Promise.race([
        this.worker.cpuUsage(),
        delay(WATCH_MS, undefined, { ref: false }),
      ]).catch(() => {});
      if (this.settle !== settle || settle === undefined) return;
      const reported = usage ? (usage.user + usage.system - startedMicroseconds) / 1e3 : 0;
      if (reported > used) {
        used = reported;
        until = performance.now() + cpuMs * WALL_FACTOR;
      }
      if (used >= cpuMs) return this.end('cpu');
      if (performance.now() >= until) return this.end('time');
      this.timer = setTimeout(check, WATCH_MS);
    };
    clearTimeout(this.timer);
    this.timer = setTimeout(check, Math.min(WATCH_MS, cpuMs));
  }

  private end(reason?: KillReason, error = new Error(`Killed: ${reason ?? 'idle'}`)): void {
    clearTimeout(this.timer);
    const { settle } = this;
    this.settle = undefined;
    const place = IDLE.indexOf(this);
    if (place >= 0) IDLE.splice(place, 1);
    void this.worker.terminate();
    settle?.({ killed: reason, error });
  }
}

const asError = (failure: unknown) => new Error(String(failure));
