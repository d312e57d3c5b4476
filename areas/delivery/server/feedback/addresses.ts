// Suppresses addresses without changing a subscriber's status, because no subscriber has the
// address or the recipient has changed it since.
import {
  bounce,
  findSubscriber,
  type SubscriberRow,
  parseEmail,
  readSubscribers,
  suppress,
} from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { FeedbackEvent } from './hook-provider.ts';
import type { Cause } from './classification.ts';
import { findRecipientsOfSingles, type ReturnedMessage } from './feedback.sql.ts';

export type Kind = 'hard_bounce' | 'soft_bounce' | 'complaint' | 'unsubscribe';

/** A recipient and the outcome of the copy. */
export type ReturnedCopy = {
  event: FeedbackEvent;
  messageId: number;
  /** 0 for a single send to an address that belongs to no subscriber. */
  subscriberId: number;
  /** The id of such a single send. */
  singleId: number;
  kind: Kind;
  cause: Cause;
  at: Date;
};

export const idsOf = (list: readonly { subscriberId: number }[]) => [
  ...new Set(list.map((returned) => returned.subscriberId)),
];

/**
 * Returns the copies sent to an address that the subscriber has changed since, with that address;
 * the address is undefined if the reporter could have forged it. Only subscribers whose details
 * changed since the message was created are looked up: reporters spell addresses differently, and
 * for all other subscribers the current address is the right one.
 */
export async function findFormerAddresses(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly ReturnedCopy[],
): Promise<Map<ReturnedCopy, string | undefined>> {
  const bounces = returns.filter(({ event }) => event.kind === 'bounce' && event.recipient);
  const rows = bounces.length === 0 ? [] : await readSubscribers(tx, accountId, idsOf(bounces));
  const people = new Map(rows.map((row) => [row.id, row]));
  const former = new Map<ReturnedCopy, string | undefined>();
  for (const bounce of bounces) {
    const key = formerKey(people.get(bounce.subscriberId), message, bounce.event.recipient ?? '');
    if (key !== undefined) former.set(bounce, bounce.event.isRecipientUnproven ? undefined : key);
  }
  return former;
}

function formerKey(
  person: SubscriberRow | undefined,
  message: ReturnedMessage,
  recipient: string,
): string | undefined {
  if (!person || person.modified_at <= message.created_at) return undefined;
  const address = parseEmail(recipient);
  return typeof address === 'object' && address.key !== person.email_key ? address.key : undefined;
}

/** Suppresses an address that does not exist: its current and future subscribers get no email. */
export async function closeFormer(tx: Tx, accountId: number, key: string, messageId: number) {
  const holder = await findSubscriber(tx, accountId, { email: key });
  if (holder) {
    await bounce(tx, accountId, { subscriberIds: [holder.id] }, { channel: 'email', messageId });
  }
  await closeAddresses(tx, accountId, [key], 'hard_bounce', { channel: 'email', messageId });
}

/** Suppresses addresses of single sends that belong to no subscriber. */
export async function closeStrangers(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly ReturnedCopy[],
): Promise<void> {
  const closing = returns.filter(
    (returned) => returned.subscriberId === 0 && returned.kind !== 'soft_bounce',
  );
  if (closing.length === 0) return;
  const singles = await findRecipientsOfSingles(
    tx,
    accountId,
    closing.map((returned) => returned.singleId),
  );
  const channel = message.is_marketing ? 'email' : 'temail';
  const closed = new Map<Kind, string[]>();
  for (const { event, kind, singleId } of closing) {
    const single = singles.find((row) => row.id === singleId && row.message_id === message.id);
    if (!single) continue;
    const as = event.isUnproven ? 'unsubscribe' : kind;
    closed.set(as, [...(closed.get(as) ?? []), single.recipient.toLowerCase()]);
  }
  for (const kind of ['hard_bounce', 'complaint', 'unsubscribe'] as const) {
    const keys = closed.get(kind) ?? [];
    await closeAddresses(tx, accountId, keys, kind, { channel, messageId: message.id });
  }
}

/**
 * Suppresses addresses, for their current and future subscribers, in the channels to which the
 * report applies. One statement per channel suppresses the addresses of one kind in a fixed order,
 * so concurrent calls do not deadlock. Several kinds are suppressed one after another, so deadlocks
 * between such calls remain possible.
 */
export async function closeAddresses(
  tx: Tx,
  accountId: number,
  keys: readonly string[],
  kind: Kind,
  of: { channel: 'email' | 'temail'; messageId?: number },
): Promise<void> {
  if (kind === 'soft_bounce') return;
  const reason =
    kind === 'hard_bounce' ? 'bounced' : kind === 'complaint' ? 'reported' : 'unsubscribed';
  // An unsubscribe applies to marketing only, a hard bounce to every channel.
  const channels = kind === 'hard_bounce' ? (['email', 'temail'] as const) : ['email' as const];
  const all = kind === 'complaint' ? new Set([...channels, of.channel] as const) : channels;
  const { messageId } = of;
  for (const channel of all) {
    const by = messageId === undefined ? {} : { messageId };
    await suppress(tx, accountId, keys, { channel, reason, ...by });
  }
}
