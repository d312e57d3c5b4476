// A second try for those who opened nothing: the same content under another subject, as a campaign of
// its own with a report of its own. It is set up before or after the first leaves, waits for its hours
// from then, and can be taken back until it starts. Whoever opened or clicked by then, by any means a
// machine included, gets none; status and suppression are looked at again at the hand-over.
import { ContentError } from '#areas/content/server/index.ts';
import * as delivery from '#areas/delivery/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import { hint } from '#platform/server/live.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/pollers.ts';
import type { Campaign } from '../contract.ts';
import { copyCampaign, lockedRow } from './campaigns.ts';
import { eachAccount } from './each-account.ts';
import * as store from './campaigns.sql.ts';
import { messageSource, type SendingOptions } from './message.ts';
import { presentOne } from './present.ts';
import * as resends from './resends.sql.ts';

const HOUR_MS = 3_600_000;

/** @param hours counted from the first mail of the campaign; where they have passed, it goes at once */
export async function setResend(
  tx: Tx,
  accountId: number,
  id: number,
  subject: string,
  hours: number,
): Promise<Campaign> {
  const row = await lockedRow(tx, accountId, id);
  if (row.resend_of !== null) throw new AppError('resend_of_resend');
  const dueAt = row.sent_at && new Date(row.sent_at.getTime() + hours * HOUR_MS);
  const isSet = await resends.putResend(tx, accountId, id, { subject, hours, dueAt }, clock.now());
  if (!isSet) throw new AppError('resend_started');
  return told(tx, accountId, id);
}

/** Taking back what was taken back already is fine; what has started is a campaign to cancel. */
export async function cancelResend(tx: Tx, accountId: number, id: number): Promise<Campaign> {
  await lockedRow(tx, accountId, id);
  const [resend] = await resends.readResends(tx, accountId, [id]);
  if (!resend) throw notFound();
  if (resend.state === 'started') throw new AppError('resend_started');
  await resends.endResend(tx, accountId, id, { state: 'cancelled' }, clock.now());
  return told(tx, accountId, id);
}

async function told(tx: Tx, accountId: number, id: number): Promise<Campaign> {
  hint(tx, accountId, 'campaign', id);
  return presentOne(tx, accountId, await lockedRow(tx, accountId, id));
}

/** Run by the elected worker. */
export function resendPoller(options: SendingOptions): Poller {
  return {
    name: 'campaigns.resends',
    everyMs: 10_000,
    run: async (db) => {
      await startDueResends(db, options);
    },
  };
}

/** Answers how many were started. */
export async function startDueResends(db: Db, options: SendingOptions): Promise<number> {
  const now = clock.now();
  return eachAccount(await resends.accountsWithDueResends(db, now), (accountId) =>
    startOne(db, accountId, now, options),
  );
}

/** One that cannot start leaves nothing behind but why. */
async function startOne(
  db: Db,
  accountId: number,
  now: Date,
  options: SendingOptions,
): Promise<boolean> {
  let id: number | undefined;
  try {
    await inTransaction(db, async (tx) => {
      const due = await resends.takeDueResend(tx, accountId, now);
      id = due?.campaign_id;
      if (due === undefined) return;
      await resends.endResend(tx, accountId, due.campaign_id, { state: 'started' }, now);
      await startResend(tx, accountId, due.campaign_id, due.subject, options);
      hint(tx, accountId, 'campaign', due.campaign_id);
    });
  } catch (error) {
    const reason = reasonOf(error);
    if (id === undefined || reason === undefined) throw error;
    await failOne(db, accountId, id, reason, now);
  }
  return id !== undefined;
}

/** What its owner can do something about; anything else is tried again. */
function reasonOf(error: unknown): string | undefined {
  if (error instanceof ContentError) return 'content_invalid';
  return error instanceof AppError ? error.code : undefined;
}

async function failOne(
  db: Db,
  accountId: number,
  id: number,
  reason: string,
  now: Date,
): Promise<void> {
  log.warn('A resend could not start', { campaign: id, code: reason });
  await inTransaction(db, async (tx) => {
    await resends.endResend(tx, accountId, id, { state: 'failed', reason }, now);
    hint(tx, accountId, 'campaign', id);
  });
}

async function startResend(
  tx: Tx,
  accountId: number,
  firstId: number,
  subject: string,
  options: SendingOptions,
): Promise<void> {
  const first = await lockedRow(tx, accountId, firstId);
  if (first.message_id === null) throw new AppError('not_found');
  const id = await copyCampaign(tx, first, null, {
    subject,
    resend_of: firstId,
    last_action: 'step4',
    status: 'SCHEDULED',
    scheduled_at: clock.now(),
    schedule_zone: first.schedule_zone,
  });
  const { messageId } = await delivery.start(
    tx,
    {
      accountId,
      kind: 'campaign',
      sourceId: id,
      source: await messageSource(tx, await lockedRow(tx, accountId, id), options),
    },
    { all: false, groups: [], excluded: [], unopened: first.message_id },
  );
  await store.updateCampaign(tx, accountId, id, { message_id: messageId });
}
