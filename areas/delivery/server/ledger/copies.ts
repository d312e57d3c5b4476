// Reads individual copies by their tokens and answers tracking's queries about copies.
import { findUsersAmong } from '#areas/accounts/server/index.ts';
import {
  copyValues,
  listMembershipNames,
  toSubscriberValues,
  resolveLink,
  listShopNames,
  type MergeValues,
} from '#areas/content/server/index.ts';
import type { MessagePair, MessageSender, TokenPayload } from '#areas/tracking/server/index.ts';
import { LOCALE } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { findAcceptanceTimes, findSingle, findCopyLanes } from './copies.sql.ts';
import { mailboxOfLane } from './lanes.ts';
import { getMessageKindRules, type MessageKind, type Permission } from '../../message-kinds.ts';
import type { FrozenSmsMessage } from '../channels/sms.ts';
import type { Frozen } from './messages.ts';
import { findMessage } from './messages.sql.ts';
import { getSingleLane } from './result-rows.ts';
import { readSubscribers, SHOWN_AS } from '../singles/singles.sql.ts';

export type MessageCopy = {
  kind: MessageKind;
  frozen: Frozen;
  /** The subscriber's current values and memberships, overridden by the values of a single send. */
  values: MergeValues;
};

/**
 * Reads the content and values of the copy with this token payload. Returns undefined if the
 * message does not exist or is an SMS. If the subscriber was deleted, merge tags have their
 * fallbacks.
 */
export async function readCopy(tx: Tx, payload: TokenPayload): Promise<MessageCopy | undefined> {
  const row = await findMessage(tx, payload.account, payload.message);
  if (!row || row.channel !== 'email') return undefined;
  const frozen = row.frozen as Frozen;
  const isShared = row.frozen_hash !== null;
  const single = isShared
    ? await findSingle(tx, payload.account, payload.message, payload.ordinal)
    : undefined;
  const singleValues = (single?.variables ?? {}) as MergeValues;
  const subscriber = row.kind === 'test' ? Number(singleValues[SHOWN_AS] ?? 0) : payload.subscriber;
  const [person] = subscriber === 0 ? [] : await readSubscribers(tx, payload.account, [subscriber]);
  const personal = person ? toSubscriberValues(person, frozen.fields) : {};
  const memberships = await membershipsOf(tx, payload, subscriber, frozen, row.kind === 'test');
  const variables = single ? { email: single.recipient, ...singleValues } : {};
  return { kind: row.kind, frozen, values: { ...personal, ...memberships, ...variables } };
}

/** Reads the subscriber's current memberships and the store data stored for the copy. */
async function membershipsOf(
  tx: Tx,
  { account: accountId, message: messageId }: TokenPayload,
  subscriber: number,
  { source }: Frozen,
  isTest: boolean,
): Promise<MergeValues> {
  const names = [...listMembershipNames(source), ...listShopNames(source.html, source.text)];
  if (names.length === 0 || subscriber === 0) return {};
  const copies = { accountId, messageId, names, locale: LOCALE[source.language] };
  const copyValuesById = await copyValues(tx, copies, [subscriber], isTest ? 'preview' : 'sent');
  return copyValuesById.get(subscriber) ?? {};
}

/** Answers `message.acceptedAt`: when these copies were accepted. */
export async function findAcceptances(
  tx: Tx,
  { accountId, pairs }: { accountId: number; pairs: MessagePair[] },
): Promise<(MessagePair & { at: Date })[]> {
  const rows = await findAcceptanceTimes(tx, accountId, pairs);
  return rows.map((row) => ({
    messageId: row.message_id,
    subscriberId: row.subscriber_id,
    at: row.at,
  }));
}

/** Answers `message.mailboxes`: the mailbox providers of these copies. */
export async function findMailboxes(
  tx: Tx,
  { accountId, pairs }: { accountId: number; pairs: MessagePair[] },
): Promise<(MessagePair & { mailbox: number })[]> {
  const rows = await findCopyLanes(tx, accountId, pairs);
  return rows.map(({ message_id: messageId, subscriber_id: subscriberId, lane, ...single }) => ({
    ...{ messageId, subscriberId },
    mailbox: mailboxOfLane(lane ?? getSingleLane(single.recipient ?? '', single.mailbox)),
  }));
}

/** Answers `message.sender`: the sender of a message, and for a single send its recipient. */
export async function findSender(
  tx: Tx,
  query: { accountId: number; messageId: number; singleId?: number },
): Promise<MessageSender[]> {
  const { accountId, messageId, singleId } = query;
  const row = await findMessage(tx, accountId, messageId);
  if (!row || row.channel !== 'email') return [];
  const { language, company, from } = (row.frozen as Frozen).source;
  const sender = { language, name: company.trim() || from.name.trim() || from.email };
  const isTest = row.kind === 'test';
  if (singleId === undefined || getMessageKindRules(row.kind).isOwn) return [{ ...sender, isTest }];
  const recipient = (await findSingle(tx, accountId, messageId, singleId))?.recipient;
  if (!recipient) return [{ ...sender, isTest }];
  // Users of the account cannot unsubscribe from test emails; other recipients can.
  const users = isTest ? await findUsersAmong(tx, accountId, [recipient.toLowerCase()]) : undefined;
  return [users && users.size > 0 ? { ...sender, isTest } : { ...sender, recipient }];
}

/** Answers `message.linkTarget` with a stored link whose merge tags are replaced for this copy. */
export async function findLinkTarget(
  tx: Tx,
  { payload, url }: { payload: TokenPayload; url: string },
): Promise<string[]> {
  const row = await findMessage(tx, payload.account, payload.message);
  if (row?.channel === 'sms') {
    const values = await valuesOfSms(tx, payload, row.frozen as FrozenSmsMessage);
    return targetOf(url, values, LOCALE.eng);
  }
  const copy = await readCopy(tx, payload);
  return copy ? targetOf(url, copy.values, LOCALE[copy.frozen.source.language]) : [];
}

function targetOf(url: string, values: MergeValues, locale: string): string[] {
  const target = resolveLink(url, values, { now: clock.now(), locale });
  return target ? [target] : [];
}

/** Returns the subscriber's current values, overridden by the values of a single send. */
async function valuesOfSms(
  tx: Tx,
  { account, message, subscriber, ordinal }: TokenPayload,
  { fields }: FrozenSmsMessage,
): Promise<MergeValues> {
  const single = ordinal > 0 ? await findSingle(tx, account, message, ordinal) : undefined;
  const [person] = subscriber > 0 ? await readSubscribers(tx, account, [subscriber]) : [];
  const personal = person ? toSubscriberValues(person, fields) : {};
  if (!single) return personal;
  return { ...personal, phone: single.recipient, ...((single.variables ?? {}) as MergeValues) };
}

/**
 * Returns the address and the subscriber of a single send, and the permission that its kind of
 * message requires; undefined if the single send does not exist.
 */
export async function readSingle(
  db: Reader,
  { accountId, messageId, singleId }: { accountId: number; messageId: number; singleId: number },
): Promise<SingleCopy | undefined> {
  const message = await findMessage(db, accountId, messageId);
  const row = message && (await findSingle(db, accountId, messageId, singleId));
  if (!row) return undefined;
  const { permission } = getMessageKindRules(message.kind);
  return { recipient: row.recipient, subscriberId: row.subscriber_id, permission };
}

export type SingleCopy = { recipient: string; subscriberId: number | null; permission: Permission };
