// Starts campaigns whose time has come. Asked about once a second; any number of processes may
// ask, a row lock lets one of them start each. What is more than an hour late is left to its owner.
import { ContentError } from '#areas/content/server/index.ts';
import type { Db } from '#platform/server/database.ts';
import { inTransaction } from '#platform/server/database.ts';
import { clock } from '#platform/server/clock.ts';
import { AppError } from '#platform/server/errors.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { LATE_MS } from '../limits.ts';
import * as store from './campaigns.sql.ts';
import { eachAccount } from './each-account.ts';
import type { SendingOptions } from './message.ts';
import { startCampaign } from './schedule-campaign.ts';

/** Run by the elected worker. */
export function campaignPoller(options: SendingOptions): Poller {
  return {
    name: 'campaigns.due',
    everyMs: 1000,
    run: (db) => startDueCampaigns(db, options),
  };
}

/** Answers how many were started. */
export async function startDueCampaigns(db: Db, options: SendingOptions): Promise<number> {
  const now = clock.now();
  const late = new Date(now.getTime() - LATE_MS);
  return eachAccount(await store.accountsWithDue(db, now, late), (accountId) =>
    startOne(db, accountId, now, late, options),
  );
}

async function startOne(
  db: Db,
  accountId: number,
  now: Date,
  late: Date,
  options: SendingOptions,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const row = await store.takeDue(tx, accountId, now, late);
    if (row === undefined) return false;
    try {
      await startCampaign(tx, row, options);
    } catch (error) {
      // What was fine when it was scheduled no longer is: the owner sees a draft with its checks.
      if (!(error instanceof AppError || error instanceof ContentError)) throw error;
      log.warn('A scheduled campaign could not start', { campaign: row.id, error });
      await store.updateCampaign(tx, accountId, row.id, { status: 'DRAFT', scheduled_at: null });
    }
    return true;
  });
}
