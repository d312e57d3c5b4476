// One copy looked back at from its token: whose it is, what it was filled with, what it said.
import { usersAmong } from '#areas/accounts/server/index.ts';
import {
  copyValues,
  membershipNames,
  personValues,
  resolveLink,
  shopNamesIn,
  type Values,
} from '#areas/content/server/index.ts';
import type { MessagePair, MessageSender, TokenFacts } from '#areas/tracking/server/index.ts';
import { LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import { acceptanceOf, findSingle } from './copies.sql.ts';
import { factsOf, type MessageKind } from '../../message-kinds.ts';
import type { Frozen } from './messages.ts';
import { findMessage } from './messages.sql.ts';
import { readPeople, SHOWN_AS } from '../singles/singles.sql.ts';

export type Copy = {
  kind: MessageKind;
  frozen: Frozen;
  /** The person's values as they are now, with a single send's own on top. */
  values: Values;
};

/** Undefined where the message is gone. A person who is gone leaves only fallbacks. */
export async function readCopy(tx: Tx, facts: TokenFacts): Promise<Copy | undefined> {
  const row = await findMessage(tx, facts.account, facts.message);
  // Of a text nothing is looked at in a browser; what its links lead to is the area of texts' own.
  if (!row || row.channel !== 'email') return undefined;
  const frozen = row.frozen as Frozen;
  const isShared = row.frozen_hash !== null;
  const single = isShared
    ? await findSingle(tx, facts.account, facts.message, facts.ordinal)
    : undefined;
  const named = (single?.variables ?? {}) as Values;
  const subscriber = row.kind === 'test' ? Number(named[SHOWN_AS] ?? 0) : facts.subscriber;
  const [person] = subscriber === 0 ? [] : await readPeople(tx, facts.account, [subscriber]);
  const own = person ? personValues(person, frozen.fields) : {};
  const memberships = await membershipsOf(tx, facts, subscriber, frozen, row.kind === 'test');
  const variables = single ? { email: single.recipient, ...named } : {};
  return { kind: row.kind, frozen, values: { ...own, ...memberships, ...variables } };
}

/** Memberships as they are now, like all of the person's values; of shops what the copy was given. */
async function membershipsOf(
  tx: Tx,
  { account: accountId, message: messageId }: TokenFacts,
  subscriber: number,
  { source }: Frozen,
  isTest: boolean,
): Promise<Values> {
  const names = [...membershipNames(source), ...shopNamesIn(source.html, source.text)];
  if (names.length === 0 || subscriber === 0) return {};
  const copies = { accountId, messageId, names, locale: LOCALE[source.language] };
  const found = await copyValues(tx, copies, [subscriber], isTest ? 'show' : 'look');
  return found.get(subscriber) ?? {};
}

/** Answers `message.acceptedAt`. */
export async function tellAcceptance(
  tx: Tx,
  { accountId, pairs }: { accountId: number; pairs: MessagePair[] },
): Promise<(MessagePair & { at: Date })[]> {
  const rows = await acceptanceOf(tx, accountId, pairs);
  return rows.map((row) => ({
    messageId: row.message_id,
    subscriberId: row.subscriber_id,
    at: row.at,
  }));
}

/** Answers `message.sender`. */
export async function tellSender(
  tx: Tx,
  asked: { accountId: number; messageId: number; singleId?: number },
): Promise<MessageSender[]> {
  const { accountId, messageId, singleId } = asked;
  const row = await findMessage(tx, accountId, messageId);
  if (!row || row.channel !== 'email') return [];
  const { language, company, from } = (row.frozen as Frozen).source;
  const sender = { language, name: company.trim() || from.name.trim() || from.email };
  const isTest = row.kind === 'test';
  if (singleId === undefined || factsOf(row.kind).isOwn) return [{ ...sender, isTest }];
  const recipient = (await findSingle(tx, accountId, messageId, singleId))?.recipient;
  if (!recipient) return [{ ...sender, isTest }];
  // A user tries mails on themselves; anybody else may leave by them.
  const users = isTest ? await usersAmong(tx, accountId, [recipient.toLowerCase()]) : undefined;
  return [users && users.size > 0 ? { ...sender, isTest } : { ...sender, recipient }];
}

/** Answers `message.linkTarget`: a stored link with its merge tags filled in for this copy. */
export async function tellLinkTarget(
  tx: Tx,
  { facts, url }: { facts: TokenFacts; url: string },
): Promise<string[]> {
  const copy = await readCopy(tx, facts);
  if (!copy) return [];
  const moment = { now: clock.now(), locale: LOCALE[copy.frozen.source.language] };
  const target = resolveLink(url, copy.values, moment);
  return target ? [target] : [];
}
