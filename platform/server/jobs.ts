// Coarse background work on graphile-worker: one job per batch, never per subscriber. Jobs are added in
// the transaction of what causes them; a killed worker's jobs are taken up within a minute.
import { EventEmitter } from 'node:events';
import { type Runner, run, runOnce, type TaskList, type WorkerEvents } from 'graphile-worker';
import type { z } from 'zod';
import { clock } from './clock.ts';
import { type Db, inTransaction, poolOf, type Reader } from './database.ts';
import { jobLogger, silentLogger } from './job-log.ts';
import {
  addJobStatement,
  countKills,
  forgetKills,
  hasDueJobs,
  readPayloads,
  readQueue,
  removeJobStatement,
  takeSilentProcesses,
  unlockWorkers,
} from './jobs.sql.ts';
import { log } from './log.ts';
import { type Figure, histogram } from './metrics.ts';
import { beginWork } from './pulse.ts';
import { type Presence, showPresence, SILENT_MS } from './presence.ts';

export type JobTools = {
  db: Db;
  /** Told when the process stops: a long job saves its place and throws `JobInterrupted`. */
  signal: AbortSignal;
  /** Reports that the job moved on: kills of its worker before are not its own. */
  progress?: () => Promise<void>;
};

export type Job<P extends z.ZodType = z.ZodType> = {
  name: string;
  payload: P;
  /** Handlers are idempotent: a job may run again after a kill. */
  run(payload: z.output<P>, tools: JobTools): Promise<void>;
  attempts?: number;
  /** In place of a run once the job has killed its worker `MAX_KILLS` times in a row: tells its owner why. */
  givenUp?: (payload: z.output<P>, tools: JobTools) => Promise<void>;
  /** It notes kills itself, and leaves out what causes them. */
  handlesKills?: true;
};

/** Kills without progress between them. */
export const MAX_KILLS = 2;
const KILLS = /^Killed its worker (\d+) times/;

export class JobInterrupted extends Error {}

export function defineJob<P extends z.ZodType>(job: Job<P>): Job<P> {
  return job;
}

export type AddOptions = {
  runAt?: Date;
  /** One waiting job per key: a second one replaces the first. */
  key?: string;
  /** Jobs of one queue run one after the other. */
  queue?: string;
  priority?: number;
};

/** Adds a job; in a transaction it exists only if that commits. */
export async function addJob<P extends z.ZodType>(
  db: Reader,
  job: Job<P>,
  payload: z.input<P>,
  options: AddOptions = {},
): Promise<void> {
  await addJobStatement(db, job.name, payload, job.attempts ?? 8, options);
}

/** Takes a waiting job back by its key. */
export async function removeJob(db: Reader, key: string): Promise<void> {
  await removeJobStatement(db, key);
}

/** Payloads of this job that wait or run, by how their keys begin. */
export async function payloadsOf<P extends z.ZodType>(
  db: Reader,
  job: Job<P>,
  keyBegins: string,
): Promise<z.output<P>[]> {
  return (await readPayloads(db, keyBegins)).map((payload) => job.payload.parse(payload));
}

function taskList(jobs: readonly Job[], db: Db, signal: AbortSignal): TaskList {
  return Object.fromEntries(
    jobs.map((job) => [
      job.name,
      async (payload: unknown, { job: row }) => {
        const tools = { db, signal, progress: () => forgetKills(db, String(row.id)) };
        const kills = Number(KILLS.exec(row.last_error ?? '')?.[1] ?? 0);
        const run = kills < MAX_KILLS || job.handlesKills ? job.run : giveUp(job, kills);
        await measured(job.name, () => run.call(job, job.payload.parse(payload), tools));
      },
    ]),
  );
}

/**
 * A job without `givenUp` stays in the queue as failed. An error of `givenUp` preserves the number
 * of kills: the retry reports again and does not run the job.
 */
function giveUp(job: Job, kills: number): NonNullable<Job['givenUp']> {
  log.error('A job killed its worker repeatedly and is given up', { job: job.name, kills });
  const killed = `Killed its worker ${kills} times`;
  return async (payload, tools) => {
    if (!job.givenUp) throw new Error(`${killed} and is given up`);
    try {
      await job.givenUp(payload, tools);
    } catch (error) {
      throw new Error(`${killed}; could not report it: ${(error as Error).message}`, {
        cause: error,
      });
    }
  };
}

const seconds = histogram(
  'job_seconds',
  'Jobs that ended: how long they ran, and how it went',
  ['job', 'is'],
  [0.01, 0.1, 1, 10, 60, 600, 3_600],
);

async function measured(job: string, run: () => Promise<void>): Promise<void> {
  beginWork('job', job);
  const startedAt = performance.now();
  const ended = (is: string) =>
    seconds.observe({ job, is }, (performance.now() - startedAt) / 1_000);
  try {
    await run();
    ended('done');
  } catch (error) {
    ended(error instanceof JobInterrupted ? 'interrupted' : 'failed');
    throw error;
  }
}

/** What lies in the queue, of all processes. */
export async function queueFigures(db: Db): Promise<Figure[]> {
  const rows = await readQueue(db, clock.now());
  const values = rows.flatMap(({ job, ...counts }) =>
    Object.entries(counts).map(([is, value]) => ({ labels: { job, is }, value })),
  );
  const help = 'Jobs in the queue: due, running, for later, failed too often to be tried again';
  return [{ kind: 'gauge', name: 'jobs', help, values }];
}

export type RunningJobs = Presence & {
  /** Throws where jobs run no more. */
  check(): void;
};

/** Nobody passes before it is open; then it costs nothing. */
function gate(): { open(): void; pass(): null | Promise<null> } {
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

/** Starts a worker process's runner with its heartbeat; `close` lets running jobs save their place. */
export async function startJobs(
  db: Db,
  jobs: readonly Job[],
  options: { concurrency?: number; role?: string; graceMs?: number } = {},
): Promise<RunningJobs> {
  const stopping = new AbortController();
  const workers: string[] = [];
  const known = gate();
  // Listening before the start: the pool, by whose name jobs are locked, is made within it.
  const events: WorkerEvents = new EventEmitter();
  events.on('pool:create', ({ workerPool }) => workers.push(workerPool.id));
  events.on('worker:create', ({ worker }) => workers.push(worker.workerId));
  const runner: Runner = await run({
    events,
    pgPool: poolOf(db),
    taskList: taskList(jobs, db, stopping.signal),
    concurrency: options.concurrency ?? 4,
    noHandleSignals: true,
    logger: jobLogger,
    pollInterval: 1000,
    // Asked before each job is taken: a lock of one whose row nobody reads would hold for hours.
    forbiddenFlags: known.pass,
  });
  let hasStopped = false;
  runner.promise
    .catch((error: unknown) => log.error('Job runner stopped unexpectedly', { error }))
    .finally(() => (hasStopped = true));
  const presence = await showPresence(db, options.role ?? 'worker', {
    workers,
    async onBeat() {
      known.open();
      await freeSilentWorkers(db);
    },
  });
  return {
    processId: presence.processId,
    check() {
      if (hasStopped) throw new Error('Job runner stopped unexpectedly.');
    },
    async close() {
      stopping.abort();
      known.open();
      await runner.stop().catch((error: Error) => {
        log.warn('Could not stop the job runner', { error: error.message });
      });
      await presence.close();
    },
  };
}

/** Force-unlocks the jobs of processes that have been silent for 30 seconds. */
export async function freeSilentWorkers(db: Db): Promise<void> {
  // Whose jobs they are stands in the row alone: it goes only together with their locks.
  const workers = await inTransaction(db, async (tx) => {
    const silent = await takeSilentProcesses(tx, new Date(clock.now().getTime() - SILENT_MS));
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

/** The runner writes a job's end without waiting for it; so it does before it returns. */
const WAITING_FOR_ENDS = { worker: { completeJobBatchDelay: 0, failJobBatchDelay: 0 } };

/** Tests: runs everything that waits in the queue, here and now, until it is empty. */
export async function drainJobs(db: Db, jobs: readonly Job[]): Promise<void> {
  const names = jobs.map((job) => job.name);
  // The next of one queue is not to be seen until the end of the one before is written.
  do {
    await runOnce({
      preset: WAITING_FOR_ENDS,
      pgPool: poolOf(db),
      taskList: taskList(jobs, db, new AbortController().signal),
      logger: silentLogger,
      noHandleSignals: true,
    });
  } while (await hasDueJobs(db, names));
}
