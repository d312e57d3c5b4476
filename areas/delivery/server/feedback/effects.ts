// Applies feedback events: to the outcomes and counts of the message, the subscriber's status and
// the suppression list, and announces them to other areas. Each event is applied once, and the
// result does not depend on the order of events.
import { findUsersAmong } from '#areas/accounts/server/index.ts';
import {
  bounce,
  complain,
  findSubscriber,
  parseEmail,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import type { ChangeReason } from '#areas/subscribers/shared.ts';
import {
  claimProviderEvents,
  getInstallationTokens,
  recordComplaints,
  recordHardBounces,
  recordSoftBounces,
  recordUnsubscribes,
  type TokenPayload,
} from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { messageReturned } from '../events.ts';
import {
  suppressAddresses,
  suppressFormerAddress,
  suppressUnknownRecipients,
  listDistinctSubscriberIds,
  type ReturnKind,
  findFormerAddresses,
  type ReturnedCopy,
} from './addresses.ts';
import { classifyCause, isHard } from './classification.ts';
import { bounceFullMailboxes } from './full-mailboxes.ts';
import {
  findMessages,
  findLastMessageTo,
  findRecipientsOfSingles,
  type ReturnedMessage,
} from './feedback.sql.ts';
import type { FeedbackEvent } from './hook-provider.ts';
import { toOneLine, clampEventTime } from './provider-event.ts';
import { getMessageKindRules } from '../../message-kinds.ts';

/**
 * How far an event may appear to precede its copy, because some reporters round times.
 */
const EARLY_MS = 5_000;

/** Returns the payload of the first of these strings that is a token of this installation. */
export function findTokenPayload(tokenCandidates: readonly string[]): TokenPayload | undefined {
  const tokens = getInstallationTokens();
  for (const candidate of tokenCandidates) {
    for (const purpose of ['bounce', 'messageId', 'link'] as const) {
      const payload = tokens.read(candidate, purpose);
      if (payload) return payload;
    }
  }
  return undefined;
}

/**
 * Applies events of one account. Returns the number of events that had not been applied before and
 * belong to a copy or an address, excluding events about system emails. `leaving` is the reason to
 * record for unsubscribes.
 */
export async function applyFeedback(
  tx: Tx,
  accountId: number,
  reporter: string,
  events: readonly FeedbackEvent[],
  leaving: ChangeReason = 'link',
): Promise<number> {
  if (events.length === 0) return 0;
  const byId = new Map(events.map(cleanEvent).map((event) => [event.eventId, event]));
  const newEventIds = await claimProviderEvents(tx, accountId, reporter, [...byId.keys()]);
  const returns: ReturnedCopy[] = [];
  let count = 0;
  for (const event of byId.values()) {
    if (!newEventIds.has(event.eventId)) continue;
    const located = await locate(tx, accountId, event);
    if (located) returns.push(located);
    else if (await applyForAddress(tx, accountId, event, leaving)) count++;
  }
  const messages = await findMessages(tx, accountId, [
    ...new Set(returns.map((copy) => copy.messageId)),
  ]);
  for (const message of messages.toSorted((a, b) => a.id - b.id)) {
    // System emails go to users, who have no subscriber status.
    if (getMessageKindRules(message.kind).isOwn) continue;
    const ofMessage = returns.filter((copy) => copy.messageId === message.id);
    if (message.kind === 'test') await applyForTests(tx, accountId, message, ofMessage, leaving);
    else await applyReturns(tx, accountId, message, ofMessage, leaving);
    count += ofMessage.length;
  }
  return count;
}

/**
 * Removes characters that the database does not store, because it would refuse all events of the
 * call.
 */
function cleanEvent(event: FeedbackEvent): FeedbackEvent {
  const { eventId, code, diagnostic, recipient } = event;
  return {
    ...event,
    eventId: toOneLine(eventId),
    code: toOneLine(code),
    diagnostic: toOneLine(diagnostic),
    recipient: recipient === undefined ? undefined : toOneLine(recipient),
  };
}

async function locate(
  tx: Tx,
  accountId: number,
  event: FeedbackEvent,
): Promise<ReturnedCopy | undefined> {
  const at = clampEventTime(event.at, clock.now());
  const cause = event.cause ?? classifyCause(event.code, event.diagnostic);
  const kind = kindOf(event);
  const payload = findTokenPayload(event.tokenCandidates);
  if (payload) {
    if (payload.account !== accountId) return undefined;
    const { message: messageId, subscriber: subscriberId, ordinal } = payload;
    return { event, messageId, subscriberId, singleId: ordinal, kind, cause, at };
  }
  if (!event.recipient) return undefined;
  const subscriber = await findSubscriber(tx, accountId, { email: event.recipient });
  if (!subscriber) return undefined;
  const latest = new Date(at.getTime() + EARLY_MS);
  const messageId = await findLastMessageTo(tx, accountId, subscriber.id, latest);
  if (messageId === undefined) return undefined;
  return { event, messageId, subscriberId: subscriber.id, singleId: 0, kind, cause, at };
}

function kindOf(event: FeedbackEvent): ReturnKind {
  if (event.kind !== 'bounce') return event.kind;
  const isMissing = event.cause ? event.cause === 'person' : isHard(event.code, event.diagnostic);
  return event.isPermanent && isMissing ? 'hard_bounce' : 'soft_bounce';
}

/**
 * Applies an event that has an address but no token and no known message. It changes the
 * subscriber's status or, if no subscriber has the address, suppresses it; no message counts it.
 * Returns false for soft bounces, events with a token, and events without a valid address.
 */
async function applyForAddress(
  tx: Tx,
  accountId: number,
  event: FeedbackEvent,
  leaving: ChangeReason,
): Promise<boolean> {
  const kind = kindOf(event);
  if (!event.recipient || kind === 'soft_bounce' || findTokenPayload(event.tokenCandidates))
    return false;
  const address = parseEmail(event.recipient);
  if (typeof address !== 'object') return false;
  await settleAddress(tx, accountId, address.key, kind, leaving);
  return true;
}

async function settleAddress(
  tx: Tx,
  accountId: number,
  key: string,
  kind: ReturnKind,
  leaving: ChangeReason,
): Promise<void> {
  const channel = 'email';
  const subscriber = await findSubscriber(tx, accountId, { email: key });
  const target = { subscriberIds: subscriber ? [subscriber.id] : [] };
  if (kind === 'hard_bounce') await bounce(tx, accountId, target, { channel });
  else if (kind === 'complaint') await complain(tx, accountId, target, { channel });
  else await unsubscribe(tx, accountId, target, { channel, reason: leaving });
  if (!subscriber) await suppressAddresses(tx, accountId, [key], kind, { channel });
}

/**
 * Applies events about test emails: unsubscribes and proven complaints of recipients who are not
 * users of the account. They are not counted for the message.
 */
async function applyForTests(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly ReturnedCopy[],
  leaving: ChangeReason,
): Promise<void> {
  const optOuts = returns.filter(({ kind }) => kind === 'complaint' || kind === 'unsubscribe');
  if (optOuts.length === 0) return;
  const ids = optOuts.map((optOut) => optOut.singleId);
  const singles = await findRecipientsOfSingles(tx, accountId, ids);
  const keyOf = ({ singleId }: ReturnedCopy) =>
    singles
      .find((row) => row.id === singleId && row.message_id === message.id)
      ?.recipient.toLowerCase();
  const keys = optOuts.flatMap((optOut) => keyOf(optOut) || []);
  const users = await findUsersAmong(tx, accountId, keys);
  for (const optOut of optOuts) {
    const key = keyOf(optOut);
    if (!key || users.has(key)) continue;
    // A Message-ID is public: a forged report with it must change no status.
    if (!optOut.event.isUnproven) await settleAddress(tx, accountId, key, optOut.kind, leaving);
  }
}

async function applyReturns(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly ReturnedCopy[],
  leaving: ChangeReason,
): Promise<void> {
  const messageId = message.id;
  const channel = message.is_marketing ? 'email' : 'temail';
  const subscriberReturns = returns.filter((copy) => copy.subscriberId > 0);
  const ofKind = (kind: ReturnedCopy['kind']) =>
    subscriberReturns.filter((copy) => copy.kind === kind);
  const hardReturns = ofKind('hard_bounce');
  const complaints = ofKind('complaint');
  const former = await findFormerAddresses(tx, accountId, message, subscriberReturns);
  await recordHardBounces(tx, accountId, hardReturns.map(toFeedback));
  await recordSoftBounces(tx, accountId, ofKind('soft_bounce').map(toFeedback));
  await recordComplaints(tx, accountId, complaints.map(toFeedback));
  // Records the unsubscribes even of subscribers who are already unsubscribed, so that counts do
  // not depend on the order of events.
  await recordUnsubscribes(tx, accountId, ofKind('unsubscribe').map(toFeedback));
  const change = { channel, messageId } as const;
  const hardBounces = hardReturns.filter((copy) => !former.has(copy));
  await bounce(tx, accountId, { subscriberIds: listDistinctSubscriberIds(hardBounces) }, change);
  for (const copy of hardReturns) {
    const key = former.get(copy);
    if (key !== undefined) await suppressFormerAddress(tx, accountId, key, messageId);
  }
  const proven = complaints.filter(({ event }) => !event.isUnproven);
  await complain(tx, accountId, { subscriberIds: listDistinctSubscriberIds(proven) }, change);
  await unsubscribe(
    tx,
    accountId,
    { subscriberIds: listDistinctSubscriberIds(ofKind('unsubscribe')) },
    { channel: 'email', messageId, reason: leaving },
  );
  const fullMailboxBounces = ofKind('soft_bounce').filter(
    (copy) => copy.cause === 'full' && !copy.event.isUnproven && !former.has(copy),
  );
  await bounceFullMailboxes(
    tx,
    accountId,
    listDistinctSubscriberIds(fullMailboxBounces),
    messageId,
  );
  await suppressUnknownRecipients(tx, accountId, message, returns);
  await messageReturned.announce(tx, {
    accountId,
    messageId,
    kind: message.kind,
    sourceId: message.source_id,
    at: clock.now(),
    returns: returns.map((copy) => ({
      subscriberId: copy.subscriberId || null,
      kind: copy.kind,
      cause: copy.cause,
      code: copy.event.code,
      reply: copy.event.diagnostic,
    })),
  });
}

function toFeedback({ messageId, subscriberId, at, cause, event }: ReturnedCopy) {
  const details: Record<string, string> = { reply: event.diagnostic };
  if (event.kind === 'bounce') Object.assign(details, { code: event.code, cause });
  if (event.isUnproven) details.unproven = 'true';
  return { messageId, subscriberId, at, details };
}
