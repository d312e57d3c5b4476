// Sample data in a separate account. A job fills it; deleting it deletes all its rows.
import { z } from 'zod';
import {
  findSampleAccount,
  leaveSampleAccount,
  lockSampleAccount,
  openSampleAccount,
} from '#areas/accounts/server/index.ts';
import { suspendAccount } from '#areas/billing/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import {
  type Actor,
  type Handlers,
  type CallLimits,
  createRoutes,
} from '#platform/server/http/serve.ts';
import { addJob, defineJob } from '#platform/server/jobs/jobs.ts';
import { requireToken } from '#platform/server/limits/rate-limit.ts';
import { type SampleAccount, sampleCalls } from '../sample-contract.ts';

const CREATIONS = { capacity: 5, perSecond: 5 / 3600 };

/**
 * Functions that write and delete the rows of all areas. main/ provides them, because only main/
 * depends on all areas.
 */
export type SampleFiller = {
  fill(tx: Tx, sample: Actor): Promise<void>;
  remove(tx: Tx, accountId: number): Promise<void>;
};

export type SampleOptions = {
  filler: SampleFiller;
  /** Whether emails and SMS stay on this machine, so that the sample account may send them. */
  isTest: boolean;
};

export function sampleJobs({ filler }: SampleOptions) {
  const remove = defineJob({
    name: 'dashboard.remove_sample',
    payload: z.object({ accountId: z.number() }),
    run: async ({ accountId }, { db }) => {
      await inTransaction(db, async (tx) => {
        if (await lockSampleAccount(tx, accountId)) await filler.remove(tx, accountId);
      });
    },
    afterKills: 'next_day',
  });
  const fill = defineJob({
    name: 'dashboard.fill_sample',
    payload: z.object({ accountId: z.number(), userId: z.number() }),
    run: async ({ accountId, userId }, { db }) => {
      await inTransaction(db, async (tx) => {
        const sample = await lockSampleAccount(tx, accountId);
        if (sample && !sample.isReady && sample.hasMembers)
          await filler.fill(tx, { accountId, userId });
      });
    },
    afterKills: 'stop',
  });
  return { fill, remove };
}

const limits: CallLimits<typeof sampleCalls> = {
  createSampleAccount: ({ db, caller }) => requireToken(db, `sample:${caller.userId}`, CREATIONS),
};

export function sampleRoutes(options: SampleOptions, jobs: ReturnType<typeof sampleJobs>) {
  const handlers: Handlers<typeof sampleCalls> = {
    getSampleAccount: ({ tx, caller }) => readSampleAccount(tx, caller.userId),
    createSampleAccount: async ({ tx, caller }) => {
      const { userId, language } = caller;
      const { accountId, isNew } = await openSampleAccount(tx, { userId, language });
      // The subscribers of the sample account are invented, so it must not send emails that leave
      // this machine.
      if (isNew && !options.isTest) await suspendAccount(tx, accountId, 'Sample data');
      if (isNew) await addJob(tx, jobs.fill, { accountId, userId });
      return readSampleAccount(tx, userId);
    },
    removeSampleAccount: async ({ tx, caller, request, reply }) => {
      const { accountId } = await leaveSampleAccount(tx, caller, request, reply);
      await addJob(tx, jobs.remove, { accountId });
    },
  };
  return createRoutes('dashboard', sampleCalls, handlers, limits);
}

async function readSampleAccount(tx: Tx, userId: number): Promise<SampleAccount> {
  const sample = await findSampleAccount(tx, userId);
  if (!sample) return { id: null, state: 'none' };
  const { accountId, isReady } = sample;
  return { id: encodeId('account', accountId), state: isReady ? 'ready' : 'preparing' };
}
