// Statements of the job queue and of the processes' heartbeats. They run separately, never inside a
// SELECT over an account's tables.
import { sql } from 'kysely';
import type { Db, Reader, Tx } from '../database/database.ts';
import { mentionsAddress, type SubscriberAddresses } from '../database/address-search.sql.ts';
import { requestId } from '../log.ts';
import { getTraceParent } from '../tracing/tracing.ts';
import type { AddJobOptions } from './jobs.ts';
import { toJobFlags } from './job-request.ts';

export async function insertJob(
  db: Reader,
  name: string,
  payload: unknown,
  attempts: number,
  options: AddJobOptions,
): Promise<void> {
  await sql`select 1 from graphile_worker.add_job(
    identifier => ${name}::text, payload => ${JSON.stringify(payload)}::json,
    queue_name => ${options.queue ?? null}::text, run_at => ${options.runAt ?? null}::timestamptz,
    max_attempts => ${attempts}::int, job_key => ${options.key ?? null}::text,
    priority => ${options.priority ?? null}::int, flags => ${toJobFlags({ requestId: requestId(), traceParent: getTraceParent() })}::text[])`.execute(
    db,
  );
}

/** Deletes a waiting job by key. A job that is already running continues, but is not retried. */
export async function deleteJob(db: Reader, key: string): Promise<void> {
  await sql`select 1 from graphile_worker.remove_job(${key}::text)`.execute(db);
}

/** Deletes waiting jobs of one kind and account that name an address in their payload. */
export async function deleteJobsWithAddresses(
  tx: Tx,
  name: string,
  accountId: number,
  naming: SubscriberAddresses,
): Promise<void> {
  await sql`
    delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
    where t.identifier = ${name} and j.task_id = t.id and j.locked_at is null
      and j.payload ->> 'accountId' = ${String(accountId)}
      and ${mentionsAddress(sql`j.payload::text`, naming)}`.execute(tx);
}

/** Payloads of waiting and running jobs, by key prefix. */
export async function listPayloads(db: Reader, keyPrefix: string): Promise<unknown[]> {
  const { rows } = await sql<{ payload: unknown }>`
    select payload from graphile_worker._private_jobs
    where starts_with(key, ${keyPrefix}) and (attempts < max_attempts or locked_at is not null)
    order by id`.execute(db);
  return rows.map((row) => row.payload);
}

/** Counts jobs by kind and state. */
export async function countQueuedJobs(db: Db, at: Date) {
  const { rows } = await sql<{
    job: string;
    due: number;
    running: number;
    later: number;
    given_up: number;
  }>`
    select task_identifier as job,
      count(*) filter (where locked_at is not null)::int as running,
      count(*) filter (where locked_at is null and attempts >= max_attempts)::int as given_up,
      count(*) filter (where locked_at is null and attempts < max_attempts and run_at <= ${at})::int
        as due,
      count(*) filter (where locked_at is null and attempts < max_attempts and run_at > ${at})::int
        as later
    from graphile_worker.jobs
    group by task_identifier`.execute(db);
  return rows;
}

export async function saveHeartbeat(
  db: Db,
  process: {
    id: string;
    role: string;
    workers: string[];
    startedAt: Date;
    at: Date;
    facts: unknown;
  },
): Promise<void> {
  await db
    .insertInto('processes')
    .values({
      id: process.id,
      role: process.role,
      workers: process.workers,
      started_at: process.startedAt,
      seen_at: process.at,
      facts: JSON.stringify(process.facts),
    })
    .onConflict((conflict) =>
      conflict.column('id').doUpdateSet((eb) => ({
        workers: eb.ref('excluded.workers'),
        seen_at: eb.ref('excluded.seen_at'),
        facts: eb.ref('excluded.facts'),
      })),
    )
    .execute();
}

/** Processes with a heartbeat, the most recent heartbeat first, at most 1,000. */
export function listProcesses(db: Reader) {
  return db
    .selectFrom('processes')
    .select(['id', 'role', 'started_at', 'seen_at', 'facts'])
    .orderBy('seen_at', 'desc')
    .limit(1_000)
    .execute();
}

/** Returns the due time of the oldest waiting job; null if none is due. */
export async function findOldestDueTime(db: Reader, at: Date): Promise<Date | null> {
  const { rows } = await sql<{ since: Date | null }>`
    select min(run_at) as since from graphile_worker.jobs
    where locked_at is null and attempts < max_attempts and run_at <= ${at}`.execute(db);
  return rows[0]?.since ?? null;
}

/** Deletes the row of a process, unless one of its workers still holds a job. */
export async function deleteProcess(db: Db, id: string, workers: string[]): Promise<void> {
  await sql`delete from processes where id = ${id} and not exists (
    select 1 from graphile_worker.jobs where locked_by = any(${workers}::text[]))`.execute(db);
}

export async function deleteExpiredProcesses(db: Reader, before: Date) {
  return db
    .deleteFrom('processes')
    .where('seen_at', '<', before)
    .returning(['id', 'role', 'workers'])
    .execute();
}

/**
 * Adds one kill to each job these workers held; the count restarts for a job that failed or
 * progressed since.
 */
export async function countKills(tx: Tx, workers: string[]): Promise<void> {
  await sql`update graphile_worker._private_jobs
    set last_error = 'Killed its worker '
      || coalesce(substring(last_error from '^Killed its worker ([0-9]{1,4}) ')::int, 0) + 1 || ' times'
    where locked_by = any(${workers}::text[])`.execute(tx);
}

/** Resets the count of kills after progress. */
export async function resetKills(db: Db, jobId: string): Promise<void> {
  await sql`update graphile_worker._private_jobs set last_error = null
    where id = ${jobId}::bigint and last_error is not null`.execute(db);
}

/**
 * Restores the attempt that a job has just used and reschedules the job after a tenth of its age,
 * but between ten seconds and a minute. The runner adds its own initial delay.
 */
export async function restoreAttempt(db: Db, jobId: string, at: Date): Promise<void> {
  await sql`update graphile_worker._private_jobs set attempts = greatest(attempts - 1, 0),
      run_at = ${at}::timestamptz + greatest(interval '10 seconds',
        least(interval '60 seconds', (${at}::timestamptz - created_at) / 10))
    where id = ${jobId}::bigint and locked_at is not null`.execute(db);
}

/** Requeues abandoned jobs of one kind with their attempts reset, and returns how many. */
export async function retryAbandonedJobs(db: Reader, job: string, at: Date): Promise<number> {
  const { rows } = await sql`update graphile_worker._private_jobs j
    set attempts = 0, last_error = null, run_at = ${at}
    from graphile_worker._private_tasks t
    where t.identifier = ${job} and j.task_id = t.id and j.locked_at is null
      and j.attempts >= j.max_attempts
    returning j.id`.execute(db);
  return rows.length;
}

export async function unlockWorkers(tx: Tx, workers: string[]): Promise<void> {
  await sql`select graphile_worker.force_unlock_workers(${workers}::text[])`.execute(tx);
}

/**
 * Returns true if a job with one of these names was due when it was added, has never started, and
 * is runnable.
 */
export async function hasDueJobs(db: Reader, names: readonly string[]): Promise<boolean> {
  const { rows } = await sql<{ is_due: boolean }>`
    select exists (
      select 1 from graphile_worker._private_jobs j
      join graphile_worker._private_tasks t on t.id = j.task_id
      left join graphile_worker._private_job_queues q on q.id = j.job_queue_id
      where t.identifier = any(${[...names]}::text[]) and j.is_available and j.attempts = 0
        and j.run_at <= j.created_at and q.is_available is not false
    ) as is_due`.execute(db);
  return rows[0]?.is_due === true;
}
