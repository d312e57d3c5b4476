// Changes the states of messages: pause, cancel, and retry of failed or unknown copies. Senders are
// notified immediately and poll each second; handoffs that started before may still be in flight.
import { reverseRefusals } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { deleteInstanceSetting } from '#platform/server/database/instance-settings.sql.ts';
import { notFound } from '#platform/server/errors.ts';
import type { MessageState } from '../../shared.ts';
import { findTotals, saveBreakerFrom } from './breaker.sql.ts';
import { messageChanged, messageHalted } from '../events.ts';
import { lockGroup } from '../groups/groups.sql.ts';
import { deferAgain, type LaneCount, listRetried, skipDeferred } from './results.sql.ts';
import { addCounts, lockMessage, lockState, moveState, notifySenders } from './messages.sql.ts';
import { hasOwnRelays } from '../relays/relay-visibility.ts';
import { type LeadId, toMessageId } from '../../lead-id.ts';
import { getMessageKindRules } from '../../message-kinds.ts';
import type { FrozenSmsMessage } from '../channels/sms.ts';
import { reserveForWaiting, releaseSms } from './sms-credit.ts';
import { wakeMessage } from '../waves/waves.sql.ts';

/** Maximum number of rows per statement. */
const ROWS_PER_STATEMENT = 5_000;

const OPEN_STATES: readonly MessageState[] = ['preparing', 'sending', 'waiting'];

/**
 * Pauses the message and its group. No handoff starts after about two seconds. Returns whether at
 * least one of the messages was open.
 */
export async function pauseMessage(
  tx: Tx,
  accountId: number,
  message: number | LeadId,
  reason = 'owner',
  details?: unknown,
): Promise<boolean> {
  let wasOpen = false;
  for (const id of await lockGroup(tx, accountId, message)) {
    const stateChange = { state: 'paused', from: OPEN_STATES, reason, details } as const;
    if (await changeState(tx, accountId, id, stateChange)) wasOpen = true;
  }
  return wasOpen;
}

/**
 * Pauses an experiment whose messages are finished, so that no decision is made. Only the lead
 * message is paused.
 */
export function pauseFinishedExperiment(tx: Tx, accountId: number, lead: LeadId): Promise<boolean> {
  const stateChange = { state: 'paused', from: ['finished'], reason: 'owner' } as const;
  return changeState(tx, accountId, toMessageId(lead), stateChange);
}

/**
 * Pauses a message and its group because the relay refuses the sender or cannot be used, and
 * notifies the owner. Returns whether a message was open. A refusal of a handoff that started
 * (`startedAt`) before the last resume is ignored.
 */
export async function haltRefusedMessage(
  tx: Tx,
  accountId: number,
  messageId: number,
  details: { code: string; reply: string },
  startedAt?: Date,
): Promise<boolean> {
  const message = await lockMessage(tx, accountId, messageId);
  if (!message) return false;
  const savedTotals = await findTotals(tx, accountId, messageId);
  if (startedAt && savedTotals?.from?.at && startedAt < new Date(savedTotals.from.at)) return false;
  if (!(await pauseMessage(tx, accountId, messageId, 'sender_refused', details))) return false;
  const { kind, source_id: sourceId } = message;
  const event = { accountId, messageId, kind, sourceId, at: clock.now() };
  // Connection failures of the installation's relays are shown only to the operator.
  const isReported = details.code !== '' || (await hasOwnRelays(tx, accountId));
  const reply = isReported ? details.reply : '—';
  const reason = 'sender_refused';
  await messageHalted.announce(tx, { ...event, reason, count: 0, of: 0, limit: 0, reply });
  return true;
}

export type HaltingReason = 'content_unsendable' | 'sender_not_verified' | 'audience_failed';

/**
 * Pauses a message and its group until the owner acts, because it cannot be sent. If several
 * processes call this, the owner is notified once.
 */
export async function haltMessage(
  tx: Tx,
  accountId: number,
  messageId: number,
  reason: HaltingReason,
): Promise<void> {
  const message = await lockMessage(tx, accountId, messageId);
  if (!message || !(await pauseMessage(tx, accountId, messageId, reason))) return;
  const { kind, source_id: sourceId } = message;
  const event = { accountId, messageId, kind, sourceId, at: clock.now() };
  await messageHalted.announce(tx, { ...event, reason, count: 0, of: 0, limit: 0 });
}

/**
 * Cancels a message and its group: recipients whose handoff has not started are skipped
 * (`cancelled`). Returns whether a handoff had started.
 */
export async function cancelMessage(
  tx: Tx,
  accountId: number,
  message: number | LeadId,
): Promise<{ hasHandoffs: boolean }> {
  const ids = await lockGroup(tx, accountId, message);
  if (ids.length === 0) throw notFound();
  let hasHandoffs = false;
  for (const id of ids) if ((await cancelOne(tx, accountId, id)).hasHandoffs) hasHandoffs = true;
  return { hasHandoffs };
}

async function cancelOne(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<{ hasHandoffs: boolean }> {
  const message = await lockMessage(tx, accountId, messageId);
  if (!message) throw notFound();
  const hasHandoffs = message.first_handed_over_at !== null;
  const from = [...OPEN_STATES, 'paused'] as const;
  const stateChange = { state: 'cancelled', from, reason: 'owner' } as const;
  if (!(await changeState(tx, accountId, messageId, stateChange))) return { hasHandoffs };
  await skipWaiting(tx, accountId, messageId, clock.now());
  if (getMessageKindRules(message.kind).channel === 'sms')
    await releaseSms(tx, accountId, messageId);
  return { hasHandoffs };
}

/**
 * Skips deferred recipients if the message has been canceled: no sender would retry them.
 */
export async function skipIfCanceled(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<void> {
  if ((await lockState(tx, accountId, messageId)) !== 'cancelled') return;
  await skipWaiting(tx, accountId, messageId, at);
}

/** Skips deferred recipients. The caller has locked the message's row. */
export async function skipWaiting(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<void> {
  const skippedLanes = await skipDeferred(tx, accountId, messageId, at);
  const lanes = skippedLanes.map(({ lane, count }) => ({
    ...{ lane, deferred: -count },
    ...{ accepted: 0, failed: 0 },
  }));
  await addCounts(tx, accountId, messageId, { skipped: sumOf(skippedLanes), lanes });
}

/**
 * Retries recipients whose outcome is unknown or whose copy failed, if their status is active.
 * Recipients with an unknown outcome may get the message twice, so the owner decides. Returns the
 * number of recipients.
 */
export async function retryMessage(
  tx: Tx,
  accountId: number,
  message: number | LeadId,
  state: 'unknown' | 'failed',
): Promise<number> {
  const ids = await lockGroup(tx, accountId, message);
  if (ids.length === 0) throw notFound();
  let count = 0;
  for (const id of ids) count += await retryOne(tx, accountId, id, state);
  return count;
}

async function retryOne(
  tx: Tx,
  accountId: number,
  messageId: number,
  state: 'unknown' | 'failed',
): Promise<number> {
  const message = await lockMessage(tx, accountId, messageId);
  if (!message) throw notFound();
  if (message.state === 'cancelled') return 0;
  const at = clock.now();
  const { channel } = getMessageKindRules(message.kind);
  const deferredLanes = await deferAgain(tx, accountId, messageId, channel, state, at);
  const count = sumOf(deferredLanes);
  if (count === 0) return 0;
  await addCounts(tx, accountId, messageId, {
    unknown: state === 'unknown' ? -count : 0,
    lanes: deferredLanes.map((lane) => ({
      ...{ lane: lane.lane, accepted: 0, deferred: lane.count },
      failed: state === 'failed' ? -lane.count : 0,
    })),
  });
  await wakeMessage(tx, accountId, messageId, at);
  await reverseBounces(tx, accountId, messageId, state, at);
  await lowerBreakerFrom(tx, accountId, messageId);
  await reopenMessage(tx, accountId, messageId);
  await notifySenders(tx, accountId);
  const { credit } = message.frozen as Partial<FrozenSmsMessage>;
  if (credit) await reserveForWaiting(tx, accountId, messageId, credit);
  return count;
}

const sumOf = (lanes: readonly LaneCount[]) => lanes.reduce((total, { count }) => total + count, 0);

/** Reverses the recorded bounces of the recipients that are retried at this instant. */
async function reverseBounces(
  tx: Tx,
  accountId: number,
  messageId: number,
  state: 'unknown' | 'failed',
  at: Date,
): Promise<void> {
  let after: { lane: number; ordinal: number } | undefined = { lane: -1, ordinal: 0 };
  while (after) {
    const page = { after, size: ROWS_PER_STATEMENT };
    const rows = await listRetried(tx, accountId, messageId, state, at, page);
    const ids = rows.map((row) => row.subscriber_id);
    await reverseRefusals(tx, accountId, messageId, ids, state === 'unknown');
    after = rows.length === ROWS_PER_STATEMENT ? rows.at(-1) : undefined;
  }
}

/**
 * Lowers the stored totals from which the breaker counts if a retry has reduced the current totals
 * below them. With the higher totals, the breaker would miss the next bounces.
 */
async function lowerBreakerFrom(tx: Tx, accountId: number, messageId: number): Promise<void> {
  const savedTotals = await findTotals(tx, accountId, messageId);
  if (!savedTotals?.from) return;
  const { totals, from } = savedTotals;
  const minimum = {
    accepted: Math.min(from.accepted, totals.accepted),
    handed: Math.min(from.handed, totals.handed),
    hard_bounces: Math.min(from.hard_bounces, totals.hard_bounces),
    soft_bounces: Math.min(from.soft_bounces, totals.soft_bounces),
    complaints: Math.min(from.complaints, totals.complaints),
    ...(from.accepted_by && {
      accepted_by: lowerOf(from.accepted_by, totals.accepted_by ?? {}),
    }),
  };
  const at = from.at === undefined ? clock.now() : new Date(from.at);
  await saveBreakerFrom(tx, accountId, messageId, minimum, at);
}

const lowerOf = (a: Record<string, number>, b: Record<string, number>) =>
  Object.fromEntries(
    Object.entries(a).map(([mailbox, count]) => [mailbox, Math.min(count, b[mailbox] ?? 0)]),
  );

/** Reopens a finished message that has deferred recipients again. */
export async function reopenMessage(tx: Tx, accountId: number, messageId: number): Promise<void> {
  await changeState(tx, accountId, messageId, {
    state: 'sending',
    from: ['finished'],
    reason: null,
  });
}

/** Resumes sending after a restore, which pauses it. Returns whether it was paused. */
export async function resumeInstance(tx: Tx): Promise<boolean> {
  const wasPaused = await deleteInstanceSetting(tx, 'sending_paused');
  if (wasPaused) await notifySenders(tx, 0);
  return wasPaused;
}

export type StateChange = {
  state: MessageState;
  from: readonly MessageState[];
  reason: string | null;
  details?: unknown;
  /** If false, delayed messages are not changed. */
  isSuspended?: false;
};

/** Changes the state, announces the change and notifies senders. Returns whether it changed. */
export async function changeState(
  tx: Tx,
  accountId: number,
  messageId: number,
  stateChange: StateChange,
): Promise<boolean> {
  const at = clock.now();
  const row = await moveState(tx, accountId, messageId, { ...stateChange, at });
  if (!row) return false;
  await messageChanged.announce(tx, {
    accountId,
    messageId,
    kind: row.kind,
    sourceId: row.source_id,
    at,
    state: stateChange.state,
    reason: stateChange.reason,
  });
  await notifySenders(tx, accountId);
  return true;
}
