// The lifecycle of a broadcast. `schedule` changes its status from DRAFT to SCHEDULED, for a wall
// time or immediately. With the first handoff, or if it ends without recipients, the status becomes
// SENT. `cancel` before that makes it a DRAFT again. Delivery pauses, resumes and cancels sending.
// Every operation locks the broadcast's row, so that it takes effect once.
import { readAccount } from '#areas/accounts/server/index.ts';
import { releaseApproval } from '#areas/approvals/server/index.ts';
import { readPlanCapacity } from '#areas/billing/server/index.ts';
import * as delivery from '#areas/delivery/server/ledger/index.ts';
import { type LeadId, toLeadId } from '#areas/delivery/lead-id.ts';
import { getMessageKindRules } from '#areas/delivery/message-kinds.ts';
import { freezeForecastSoon } from '#areas/deliverability/server/index.ts';
import { recordChange } from '#platform/server/audit.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, invalid } from '#platform/server/errors.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { roundWallTime } from '../wall-time.ts';
import {
  checkRevision,
  isLate,
  lockBroadcast,
  notifyAndReload,
  UNSCHEDULED,
} from './broadcasts.ts';
import { updateRow } from './broadcasts.sql.ts';
import { cancelExperiment, isRestDue, returnToDraft } from './experiments/decision.ts';
import { requireStartable, startTest } from './experiments/start.ts';
import { readBroadcasts } from './figures.ts';
import {
  type BroadcastAdapter,
  type BroadcastRow,
  scheduleKind,
  type ShownBroadcast,
} from './adapter.ts';
import { resolveAudience } from './recipients.ts';
import { requireSingle } from './series.ts';
import { computeSendStart, getTiming } from './timing/rules.ts';
import { requireTestable, withWaves } from './timing/timing.ts';

/**
 * @param wallTime `YYYY-MM-DD HH:MM:SS` in the account's zone, rounded up to a quarter of an hour;
 * null means now. Repeating the same schedule changes nothing; a different one fails with
 * `already_scheduled`.
 * @param revision the client's revision; undefined accepts any revision
 */
export async function schedule<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  accountId: number,
  id: number,
  wallTime: string | null,
  revision?: number,
): Promise<Shown> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  const time = wallTime === null ? null : toRoundedWallTime(wallTime);
  if (row.status !== 'DRAFT' && !isLate(row)) {
    if (row.schedule_time === time) return (await adapter.present(tx, [row]))[0] as Shown;
    throw new AppError('already_scheduled');
  }
  await requireSchedulable(tx, adapter, row, revision);
  const at = await scheduleAt(tx, row, time);
  await updateRow(tx, adapter, accountId, id, {
    status: 'SCHEDULED',
    ...at,
    last_action: adapter.steps.withRecipients,
    modified_at: clock.now(),
  });
  if (time === null || at.scheduled_at <= clock.now())
    await startNow(tx, adapter, await lockBroadcast<Row>(tx, adapter, accountId, id));
  return notifyAndReload(tx, adapter, accountId, id);
}

/** @throws the errors that prevent scheduling, except those about the time */
export async function requireSchedulable<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  row: Row,
  revision: number | undefined,
): Promise<void> {
  if (revision !== undefined) checkRevision(row, revision);
  await requireSingle(tx, adapter, row);
  await requireCapacity(tx, adapter, row.account_id);
  await adapter.requireSendable(tx, row);
  await requireTestable(tx, adapter, row);
  await requireStartable(tx, adapter, row);
}

/**
 * Freezes content and audience and starts the message in delivery. The caller has locked the row.
 */
export async function startNow<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  row: Row,
): Promise<void> {
  const audience = await withWaves(tx, adapter, row, await resolveAudience(tx, adapter, row));
  const messageId =
    (await startTest(tx, adapter, row, audience)) ??
    (await delivery.startSending(tx, await adapter.buildMessage(tx, row), audience)).messageId;
  await updateRow(tx, adapter, row.account_id, row.id, { message_id: toLeadId(messageId) });
  if (getMessageKindRules(adapter.messageKind).channel === 'email') {
    await freezeForecastSoon(tx, row.account_id, messageId);
  }
}

/**
 * Cancels a broadcast. Before the first handoff it becomes a draft again; later it is SENT and its
 * remaining copies stay unsent.
 */
export async function cancel<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  accountId: number,
  id: number,
): Promise<Shown> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  if (row.status === 'DRAFT') return (await adapter.present(tx, [row]))[0] as Shown;
  const state = await readDeliveryState(tx, row);
  const isTesting = await isRestDue(tx, adapter, row);
  if (state === 'finished' && !isTesting) throw new AppError('campaign_finished');
  const wasHandedOff =
    row.message_id !== null &&
    state !== 'cancelled' &&
    (await delivery.cancelMessage(tx, accountId, row.message_id)).hasHandoffs;
  if (state !== 'cancelled' && !wasHandedOff && row.status === 'SCHEDULED') {
    recordChange({ before: { schedule_time: row.schedule_time } });
    await updateRow(tx, adapter, accountId, id, {
      ...UNSCHEDULED,
      message_id: null,
      modified_at: clock.now(),
    });
    await returnToDraft(tx, adapter, row);
    await releaseApproval(tx, accountId, scheduleKind(adapter), id);
  } else {
    await cancelExperiment(tx, adapter, row);
    await adapter.onCanceled?.(tx, row);
  }
  return notifyAndReload(tx, adapter, accountId, id);
}

export async function pause<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  accountId: number,
  id: number,
): Promise<Shown> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  const state = await readDeliveryState(tx, row);
  if (row.message_id === null || !['preparing', 'sending', 'waiting'].includes(state ?? '')) {
    const mayPause = row.message_id !== null && (await isRestDue(tx, adapter, row));
    const isPaused =
      state === 'paused' ||
      (mayPause &&
        (await delivery.pauseFinishedExperiment(tx, accountId, row.message_id as LeadId)));
    if (!isPaused) throw new AppError('campaign_not_sending');
  } else {
    await delivery.pauseMessage(tx, accountId, row.message_id);
  }
  return notifyAndReload(tx, adapter, accountId, id);
}

export async function resume<Row extends BroadcastRow, Shown extends ShownBroadcast>(
  tx: Tx,
  adapter: BroadcastAdapter<Row, Shown>,
  accountId: number,
  id: number,
): Promise<Shown> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  const state = await readDeliveryState(tx, row);
  if (row.message_id === null || state !== 'paused') {
    if (state !== 'sending' && state !== 'preparing') throw new AppError('campaign_not_sending');
  } else {
    await requireCapacity(tx, adapter, accountId);
    await delivery.resumeMessage(tx, accountId, row.message_id);
  }
  return notifyAndReload(tx, adapter, accountId, id);
}

/** Returns the number of recipients that are retried. */
export async function retry<Row extends BroadcastRow>(
  tx: Tx,
  adapter: BroadcastAdapter<Row>,
  accountId: number,
  id: number,
  retryKind: 'failed' | 'unknown',
): Promise<number> {
  const row = await lockBroadcast<Row>(tx, adapter, accountId, id);
  const state = await readDeliveryState(tx, row);
  if (row.message_id === null || state === undefined || state === 'cancelled') {
    throw new AppError('campaign_not_sending');
  }
  const retriedCount = await delivery.retryMessage(tx, accountId, row.message_id, retryKind);
  sendChangeHint(tx, accountId, adapter.idKind, id);
  return retriedCount;
}

/** @throws `account_suspended`; `plan_limit` if the plan's emails of this month are used up */
async function requireCapacity<Row extends BroadcastRow>(
  tx: Tx,
  { messageKind }: BroadcastAdapter<Row>,
  accountId: number,
): Promise<void> {
  const { isSuspended, isEnforced, emails } = await readPlanCapacity(tx, accountId, 'emails');
  if (isSuspended) throw new AppError('account_suspended');
  const isUsedUp = isEnforced && emails !== null && emails.used >= emails.limit;
  if (isUsedUp && getMessageKindRules(messageKind).channel === 'email')
    throw new AppError('plan_limit');
}

async function readDeliveryState(tx: Tx, row: BroadcastRow): Promise<string | undefined> {
  if (row.message_id === null) return undefined;
  const broadcasts = await readBroadcasts(tx, row.account_id, [row.message_id]);
  return broadcasts.get(row.message_id)?.delivery.state;
}

/**
 * Returns the schedule at a wall time in the account's zone, rounded up to a quarter of an hour;
 * null means now.
 */
export async function scheduleAt(tx: Tx, row: BroadcastRow, wallTime: string | null) {
  const { timezone } = await readAccount(tx, row.account_id);
  const time = wallTime === null ? null : toRoundedWallTime(wallTime);
  return {
    schedule_time: time,
    schedule_zone: timezone,
    scheduled_at: startInstant(row, time, timezone),
  };
}

function toRoundedWallTime(wallTime: string): string {
  const roundedTime = roundWallTime(wallTime);
  if (roundedTime === undefined) throw invalid({ schedule_time: ['errors.schedule_time_format'] });
  return roundedTime;
}

/** @throws `invalid` for a time that has passed, and if own times are chosen without a time */
function startInstant(row: BroadcastRow, wallTime: string | null, zone: string): Date {
  const timing = getTiming(row);
  if (timing.when === 'own_time' && wallTime === null) {
    throw invalid({ schedule_time: ['errors.timing_needs_time'] });
  }
  const at = computeSendStart(timing, wallTime, zone);
  if (!at) throw invalid({ schedule_time: ['errors.schedule_time_past'] });
  return at;
}
