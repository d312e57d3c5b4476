// Processes incoming SMS. STOP and its synonyms unsubscribe from marketing and transactional SMS,
// also if the number belongs to no subscriber. START undoes a subscriber's opt-out, and HELP is
// answered with the opt-out text. A repeated event has no further effect.

import { readAccount } from '#areas/accounts/server/index.ts';
import { lastSmsTo, sendOne } from '#areas/delivery/server/ledger/index.ts';
import {
  findSubscriber,
  parsePhone,
  findPhoneCountry,
  reactivate,
  suppress,
  findSuppressedOn,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { NodeAway } from '#platform/server/database/across-accounts.sql.ts';
import { cleanValue, cutText } from '#platform/server/clean-text.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import { hint } from '#platform/server/live/live.ts';
import { serverTexts } from '#platform/server/texts.ts';
import { keywordOf } from '../keywords.ts';
import type { FrozenSms } from './channel.ts';
import { smsReplied } from './events.ts';
import { insertInbound } from './inbound.sql.ts';
import { normalizeNumber, findReceivingPhone } from './inbound-number.ts';
import type { OwnedPhone } from './phone-owners.sql.ts';
import { phonesByValue } from './phones.sql.ts';
import { knownLanguage, readSmsTexts } from './settings.ts';

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
 * @throws NodeAway if accounts with the number could not be read, so that the provider must repeat
 * the call
 */
export async function ingestInbound(
  db: Db,
  received: Inbound,
  onlyAccountId?: number,
): Promise<string | undefined> {
  const inbound = cleanValue(received);
  const event = {
    ...inbound,
    from: cutText(inbound.from, MAX_NUMBER_LENGTH),
    to: cutText(inbound.to, MAX_NUMBER_LENGTH),
    text: cutText(inbound.text, MAX_TEXT_LENGTH),
    eventId: cutText(inbound.eventId, MAX_EVENT_LENGTH),
  };
  const owner = await findReceivingPhone(db, event.to, onlyAccountId);
  if (owner) return inTransaction(db, (tx) => ingestAsOwner(tx, owner, event));
  if (onlyAccountId === undefined && keywordOf(event.text) === 'stop') await optOutOfAll(db, event);
  return undefined;
}

async function ingestAsOwner(
  tx: Tx,
  phone: OwnedPhone,
  inbound: Inbound,
): Promise<string | undefined> {
  const sender = await senderOf(tx, phone, inbound.from);
  const answer = await ingestFor(tx, phone, sender, inbound);
  if (answer) await sendReply(tx, phone, phone.value, { ...answer, to: sender });
  return answer?.words;
}

/**
 * Returns the sender's number in E.164. SMPP centers and networks may omit the country code if it is that
 * of the receiving number.
 */
async function senderOf(tx: Tx, phone: OwnedPhone, from: string): Promise<string> {
  const country =
    findPhoneCountry(phone.value) ?? (await readAccount(tx, phone.account_id)).country;
  const number = parsePhone(from, country ?? undefined);
  return typeof number === 'string' ? from : number.phone;
}

/**
 * Applies an opt-out to every account that has added the number. Since none of them owns it, they do not
 * see what the SMS said.
 */
async function optOutOfAll(db: Db, inbound: Inbound): Promise<void> {
  const { rows, isWhole } = await phonesByValue(db, normalizeNumber(inbound.to));
  for (const phone of rows) {
    await inTransaction(db, async (tx) => {
      const unownedPhone = { ...phone, value: normalizeNumber(inbound.to), proof: null };
      const sender = await senderOf(tx, unownedPhone, inbound.from);
      await ingestFor(tx, unownedPhone, sender, { ...inbound, text: 'STOP' });
    });
  }
  if (!isWhole) throw new NodeAway();
}

async function ingestFor(
  tx: Tx,
  phone: OwnedPhone,
  sender: string,
  { text, eventId, at }: Inbound,
): Promise<Reply | undefined> {
  const { account_id: accountId } = phone;
  const keyword = keywordOf(text);
  const person = await findSubscriber(tx, accountId, { phone: sender });
  const message = person ? await lastSmsTo(tx, accountId, person.id) : undefined;
  const id = await insertInbound(tx, {
    account_id: accountId,
    event_id: eventId,
    phone_id: phone.id,
    sender,
    subscriber_id: person?.id ?? null,
    text,
    keyword: keyword ?? null,
    message_id: message?.messageId ?? null,
    received_at: at,
  });
  if (id === undefined) return undefined;
  await smsReplied.announce(tx, {
    accountId,
    subscriberId: person?.id ?? null,
    messageId: message?.messageId ?? null,
    from: sender,
    text,
    at,
  });
  if (message?.sourceId && message.kind === 'sms_campaign') {
    hint(tx, accountId, 'sms', message.sourceId);
  }
  const words = await answerTo(tx, phone, sender, person?.id, {
    keyword,
    messageId: message?.messageId,
  });
  return words === undefined ? undefined : { words, eventId, personId: person?.id };
}

/** Applies a keyword. Returns the automatic response, which begins with the account's title. */
async function answerTo(
  tx: Tx,
  phone: OwnedPhone,
  sender: string,
  personId: number | undefined,
  { keyword, messageId }: { keyword: ReturnType<typeof keywordOf>; messageId: number | undefined },
): Promise<string | undefined> {
  const { account_id: accountId } = phone;
  const { title, language } = await readAccount(tx, accountId);
  const t = serverTexts('sms', knownLanguage(language));
  const named = (reply: string) => (title === '' ? reply : `${title}: ${reply}`);
  if (keyword === 'stop') {
    const isNews = await leave(tx, accountId, sender, personId, messageId);
    return !isNews || phone.kind === 'toll_free' ? undefined : named(t('keywords.stopped'));
  }
  if (keyword === 'start' && personId !== undefined) {
    const reactivated = await reactivateSms(tx, accountId, personId);
    const optOut = t('defaults.optOut');
    if (reactivated.has('sms')) return named(t('keywords.subscribed', { optOut }));
    return reactivated.has('tsms') ? named(t('keywords.reachable', { optOut })) : undefined;
  }
  if (keyword === 'help') {
    const { optOut } = await readSmsTexts(tx, accountId);
    return named(`${optOut}.`);
  }
  return undefined;
}

type Reply = { words: string; eventId: string; personId: number | undefined };

/** Sends an automatic response as a single send, so that the account can see it. */
async function sendReply(
  tx: Tx,
  phone: OwnedPhone,
  from: string,
  { words: replySms, eventId, personId, to }: Reply & { to: string },
): Promise<void> {
  const text: FrozenSms = {
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
      subscriberId: personId,
      values: { reply: replySms },
      idempotencyKey: eventId,
    },
  });
}

/**
 * Unsubscribes a subscriber or number from both kinds of SMS. Returns whether it was not unsubscribed
 * before, since only the first opt-out is confirmed.
 */
export async function leave(
  tx: Tx,
  accountId: number,
  sender: string,
  subscriberId: number | undefined,
  messageId: number | undefined,
): Promise<boolean> {
  const before = await findSuppressedOn(tx, accountId, CHANNELS, [sender]);
  let isNews = false;
  for (const channel of CHANNELS) {
    const by = messageId === undefined ? {} : { messageId };
    isNews ||= before.get(channel)?.get(sender) !== 'unsubscribed';
    if (subscriberId === undefined) {
      await suppress(tx, accountId, [sender], { channel, reason: 'unsubscribed', ...by });
    } else {
      const people = { subscriberIds: [subscriberId] };
      const unsubscribed = await unsubscribe(tx, accountId, people, {
        channel,
        reason: 'stop',
        ...by,
      });
      isNews ||= unsubscribed.length > 0;
    }
  }
  return isNews;
}

/** Undoes opt-outs, and returns the channels in which the subscriber is active again. */
async function reactivateSms(
  tx: Tx,
  accountId: number,
  subscriberId: number,
): Promise<Set<(typeof CHANNELS)[number]>> {
  const people = { subscriberIds: [subscriberId] };
  const restored = new Set<(typeof CHANNELS)[number]>();
  for (const channel of CHANNELS) {
    const consent = { source: 'sms_reply', wording: 'START' };
    // START does not count as a first consent to marketing.
    const isReturnOnly = channel === 'sms';
    const { reactivated } = await reactivate(tx, accountId, people, {
      ...{ channel, consent, isReturnOnly },
    });
    if (reactivated.length > 0) restored.add(channel);
  }
  return restored;
}
