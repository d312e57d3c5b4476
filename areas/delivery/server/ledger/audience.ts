// Writes a message's recipients in slices, each in its own transaction. The first slice is small,
// so that sending starts soon. The job can be resumed because the message's row stores the
// progress.
import { z } from 'zod';
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob, JobInterrupted, removeJob } from '#platform/server/jobs/jobs.ts';
import { FIRST_SLICE_RECIPIENTS, SLICE_RECIPIENTS } from '../../shared.ts';
import { getMessageKindRules } from '../../message-kinds.ts';
import { readProviderCaps } from '../caps/provider-caps.ts';
import { messageFinished } from '../events.ts';
import { insertGroupRecipients } from '../groups/group-audience.sql.ts';
import { saveProgressOfGroup } from '../groups/groups.sql.ts';
import { hasWarmUp } from '../warm-up/warm-ups.sql.ts';
import { DAY_MS } from '../warm-up/warm-ups.ts';
import { computeSliceWaves } from '../waves/slice-waves.ts';
import { startWaveFrom } from '../waves/wave-plan.ts';
import {
  type Audience,
  type GrownLane,
  findSliceEnd,
  extendLanes,
  insertRecipients,
  saveProgress,
} from './audience.sql.ts';
import { haltMessage } from './control.ts';
import { refreshLedgerEstimates } from './estimates.sql.ts';
import { waveOfLane } from './lanes.ts';
import {
  addCounts,
  findMessage,
  finishMessage,
  type LedgerMessageRow,
  notifySenders,
} from './messages.sql.ts';
import type { Frozen } from './messages.ts';
import { releaseSms } from './sms-credit.ts';

const ENGAGED_DAYS = 90;

export const writeAudienceJob = defineJob({
  name: 'delivery.write_audience',
  payload: z.object({ accountId: z.number(), messageId: z.number() }),
  run: async ({ accountId, messageId }, { db, signal, progress }) => {
    for (;;) {
      if (signal.aborted) throw new JobInterrupted();
      if (await writeSlice(db, accountId, messageId)) break;
      await progress?.();
      await refreshLedgerEstimates(db, accountId, messageId);
    }
    await inTransaction(db, (tx) => finishWritten(tx, accountId, messageId));
  },
  // When the message is resumed, the job is added again and continues after the written slices.
  onAbandoned: ({ accountId, messageId }, { db }) =>
    inTransaction(db, (tx) => haltMessage(tx, accountId, messageId, 'audience_failed')),
});

/** Returns the key prefix of an account's audience jobs. */
export const audienceKeys = (accountId: number) => `audience:${accountId}:`;

const keyOf = (accountId: number, messageId: number) => `${audienceKeys(accountId)}${messageId}`;

/** Replaces a job whose attempts are used up, which would otherwise stay in the queue. */
export async function replaceAudienceJob(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<void> {
  await removeJob(tx, keyOf(accountId, messageId));
  await addAudienceJob(tx, accountId, messageId);
}

export async function addAudienceJob(tx: Tx, accountId: number, messageId: number): Promise<void> {
  const key = keyOf(accountId, messageId);
  await addJob(tx, writeAudienceJob, { accountId, messageId }, { key });
}

/** Finishes the job's message, or each message that a lead's job writes, if it has no open work. */
async function finishWritten(tx: Tx, accountId: number, messageId: number): Promise<void> {
  const message = await findMessage(tx, accountId, messageId);
  const { split } = (message?.audience ?? {}) as Partial<Audience>;
  for (const id of split?.parts.map((part) => part.messageId) ?? [messageId]) {
    await finishIfComplete(tx, accountId, id);
  }
}

/** Finishes the message if it has no open work; see finishMessage. */
export async function finishIfComplete(
  tx: Tx,
  accountId: number,
  messageId: number,
): Promise<boolean> {
  const at = clock.now();
  const row = await finishMessage(tx, accountId, messageId, at);
  if (!row) return false;
  const { kind, source_id: sourceId } = row;
  if (getMessageKindRules(kind).channel === 'sms') await releaseSms(tx, accountId, messageId);
  await messageFinished.announce(tx, { accountId, messageId, kind, sourceId, at });
  return true;
}

/** Thrown to roll back the transaction of a slice that must not be written. */
class SliceLost extends Error {}

/**
 * Writes one slice in its own transaction; returns true if no slice was left or the message was
 * canceled. The message's row is locked only at the end, so that results, pauses and cancellations
 * do not wait for a slice.
 */
async function writeSlice(db: Db, accountId: number, messageId: number): Promise<boolean> {
  try {
    return await inTransaction(db, (tx) => write(tx, accountId, messageId));
  } catch (error) {
    // The next slice starts from the current state of the message.
    if (error instanceof SliceLost) return false;
    throw error;
  }
}

async function write(tx: Tx, accountId: number, messageId: number): Promise<boolean> {
  const message = await findMessage(tx, accountId, messageId);
  if (!message || message.is_audience_complete || message.state === 'cancelled') return true;
  const after = message.audience_cursor;
  const lastId = await findSliceEnd(
    tx,
    accountId,
    after,
    after === 0 ? FIRST_SLICE_RECIPIENTS : SLICE_RECIPIENTS,
  );
  if (lastId === undefined) {
    await save(tx, message, after, true, []);
    return true;
  }
  const audience = message.audience as Audience;
  const slice = {
    accountId,
    messageId,
    channel: getMessageKindRules(message.kind).channel,
    audience,
    waves: await computeSliceWaves(tx, accountId, audience.waves, { after, lastId }),
    asOf: message.audience_as_of as Date,
    engagedSince: await findEngagedSince(tx, message),
    after,
    lastId,
  };
  const isGroup = slice.audience.split !== undefined;
  const rows = isGroup ? await insertGroupRecipients(tx, slice) : await insertRecipients(tx, slice);
  await save(tx, message, lastId, false, rows);
  return false;
}

/**
 * While the sending domain warms up or has limits at mailbox providers, engaged subscribers are
 * sent to first. Returns the earliest time of the open, click or sign-up that makes a subscriber
 * engaged, or undefined if engaged subscribers are not sent to first.
 */
export async function findEngagedSince(
  tx: Tx,
  message: Pick<LedgerMessageRow, 'account_id' | 'kind' | 'frozen' | 'audience_as_of'>,
): Promise<Date | undefined> {
  if (getMessageKindRules(message.kind).channel !== 'email') return undefined;
  const { source } = message.frozen as Frozen;
  const { account_id: accountId } = message;
  const isWarmingUp = await hasWarmUp(tx, accountId, parseSenderDomain(source.from.email));
  if (!isWarmingUp && (await readProviderCaps(tx, accountId, source.from.email)).size === 0) {
    return undefined;
  }
  return new Date((message.audience_as_of ?? clock.now()).getTime() - ENGAGED_DAYS * DAY_MS);
}

type SliceRow = Awaited<ReturnType<typeof insertRecipients>>[number] & {
  /** In a group, the message that the lane belongs to. */
  message_id?: number | null;
};

async function save(
  tx: Tx,
  message: LedgerMessageRow,
  cursor: number,
  isDone: boolean,
  rows: readonly SliceRow[],
): Promise<void> {
  const excludedCounts: Record<string, number> = {
    ...(message.excluded as Record<string, number>),
  };
  const lanesOf = new Map<number, GrownLane[]>();
  for (const { reason, lane, count, message_id: id } of rows) {
    if (reason) excludedCounts[reason] = (excludedCounts[reason] ?? 0) + count;
    if (lane === null) continue;
    const targetMessage = id ?? message.id;
    lanesOf.set(targetMessage, [
      ...(lanesOf.get(targetMessage) ?? []),
      { lane, count, ...timesOf(message, targetMessage, lane) },
    ]);
  }
  const { account_id: accountId, id: messageId, audience_cursor: after } = message;
  const at = clock.now();
  const addedCount = sumOf(lanesOf.get(messageId));
  const opensAt = firstOpening(lanesOf.get(messageId));
  const progress = {
    after,
    cursor,
    isDone,
    excluded: excludedCounts,
    added: addedCount,
    opensAt,
    at,
  };
  if (!(await saveProgress(tx, accountId, messageId, progress))) throw new SliceLost();
  const { split } = message.audience as Partial<Audience>;
  const otherParts = (split?.parts ?? [])
    .map((otherPart) => otherPart.messageId)
    .filter((id) => id !== messageId);
  if (otherParts.length > 0) {
    const openings = otherParts.map((id) => firstOpening(lanesOf.get(id)));
    const areAdded = otherParts.map((id) => lanesOf.has(id));
    await saveProgressOfGroup(tx, accountId, otherParts, { openings, areAdded, isDone, at });
  }
  // Locks the messages in the order of their IDs, like all code that locks several messages.
  for (const [id, lanes] of [...lanesOf].sort(([a], [b]) => a - b)) {
    await extendLanes(tx, accountId, id, lanes);
    await addCounts(tx, accountId, id, { audience: sumOf(lanes) });
  }
  if (lanesOf.size > 0) await notifySenders(tx, accountId);
}

const sumOf = (lanes: readonly { count: number }[] = []) =>
  lanes.reduce((total, { count }) => total + count, 0);

/**
 * Returns the earliest opening of the lanes; undefined without lanes, and if a lane is always open.
 */
function firstOpening(lanes: readonly GrownLane[] = []): Date | undefined {
  const firstTime = Math.min(...lanes.map(({ opensAt }) => opensAt?.getTime() ?? -Infinity));
  return Number.isFinite(firstTime) ? new Date(firstTime) : undefined;
}

/**
 * Returns when a lane opens and closes. Without a variant that starts later, these are the times of
 * the lane's wave. Otherwise the lane opens at the variant's start at the earliest; if its wave
 * closes before that, the wave is rescheduled for this variant.
 */
function timesOf(
  { audience }: LedgerMessageRow,
  messageId: number,
  lane: number,
): Pick<GrownLane, 'opensAt' | 'closesAt'> {
  const { waves, split } = audience as Partial<Audience>;
  const part = split?.parts.find((part) => part.messageId === messageId);
  const starts = part?.opens ? new Date(part.opens) : undefined;
  const wave = waves?.waves[waveOfLane(lane)];
  if (!waves || !wave) return starts ? { opensAt: starts } : {};
  return startWaveFrom(waves.rule, wave, starts);
}
