// Tests with a real PostgreSQL: the log of slow statements; migrations; limits across processes;
// jobs of dead workers.
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { createTestDatabase } from '#testing/setup/database.ts';
import { lockWaiters } from '#testing/setup/lock-waiters.ts';
import { clock } from '../clock.ts';
import { findConstraint, createDatabase, type Db, inTransaction } from './database.ts';
import {
  addJob,
  defineJob,
  drainJobs,
  recoverExpiredWorkers,
  jobAbandoned,
  startJobs,
} from '../jobs/jobs.ts';
import { log } from '../log.ts';
import { migrate } from '../migrations/migrate.ts';
import { clearReserves, consumeToken } from '../limits/rate-limit.ts';

let url: string;
let db: Db;

beforeAll(async () => {
  url = await createTestDatabase();
  db = createDatabase(url, 8);
});
afterAll(() => db.destroy());
afterEach(() => clock.reset());

test('a slow statement is logged with its placeholders and without its values', async () => {
  const warn = vi.spyOn(log, 'warn').mockImplementation(() => {});
  const watchedDb = createDatabase(url, 1, 'sendloom', 100);
  try {
    await sql`select pg_sleep(0.2),
      ${'ada@shop.example'}::text`.execute(watchedDb);
    await sql`select 1`.execute(watchedDb);
    expect(warn.mock.calls).toEqual([
      ['Slow statement', { ms: expect.any(Number), statement: 'select pg_sleep(0.2), $1::text' }],
    ]);
  } finally {
    warn.mockRestore();
    await watchedDb.destroy();
  }
});

test('a migration runs once, leaves nothing if it fails, and must not change after it ran', async () => {
  expect(await migrate(url)).toEqual([]);
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendloom-migrations-'));
  try {
    await cp(path.resolve(import.meta.dirname, '../../../migrations'), folder, { recursive: true });
    await writeFile(
      path.join(folder, '9998-broken.sql'),
      'create table half (id int primary key); select nonsense;',
    );
    await expect(migrate(url, folder)).rejects.toThrow('Migration 9998-broken.sql failed');
    const { rows } = await sql`select 1 from pg_class where relname = 'half'`.execute(db);
    expect(rows).toEqual([]);
    await writeFile(
      path.join(folder, '9998-broken.sql'),
      'create table half (id int primary key);',
    );
    expect(await Promise.all([migrate(url, folder), migrate(url, folder)])).toEqual(
      expect.arrayContaining([['9998-broken.sql'], []]),
    );
    // A version without this migration still starts, because an added table does not affect it.
    expect(await migrate(url)).toEqual([]);
    await writeFile(path.join(folder, '9998-broken.sql'), 'select 1;');
    await expect(migrate(url, folder)).rejects.toThrow('was changed after it ran');
  } finally {
    await rm(folder, { recursive: true, force: true });
    await sql`delete from schema_migrations where name like '9998%'`.execute(db);
  }
});

test('a migration that waits for a lock lets later statements pass and is retried', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendloom-lock-'));
  const name = '9996-widen.sql';
  const holder = createDatabase(url, 2);
  try {
    await cp(path.resolve(import.meta.dirname, '../../../migrations'), folder, { recursive: true });
    await sql`create table narrow (id int primary key)`.execute(db);
    await writeFile(path.join(folder, name), 'alter table narrow add column wide int;');
    let ran: Promise<string[]> | undefined;
    await holder.transaction().execute(async (tx) => {
      await sql`select 1 from narrow`.execute(tx);
      ran = migrate(url, folder);
      await expect.poll(() => lockWaiters(db, 'alter table narrow%')).toHaveLength(1);
      await sql`select 1 from narrow`.execute(db);
    });
    expect(await ran).toEqual([name]);
  } finally {
    await holder.destroy();
    await rm(folder, { recursive: true, force: true });
    await sql`drop table if exists narrow`.execute(db);
    await sql`delete from schema_migrations where name = ${name}`.execute(db);
  }
});

test('a contract migration waits for processes that read the old schema, which cannot start afterwards', async () => {
  const folder = await mkdtemp(path.join(os.tmpdir(), 'sendloom-contract-'));
  const name = '9997-drop-half.sql';
  const live = async (id: string, fields: object, seconds = 0) =>
    sql`insert into processes (id, role, workers, started_at, seen_at, facts) values (${id}, 'web', '{}',
      now(), clock_timestamp() - make_interval(secs => ${seconds}), ${JSON.stringify(fields)}::jsonb)`.execute(
      db,
    );
  try {
    await cp(path.resolve(import.meta.dirname, '../../../migrations'), folder, { recursive: true });
    await sql`create table halves (id int primary key)`.execute(db);
    await writeFile(
      path.join(folder, name),
      '-- contract: no process reads halves since 9.9\ndrop table halves;',
    );
    await writeFile(path.join(folder, '9999-more.sql'), 'create table more (id int primary key);');
    await live('old', {});
    await live('new', { contracts: [name] });
    await live('killed', {}, 60);
    // Expand migrations do not wait for contract migrations.
    expect(await migrate(url, folder)).toEqual(['9999-more.sql']);
    expect(await migrate(url, folder)).toEqual([]);
    await sql`delete from processes where id = 'old'`.execute(db);
    expect(await migrate(url, folder)).toEqual([name]);
    await expect(migrate(url)).rejects.toThrow(
      `newer than this program: ${name} removed columns that this program reads`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
    await sql`drop table if exists halves, more`.execute(db);
    await sql`delete from schema_migrations where name like '999%'`.execute(db);
    await sql`delete from processes`.execute(db);
  }
});

test('a limit is shared by several processes and refills over time', async () => {
  const limit = { capacity: 10, perSecond: 1 };
  clock.freeze(new Date('2026-03-01T10:00:00Z'));
  const takeToken = async () => {
    // Another process cannot use tokens that this process has drawn.
    clearReserves();
    return consumeToken(db, 'limit-test', limit);
  };
  const first = await Promise.all(Array.from({ length: 15 }, takeToken));
  expect(first.filter(Boolean)).toHaveLength(10);
  clock.advance(3_000);
  const laterTokens = [await takeToken(), await takeToken(), await takeToken(), await takeToken()];
  expect(laterTokens).toEqual([true, true, true, false]);
});

test('tokens taken in slices never exceed the bucket’s capacity', async () => {
  clearReserves();
  const limit = { capacity: 25, perSecond: 0.001 };
  let grantedCount = 0;
  for (let i = 0; i < 40; i++) if (await consumeToken(db, 'slices', limit, 10)) grantedCount += 1;
  expect(grantedCount).toBe(25);
});

test('a job runs only if the transaction that adds it commits', async () => {
  const ran: number[] = [];
  const job = defineJob({
    name: 'test.note',
    payload: z.object({ n: z.number() }),
    run: async ({ n }) => {
      ran.push(n);
    },
  });
  await inTransaction(db, (tx) => addJob(tx, job, { n: 1 }));
  await inTransaction(db, async (tx) => {
    await addJob(tx, job, { n: 2 });
    throw new Error('rolled back');
  }).catch(() => {});
  await drainJobs(db, [job as never]);
  expect(ran).toEqual([1]);
});

test('jobs locked by a worker without heartbeats are recovered', async () => {
  let runs = 0;
  const job = defineJob({
    name: 'test.long',
    payload: z.object({}),
    run: async () => {
      runs += 1;
    },
  });
  await inTransaction(db, (tx) => addJob(tx, job, {}));
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'dead-1', attempts = 1`.execute(
    db,
  );
  await db
    .insertInto('processes')
    .values({
      id: 'dead',
      role: 'worker',
      workers: ['dead-1'],
      started_at: clock.now(),
      seen_at: clock.now(),
    })
    .execute();
  await drainJobs(db, [job as never]);
  expect(runs).toBe(0);
  clock.advance(31_000);
  await recoverExpiredWorkers(db);
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(db);
  await drainJobs(db, [job as never]);
  expect(runs).toBe(1);
});

test('a job that kills its worker twice without progress is abandoned', async () => {
  let runs = 0;
  const abandonedIds: number[] = [];
  const job = defineJob({
    name: 'test.kills',
    payload: z.object({ n: z.number() }),
    run: async () => {
      runs += 1;
    },
    onAbandoned: async ({ n }) => {
      abandonedIds.push(n);
      if (n === 2 && abandonedIds.length === 1) throw new Error('database is unavailable');
    },
  });
  const kill = async () => {
    await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'killed-1'`.execute(
      db,
    );
    await db
      .insertInto('processes')
      .values({
        id: 'killed',
        role: 'worker',
        workers: ['killed-1'],
        started_at: clock.now(),
        seen_at: clock.now(),
      })
      .execute();
    clock.advance(31_000);
    await recoverExpiredWorkers(db);
    await sql`update graphile_worker._private_jobs set run_at = now()`.execute(db);
  };
  const add = (n: number) => inTransaction(db, (tx) => addJob(tx, job, { n }));
  await add(1);
  await kill();
  await drainJobs(db, [job as never]);
  expect([runs, abandonedIds]).toEqual([1, []]);
  await add(2);
  await kill();
  await kill();
  await drainJobs(db, [job as never]);
  expect([runs, abandonedIds]).toEqual([1, [2]]);
  // The report of the abandoned job failed: the retry repeats the report and does not run the job.
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(db);
  await drainJobs(db, [job as never]);
  expect([runs, abandonedIds]).toEqual([1, [2, 2]]);
  await add(3);
  await kill();
  // After another error of the job, earlier kills no longer count.
  await sql`update graphile_worker._private_jobs set last_error = 'another error'`.execute(db);
  await kill();
  await drainJobs(db, [job as never]);
  expect([runs, abandonedIds]).toEqual([2, [2, 2]]);
});

test('an abandoned job is reported if it has afterKills, and runs again the next day if it has next_day', async () => {
  const payloads: object[] = [];
  const stop = jobAbandoned.on(async (_, payload) => void payloads.push(payload));
  const runs: string[] = [];
  const jobOf = (afterKills: 'stop' | 'next_day') =>
    defineJob({
      name: `test.${afterKills}`,
      payload: z.object({ accountId: z.number() }),
      afterKills,
      run: async () => void runs.push(afterKills),
    });
  const [once, daily] = [jobOf('stop'), jobOf('next_day')] as const;
  await inTransaction(db, async (tx) => {
    await addJob(tx, once, { accountId: 1 }, { key: 'once' });
    await addJob(tx, daily, { accountId: 2 }, { key: 'daily' });
  });
  await sql`update graphile_worker._private_jobs set last_error = 'Killed its worker 2 times'
    where key in ('once', 'daily')`.execute(db);
  await drainJobs(db, [once as never, daily as never]);
  stop();
  expect(runs).toEqual([]);
  expect(payloads).toEqual([
    { accountId: 1, job: 'test.stop', afterKills: 'stop', workKey: expect.stringMatching(/^\d+$/) },
    { accountId: 2, job: 'test.next_day', afterKills: 'next_day', workKey: '{"accountId":2}' },
  ]);
  const remaining = sql<{ key: string; last_error: string | null; hours: number }>`
    select key, last_error, round(extract(epoch from run_at - ${clock.now()}) / 3600)::int as hours
    from graphile_worker._private_jobs where key in ('once', 'daily')`;
  expect((await remaining.execute(db)).rows).toEqual([
    { key: 'daily', last_error: null, hours: 24 },
  ]);
  await sql`update graphile_worker._private_jobs set run_at = now() where key = 'daily'`.execute(
    db,
  );
  await drainJobs(db, [once as never, daily as never]);
  expect(runs).toEqual(['next_day']);
});

test('a worker without heartbeats is deleted only together with the locks of its jobs', async () => {
  await db
    .insertInto('processes')
    .values({
      id: 'cut-off',
      role: 'worker',
      workers: ['dead-2'],
      started_at: clock.now(),
      seen_at: clock.now(),
    })
    .execute();
  clock.advance(31_000);
  await sql`alter function graphile_worker.force_unlock_workers(text[]) rename to away`.execute(db);
  try {
    await expect(recoverExpiredWorkers(db)).rejects.toThrow('force_unlock_workers');
  } finally {
    await sql`alter function graphile_worker.away(text[]) rename to force_unlock_workers`.execute(
      db,
    );
  }
  const countRegistered = async () =>
    (await db.selectFrom('processes').select('id').where('id', '=', 'cut-off').execute()).length;
  expect(await countRegistered()).toBe(1);
  await recoverExpiredWorkers(db);
  expect(await countRegistered()).toBe(0);
});

test('a worker does not take jobs before its heartbeat is visible', async () => {
  let runs = 0;
  const job = defineJob({
    name: 'test.early',
    payload: z.object({}),
    run: async () => {
      runs += 1;
    },
  });
  await inTransaction(db, (tx) => addJob(tx, job, {}));
  const mayBeat = Promise.withResolvers<void>();
  const isLocked = Promise.withResolvers<void>();
  const holding = inTransaction(db, async (tx) => {
    await sql`lock table processes in exclusive mode`.execute(tx);
    isLocked.resolve();
    await mayBeat.promise;
  });
  await isLocked.promise;
  const starting = startJobs(db, [job as never], { concurrency: 1 });
  await sleep(700);
  const earlierRuns = runs;
  mayBeat.resolve();
  await holding;
  const worker = await starting;
  await expect.poll(() => runs, { timeout: 5_000 }).toBe(1);
  await worker.close();
  expect(earlierRuns).toBe(0);
});

test('a running worker is registered and runs added jobs; a stopped worker is not registered', async () => {
  const finished = Promise.withResolvers<void>();
  const job = defineJob({
    name: 'test.live',
    payload: z.object({}),
    run: async () => finished.resolve(),
  });
  const worker = await startJobs(db, [job as never], { concurrency: 1 });
  await inTransaction(db, (tx) => addJob(tx, job, {}));
  await finished.promise;
  expect(
    await db.selectFrom('processes').select('id').where('id', '=', worker.processId).execute(),
  ).toHaveLength(1);
  await worker.close();
  expect(
    await db.selectFrom('processes').select('id').where('id', '=', worker.processId).execute(),
  ).toEqual([]);
});

test('a stopped worker that leaves a locked job remains registered until the job is recovered', async () => {
  let runs = 0;
  const job = defineJob({
    name: 'test.left',
    payload: z.object({}),
    run: async () => {
      runs += 1;
    },
  });
  const worker = await startJobs(db, [job as never], { concurrency: 1 });
  const readWorkers = () =>
    db.selectFrom('processes').select('workers').where('id', '=', worker.processId).execute();
  const [row] = await readWorkers();
  await inTransaction(db, (tx) =>
    addJob(tx, job, {}, { runAt: new Date(clock.now().getTime() + 3_600_000) }),
  );
  // As if the database were unreachable during the stop.
  await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = ${row?.workers[0]}, attempts = 1`.execute(
    db,
  );
  await worker.close();
  expect(await readWorkers()).toHaveLength(1);
  clock.advance(31_000);
  await recoverExpiredWorkers(db);
  expect(await readWorkers()).toEqual([]);
  await sql`update graphile_worker._private_jobs set run_at = now()`.execute(db);
  await drainJobs(db, [job as never]);
  expect(runs).toBe(1);
});

test('draining waits for all jobs in a queue, even if recording their completion is slow', async () => {
  let runs = 0;
  const job = defineJob({
    name: 'test.queued',
    payload: z.object({}),
    run: async () => {
      runs += 1;
    },
  });
  await sql`create function slow_end() returns trigger language plpgsql as $$
    begin perform pg_sleep(0.3); return old; end $$`.execute(db);
  await sql`create trigger slow_end before delete on graphile_worker._private_jobs
    for each row execute function slow_end()`.execute(db);
  for (const _ of [1, 2, 3]) {
    await inTransaction(db, (tx) => addJob(tx, job, {}, { queue: 'one' }));
  }
  await drainJobs(db, [job as never]);
  expect(runs).toBe(3);
});

test.each([
  [{ constraint: 'report_files_account_id_domain_id_fkey' }],
  [{ constraint: 'report_files_account_id_domain_id_fkey_102092' }],
  [{ message: 'insert … violates constraint "report_files_account_id_domain_id_fkey_102092"' }],
])('a constraint violated on a shard is reported without the number of the shard (%j)', (error) => {
  expect(findConstraint(error)).toBe('report_files_account_id_domain_id_fkey');
});
