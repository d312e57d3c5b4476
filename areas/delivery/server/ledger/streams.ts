// Streams: messages that gain recipients over time, such as subscribers who reach a step of a
// workflow. A stream has one content, one pass and one month. Lanes, warm-ups, the circuit breaker,
// pauses and compaction treat it like a campaign.
import { createHash } from 'node:crypto';
import type { MergeValues } from '#areas/content/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inSavepoint } from '#platform/server/database/savepoint.sql.ts';
import { isUniqueViolation, type Tx } from '#platform/server/database/database.ts';
import { getMessageKindRules, type MessageKind } from '../../message-kinds.ts';
import { insertSingles } from '../singles/add-singles.sql.ts';
import { findEngagedSince } from './audience.ts';
import { extendLanes, insertJoining, type StreamAddition } from './audience.sql.ts';
import { cancelMessage, pauseMessage, reopenMessage } from './control.ts';
import { resumeMessage } from './resume.ts';
import type { FrozenSmsMessage } from '../channels/sms.ts';
import { reserveForRecipients, releaseAnswered } from './sms-credit.ts';
import { saveReserved } from './sms-credit.sql.ts';
import {
  findSmsCredit,
  finishFreezing,
  freezeContent,
  type Frozen,
  type NewMessage,
  findOrCreateShared,
} from './messages.ts';
import { addCounts, findStream, insertMessage, lockState, notifySenders } from './messages.sql.ts';
import { countDeferred, getSingleLane } from './result-rows.ts';
import { cancelSingles, findStreams, suspendSingles, releaseSingles } from './streams.sql.ts';

/**
 * Recipients to add: IDs of subscribers, or subscribers with values (of an order, a cart) that
 * override their own. `key` identifies the occasion of these values; a repeat for the same
 * subscriber sends nothing.
 */
export type StreamRecipients =
  | readonly number[]
  | readonly { subscriberId: number; values: MergeValues; key: string }[];

/**
 * `pass` is the ordinal of the subscribers' runs through the workflow; `month` is the current
 * month, such as '2026-11'.
 */
export type StreamKey = { pass: number; month: string };

/** An excluded subscriber with the reason (one of SKIPS). */
export type LeftOut = { subscriberId: number; reason: string };

/**
 * Adds recipients to a stream, in the caller's transaction. Each subscriber gets one copy per
 * stream (or per `key`), even after repeated calls. Statuses are checked now, so that excluded
 * subscribers are returned, and again at the handoff. A canceled stream excludes all recipients
 * (`cancelled`); in a paused one they wait.
 * @throws ContentError, `sender_not_verified`
 */
export async function sendMany(
  tx: Tx,
  message: NewMessage,
  recipients: StreamRecipients,
  { pass, month }: StreamKey,
): Promise<{ messageId: number; skipped: LeftOut[] }> {
  if (haveOwnValues(recipients)) return sendOwnCopies(tx, message, recipients, { pass, month });
  const { accountId } = message;
  const { messageId, frozen } = await streamOf(tx, message, { pass, month });
  const subscriberIds = [...new Set(recipients as readonly number[])];
  const state = await lockState(tx, accountId, messageId);
  if (state === 'cancelled') return { messageId, skipped: subscriberIds.map(asCanceled) };
  const { reached: ids, unpaid } = await reachedBy(tx, message, messageId, subscriberIds, frozen);
  const at = clock.now();
  const row = {
    account_id: accountId,
    kind: message.kind,
    frozen,
    audience_as_of: at,
  };
  const rows = await join(tx, {
    ...{ accountId, messageId, ids, asOf: at, channel: getMessageKindRules(message.kind).channel },
    engagedSince: await findEngagedSince(tx, row),
  });
  const lanes = rows.flatMap(({ lane, count }) => (lane === null ? [] : [{ lane, count }]));
  const addedCount = lanes.reduce((total, { count }) => total + count, 0);
  if (addedCount > 0) {
    await extendLanes(tx, accountId, messageId, lanes);
    await addCounts(tx, accountId, messageId, { audience: addedCount });
    if (state === 'finished') await reopenMessage(tx, accountId, messageId);
    await notifySenders(tx, accountId);
  }
  const skippedRecipients = rows.flatMap(({ id, reason }) =>
    id === null ? [] : [{ subscriberId: id, reason }],
  );
  return { messageId, skipped: [...skippedRecipients, ...unpaid] };
}

/** Returns the recipients whom the credit covers; all of them if the message costs no credit. */
async function reachedBy(
  tx: Tx,
  message: NewMessage,
  messageId: number,
  ids: readonly number[],
  frozen: Frozen | FrozenSmsMessage,
): Promise<{ reached: readonly number[]; unpaid: LeftOut[]; paid?: ReadonlyMap<number, number> }> {
  const credit = findSmsCredit(frozen, message);
  if (!credit) return { reached: ids, unpaid: [] };
  const { paidById, unpaidIds } = await reserveForRecipients(
    tx,
    message.accountId,
    messageId,
    ids,
    {
      ...credit,
      most: Math.max(1, credit.most),
    },
  );
  const unpaid = unpaidIds.map((subscriberId) => ({ subscriberId, reason: 'no_credit' }));
  return { reached: [...paidById.keys()], unpaid, paid: paidById };
}

const haveOwnValues = (
  recipients: StreamRecipients,
): recipients is Exclude<StreamRecipients, readonly number[]> => typeof recipients[0] === 'object';

const asCanceled = (subscriberId: number) => ({ subscriberId, reason: 'cancelled' });

/** Inserts recipients; if some are in the stream already, checks each of them. */
async function join(tx: Tx, joining: Omit<StreamAddition, 'isRepeat'>) {
  try {
    return await inSavepoint(tx, () => insertJoining(tx, { ...joining, isRepeat: false }));
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    return insertJoining(tx, { ...joining, isRepeat: true });
  }
}

async function streamOf(
  tx: Tx,
  message: NewMessage,
  stream: StreamKey,
): Promise<{ messageId: number; frozen: Frozen | FrozenSmsMessage }> {
  const { accountId, kind, sourceId } = message;
  const frozen = await freezeContent(tx, message);
  const streamKey = createHash('sha256')
    .update(JSON.stringify([sourceId, frozen, stream.pass, stream.month]))
    .digest();
  const existingId = await findStream(tx, accountId, kind, streamKey);
  if (existingId !== undefined) return { messageId: existingId, frozen };
  const insertedId = await insertMessage(tx, {
    ...{ accountId, channel: getMessageKindRules(kind).channel, kind, sourceId, frozen, streamKey },
    ...{ state: 'sending', frozenHash: null, audience: {}, at: clock.now() },
  });
  // The stream was not inserted if a concurrent transaction has inserted it.
  const messageId = insertedId ?? (await findStream(tx, accountId, kind, streamKey));
  if (messageId === undefined) throw new Error('The stream was deleted after its insert');
  if (insertedId !== undefined) await finishFreezing(tx, accountId, messageId, frozen);
  return { messageId, frozen };
}

/** Inserts recipients with values as single sends of a shared message. */
async function sendOwnCopies(
  tx: Tx,
  message: NewMessage,
  recipients: Exclude<StreamRecipients, readonly number[]>,
  { pass, month }: StreamKey,
): Promise<{ messageId: number; skipped: LeftOut[] }> {
  const { accountId, kind } = message;
  const { messageId, frozen } = await findOrCreateShared(tx, message, [pass, month]);
  if ((await lockState(tx, accountId, messageId)) === 'cancelled') {
    return {
      messageId,
      skipped: recipients.map((recipient) => asCanceled(recipient.subscriberId)),
    };
  }
  const { priority, permission, channel } = getMessageKindRules(kind);
  const ids = recipients.map((recipient) => recipient.subscriberId);
  const { reached, unpaid, paid } = await reachedBy(tx, message, messageId, ids, frozen);
  const isReached = new Set(reached);
  const copies = recipients
    .filter((recipient) => isReached.has(recipient.subscriberId))
    .map(({ subscriberId, values, key }) => ({
      ...{ subscriberId, values },
      idempotencyKey: `${subscriberId}/${key}`,
    }));
  const excludedRows = await insertSingles(tx, {
    ...{ accountId, messageId, priority, channel, at: clock.now() },
    isMarketing: permission === 'marketing',
    copies,
  });
  if (paid) {
    const reservations = copies.map((copy) => ({
      key: copy.idempotencyKey,
      micros: paid.get(copy.subscriberId) ?? 0,
    }));
    await saveReserved(tx, accountId, messageId, reservations);
    // No credit is needed for recipients who were excluded or already had this copy.
    await releaseAnswered(tx, accountId, messageId);
  }
  await notifySenders(tx, accountId);
  const skippedRecipients = excludedRows.map(({ id, reason }) => ({ subscriberId: id, reason }));
  return { messageId, skipped: [...skippedRecipients, ...unpaid] };
}

/** Sources of streams, such as all steps of a workflow. */
export type Sources = { accountId: number; kind: MessageKind; sourceIds: readonly number[] };

/**
 * Pauses the open streams of these sources. Handoffs stop within about two seconds. Recipients who
 * are added during the pause wait.
 */
export async function pauseStreams(tx: Tx, sources: Sources): Promise<void> {
  for (const messageId of await findStreams(tx, sources, ['preparing', 'sending', 'waiting'])) {
    await pauseMessage(tx, sources.accountId, messageId);
    await suspendSingles(tx, sources.accountId, messageId);
  }
}

/** Resumes the paused streams of these sources. */
export async function resumeStreams(tx: Tx, sources: Sources): Promise<void> {
  for (const messageId of await findStreams(tx, sources, ['paused'])) {
    await resumeMessage(tx, sources.accountId, messageId);
    await releaseSingles(tx, sources.accountId, messageId, clock.now());
  }
}

/**
 * Cancels the open and paused streams of these sources: recipients whose handoff has not started
 * are skipped (`cancelled`).
 */
export async function cancelStreams(tx: Tx, sources: Sources): Promise<void> {
  const openStates = ['preparing', 'sending', 'waiting', 'paused'] as const;
  for (const messageId of await findStreams(tx, sources, openStates)) {
    const { accountId } = sources;
    await cancelMessage(tx, accountId, messageId);
    const canceledSingles = await cancelSingles(tx, accountId, messageId, clock.now());
    const { fresh, deferred } = canceledSingles;
    const lanes = countDeferred(
      deferred.map(({ recipient, mailbox }) => getSingleLane(recipient, mailbox)),
      -1,
    );
    const counts = { audience: fresh, skipped: fresh + deferred.length, lanes };
    await addCounts(tx, accountId, messageId, counts);
    if (sources.kind === 'sms_workflow') await releaseAnswered(tx, accountId, messageId);
  }
}
