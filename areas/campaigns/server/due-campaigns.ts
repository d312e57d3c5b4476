// Starts campaigns whose time has come. Asked about once a second; any number of processes may
// ask, a row lock lets one of them start each. What is more than an hour late is left to its owner.
import { ContentError, type SendingOptions } from '#areas/content/server/index.ts';
import type { Db } from '#platform/server/database.ts';
import { inTransaction, isCutOff, isRetriable } from '#platform/server/database.ts';
import { clock } from '#platform/server/clock.ts';
import { AppError } from '#platform/server/errors.ts';
import { hint } from '#platform/server/live.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { LATE_MS } from '../limits.ts';
import * as store from './campaigns.sql.ts';
import { eachAccount } from './each-account.ts';
import { campaignNotStarted } from './events.ts';
import { keepFailures } from './failures.ts';
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
  failures.sweep(now);
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
  for (;;) {
    let row: store.CampaignRow | undefined;
    try {
      await inTransaction(db, async (tx) => {
        row = await store.takeDue(tx, accountId, now, late, failures.waiting(accountId, now));
        if (row === undefined) return;
        await startCampaign(tx, row, options);
        hint(tx, accountId, 'campaign', row.id);
      });
      if (row !== undefined) failures.drop(accountId, row.id);
      return row !== undefined;
    } catch (error) {
      // Without the database nothing can be done about it, either.
      if (row === undefined || isRetriable(error) || isCutOff(error)) throw error;
      if (!(error instanceof AppError || error instanceof ContentError)) {
        log.error('A scheduled campaign could not start yet', {
          account: accountId,
          campaign: row.id,
          error,
        });
        failures.add(accountId, row.id, now, false);
        continue;
      }
      log.warn('A scheduled campaign could not start', { campaign: row.id, error });
      if (isSlow(error) && failures.add(accountId, row.id, now, true).slow < SLOW_MOST) continue;
      failures.drop(accountId, row.id);
      await giveBack(db, row);
      return true;
    }
  }
}

/** The others go on meanwhile: a machine with much to do lays out slowly for a while, and what nobody expected may pass. */
const failures = keepFailures(60_000);
const SLOW_MOST = 5;

const isSlow = (error: Error) => error instanceof AppError && error.code === 'document_too_slow';

/** What was fine when it was scheduled no longer is: a draft whose checks say why, and a letter about it. */
async function giveBack(db: Db, due: store.CampaignRow): Promise<void> {
  const { account_id: accountId, id, subject } = due;
  const at = clock.now();
  await inTransaction(db, async (tx) => {
    const row = await store.lockCampaign(tx, accountId, id);
    // Its owner was first.
    if (row?.status !== 'SCHEDULED' || row.message_id !== null) return;
    if (row.scheduled_at?.getTime() !== due.scheduled_at?.getTime()) return;
    await store.updateCampaign(tx, accountId, id, {
      status: 'DRAFT',
      schedule_time: null,
      schedule_zone: null,
      scheduled_at: null,
      modified_at: at,
    });
    hint(tx, accountId, 'campaign', id);
    const facts = { accountId, campaignId: id, subject, at };
    await campaignNotStarted.announce(tx, { ...facts, isResend: false });
  });
}
