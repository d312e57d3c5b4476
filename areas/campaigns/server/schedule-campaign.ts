// DRAFT → SCHEDULED by `schedule`, with a wall time or at once; SCHEDULED → SENT by the first
// hand-over; SCHEDULED → DRAFT by `cancel` while nobody was mailed. A sending is paused, resumed
// and cancelled through delivery. Every verb holds the campaign's row, so each happens once.
import type { SendingOptions } from '#areas/content/server/index.ts';
import { readAccount } from '#areas/accounts/server/index.ts';
import * as delivery from '#areas/delivery/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import { hint } from '#platform/server/live.ts';
import type { Campaign } from '../contract.ts';
import { instantOfWall, roundWall } from '../wall-time.ts';
import { checkRevision, lockedRow } from './campaigns.ts';
import * as store from './campaigns.sql.ts';
import { campaignSource, checkCampaign } from './email.ts';
import { isLate, presentOne } from './present.ts';
import { audienceOf } from './recipients.ts';
import { endResend } from './resends.sql.ts';

/**
 * @param wall `YYYY-MM-DD HH:MM:SS` in the account's zone, rounded up to a quarter of an hour;
 * null means now. An equal repeat changes nothing, a different one is `already_scheduled`.
 * @param revision what its owner looked at; undefined: whatever it is now
 */
export async function scheduleCampaign(
  tx: Tx,
  accountId: number,
  id: number,
  wall: string | null,
  options: SendingOptions,
  revision?: number,
): Promise<Campaign> {
  const row = await lockedRow(tx, accountId, id);
  const time = wall === null ? null : roundedWall(wall);
  if (row.status !== 'DRAFT' && !isLate(row)) {
    if (row.schedule_time === time) return presentOne(tx, accountId, row);
    throw new AppError('already_scheduled');
  }
  if (revision !== undefined) checkRevision(row, revision);
  await requireSendable(tx, row, options);
  const { timezone } = await readAccount(tx, accountId);
  const at = time === null ? clock.now() : futureInstant(time, timezone);
  const changes: store.CampaignChanges = {
    status: 'SCHEDULED',
    schedule_time: time,
    schedule_zone: timezone,
    scheduled_at: at,
    last_action: 'step4',
    modified_at: clock.now(),
  };
  await store.updateCampaign(tx, accountId, id, changes);
  if (time === null) await startCampaign(tx, await lockedRow(tx, accountId, id), options);
  return changed(tx, accountId, id);
}

/** Freezes content and audience and hands them to delivery. The caller holds the row. */
export async function startCampaign(
  tx: Tx,
  row: store.CampaignRow,
  options: SendingOptions,
): Promise<void> {
  const { messageId } = await delivery.start(
    tx,
    {
      accountId: row.account_id,
      kind: 'campaign',
      sourceId: row.id,
      source: await campaignSource(tx, row, options),
    },
    await audienceOf(tx, row),
  );
  await store.updateCampaign(tx, row.account_id, row.id, { message_id: messageId });
}

/** Back to a draft if nobody was mailed; else the rest stays unsent and the campaign is SENT. */
export async function cancelCampaign(tx: Tx, accountId: number, id: number): Promise<Campaign> {
  const row = await lockedRow(tx, accountId, id);
  if (row.status === 'DRAFT') return presentOne(tx, accountId, row);
  const state = await deliveryState(tx, row);
  if (state === 'finished') throw new AppError('campaign_finished');
  const wasHandedOver =
    row.message_id !== null &&
    state !== 'cancelled' &&
    (await delivery.cancel(tx, accountId, row.message_id)).handedOver;
  if (state !== 'cancelled' && !wasHandedOver && row.status === 'SCHEDULED') {
    await store.updateCampaign(tx, accountId, id, {
      status: 'DRAFT',
      schedule_time: null,
      schedule_zone: null,
      scheduled_at: null,
      message_id: null,
      modified_at: clock.now(),
    });
  } else {
    // What its owner stopped is not sent again by itself.
    await endResend(tx, accountId, id, { state: 'cancelled' }, clock.now());
  }
  return changed(tx, accountId, id);
}

export async function pauseCampaign(tx: Tx, accountId: number, id: number): Promise<Campaign> {
  const row = await lockedRow(tx, accountId, id);
  const state = await deliveryState(tx, row);
  if (row.message_id === null || !['preparing', 'sending', 'waiting'].includes(state ?? '')) {
    if (state !== 'paused') throw new AppError('campaign_not_sending');
  } else {
    await delivery.pause(tx, accountId, row.message_id);
  }
  return changed(tx, accountId, id);
}

export async function resumeCampaign(tx: Tx, accountId: number, id: number): Promise<Campaign> {
  const row = await lockedRow(tx, accountId, id);
  const state = await deliveryState(tx, row);
  if (row.message_id === null || state !== 'paused') {
    if (state !== 'sending' && state !== 'preparing') throw new AppError('campaign_not_sending');
  } else {
    await delivery.resume(tx, accountId, row.message_id);
  }
  return changed(tx, accountId, id);
}

/** Answers to how many it is sent again. */
export async function retryCampaign(
  tx: Tx,
  accountId: number,
  id: number,
  which: 'failed' | 'unknown',
): Promise<number> {
  const row = await lockedRow(tx, accountId, id);
  const state = await deliveryState(tx, row);
  if (row.message_id === null || state === undefined || state === 'cancelled') {
    throw new AppError('campaign_not_sending');
  }
  const retried = await delivery.retry(tx, accountId, row.message_id, which);
  hint(tx, accountId, 'campaign', id);
  return retried;
}

/** As it is now; other windows hear of it. */
async function changed(tx: Tx, accountId: number, id: number): Promise<Campaign> {
  hint(tx, accountId, 'campaign', id);
  return presentOne(tx, accountId, await lockedRow(tx, accountId, id));
}

async function deliveryState(tx: Tx, row: store.CampaignRow): Promise<string | undefined> {
  if (row.message_id === null) return undefined;
  return (await delivery.readDelivery(tx, row.account_id, [row.message_id]))[0]?.state;
}

async function requireSendable(
  tx: Tx,
  row: store.CampaignRow,
  options: SendingOptions,
): Promise<void> {
  const findings = await checkCampaign(tx, row, options);
  const errors = findings.filter((finding) => finding.severity === 'error');
  if (errors.some((finding) => finding.code === 'recipients_none')) {
    throw new AppError('nobody_to_send_to', { extra: { findings: errors } });
  }
  if (errors.length > 0) throw new AppError('content_invalid', { extra: { findings: errors } });
}

function roundedWall(wall: string): string {
  const rounded = roundWall(wall);
  if (rounded === undefined) throw invalid({ schedule_time: ['errors.schedule_time_format'] });
  return rounded;
}

function futureInstant(wall: string, zone: string): Date {
  const at = instantOfWall(wall, zone) as Date;
  if (at.getTime() <= clock.now().getTime()) {
    throw invalid({ schedule_time: ['errors.schedule_time_past'] });
  }
  return at;
}
