// What people write back. STOP and its kin close both kinds of texts at once, for strangers too; START brings
// back whoever left by a text. Told twice it has its effect once.

import { readAccount } from '#areas/accounts/server/index.ts';
import { lastTextTo, sendOne } from '#areas/delivery/server/index.ts';
import {
  findSubscriber,
  parsePhone,
  reactivate,
  suppress,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import { NodeAway } from '#platform/server/across-accounts.sql.ts';
import { cleanValue, cutText } from '#platform/server/clean-text.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { hint } from '#platform/server/live.ts';
import { keywordOf } from '../keywords.ts';
import type { FrozenText } from './channel.ts';
import { textReplied } from './events.ts';
import { insertInbound } from './inbound.sql.ts';
import { type AnsweredPhone, phonesByValue } from './phones.sql.ts';
import { wordsOf } from './settings.ts';

export type Inbound = { from: string; to: string; text: string; eventId: string; at: Date };

const TEXT_MOST = 1_600;
const CHANNELS = ['sms', 'tsms'] as const;

/**
 * Answers what is said in reply, which leaves as a text of its own; undefined where nothing is: to STOP on a
 * toll-free number the network says it. `only`: an account's own provider brought it, which speaks for nobody else.
 * Each account takes it for itself. @throws NodeAway where others may have the number: told again, it is theirs
 */
export async function takeInbound(
  db: Db,
  received: Inbound,
  only?: number,
): Promise<string | undefined> {
  const inbound = cleanValue(received);
  const to = parsePhone(inbound.to);
  const key = typeof to === 'string' ? inbound.to : to.phone;
  const from = parsePhone(inbound.from);
  const sender = typeof from === 'string' ? inbound.from : from.phone;
  let reply: string | undefined;
  const { rows: phones, isWhole } = await phonesByValue(db, key, only);
  for (const phone of phones) {
    const said = await inTransaction(db, async (tx) => {
      const answer = await takeFor(tx, phone, sender, inbound);
      // Of several accounts on one number the person hears one word.
      if (answer && reply === undefined) {
        await sendReply(tx, phone, key, { ...answer, to: sender });
      }
      return answer;
    });
    reply ??= said?.words;
  }
  if (!isWhole) throw new NodeAway();
  return reply;
}

async function takeFor(
  tx: Tx,
  phone: AnsweredPhone,
  sender: string,
  { text, eventId, at }: Inbound,
): Promise<Reply | undefined> {
  const { account_id: accountId } = phone;
  const keyword = keywordOf(text);
  const person = await findSubscriber(tx, accountId, { phone: sender });
  const message = person ? await lastTextTo(tx, accountId, person.id) : undefined;
  const id = await insertInbound(tx, {
    account_id: accountId,
    event_id: eventId,
    phone_id: phone.id,
    sender,
    subscriber_id: person?.id ?? null,
    text: cutText(text, TEXT_MOST),
    keyword: keyword ?? null,
    message_id: message?.messageId ?? null,
    received_at: at,
  });
  if (id === undefined) return undefined;
  await textReplied.announce(tx, {
    accountId,
    subscriberId: person?.id ?? null,
    messageId: message?.messageId ?? null,
    from: sender,
    text: cutText(text, TEXT_MOST),
    at,
  });
  if (message?.sourceId && message.kind === 'sms_campaign') {
    hint(tx, accountId, 'sms', message.sourceId);
  }
  const { title } = await readAccount(tx, accountId);
  const say = (words: string): Reply => ({
    words: title === '' ? words : `${title}: ${words}`,
    eventId,
    personId: person?.id,
  });
  if (keyword === 'stop') {
    await leave(tx, accountId, sender, person?.id, message?.messageId);
    return phone.kind === 'toll_free'
      ? undefined
      : say('You are unsubscribed. No more messages. Reply START to return.');
  }
  if (keyword === 'start' && person) {
    const isBack = await comeBack(tx, accountId, person.id);
    return isBack ? say('You are subscribed again. Reply STOP to opt out.') : undefined;
  }
  if (keyword === 'help') {
    const { optOut } = await wordsOf(tx, accountId);
    return say(`${optOut}.`);
  }
  return undefined;
}

type Reply = { words: string; eventId: string; personId: number | undefined };

/** Without a record nobody could say what was answered. */
async function sendReply(
  tx: Tx,
  phone: AnsweredPhone,
  from: string,
  { words, eventId, personId, to }: Reply & { to: string },
): Promise<void> {
  const text: FrozenText = {
    ...{ from, isName: false, publicUrl: '', title: words },
    words: {
      ...{ prefix: null, text: '{{reply}}', ending: null, plainQuotes: true },
      ...{ locale: 'en', campaign: null },
    },
  };
  await sendOne(tx, {
    ...{ accountId: phone.account_id, kind: 'sms_reply', sourceId: phone.id, text },
    ...{ recipient: to, subscriberId: personId, values: { reply: words }, idempotencyKey: eventId },
  });
}

export async function leave(
  tx: Tx,
  accountId: number,
  sender: string,
  subscriberId: number | undefined,
  messageId: number | undefined,
): Promise<void> {
  for (const channel of CHANNELS) {
    const by = messageId === undefined ? {} : { messageId };
    if (subscriberId === undefined) {
      await suppress(tx, accountId, [sender], { channel, reason: 'unsubscribed', ...by });
    } else {
      const people = { subscriberIds: [subscriberId] };
      await unsubscribe(tx, accountId, people, { channel, reason: 'stop', ...by });
    }
  }
}

async function comeBack(tx: Tx, accountId: number, subscriberId: number): Promise<boolean> {
  const people = { subscriberIds: [subscriberId] };
  let isBack = false;
  for (const channel of CHANNELS) {
    const consent = { source: 'sms_reply', wording: 'START' };
    const { reactivated } = await reactivate(tx, accountId, people, { channel, consent });
    isBack ||= reactivated.length > 0;
  }
  return isBack;
}
