// Jobs carry the ID of the request that caused them.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { createTestDatabase } from '#testing/setup/database.ts';
import { createDatabase, type Db } from '../database/database.ts';
import { requestId, withLogFields } from '../log.ts';
import { addJob, drainJobs, type Job } from './jobs.ts';

let db: Db;
beforeAll(async () => {
  db = createDatabase(await createTestDatabase(), 3);
});
afterAll(() => db.destroy());

const Payload = z.strictObject({ step: z.number() });
const handledSteps: [number, string | undefined][] = [];

const stepJob: Job<typeof Payload> = {
  name: 'test.step',
  payload: Payload,
  async run({ step }) {
    handledSteps.push([step, requestId()]);
    if (step === 1) await addJob(db, stepJob, { step: 2 });
  },
};

test('a job added by a request, and the jobs it adds, have the request ID; other jobs have none', async () => {
  await withLogFields({ request: 'r-1' }, () => addJob(db, stepJob, { step: 1 }));
  await addJob(db, stepJob, { step: 5 });
  await drainJobs(db, [stepJob]);
  expect(handledSteps.toSorted(([a], [b]) => a - b)).toEqual([
    [1, 'r-1'],
    [2, 'r-1'],
    [5, undefined],
  ]);
});

test('a job with a key has the ID of the request that last replaced it', async () => {
  handledSteps.length = 0;
  const add = (request: string, step: number) =>
    withLogFields({ request }, () => addJob(db, stepJob, { step }, { key: 'once' }));
  await add('r-1', 10);
  await add('r-2', 11);
  await drainJobs(db, [stepJob]);
  expect(handledSteps).toEqual([[11, 'r-2']]);
});
