// Applies feedback events: to the outcomes and counts of the message, the subscriber's status and
// the suppression list, and announces them to other areas. Each event is applied once, and the
// result does not depend on the order in which events arrive.
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
  closeAddresses,
  closeFormer,
  closeStrangers,
  idsOf,
  type Kind,
  findFormerAddresses,
  type ReturnedCopy,
} from './addresses.ts';
import { causeOf, isHard } from './classification.ts';
import { settleFullMailboxes } from './full-mailboxes.ts';
import {
  findMessages,
  lastMessageTo,
  findRecipientsOfSingles,
  type ReturnedMessage,
} from './feedback.sql.ts';
import type { FeedbackEvent } from './hook-provider.ts';
import { oneLine, plausible } from './provider-event.ts';
import { messageKindFacts } from '../../message-kinds.ts';

/**
 * Tolerance for reporters that round times, by which an event may appear to precede its copy.
 */
const EARLY_MS = 5_000;

/** Returns the facts of the first of these texts that is a token of this installation. */
export function factsIn(traces: readonly string[]): TokenPayload | undefined {
  const tokens = getInstallationTokens();
  for (const trace of traces) {
    for (const purpose of ['bounce', 'messageId', 'link'] as const) {
      const facts = tokens.read(trace, purpose);
      if (facts) return facts;
    }
  }
  return undefined;
}

/**
 * Applies events of one account. Returns the number of events that had not been applied before and
 * that belong to a copy or an address, without those about system emails. `leaving` is the reason
 * to record for unsubscribes.
 */
export async function applyFeedback(
  tx: Tx,
  accountId: number,
  reporter: string,
  events: readonly FeedbackEvent[],
  leaving: ChangeReason = 'link',
): Promise<number> {
  if (events.length === 0) return 0;
  const byId = new Map(events.map(cleaned).map((event) => [event.eventId, event]));
  const fresh = await claimProviderEvents(tx, accountId, reporter, [...byId.keys()]);
  const returns: ReturnedCopy[] = [];
  let count = 0;
  for (const event of byId.values()) {
    if (!fresh.has(event.eventId)) continue;
    const found = await locate(tx, accountId, event);
    if (found) returns.push(found);
    else if (await applyForAddress(tx, accountId, event, leaving)) count++;
  }
  const messages = await findMessages(tx, accountId, [
    ...new Set(returns.map((returned) => returned.messageId)),
  ]);
  for (const message of messages.toSorted((a, b) => a.id - b.id)) {
    // System emails go to users, who have no subscriber status.
    if (messageKindFacts(message.kind).isOwn) continue;
    const ofMessage = returns.filter((returned) => returned.messageId === message.id);
    if (message.kind === 'test') await applyForTests(tx, accountId, message, ofMessage, leaving);
    else await applyReturns(tx, accountId, message, ofMessage, leaving);
    count += ofMessage.length;
  }
  return count;
}

/**
 * Removes characters that the database does not store, since it would refuse all events of the
 * call.
 */
function cleaned(event: FeedbackEvent): FeedbackEvent {
  const { eventId, code, words: diagnostic, recipient } = event;
  return {
    ...event,
    eventId: oneLine(eventId),
    code: oneLine(code),
    words: oneLine(diagnostic),
    recipient: recipient === undefined ? undefined : oneLine(recipient),
  };
}

async function locate(
  tx: Tx,
  accountId: number,
  event: FeedbackEvent,
): Promise<ReturnedCopy | undefined> {
  const at = plausible(event.at, clock.now());
  const cause = event.cause ?? causeOf(event.code, event.words);
  const kind = kindOf(event);
  const facts = factsIn(event.traces);
  if (facts) {
    if (facts.account !== accountId) return undefined;
    const { message: messageId, subscriber: subscriberId, ordinal } = facts;
    return { event, messageId, subscriberId, singleId: ordinal, kind, cause, at };
  }
  if (!event.recipient) return undefined;
  const person = await findSubscriber(tx, accountId, { email: event.recipient });
  if (!person) return undefined;
  const until = new Date(at.getTime() + EARLY_MS);
  const messageId = await lastMessageTo(tx, accountId, person.id, until);
  if (messageId === undefined) return undefined;
  return { event, messageId, subscriberId: person.id, singleId: 0, kind, cause, at };
}

function kindOf(event: FeedbackEvent): Kind {
  if (event.kind !== 'bounce') return event.kind;
  const isMissing = event.cause ? event.cause === 'person' : isHard(event.code, event.words);
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
  if (!event.recipient || kind === 'soft_bounce' || factsIn(event.traces)) return false;
  const address = parseEmail(event.recipient);
  if (typeof address !== 'object') return false;
  await settleAddress(tx, accountId, address.key, kind, leaving);
  return true;
}

async function settleAddress(
  tx: Tx,
  accountId: number,
  key: string,
  kind: Kind,
  leaving: ChangeReason,
): Promise<void> {
  const channel = 'email';
  const person = await findSubscriber(tx, accountId, { email: key });
  const people = { subscriberIds: person ? [person.id] : [] };
  if (kind === 'hard_bounce') await bounce(tx, accountId, people, { channel });
  else if (kind === 'complaint') await complain(tx, accountId, people, { channel });
  else await unsubscribe(tx, accountId, people, { channel, reason: leaving });
  if (!person) await closeAddresses(tx, accountId, [key], kind, { channel });
}

/**
 * Applies events about test emails: only proven complaints, and unsubscribes, of recipients who are
 * not users of the account. The message counts none of them.
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
  const subscriberReturns = returns.filter((returned) => returned.subscriberId > 0);
  const ofKind = (kind: ReturnedCopy['kind']) =>
    subscriberReturns.filter((returned) => returned.kind === kind);
  const hard = ofKind('hard_bounce');
  const complaints = ofKind('complaint');
  const former = await findFormerAddresses(tx, accountId, message, subscriberReturns);
  await recordHardBounces(tx, accountId, hard.map(factOf));
  await recordSoftBounces(tx, accountId, ofKind('soft_bounce').map(factOf));
  await recordComplaints(tx, accountId, complaints.map(factOf));
  // Records the unsubscribes even of subscribers who are already unsubscribed, so that counts do
  // not depend on the order of events.
  await recordUnsubscribes(tx, accountId, ofKind('unsubscribe').map(factOf));
  const act = { channel, messageId } as const;
  const bounced = hard.filter((copy) => !former.has(copy));
  await bounce(tx, accountId, { subscriberIds: idsOf(bounced) }, act);
  for (const copy of hard) {
    const key = former.get(copy);
    if (key !== undefined) await closeFormer(tx, accountId, key, messageId);
  }
  const proven = complaints.filter(({ event }) => !event.isUnproven);
  await complain(tx, accountId, { subscriberIds: idsOf(proven) }, act);
  await unsubscribe(
    tx,
    accountId,
    { subscriberIds: idsOf(ofKind('unsubscribe')) },
    { channel: 'email', messageId, reason: leaving },
  );
  const full = ofKind('soft_bounce').filter(
    (copy) => copy.cause === 'full' && !copy.event.isUnproven && !former.has(copy),
  );
  await settleFullMailboxes(tx, accountId, idsOf(full), messageId);
  await closeStrangers(tx, accountId, message, returns);
  await messageReturned.announce(tx, {
    accountId,
    messageId,
    kind: message.kind,
    sourceId: message.source_id,
    at: clock.now(),
    returns: returns.map((returned) => ({
      subscriberId: returned.subscriberId || null,
      kind: returned.kind,
      cause: returned.cause,
      code: returned.event.code,
      reply: returned.event.words,
    })),
  });
}

function factOf({ messageId, subscriberId, at, cause, event }: ReturnedCopy) {
  const details: Record<string, string> = { reply: event.words };
  if (event.kind === 'bounce') Object.assign(details, { code: event.code, cause });
  if (event.isUnproven) details.unproven = 'true';
  return { messageId, subscriberId, at, details };
}
