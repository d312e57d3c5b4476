// Lists replies to SMS campaigns and sends users' responses: from the number that got the reply,
// not to people who opted out, and not during quiet hours unless the last reply is recent.
import { measure, MAX_PARTS } from '#areas/content/text-parts.ts';
import { readAnswers, sendOne } from '#areas/delivery/server/ledger/index.ts';
import { findSuppressedOn } from '#areas/subscribers/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import { generateSecret } from '#platform/server/secrets.ts';
import type { SmsReply } from '../contract.ts';
import { findDelayEnd, listZoneRules } from './hours.ts';
import { countReplies, findReply } from './inbound.sql.ts';
import { maySendFrom } from './phone-owners.ts';
import { findPhone, type PhoneRow } from './phones.sql.ts';
import { listReplies } from './report.sql.ts';
import { findReportMessages, presentSubscriber } from './report.ts';

const sumCounts = (counts: ReadonlyMap<number, number>) =>
  [...counts.values()].reduce((total, count) => total + count, 0);
const CHANNELS = ['sms', 'tsms'] as const;
/** Replies newer than this may be answered at any hour because their authors expect a response. */
const RECENT_MS = 24 * 60 * 60_000;

/** @throws `phone_not_active`, `recipient_opted_out`, `quiet_hours_now`, `not_enough_credit` */
export async function answerReply(
  tx: Tx,
  accountId: number,
  { campaignId, replyId, text }: { campaignId: number; replyId: number; text: string },
): Promise<{ parts: number }> {
  const messageIds = await findReportMessages(tx, accountId, campaignId);
  const reply = await findReply(tx, accountId, messageIds, replyId);
  if (!reply) throw notFound();
  const phone =
    reply.phone_id === null ? undefined : await findPhone(tx, accountId, reply.phone_id);
  if (!phone || !(await maySendFrom(tx, accountId, phone))) throw new AppError('phone_not_active');
  if ((await findOptedOut(tx, accountId, [reply.sender])).has(reply.sender)) {
    throw new AppError('recipient_opted_out');
  }
  const now = clock.now();
  const isRecent = now.getTime() - reply.last_at.getTime() < RECENT_MS;
  if (!isRecent && findDelayEnd(listZoneRules(reply.sender, reply), now)) {
    throw new AppError('quiet_hours_now');
  }
  const { parts } = measure(text);
  if (parts > MAX_PARTS) throw invalid({ text: ['errors.text_too_long'] });
  const source = answerSms(phone);
  await sendOne(tx, {
    ...{ accountId, kind: 'sms_answer', sourceId: reply.id, text: source },
    ...{ recipient: reply.sender, subscriberId: reply.subscriber_id ?? undefined },
    ...{ values: { answer: text }, idempotencyKey: generateSecret() },
  });
  return { parts };
}

/**
 * Returns the source of a response, which is sent as the user wrote it: without prefix, merge tags
 * and tracked links.
 */
const answerSms = ({ value }: PhoneRow) => ({
  ...{ from: value, isName: false, publicUrl: '', title: '' },
  words: {
    ...{ prefix: null, text: '{{answer}}', ending: null, plainQuotes: true },
    ...{ locale: 'en', campaign: null },
  },
});

async function findOptedOut(
  tx: Tx,
  accountId: number,
  numbers: readonly string[],
): Promise<Set<string>> {
  const suppressed = await findSuppressedOn(tx, accountId, CHANNELS, numbers);
  return new Set([...suppressed.values()].flatMap((reasons) => [...reasons.keys()]));
}

/** Lists the replies to a campaign and the responses to them, newest first. */
export async function listSmsReplies(
  tx: Tx,
  accountId: number,
  campaignId: number,
  list: ListRequest<'created'>,
) {
  const messageIds = await findReportMessages(tx, accountId, campaignId);
  const page = await buildListResponse(
    list,
    {
      rows: (slice) => listReplies(tx, accountId, messageIds, slice),
      total: async () => sumCounts(await countReplies(tx, accountId, messageIds)),
    },
    (row) => row,
  );
  const senders = [...new Set(page.data.map(({ phone }) => phone ?? ''))];
  const optedOut = await findOptedOut(tx, accountId, senders);
  const phones = new Map<number, { value: string; isUsable: boolean }>();
  for (const id of new Set(page.data.flatMap((row) => row.phone_id ?? []))) {
    const phone = await findPhone(tx, accountId, id);
    const isUsable = await maySendFrom(tx, accountId, phone);
    if (phone) phones.set(id, { value: phone.value, isUsable });
  }
  const ids = page.data.map(({ id }) => id);
  const answersByReply = Map.groupBy(
    await readAnswers(tx, accountId, ids),
    (row) => row.inbound_id,
  );
  const data = page.data.map((row): SmsReply => {
    const phone = row.phone_id === null ? undefined : phones.get(row.phone_id);
    return {
      ...presentSubscriber(row),
      id: encodeId('sms_inbound', row.id),
      sender: phone?.value ?? '',
      may_answer: phone?.isUsable === true && !!row.phone && !optedOut.has(row.phone),
      answers: (answersByReply.get(row.id) ?? []).map(({ text, state, created_at: at }) => ({
        ...{ text, state, at: at.toISOString() },
      })),
    };
  });
  return { ...page, data };
}
