// Coarse background work on graphile-worker: one job per batch, never per subscriber. Jobs are
// added in the transaction that causes them; jobs of a killed worker are recovered within a minute.
import { EventEmitter } from 'node:events';
import { type Runner, run, runOnce, type TaskList, type WorkerEvents } from 'graphile-worker';
import { z } from 'zod';
import { clock } from '../clock.ts';
import { type Db, inTransaction, getPool, type Reader, type Tx } from '../database/database.ts';
import type { SubscriberAddresses } from '../database/address-search.sql.ts';
import { isNodeFailure } from '../database/node-failure.ts';
import { JobInterrupted } from './job-interrupted.ts';
import { jobLogger, silentLogger } from './job-log.ts';
import { parseRequestId, parseTraceParent } from './job-request.ts';
import {
  insertJob,
  countKills,
  resetKills,
  restoreAttempt,
  hasDueJobs,
  findOldestDueTime,
  listPayloads,
  countQueuedJobs,
  deleteJob,
  deleteJobsWithAddresses,
  deleteExpiredProcesses,
  unlockWorkers,
} from './jobs.sql.ts';
import { log, withLogFields } from '../log.ts';
import { type MetricSample, histogram } from '../metrics.ts';
import { defineEvent } from '../events.ts';
import { markWork } from '../process/event-loop-watchdog.ts';
import { traceWork } from '../tracing/tracing.ts';
import { type Heartbeat, startHeartbeat, EXPIRY_MS } from './heartbeat.ts';

export type JobContext = {
  db: Db;
  /** Aborted when the process stops: a long job saves its position and throws `JobInterrupted`. */
  signal: AbortSignal;
  /** Reports that the job made progress; this resets its count of kills. */
  progress?: () => Promise<void>;
};

export type Job<P extends z.ZodType = z.ZodType> = {
  name: string;
  payload: P;
  /** Must be idempotent: a job may run again after a kill. */
  run(payload: z.output<P>, tools: JobContext): Promise<void>;
  maxAttempts?: number;
  /**
   * Runs instead of `run` once the job has killed its worker `MAX_KILLS` times in a row; notifies
   * the owner of the reason.
   */
  onAbandoned?: (payload: z.output<P>, tools: JobContext) => Promise<void>;
  /**
   * Notifies the account's owner by `jobAbandoned`, for jobs without `onAbandoned`. `stop` ends the
   * job, and the owner can start the work again. `next_day` is for work that no screen can start:
   * it runs again on the next day.
   */
  afterKills?: AfterKills;
  /** The job counts kills itself and skips the items that cause them. */
  handlesKills?: true;
};

export type AfterKills = 'stop' | 'next_day';

/** A job with `afterKills` killed its worker repeatedly and is abandoned. */
export const jobAbandoned = defineEvent<{
  accountId: number;
  job: string;
  afterKills: AfterKills;
  /** The same for each retry of the same work. */
  workKey: string;
}>('job.given-up');

const DAY_MS = 24 * 3_600_000;

/** A job is abandoned after this number of kills without progress in between. */
export const MAX_KILLS = 2;
const KILLS = /^Killed its worker (\d+) times/;

export { JobInterrupted };

export function defineJob<P extends z.ZodType>(job: Job<P>): Job<P> {
  return job;
}

export type AddJobOptions = {
  runAt?: Date;
  /** One waiting job per key: a second one replaces the first. */
  key?: string;
  /** Jobs of one queue run sequentially. */
  queue?: string;
  priority?: number;
};

/** Adds a job; inside a transaction it exists only after the commit. */
export async function addJob<P extends z.ZodType>(
  db: Reader,
  job: Job<P>,
  payload: z.input<P>,
  options: AddJobOptions = {},
): Promise<void> {
  await insertJob(db, job.name, payload, job.maxAttempts ?? 8, options);
}

/** Deletes a waiting job by its key. */
export async function removeJob(db: Reader, key: string): Promise<void> {
  await deleteJob(db, key);
}

/** Deletes an account's waiting jobs of one kind that name an address in their payload. */
export const removeJobsWithAddresses = (
  tx: Tx,
  job: Job,
  accountId: number,
  naming: SubscriberAddresses,
): Promise<void> => deleteJobsWithAddresses(tx, job.name, accountId, naming);

/** Returns the payloads of waiting and running jobs by key prefix, which only this job may use. */
export async function findJobPayloads<P extends z.ZodType>(
  db: Reader,
  job: Job<P>,
  keyPrefix: string,
): Promise<z.output<P>[]> {
  return (await listPayloads(db, keyPrefix)).map((payload) => job.payload.parse(payload));
}

function buildTaskList(jobs: readonly Job[], db: Db, signal: AbortSignal): TaskList {
  return Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload: unknown, { job: row }) => {
        const tools = { db, signal, progress: () => resetKills(db, String(row.id)) };
        const kills = Number(KILLS.exec(row.last_error ?? '')?.[1] ?? 0);
        const run = kills < MAX_KILLS || job.handlesKills ? job.run : abandonJob(job, kills, row);
        const attributes = { 'sendloom.job': job.name, 'sendloom.attempt': row.attempts };
        try {
          await withLogFields({ job: job.name, request: parseRequestId(row.flags) }, () =>
            traceWork(`job ${job.name}`, { attributes, parent: parseTraceParent(row.flags) }, () =>
              measureJob(job.name, () => run.call(job, job.payload.parse(payload), tools)),
            ),
          );
        } catch (error) {
          // An outage may outlast all attempts of the job.
          if (isNodeFailure(error)) await restoreAttempt(db, String(row.id), clock.now());
          throw error;
        }
      },
    ]),
  );
}

/**
 * Logs that a job is abandoned, and returns the function that reports it. A job with neither
 * `onAbandoned` nor `afterKills` remains in the queue as failed.
 * If the report fails, its error preserves the number of kills, so that the retry repeats the
 * report and does not run the job.
 */
function abandonJob(job: Job, kills: number, row: AbandonedRow): NonNullable<Job['onAbandoned']> {
  log.error('A job killed its worker repeatedly and is abandoned', { job: job.name, kills });
  const killMessage = `Killed its worker ${kills} times`;
  return async (payload, tools) => {
    const report =
      job.onAbandoned ??
      (job.afterKills && ((_: unknown, { db }: JobContext) => notifyOwner(db, job, row)));
    if (!report) throw new Error(`${killMessage} and will not be retried`);
    try {
      await report(payload, tools);
    } catch (error) {
      throw new Error(`${killMessage}; could not report it: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };
}

type AbandonedRow = { id: string | number; key: string | null; payload: unknown };

const AccountPayload = z.object({ accountId: z.number() });

async function notifyOwner(db: Db, job: Job, row: AbandonedRow): Promise<void> {
  const { afterKills = 'stop' } = job;
  const { accountId } = AccountPayload.parse(row.payload);
  const text = afterKills === 'stop' ? String(row.id) : JSON.stringify(row.payload);
  await inTransaction(db, async (tx) => {
    await jobAbandoned.announce(tx, { accountId, job: job.name, afterKills, workKey: text });
    if (afterKills === 'stop') return;
    const runAt = new Date(clock.now().getTime() + DAY_MS);
    const options = { runAt, ...(row.key === null ? {} : { key: row.key }) };
    await addJob(tx, job, AccountPayload.loose().parse(row.payload), options);
  });
}

const jobDuration = histogram(
  'job_seconds',
  'Duration of jobs, by result',
  ['job', 'is'],
  [0.01, 0.1, 1, 10, 60, 600, 3_600],
);

async function measureJob(job: string, run: () => Promise<void>): Promise<void> {
  markWork('job', job);
  const startedAt = performance.now();
  const observeEnd = (outcome: string) =>
    jobDuration.observe({ job, is: outcome }, (performance.now() - startedAt) / 1_000);
  try {
    await run();
    observeEnd('done');
  } catch (error) {
    observeEnd(error instanceof JobInterrupted ? 'interrupted' : 'failed');
    throw error;
  }
}

/** Metrics of the queue, across all processes. */
export async function sampleQueue(db: Db): Promise<MetricSample[]> {
  const now = clock.now();
  const [rows, oldest] = await Promise.all([countQueuedJobs(db, now), findOldestDueTime(db, now)]);
  const values = rows.flatMap(({ job, ...counts }) =>
    Object.entries(counts).map(([is, value]) => ({ labels: { job, is }, value })),
  );
  const help = 'Jobs in the queue: due, running, for later, failed too often to be tried again';
  const age = oldest ? Math.max(0, (now.getTime() - oldest.getTime()) / 1_000) : 0;
  return [
    { kind: 'gauge', name: 'jobs', help, values },
    {
      kind: 'gauge',
      name: 'oldest_due_job_seconds',
      help: 'Time for which the oldest due job has waited; 0 without one',
      values: [{ value: age }],
    },
  ];
}

export type JobRunner = Heartbeat & {
  /** Throws if the runner has stopped. */
  check(): void;
};

/** Blocks all callers until it is opened; after that it costs nothing. */
function createGate(): { open(): void; pass(): null | Promise<null> } {
  let isOpen = false;
  const opened = Promise.withResolvers<null>();
  return {
    open() {
      isOpen = true;
      opened.resolve(null);
    },
    pass: () => (isOpen ? null : opened.promise),
  };
}

/**
 * Starts a worker process's runner and heartbeat; `close` lets running jobs save their position.
 */
export async function startJobs(
  db: Db,
  jobs: readonly Job[],
  options: { concurrency?: number; role?: string } = {},
): Promise<JobRunner> {
  const stopping = new AbortController();
  const workers: string[] = [];
  const locksKnown = createGate();
  // Listeners are added before the start, which creates the pool that locks jobs under its name.
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool }) => workers.push(workerPool.id));
  events.on('worker:create', ({ worker }) => workers.push(worker.workerId));
  const runner: Runner = await run({
    events,
    pgPool: getPool(db),
    taskList: buildTaskList(jobs, db, stopping.signal),
    concurrency: options.concurrency ?? 4,
    noHandleSignals: true,
    logger: jobLogger,
    pollInterval: 1000,
    // Evaluated before each job is taken. No job may start before the first heartbeat, because
    // locks of a worker without a row would last for hours.
    forbiddenFlags: locksKnown.pass,
  });
  let hasStopped = false;
  runner.promise
    .catch((error: unknown) => log.error('Job runner stopped unexpectedly', { error }))
    .finally(() => (hasStopped = true));
  const presence = await startHeartbeat(db, options.role ?? 'worker', {
    workers,
    async onHeartbeat() {
      locksKnown.open();
      await recoverExpiredWorkers(db);
    },
  });
  return {
    processId: presence.processId,
    check() {
      if (hasStopped) throw new Error('Job runner stopped unexpectedly.');
    },
    async close() {
      stopping.abort();
      locksKnown.open();
      await runner.stop().catch((error: Error) => {
        log.warn('Could not stop the job runner', { reason: error.message });
      });
      await presence.close();
    },
  };
}

/** Force-unlocks the jobs of processes silent for 30 seconds. */
export async function recoverExpiredWorkers(db: Db): Promise<void> {
  // Only the row of the process records which workers hold the jobs, so it is deleted together with
  // their locks.
  const workers = await inTransaction(db, async (tx) => {
    const silent = await deleteExpiredProcesses(tx, new Date(clock.now().getTime() - EXPIRY_MS));
    const names = silent.flatMap((row) => row.workers);
    if (names.length > 0) {
      await countKills(tx, names);
      await unlockWorkers(tx, names);
    }
    return names;
  });
  if (workers.length > 0)
    log.warn('Recovered jobs of an expired worker', { workers: workers.length });
}

/**
 * With a batch delay, even of 0, the runner waits until completions are recorded before it ends.
 * Without a delay, it does not.
 */
const RECORD_COMPLETIONS_IMMEDIATELY = {
  worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 },
};

/** Tests only: runs due jobs in this process until none is due. */
export async function drainJobs(db: Db, jobs: readonly Job[]): Promise<void> {
  const names = jobs.map((job) => job.name);
  // The next job of a queue is invisible until the completion of the previous one is written.
  do {
    await runOnce({
      preset: RECORD_COMPLETIONS_IMMEDIATELY,
      pgPool: getPool(db),
      taskList: buildTaskList(jobs, db, new AbortController().signal),
      logger: silentLogger,
      noHandleSignals: true,
    });
  } while (await hasDueJobs(db, names));
}
