// Writes a message's recipients in committed slices: the first one small, so that sending begins at
// once; resumable, since the message's row stores the progress.
import { z } from 'zod';
import { domainOf } from '#areas/domains/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addJob, defineJob, JobInterrupted } from '#platform/server/jobs/jobs.ts';
import { FIRST_SLICE, SLICE } from '../../shared.ts';
import { factsOf } from '../../message-kinds.ts';
import { messageFinished } from '../events.ts';
import { hasWarmUp } from '../warm-up/warm-ups.sql.ts';
import { DAY_MS } from '../warm-up/warm-ups.ts';
import { wavesOfSlice } from '../waves/slice-waves.ts';
import {
  type Audience,
  type GrownLane,
  findSliceEnd,
  growLanes,
  insertRecipients,
  saveProgress,
} from './audience.sql.ts';
import { halt } from './control.ts';
import { refreshLedgerEstimates } from './estimates.sql.ts';
import { waveOfLane } from './lanes.ts';
import {
  addCounts,
  findMessage,
  finishMessage,
  type MessageRow,
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
    await inTransaction(db, (tx) => finishIfDone(tx, accountId, messageId));
  },
  // The written slices remain; a resume adds the job again.
  onAbandoned: ({ accountId, messageId }, { db }) =>
    inTransaction(db, (tx) => halt(tx, accountId, messageId, 'audience_failed')),
});

/** Prefix of the keys of an account's jobs. */
export const audienceKeys = (accountId: number) => `audience:${accountId}:`;

export async function addAudienceJob(tx: Tx, accountId: number, messageId: number): Promise<void> {
  const key = `${audienceKeys(accountId)}${messageId}`;
  await addJob(tx, writeAudienceJob, { accountId, messageId }, { key });
}

/** Finishes the message without open work; see finishMessage. */
export async function finishIfDone(tx: Tx, accountId: number, messageId: number): Promise<boolean> {
  const at = clock.now();
  const row = await finishMessage(tx, accountId, messageId, at);
  if (!row) return false;
  const { kind, source_id: sourceId } = row;
  if (factsOf(kind).channel === 'sms') await releaseSms(tx, accountId, messageId);
  await messageFinished.announce(tx, { accountId, messageId, kind, sourceId, at });
  return true;
}

/** The written slice no longer counts: its transaction is rolled back. */
class SliceLost extends Error {}

/**
 * Writes one slice in a separate transaction; true once the audience is complete. The message's
 * row is read without a lock and locked only at the end: results, pauses and a cancel do not wait
 * for a slice.
 */
async function writeSlice(db: Db, accountId: number, messageId: number): Promise<boolean> {
  try {
    return await inTransaction(db, (tx) => write(tx, accountId, messageId));
  } catch (error) {
    // The next slice starts from the present state of the message.
    if (error instanceof SliceLost) return false;
    throw error;
  }
}

async function write(tx: Tx, accountId: number, messageId: number): Promise<boolean> {
  const message = await findMessage(tx, accountId, messageId);
  if (!message || message.is_audience_complete || message.state === 'cancelled') return true;
  const after = message.audience_cursor;
  const upto = await findSliceEnd(tx, accountId, after, after === 0 ? FIRST_SLICE : SLICE);
  if (upto === undefined) {
    await save(tx, message, after, true, []);
    return true;
  }
  const audience = message.audience as Audience;
  const rows = await insertRecipients(tx, {
    accountId,
    messageId,
    channel: factsOf(message.kind).channel,
    audience,
    waves: await wavesOfSlice(tx, accountId, audience.waves, { after, upto }),
    asOf: message.audience_as_of as Date,
    engagedSince: await engagedSince(tx, message),
    after,
    upto,
  });
  await save(tx, message, upto, false, rows);
  return false;
}

/** Engaged subscribers go first while the sending domain warms up. */
export async function engagedSince(
  tx: Tx,
  message: Pick<MessageRow, 'account_id' | 'kind' | 'frozen' | 'audience_as_of'>,
): Promise<Date | undefined> {
  if (factsOf(message.kind).channel !== 'email') return undefined;
  const { source } = message.frozen as Frozen;
  if (!(await hasWarmUp(tx, message.account_id, domainOf(source.from.email)))) return undefined;
  return new Date((message.audience_as_of ?? clock.now()).getTime() - ENGAGED_DAYS * DAY_MS);
}

async function save(
  tx: Tx,
  message: MessageRow,
  cursor: number,
  isDone: boolean,
  rows: Awaited<ReturnType<typeof insertRecipients>>,
): Promise<void> {
  const excluded: Record<string, number> = { ...(message.excluded as Record<string, number>) };
  let added = 0;
  for (const { reason, count } of rows) {
    if (reason) excluded[reason] = (excluded[reason] ?? 0) + count;
    else added += count;
  }
  const { account_id: accountId, id: messageId, audience_cursor: after } = message;
  const at = clock.now();
  const lanes = rows.flatMap(({ lane, count }) =>
    lane === null ? [] : [{ lane, count, ...timesOf(message, lane) }],
  );
  const opensAt = lanes
    .map((lane) => lane.opensAt)
    .reduce<Date | undefined>(
      (first, one) => (first && one && first < one ? first : one),
      undefined,
    );
  const progress = { after, cursor, isDone, excluded, added, opensAt, at };
  if (!(await saveProgress(tx, accountId, messageId, progress))) throw new SliceLost();
  if (added === 0) return;
  await growLanes(tx, accountId, messageId, lanes);
  await addCounts(tx, accountId, messageId, { audience: added });
  await notifySenders(tx, accountId);
}

/** Opening and closing of the wave of a lane. */
function timesOf({ audience }: MessageRow, lane: number): Pick<GrownLane, 'opensAt' | 'closesAt'> {
  const wave = (audience as Partial<Audience>).waves?.waves[waveOfLane(lane)];
  if (!wave) return {};
  const closesAt = wave.closes === null ? undefined : new Date(wave.closes);
  return { opensAt: new Date(wave.opens), closesAt };
}
