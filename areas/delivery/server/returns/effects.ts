// What becomes of what was told: outcomes and figures of the message, the person's status, the
// suppression list, an event upward. Each event has its effect once, and the end is the same in
// whatever order they come.
import {
  bounce,
  complain,
  findSubscriber,
  type PersonRow,
  parseEmail,
  readSubscribers,
  suppress,
  unsubscribe,
} from '#areas/subscribers/server/index.ts';
import type { ChangeReason } from '#areas/subscribers/limits.ts';
import {
  claimProviderEvents,
  installationTokens,
  recordComplaints,
  recordHardBounces,
  recordSoftBounces,
  recordUnsubscribes,
  type TokenFacts,
} from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import { messageReturned } from '../events.ts';
import { type Cause, causeOf, isHard } from './classification.ts';
import { settleFullMailboxes } from './full-mailboxes.ts';
import {
  findMessages,
  lastMessageTo,
  recipientsOfSingles,
  type ReturnedMessage,
} from './returns.sql.ts';
import type { Told } from '../hook-provider.ts';
import { oneLine, plausible } from './told.ts';

/** Whose copy, and what became of it. */
type Return = {
  told: Told;
  messageId: number;
  /** 0: a single send to an address that is nobody's. */
  subscriberId: number;
  /** Of such a single send. */
  singleId: number;
  kind: 'hard_bounce' | 'soft_bounce' | 'complaint' | 'unsubscribe';
  cause: Cause;
  at: Date;
};

/** The product's own letters and an owner's tests: addresses of users, which nothing is done to. */
const SPARED = new Set(['letter', 'test']);

/** What a trace says, if a token of this installation is in it. */
export function factsIn(traces: readonly string[]): TokenFacts | undefined {
  const tokens = installationTokens();
  for (const trace of traces) {
    for (const purpose of ['bounce', 'messageId', 'link'] as const) {
      const facts = tokens.read(trace, purpose);
      if (facts) return facts;
    }
  }
  return undefined;
}

/**
 * Does what follows from these events of one account. Returns how many were new and concerned a copy of
 * ours. `leaving` is how those who unsubscribe are said to have done it.
 */
export async function takeTold(
  tx: Tx,
  accountId: number,
  teller: string,
  told: readonly Told[],
  leaving: ChangeReason = 'link',
): Promise<number> {
  if (told.length === 0) return 0;
  const byId = new Map(told.map(kept).map((one) => [one.eventId, one]));
  const fresh = await claimProviderEvents(tx, accountId, teller, [...byId.keys()]);
  const returns: Return[] = [];
  for (const one of byId.values()) {
    if (!fresh.has(one.eventId)) continue;
    const found = await locate(tx, accountId, one);
    if (found) returns.push(found);
  }
  const messages = await findMessages(tx, accountId, [
    ...new Set(returns.map((one) => one.messageId)),
  ]);
  let count = 0;
  for (const message of messages.toSorted((a, b) => a.id - b.id)) {
    if (SPARED.has(message.kind)) continue;
    const own = returns.filter((one) => one.messageId === message.id);
    await takeReturns(tx, accountId, message, own, leaving);
    count += own.length;
  }
  return count;
}

/** What a database keeps of it: one event that it would refuse must not hold up those beside it. */
function kept(told: Told): Told {
  const { eventId, code, words, recipient } = told;
  return {
    ...told,
    eventId: oneLine(eventId),
    code: oneLine(code),
    words: oneLine(words),
    recipient: recipient === undefined ? undefined : oneLine(recipient),
  };
}

async function locate(tx: Tx, accountId: number, told: Told): Promise<Return | undefined> {
  const at = plausible(told.at, clock.now());
  const cause = told.cause ?? causeOf(told.code, told.words);
  const isGone = told.cause ? told.cause === 'person' : isHard(told.code, told.words);
  const bounceKind = told.isPermanent && isGone ? 'hard_bounce' : 'soft_bounce';
  const kind = told.kind === 'bounce' ? bounceKind : told.kind;
  const facts = factsIn(told.traces);
  if (facts) {
    if (facts.account !== accountId) return undefined;
    const { message: messageId, subscriber: subscriberId, ordinal } = facts;
    return { told, messageId, subscriberId, singleId: ordinal, kind, cause, at };
  }
  if (!told.recipient) return undefined;
  const person = await findSubscriber(tx, accountId, { email: told.recipient });
  if (!person) return undefined;
  const messageId = await lastMessageTo(tx, accountId, person.id, at);
  if (messageId === undefined) return undefined;
  return { told, messageId, subscriberId: person.id, singleId: 0, kind, cause, at };
}

async function takeReturns(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly Return[],
  leaving: ChangeReason,
): Promise<void> {
  const messageId = message.id;
  const channel = message.is_marketing ? 'email' : 'temail';
  const ofPeople = returns.filter((one) => one.subscriberId > 0);
  const people = (kind: Return['kind']) => ofPeople.filter((one) => one.kind === kind);
  const hard = people('hard_bounce');
  const former = await ofFormerAddresses(tx, accountId, message, ofPeople);
  await recordHardBounces(tx, accountId, hard.map(factOf));
  await recordSoftBounces(tx, accountId, people('soft_bounce').map(factOf));
  await recordComplaints(tx, accountId, people('complaint').map(factOf));
  // Also of somebody who was away already: which of them came first must not show in the figures.
  await recordUnsubscribes(tx, accountId, people('unsubscribe').map(factOf));
  const act = { channel, messageId } as const;
  const gone = hard.filter((one) => !former.has(one));
  await bounce(tx, accountId, { subscriberIds: idsOf(gone) }, act);
  for (const one of hard) {
    const key = former.get(one);
    if (key !== undefined) await closeAddress(tx, accountId, key, messageId);
  }
  await complain(tx, accountId, { subscriberIds: idsOf(people('complaint')) }, act);
  await unsubscribe(
    tx,
    accountId,
    { subscriberIds: idsOf(people('unsubscribe')) },
    { channel: 'email', messageId, reason: leaving },
  );
  const full = people('soft_bounce').filter((one) => one.cause === 'full' && !former.has(one));
  await settleFullMailboxes(tx, accountId, idsOf(full), messageId);
  await suppressStrangers(tx, accountId, message, returns);
  await messageReturned.announce(tx, {
    accountId,
    messageId,
    kind: message.kind,
    sourceId: message.source_id,
    at: clock.now(),
    returns: returns.map((one) => ({
      subscriberId: one.subscriberId || null,
      kind: one.kind,
      cause: one.cause,
      code: one.told.code,
      reply: one.told.words,
    })),
  });
}

const idsOf = (list: readonly { subscriberId: number }[]) => [
  ...new Set(list.map((one) => one.subscriberId)),
];

/**
 * Those of these returns whose copy went to an address that the person has no more, with that address.
 * Only where the person's details changed since the message was made: tellers write addresses in ways of
 * their own, and of anybody else the present address is the one.
 */
async function ofFormerAddresses(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly Return[],
): Promise<Map<Return, string>> {
  const bounces = returns.filter(({ told }) => told.kind === 'bounce' && told.recipient);
  const rows = bounces.length === 0 ? [] : await readSubscribers(tx, accountId, idsOf(bounces));
  const people = new Map(rows.map((row) => [row.id, row]));
  const former = new Map<Return, string>();
  for (const one of bounces) {
    const key = formerKey(people.get(one.subscriberId), message, one.told.recipient ?? '');
    if (key !== undefined) former.set(one, key);
  }
  return former;
}

function formerKey(
  person: PersonRow | undefined,
  message: ReturnedMessage,
  recipient: string,
): string | undefined {
  if (!person || person.modified_at <= message.created_at) return undefined;
  const address = parseEmail(recipient);
  return typeof address === 'object' && address.key !== person.email_key ? address.key : undefined;
}

/** It does not exist: nobody who has it or is added with it is mailed. */
async function closeAddress(tx: Tx, accountId: number, key: string, messageId: number) {
  const holder = await findSubscriber(tx, accountId, { email: key });
  if (holder) {
    await bounce(tx, accountId, { subscriberIds: [holder.id] }, { channel: 'email', messageId });
  }
  for (const channel of ['email', 'temail'] as const) {
    await suppress(tx, accountId, [key], { channel, reason: 'bounced', messageId });
  }
}

function factOf({ messageId, subscriberId, at, cause, told }: Return) {
  const details: Record<string, string> = { reply: told.words };
  if (told.kind === 'bounce') Object.assign(details, { code: told.code, cause });
  return { messageId, subscriberId, at, details };
}

/** Single sends to addresses that are nobody's: only the address itself can be closed. */
async function suppressStrangers(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly Return[],
): Promise<void> {
  const closing = returns.filter((one) => one.subscriberId === 0 && one.kind !== 'soft_bounce');
  if (closing.length === 0) return;
  const singles = await recipientsOfSingles(
    tx,
    accountId,
    closing.map((one) => one.singleId),
  );
  const channel = message.is_marketing ? 'email' : 'temail';
  for (const { kind, singleId } of closing) {
    const single = singles.find((row) => row.id === singleId && row.message_id === message.id);
    if (!single) continue;
    const reason =
      kind === 'hard_bounce' ? 'bounced' : kind === 'complaint' ? 'reported' : 'unsubscribed';
    // Leaving is about news; the address itself is gone for everything.
    const channels = kind === 'hard_bounce' ? (['email', 'temail'] as const) : ['email' as const];
    const all = kind === 'complaint' ? new Set([...channels, channel] as const) : channels;
    for (const one of all) {
      const key = single.recipient.toLowerCase();
      await suppress(tx, accountId, [key], { channel: one, reason, messageId: message.id });
    }
  }
}
