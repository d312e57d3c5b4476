// Starts the messages of a group: first all variants of an experiment, and after the decision the
// message to the remaining recipients. A subscriber is in at most one message of a group, so unique
// counts of its messages can be added up.
import { BUCKET_COUNT, type BucketRange } from '#areas/experiments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { type LeadId, toMessageId } from '../../lead-id.ts';
import { getMessageKindRules } from '../../message-kinds.ts';
import type { Audience } from '../ledger/audience.sql.ts';
import { addAudienceJob } from '../ledger/audience.ts';
import { findMessage, insertMessage } from '../ledger/messages.sql.ts';
import {
  findSmsCredit,
  finishFreezing,
  freezeContent,
  type NewMessage,
  findOpening,
} from '../ledger/messages.ts';
import { reserveForAudience } from '../ledger/sms-credit.ts';
import { pauseMessage } from '../ledger/control.ts';
import type { WavePlan } from '../waves/wave-plan.ts';
import { createGroup, lockGroup } from './groups.sql.ts';

export type GroupPart = {
  message: NewMessage;
  range: BucketRange;
  /** Set if the message starts later than the others. */
  opensAt?: Date | undefined;
};
export type GroupPlan = {
  salt: string;
  /** The messages; the first one becomes the lead. */
  parts: readonly GroupPart[];
  holdout: BucketRange;
};

/**
 * Starts messages that divide an audience among them; the lead's job writes the recipients of all.
 * @throws ContentError, `sender_not_verified`, `not_enough_credit`
 */
export async function startGroup(
  tx: Tx,
  { salt, parts, holdout }: GroupPlan,
  audience: Audience,
): Promise<{ messageIds: number[] }> {
  const accountId = parts[0]?.message.accountId as number;
  const at = clock.now();
  const messageIds: number[] = [];
  for (const { message, opensAt } of parts) {
    messageIds.push(await insertPart(tx, message, audience, { at, asOf: at, opensAt }));
  }
  const ranges = parts.map(({ range }) => range);
  const split = {
    parts: parts.map(({ range, opensAt }, index) => ({
      ...range,
      messageId: messageIds[index] as number,
      ...(opensAt && { opens: opensAt.toISOString() }),
    })),
    holdout,
  };
  const audiences = new Map<number, Audience>(
    messageIds.map((id, index) => [
      id,
      { ...partOf(audience, salt, [ranges[index] as BucketRange]), isWrittenByLead: true },
    ]),
  );
  const lead = messageIds[0] as number;
  const fullRange = partOf(audience, salt, [...ranges, holdout]);
  audiences.set(lead, { ...fullRange, split });
  await createGroup(tx, accountId, lead, audiences);
  await addAudienceJob(tx, accountId, lead);
  for (const [index, { message, range }] of parts.entries()) {
    await reservePart(tx, message, messageIds[index] as number, partOf(audience, salt, [range]));
  }
  return { messageIds };
}

/**
 * Starts the message to the remaining recipients. It has the lead's audience as of the lead's
 * start, so subscribers added since then get no copy. The audience's subscriber groups are read
 * again, so subscribers who have left them since then get no copy either.
 */
export async function startRemainingMessage(
  tx: Tx,
  options: {
    lead: LeadId;
    message: NewMessage;
    range: BucketRange;
    /** Waves planned again for the time from the decision on. */
    waves: WavePlan | undefined;
    /** The winning send time, if send times were tested. */
    opensAt: Date | undefined;
  },
): Promise<{ messageId: number }> {
  const { message, range, waves, opensAt } = options;
  const lead = toMessageId(options.lead);
  const { accountId } = message;
  const group = await lockGroup(tx, accountId, lead);
  const leadMessage = await findMessage(tx, accountId, lead);
  if (!leadMessage?.audience_as_of) throw notFound();
  const { places, split: _, waves: __, ...audience } = leadMessage.audience as Audience;
  const audienceWithWaves = waves ? { ...audience, waves } : audience;
  const remainder = partOf(audienceWithWaves, places?.salt ?? '', [range]);
  const at = clock.now();
  const times = { at, asOf: leadMessage.audience_as_of };
  const messageId = await insertPart(tx, message, remainder, { ...times, groupOf: lead, opensAt });
  if (opensAt) {
    const messagePart = { ...range, messageId, opens: opensAt.toISOString() };
    const split = { parts: [messagePart], holdout: NO_BUCKETS };
    await createGroup(tx, accountId, lead, new Map([[messageId, { ...remainder, split }]]));
  }
  await addAudienceJob(tx, accountId, messageId);
  await reservePart(tx, message, messageId, remainder);
  await pauseWithGroup(tx, accountId, group);
  return { messageId };
}

const NO_BUCKETS = { from: BUCKET_COUNT, to: BUCKET_COUNT };

const partOf = (audience: Audience, salt: string, ranges: readonly BucketRange[]): Audience => ({
  ...audience,
  places: { salt, ranges },
});

async function insertPart(
  tx: Tx,
  message: NewMessage,
  audience: Audience,
  times: { at: Date; asOf: Date; groupOf?: number; opensAt?: Date | undefined },
): Promise<number> {
  const { accountId, kind, sourceId } = message;
  const frozen = await freezeContent(tx, message);
  const credit = findSmsCredit(frozen, message);
  if (credit && 'text' in frozen) frozen.credit = credit;
  const messageId = (await insertMessage(tx, {
    ...{ accountId, kind, sourceId, frozen, audience },
    ...{ ...times, opensAt: latest(times.opensAt, findOpening(audience)) },
    channel: getMessageKindRules(kind).channel,
    state: 'preparing',
    frozenHash: null,
  })) as number;
  await finishFreezing(tx, accountId, messageId, frozen);
  return messageId;
}

const latest = (a: Date | undefined, b: Date | undefined) => (a && b ? (a > b ? a : b) : (a ?? b));

async function reservePart(tx: Tx, message: NewMessage, messageId: number, audience: Audience) {
  const { accountId } = message;
  const row = await findMessage(tx, accountId, messageId);
  const credit = row && findSmsCredit(row.frozen as Parameters<typeof findSmsCredit>[0], message);
  if (credit) await reserveForAudience(tx, { accountId, messageId, audience }, credit);
}

/** Pauses the new message like its group, if a message of the group is paused. */
async function pauseWithGroup(tx: Tx, accountId: number, group: readonly number[]): Promise<void> {
  for (const id of group) {
    const message = await findMessage(tx, accountId, id);
    if (message?.state !== 'paused') continue;
    await pauseMessage(
      tx,
      accountId,
      id,
      message.state_reason ?? 'owner',
      message.state_details ?? undefined,
    );
    return;
  }
}
