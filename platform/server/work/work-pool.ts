// One thread pool for work with a cost that depends on customer or visitor input (templates, HTML,
// emails, PDFs). The event loop never runs it. A piece that exceeds its kind's processor time or
// memory is killed with its thread and fails alone; accounts take turns, and none occupies all
// threads (docs/decisions/0078-thread-pool-for-customer-content.md).
import { AsyncLocalStorage } from 'node:async_hooks';
import { createHash } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { outsideTransaction } from '../database/database.ts';
import { AppError } from '../errors.ts';
import { FairTurns, type TurnKey } from './fair-turns.ts';
import { counter, histogram, registerMetrics } from '../metrics.ts';
import { runInThread } from './threads.ts';

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
  createKillError?: () => Error;
  /** Builds an error from the result of `failure`. */
  toError?: (failure: unknown) => Error;
  /** Cache key: the part of the input that affects the result. Defaults to the whole input. */
  getCacheKey?: (input: In) => unknown;
};

/** @param cpuMs overrides the kind's limit */
export type ThreadWork<In, Out> = (input: In, options?: WorkOptions) => Promise<Out>;
type WorkOptions = { key?: TurnKey; cpuMs?: number };

/** A module of the pool, as its thread calls it. */
export type WorkModule = {
  work(input: unknown): unknown;
  failure?(error: unknown): unknown;
};
const killCounter = counter('work_killed', 'Thread tasks killed, by reason', ['kind', 'why']);
const seconds = histogram(
  'work_seconds',
  'Waiting and running time of thread tasks',
  ['kind'],
  [0.005, 0.025, 0.1, 0.25, 1, 2.5, 10],
);
registerMetrics(async () => [
  {
    kind: 'gauge',
    name: 'work_waiting',
    help: 'Tasks waiting for a thread',
    values: [{ value: turns.waitingCount }],
  },
]);

/** No account can occupy all threads: one is reserved for other accounts. */
const turns = new FairTurns({
  maxConcurrent: THREADS,
  maxPerKey: THREADS - 1,
  maxWaiting: MAX_WAITING,
});
const owner = new AsyncLocalStorage<TurnKey>();

/**
 * Calls `run`. The thread work that it starts is scheduled for this account, or under this name.
 */
export function runForKey<T>(key: TurnKey, run: () => T): T {
  return owner.run(key, run);
}

/**
 * Runs work of one kind in the pool. Work requested inside a transaction runs outside it
 * (`outsideTransaction`).
 */
export function defineWork<In, Out>(options: Options<In>): ThreadWork<In, Out> {
  const { kind, getCacheKey = (input: In): unknown => input } = options;
  return (input, { key = owner.getStore() ?? 'shared', cpuMs = options.cpuMs } = {}) =>
    outsideTransaction(
      () => `${kind} ${cpuMs} ${hashOf(getCacheKey(input))}`,
      async () => {
        const startedAt = performance.now();
        const observeDuration = () =>
          seconds.observe({ kind }, (performance.now() - startedAt) / 1_000);
        const work = () => runPiece(options, input, cpuMs);
        return (await turns.run(key, work).finally(observeDuration)) as Out;
      },
    );
}

const hashOf = (input: unknown) =>
  createHash('sha256').update(JSON.stringify(input)).digest('base64');

async function runPiece(
  options: Omit<Options, 'getCacheKey'>,
  input: unknown,
  cpuMs: number,
): Promise<unknown> {
  const result = await runInThread({ url: options.url.href, input }, cpuMs);
  if ('output' in result) return result.output;
  if ('failure' in result) throw (options.toError ?? asError)(result.failure);
  if (result.killReason === undefined) throw result.error;
  killCounter.inc({ kind: options.kind, why: result.killReason });
  throw (options.createKillError ?? (() => new AppError('work_too_heavy')))();
}

const asError = (failure: unknown) => new Error(String(failure));
