// An unavailable database node uses up no attempt of a job, and abandoned jobs can run again.
import { sql } from 'kysely';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestDatabase } from '#testing/setup/database.ts';
import { clock } from '../clock.ts';
import { createDatabase, type Db } from '../database/database.ts';
import { isNodeFailure, isOtherNodeFailure } from '../database/node-failure.ts';
import { addJob, drainJobs, type Job } from './jobs.ts';
import { countQueuedJobs, retryAbandonedJobs } from './jobs.sql.ts';

let db: Db;
beforeAll(async () => {
  db = createDatabase(await createTestDatabase(), 3);
});
afterAll(() => db.destroy());

let runs = 0;
let failure: { code: string; message: string } | undefined;

const job: Job<z.ZodObject> = {
  name: 'test.attempts',
  payload: z.strictObject({}),
  maxAttempts: 2,
  async run() {
    runs++;
    if (!failure) return;
    const { code, message } = failure;
    await sql`${sql.raw(`do $$ begin raise exception '${message}' using errcode = '${code}'; end $$`)}`.execute(
      db,
    );
  },
};

/** Ends the delay of the job, runs it once and returns its row. */
async function runOnce() {
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(db);
  await drainJobs(db, [job]);
  const { rows } = await sql<{ attempts: number; delay: number }>`
    select attempts, extract(epoch from run_at - now())::float8 as delay
    from graphile_worker._private_jobs`.execute(db);
  return rows;
}

test('a node outage does not use up an attempt, but a job failure does', async () => {
  await addJob(db, job, {});
  failure = { code: '08006', message: 'connection to the remote node 10.0.0.2:5432 failed' };
  for (let round = 0; round < 5; round++) {
    const [row] = await runOnce();
    expect(row?.attempts).toBe(0);
    expect(row?.delay).toBeGreaterThan(5);
    expect(row?.delay).toBeLessThan(90);
  }
  failure = { code: 'XX000', message: 'could not receive query results' };
  expect((await runOnce())[0]?.attempts).toBe(0);
  failure = { code: 'XX000', message: 'cache lookup failed' };
  expect((await runOnce())[0]?.attempts).toBe(1);
  expect((await runOnce())[0]?.attempts).toBe(2);
  expect(runs).toBe(8);
  expect((await countQueuedJobs(db, clock.now()))[0]).toMatchObject({
    given_up: 1,
    due: 0,
    later: 0,
  });
});

test('abandoned jobs of one kind can run again', async () => {
  failure = undefined;
  expect(await retryAbandonedJobs(db, 'test.other', clock.now())).toBe(0);
  expect(await retryAbandonedJobs(db, job.name, clock.now())).toBe(1);
  expect(await retryAbandonedJobs(db, job.name, clock.now())).toBe(0);
  expect(await runOnce()).toEqual([]);
  expect(runs).toBe(9);
});

test.each([
  ['08006', 'connection failure', true, true],
  ['08P01', 'server login has been failing', true, false],
  ['57P01', 'terminating connection due to administrator command', true, false],
  ['57P03', 'the database system is starting up', true, false],
  ['XX000', 'failure on connection marked as essential: 10.0.0.2:5432', true, true],
  ['XX000', 'tuple concurrently updated', false, false],
  ['40P01', 'deadlock detected', false, false],
  ['23505', 'duplicate key value', false, false],
])(
  '%s %s is a failure of a node: %s, certainly of another node: %s',
  (code, message, isOfAny, isOfOther) => {
    const error = Object.assign(new pg.DatabaseError(message, 10, 'error'), { code });
    for (const thrown of [error, new Error('Could not save', { cause: error })]) {
      expect(isNodeFailure(thrown)).toBe(isOfAny);
      expect(isOtherNodeFailure(thrown)).toBe(isOfOther);
    }
    // An error of a store or a relay is not treated as a failure of the database node.
    const foreignError = Object.assign(new Error(message), { code });
    expect([isNodeFailure(foreignError), isOtherNodeFailure(foreignError)]).toEqual([false, false]);
  },
);
