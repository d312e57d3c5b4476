// A resend to non-openers: the same content with another subject, as a campaign with its own
// report. It is set up before or after the first campaign is sent, starts the chosen number of
// hours after the last copy's first attempt, and can be canceled until then. It waits while copies
// of the first campaign have no attempt yet or while that campaign is paused, so that each
// recipient of a slow campaign gets the full delay. If the first campaign is canceled before the
// resend starts, the resend is canceled too. A resend that missed its start by an hour or more
// during downtime fails, and users are notified. Recipients with any open or click before the start
// of the resend, human or machine, are excluded; status and suppression are checked again at the
// handoff.
import {
  extendUntilRemainder,
  findExperiments,
  findRow,
  findVariants,
  processAccounts,
  readBroadcasts,
  readExperimentSummaries,
  startNow,
} from '#areas/broadcasts/server/index.ts';
import { LATE_MS } from '#areas/broadcasts/shared.ts';
import { ContentError, type SendingOptions } from '#areas/content/server/index.ts';
import * as delivery from '#areas/delivery/server/ledger/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  isConnectionLost,
  isRetriable,
  type Tx,
} from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { log } from '#platform/server/log.ts';
import type { Campaign } from '../contract.ts';
import { campaignAdapter } from './adapter.ts';
import { type CampaignRow, TABLES } from './campaigns.sql.ts';
import { copyCampaign, lockCampaignRow } from './campaigns.ts';
import { resendNotStarted } from './events.ts';
import { presentOne } from './present.ts';
import * as resends from './resends.sql.ts';
import { type CampaignVariant, withVariant } from './variants.ts';

const HOUR_MS = 3_600_000;
/** Interval of checks while the first campaign is in progress, and of retries after a failure. */
const RECHECK_MS = 10 * 60_000;

/**
 * @param hours counted from the first attempt of the campaign's last copy (`computeDueAt`). The due
 * time is estimated from the campaign's start; if the estimate has passed, the resend is due now
 */
export async function setResend(
  tx: Tx,
  accountId: number,
  id: number,
  subject: string,
  hours: number,
): Promise<Campaign> {
  const row = await lockCampaignRow(tx, accountId, id);
  if (row.resend_of !== null) throw new AppError('resend_of_resend');
  if ((await readFirstDelivery(tx, row))?.state === 'cancelled') {
    throw new AppError('campaign_cancelled');
  }
  const now = clock.now();
  const dueAt = row.sent_at && getLatest(new Date(row.sent_at.getTime() + hours * HOUR_MS), now);
  const isSet = await resends.saveResend(tx, accountId, id, { subject, hours, dueAt }, now);
  if (!isSet) throw new AppError('resend_started');
  return notifyAndReload(tx, accountId, id);
}

/** Cancels a resend. A repeated call succeeds; a started resend is canceled as a campaign. */
export async function cancelResend(tx: Tx, accountId: number, id: number): Promise<Campaign> {
  await lockCampaignRow(tx, accountId, id);
  const [resend] = await resends.readResends(tx, accountId, [id]);
  if (!resend) throw notFound();
  if (resend.state === 'started') throw new AppError('resend_started');
  await resends.endResend(tx, accountId, id, { state: 'cancelled' }, clock.now());
  return notifyAndReload(tx, accountId, id);
}

async function notifyAndReload(tx: Tx, accountId: number, id: number): Promise<Campaign> {
  sendChangeHint(tx, accountId, 'campaign', id);
  return presentOne(tx, accountId, await lockCampaignRow(tx, accountId, id));
}

/** Runs in the elected worker. */
export function resendPoller(options: SendingOptions): Poller {
  return {
    name: 'campaigns.resends',
    intervalMs: 10_000,
    run: async (db) => {
      await startDueResends(db, options);
    },
  };
}

/** Returns the number of resends that were started or ended. */
export async function startDueResends(db: Db, options: SendingOptions): Promise<number> {
  const now = clock.now();
  return processAccounts(await resends.listAccountsWithDueResends(db, now), (accountId) =>
    processDue(db, accountId, now, options),
  );
}

/**
 * Processes due resends of the account until one has started or ended; returns false if none has. A
 * resend is deferred while the first campaign is still being sent, and after a temporary failure. A
 * failed start changes nothing but the state and reason of the resend.
 */
async function processDue(
  db: Db,
  accountId: number,
  now: Date,
  options: SendingOptions,
): Promise<boolean> {
  for (;;) {
    let dueResend: DueResend | undefined;
    try {
      const outcome = await inTransaction(db, async (tx) => {
        dueResend = await resends.claimDueResend(tx, accountId, now);
        if (dueResend === undefined) return undefined;
        sendChangeHint(tx, accountId, 'campaign', dueResend.campaign_id);
        return startOrWait(tx, dueResend, now, options);
      });
      if (outcome !== 'put_off') return outcome !== undefined;
    } catch (error) {
      // If the database is unavailable, deferring the resend also fails.
      if (dueResend === undefined || isRetriable(error) || isConnectionLost(error)) throw error;
      const id = dueResend.campaign_id;
      const reason = getReason(error);
      if (reason === undefined || reason === 'document_too_slow') {
        log.error('Could not start a resend; retrying', {
          account: accountId,
          campaign: id,
          error,
        });
        const failingSince = dueResend.failing_since ?? now;
        if (now.getTime() - failingSince.getTime() < LATE_MS) {
          await scheduleRecheck(db, accountId, id, now, failingSince);
          continue;
        }
      }
      await failInTransaction(db, accountId, id, reason ?? 'server_error', now);
      return true;
    }
  }
}

type DueResend = NonNullable<Awaited<ReturnType<typeof resends.claimDueResend>>>;

async function startOrWait(
  tx: Tx,
  dueResend: DueResend,
  now: Date,
  options: SendingOptions,
): Promise<'put_off' | 'ended'> {
  const { account_id: accountId, campaign_id: firstId } = dueResend;
  const original = await lockCampaignRow(tx, accountId, firstId);
  const originalDelivery = await readFirstDelivery(tx, original);
  if (originalDelivery === undefined) throw new AppError('not_found');
  if (originalDelivery.state === 'cancelled') {
    const reason = 'campaign_cancelled';
    await resends.endResend(tx, accountId, firstId, { state: 'cancelled', reason }, now);
    return 'ended';
  }
  const dueAt = await computeDueAt(tx, originalDelivery, accountId, dueResend.delay_hours);
  if (dueAt > now) {
    await resends.deferResend(tx, accountId, firstId, dueAt);
    return 'put_off';
  }
  // The poller re-checks a due resend on every run, so a gap this long means that the process was
  // down.
  if (now.getTime() - getLatest(dueAt, dueResend.due_at ?? dueAt).getTime() >= LATE_MS) {
    await fail(tx, accountId, firstId, 'late', now);
    return 'ended';
  }
  if (originalDelivery.isInstancePaused) {
    const recheckAt = new Date(now.getTime() + RECHECK_MS);
    await resends.deferResend(tx, accountId, firstId, recheckAt);
    return 'put_off';
  }
  await resends.endResend(tx, accountId, firstId, { state: 'started' }, now);
  await startResend(tx, original, dueResend.subject, options);
  return 'ended';
}

const getLatest = (a: Date, b: Date) => (a > b ? a : b);

type FirstDelivery = delivery.MessageDelivery & {
  messageIds: readonly number[];
  isRestDue: boolean;
};

/**
 * Returns the delivery of the first campaign, or undefined if it has not started. The delivery ends
 * only after the remaining recipients of the experiment got their copies.
 */
async function readFirstDelivery(
  tx: Tx,
  original: CampaignRow,
): Promise<FirstDelivery | undefined> {
  const { account_id: accountId, id, message_id: lead } = original;
  if (lead === null) return undefined;
  const broadcast = (await readBroadcasts(tx, accountId, [lead])).get(lead);
  if (!broadcast) return undefined;
  const experiments = await readExperimentSummaries(tx, TABLES, accountId, [id]);
  const experiment = experiments.get(id) ?? null;
  return {
    ...extendUntilRemainder(broadcast.delivery, experiment),
    messageIds: broadcast.messageIds,
    isRestDue: experiment?.has_rest_due ?? false,
  };
}

/**
 * Returns when the chosen hours will have passed since each recipient's copy was sent or, while
 * copies are still being sent, when to check next. It does not wait for deferred copies, which may
 * take up to three days; their recipients are excluded.
 */
async function computeDueAt(
  tx: Tx,
  original: FirstDelivery,
  accountId: number,
  hours: number,
): Promise<Date> {
  const { state, isAudienceDone, counts, messageIds } = original;
  const isLeaving = !isAudienceDone || counts.pending + counts.handing_over > 0;
  // Between the test and the decision no copy is being sent, but the campaign is not over.
  const isOver = state === 'finished' || (state !== 'paused' && !isLeaving && !original.isRestDue);
  if (!isOver) return new Date(clock.now().getTime() + RECHECK_MS);
  const lastAttemptAt = await delivery.findLastFirstAttemptAt(tx, accountId, messageIds);
  return new Date((lastAttemptAt?.getTime() ?? 0) + hours * HOUR_MS);
}

/**
 * Defers a resend that failed for a reason that may be temporary, such as slow rendering on a busy
 * machine; other resends continue.
 */
async function scheduleRecheck(
  db: Db,
  accountId: number,
  id: number,
  now: Date,
  failingSince: Date,
): Promise<void> {
  const recheckAt = new Date(now.getTime() + RECHECK_MS);
  await inTransaction(db, (tx) => resends.deferResend(tx, accountId, id, recheckAt, failingSince));
}

/**
 * Returns the code of a failure that users can resolve, or undefined for others, which are retried.
 */
function getReason(error: unknown): string | undefined {
  if (error instanceof ContentError) return 'content_invalid';
  return error instanceof AppError ? error.code : undefined;
}

async function failInTransaction(
  db: Db,
  accountId: number,
  id: number,
  reason: string,
  now: Date,
): Promise<void> {
  log.warn('Could not start a resend', { campaign: id, code: reason });
  await inTransaction(db, (tx) => fail(tx, accountId, id, reason, now));
}

/**
 * Ends a resend with a reason. The campaign shows it and an email reports it, because users may not
 * open the product for days.
 */
async function fail(
  tx: Tx,
  accountId: number,
  id: number,
  reason: string,
  at: Date,
): Promise<void> {
  if (!(await resends.endResend(tx, accountId, id, { state: 'failed', reason }, at))) return;
  sendChangeHint(tx, accountId, 'campaign', id);
  const original = await findRow<CampaignRow>(tx, { tables: TABLES }, accountId, id);
  // A deleted first campaign has no screen to link to.
  if (!original) return;
  await resendNotStarted.announce(tx, {
    ...{ accountId, campaignId: id, at },
    subject: original.subject,
  });
}

/**
 * Returns the campaign with the values of one variant of its experiment: the one sent to the
 * remaining recipients, otherwise the winner, otherwise the control.
 */
async function applyChosenVariant(tx: Tx, original: CampaignRow): Promise<CampaignRow> {
  const { account_id: accountId, id } = original;
  const [experiment] = await findExperiments(tx, TABLES, accountId, [id]);
  const number = experiment?.chosen ?? experiment?.winner;
  if (number == null) return original;
  const variants = await findVariants<CampaignVariant>(tx, TABLES, accountId, [id]);
  const variant = variants.find((variant) => variant.number === number);
  return variant ? withVariant(original, variant) : original;
}

async function startResend(
  tx: Tx,
  firstRow: CampaignRow,
  subject: string,
  options: SendingOptions,
): Promise<void> {
  const { account_id: accountId } = firstRow;
  const original = await applyChosenVariant(tx, firstRow);
  const id = await copyCampaign(tx, original, null, {
    subject,
    resend_of: firstRow.id,
    last_action: 'step4',
    status: 'SCHEDULED',
    scheduled_at: clock.now(),
    schedule_zone: firstRow.schedule_zone,
  });
  await startNow(tx, campaignAdapter(options), await lockCampaignRow(tx, accountId, id));
}
