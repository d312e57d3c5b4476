// Processes incoming SMS. STOP and its synonyms unsubscribe from marketing and transactional SMS,
// even if the number belongs to no subscriber. START undoes a subscriber's opt-out, and HELP is
// answered with the opt-out text. A repeated event has no further effect.

import { readAccount } from '#areas/accounts/server/index.ts';
import { findLastSmsTo, sendOne } from '#areas/delivery/server/ledger/index.ts';
import {
  findSubscriber,
  parsePhone,
  findPhoneCountry,
  reactivate,
  suppress,
  findSuppressedOn,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { NodeUnreachableError } from '#platform/server/database/across-accounts.sql.ts';
import { cleanValue, cutText } from '#platform/server/clean-text.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { sendChangeHint } from '#platform/server/live/live.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { parseKeyword } from '../keywords.ts';
import type { FrozenSmsText } from './channel.ts';
import { smsReplied } from './events.ts';
import { insertInbound } from './inbound.sql.ts';
import { normalizeNumber, findReceivingPhone } from './inbound-number.ts';
import type { OwnedPhone } from './phone-owners.sql.ts';
import { findPhonesByValue } from './phones.sql.ts';
import { toKnownLanguage, readSmsTexts } from './settings.ts';

export type Inbound = { from: string; to: string; text: string; eventId: string; at: Date };

const MAX_TEXT_LENGTH = 1_600;
const MAX_NUMBER_LENGTH = 64;
const MAX_EVENT_LENGTH = 255;
const CHANNELS = ['sms', 'tsms'] as const;

/**
 * Processes an incoming SMS for the owner of the number. Returns the text of the automatic
 * response, if one is sent. For a number without an owner, only opt-outs are processed, for all
 * accounts that have added it.
 * @param onlyAccountId the account whose own provider delivered the SMS, which affects no other
 * account
 * @throws NodeUnreachableError if accounts with the number could not be read, so that the provider
 * must repeat the call
 */
export async function ingestInbound(
  db: Db,
  inboundSms: Inbound,
  onlyAccountId?: number,
): Promise<string | undefined> {
  const inbound = cleanValue(inboundSms);
  const event = {
    ...inbound,
    from: cutText(inbound.from, MAX_NUMBER_LENGTH),
    to: cutText(inbound.to, MAX_NUMBER_LENGTH),
    text: cutText(inbound.text, MAX_TEXT_LENGTH),
    eventId: cutText(inbound.eventId, MAX_EVENT_LENGTH),
  };
  const owner = await findReceivingPhone(db, event.to, onlyAccountId);
  if (owner) return inTransaction(db, (tx) => ingestAsOwner(tx, owner, event));
  if (onlyAccountId === undefined && parseKeyword(event.text) === 'stop')
    await optOutEverywhere(db, event);
  return undefined;
}

async function ingestAsOwner(
  tx: Tx,
  phone: OwnedPhone,
  inbound: Inbound,
): Promise<string | undefined> {
  const sender = await resolveSender(tx, phone, inbound.from);
  const reply = await ingestSms(tx, phone, sender, inbound);
  if (reply) await sendReply(tx, phone, phone.value, { ...reply, to: sender });
  return reply?.text;
}

/**
 * Returns the sender's number in E.164. SMPP centers and networks may omit the country code if the
 * receiving number has the same one.
 */
async function resolveSender(tx: Tx, phone: OwnedPhone, from: string): Promise<string> {
  const country =
    findPhoneCountry(phone.value) ?? (await readAccount(tx, phone.account_id)).country;
  const number = parsePhone(from, country ?? undefined);
  return typeof number === 'string' ? from : number.phone;
}

/**
 * Applies an opt-out to every account that has added the number. None of them owns it, so the text
 * of the SMS is not stored.
 */
async function optOutEverywhere(db: Db, inbound: Inbound): Promise<void> {
  const { rows, isComplete } = await findPhonesByValue(db, normalizeNumber(inbound.to));
  for (const phone of rows) {
    await inTransaction(db, async (tx) => {
      const unownedPhone = { ...phone, value: normalizeNumber(inbound.to), proof: null };
      const sender = await resolveSender(tx, unownedPhone, inbound.from);
      await ingestSms(tx, unownedPhone, sender, { ...inbound, text: 'STOP' });
    });
  }
  if (!isComplete) throw new NodeUnreachableError();
}

async function ingestSms(
  tx: Tx,
  phone: OwnedPhone,
  sender: string,
  { text, eventId, at }: Inbound,
): Promise<Reply | undefined> {
  const { account_id: accountId } = phone;
  const keyword = parseKeyword(text);
  const subscriber = await findSubscriber(tx, accountId, { phone: sender });
  const message = subscriber ? await findLastSmsTo(tx, accountId, subscriber.id) : undefined;
  const id = await insertInbound(tx, {
    account_id: accountId,
    event_id: eventId,
    phone_id: phone.id,
    sender,
    subscriber_id: subscriber?.id ?? null,
    text,
    keyword: keyword ?? null,
    message_id: message?.messageId ?? null,
    received_at: at,
  });
  if (id === undefined) return undefined;
  await smsReplied.announce(tx, {
    accountId,
    subscriberId: subscriber?.id ?? null,
    messageId: message?.messageId ?? null,
    from: sender,
    text,
    at,
  });
  if (message?.sourceId && message.kind === 'sms_campaign') {
    sendChangeHint(tx, accountId, 'sms', message.sourceId);
  }
  const replyText = await applyKeyword(tx, phone, sender, subscriber?.id, {
    keyword,
    messageId: message?.messageId,
  });
  return replyText === undefined
    ? undefined
    : { text: replyText, eventId, subscriberId: subscriber?.id };
}

/** Applies a keyword. Returns the automatic response, which begins with the account's title. */
async function applyKeyword(
  tx: Tx,
  phone: OwnedPhone,
  sender: string,
  subscriberId: number | undefined,
  {
    keyword,
    messageId,
  }: { keyword: ReturnType<typeof parseKeyword>; messageId: number | undefined },
): Promise<string | undefined> {
  const { account_id: accountId } = phone;
  const { title, language } = await readAccount(tx, accountId);
  const t = serverTexts('sms', toKnownLanguage(language));
  const addTitle = (reply: string) => (title === '' ? reply : `${title}: ${reply}`);
  if (keyword === 'stop') {
    const isFirst = await optOut(tx, accountId, sender, subscriberId, messageId);
    return !isFirst || phone.kind === 'toll_free' ? undefined : addTitle(t('keywords.stopped'));
  }
  if (keyword === 'start' && subscriberId !== undefined) {
    const reactivatedChannels = await reactivateSms(tx, accountId, subscriberId);
    const optOut = t('defaults.optOut');
    if (reactivatedChannels.has('sms')) return addTitle(t('keywords.subscribed', { optOut }));
    return reactivatedChannels.has('tsms')
      ? addTitle(t('keywords.reachable', { optOut }))
      : undefined;
  }
  if (keyword === 'help') {
    const { optOut } = await readSmsTexts(tx, accountId);
    return addTitle(`${optOut}.`);
  }
  return undefined;
}

type Reply = { text: string; eventId: string; subscriberId: number | undefined };

/** Sends an automatic response as a single send so that the account can see it. */
async function sendReply(
  tx: Tx,
  phone: OwnedPhone,
  from: string,
  { text: replySms, eventId, subscriberId, to }: Reply & { to: string },
): Promise<void> {
  const text: FrozenSmsText = {
    ...{ from, isName: false, publicUrl: '', title: replySms },
    words: {
      ...{ prefix: null, text: '{{reply}}', ending: null, plainQuotes: true },
      ...{ locale: 'en', campaign: null },
    },
  };
  await sendOne(tx, {
    ...{ accountId: phone.account_id, kind: 'sms_reply', sourceId: phone.id, text },
    ...{
      recipient: to,
      subscriberId,
      values: { reply: replySms },
      idempotencyKey: eventId,
    },
  });
}

/**
 * Unsubscribes a subscriber or number from both kinds of SMS. Returns whether this changed
 * anything, because only the first opt-out is confirmed.
 */
export async function optOut(
  tx: Tx,
  accountId: number,
  sender: string,
  subscriberId: number | undefined,
  messageId: number | undefined,
): Promise<boolean> {
  const suppressedBefore = await findSuppressedOn(tx, accountId, CHANNELS, [sender]);
  let isFirst = false;
  for (const channel of CHANNELS) {
    const messageColumns = messageId === undefined ? {} : { messageId };
    isFirst ||= suppressedBefore.get(channel)?.get(sender) !== 'unsubscribed';
    if (subscriberId === undefined) {
      await suppress(tx, accountId, [sender], {
        channel,
        reason: 'unsubscribed',
        ...messageColumns,
      });
    } else {
      const selection = { subscriberIds: [subscriberId] };
      const unsubscribedIds = await unsubscribe(tx, accountId, selection, {
        channel,
        reason: 'stop',
        ...messageColumns,
      });
      isFirst ||= unsubscribedIds.length > 0;
    }
  }
  return isFirst;
}

/** Undoes opt-outs and returns the channels where the subscriber is active again. */
async function reactivateSms(
  tx: Tx,
  accountId: number,
  subscriberId: number,
): Promise<Set<(typeof CHANNELS)[number]>> {
  const selection = { subscriberIds: [subscriberId] };
  const restoredChannels = new Set<(typeof CHANNELS)[number]>();
  for (const channel of CHANNELS) {
    const consent = { source: 'sms_reply', wording: 'START' };
    // START is not a first consent to marketing.
    const isReturnOnly = channel === 'sms';
    const { reactivated: reactivatedChannels } = await reactivate(tx, accountId, selection, {
      ...{ channel, consent, isReturnOnly },
    });
    if (reactivatedChannels.length > 0) restoredChannels.add(channel);
  }
  return restoredChannels;
}
