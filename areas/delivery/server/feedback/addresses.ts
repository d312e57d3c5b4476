// Suppresses addresses that reports are about: of single sends without a subscriber, and of
// subscribers who have changed their address since.
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
import type { BounceCause } from './classification.ts';
import { findRecipientsOfSingles, type ReturnedMessage } from './feedback.sql.ts';

export type ReturnKind = 'hard_bounce' | 'soft_bounce' | 'complaint' | 'unsubscribe';

/** A feedback event with the copy that it is about. */
export type ReturnedCopy = {
  event: FeedbackEvent;
  messageId: number;
  /** 0 for a single send to an address that belongs to no subscriber. */
  subscriberId: number;
  /** Ordinal of the copy's token: the ID of the single send, if the copy is one. */
  singleId: number;
  kind: ReturnKind;
  cause: BounceCause;
  at: Date;
};

export const listDistinctSubscriberIds = (list: readonly { subscriberId: number }[]) => [
  ...new Set(list.map((returnedCopy) => returnedCopy.subscriberId)),
];

/**
 * Returns the bounced copies that were sent to a former address of their subscriber, with that
 * address; it is undefined if the reporter could have forged it. Addresses are compared only for
 * subscribers changed since the message was created: reporters spell addresses differently, and for
 * all others the current address is the right one.
 */
export async function findFormerAddresses(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly ReturnedCopy[],
): Promise<Map<ReturnedCopy, string | undefined>> {
  const bounces = returns.filter(({ event }) => event.kind === 'bounce' && event.recipient);
  const rows =
    bounces.length === 0
      ? []
      : await readSubscribers(tx, accountId, listDistinctSubscriberIds(bounces));
  const subscribersById = new Map(rows.map((row) => [row.id, row]));
  const former = new Map<ReturnedCopy, string | undefined>();
  for (const bounce of bounces) {
    const key = formerKey(
      subscribersById.get(bounce.subscriberId),
      message,
      bounce.event.recipient ?? '',
    );
    if (key !== undefined) former.set(bounce, bounce.event.isRecipientUnproven ? undefined : key);
  }
  return former;
}

function formerKey(
  subscriber: SubscriberRow | undefined,
  message: ReturnedMessage,
  recipient: string,
): string | undefined {
  if (!subscriber || subscriber.modified_at <= message.created_at) return undefined;
  const address = parseEmail(recipient);
  return typeof address === 'object' && address.key !== subscriber.email_key
    ? address.key
    : undefined;
}

/**
 * Suppresses a former address that does not exist. If another subscriber has it now, that
 * subscriber is marked as bounced.
 */
export async function suppressFormerAddress(
  tx: Tx,
  accountId: number,
  key: string,
  messageId: number,
) {
  const holder = await findSubscriber(tx, accountId, { email: key });
  if (holder) {
    await bounce(tx, accountId, { subscriberIds: [holder.id] }, { channel: 'email', messageId });
  }
  await suppressAddresses(tx, accountId, [key], 'hard_bounce', { channel: 'email', messageId });
}

/**
 * Suppresses the addresses of single sends without a subscriber. An unproven report stops marketing
 * only.
 */
export async function suppressUnknownRecipients(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly ReturnedCopy[],
): Promise<void> {
  const closing = returns.filter(
    (returnedCopy) => returnedCopy.subscriberId === 0 && returnedCopy.kind !== 'soft_bounce',
  );
  if (closing.length === 0) return;
  const singles = await findRecipientsOfSingles(
    tx,
    accountId,
    closing.map((returnedCopy) => returnedCopy.singleId),
  );
  const channel = message.is_marketing ? 'email' : 'temail';
  const keysByKind = new Map<ReturnKind, string[]>();
  for (const { event, kind, singleId } of closing) {
    const single = singles.find((row) => row.id === singleId && row.message_id === message.id);
    if (!single) continue;
    const suppressionKind = event.isUnproven ? 'unsubscribe' : kind;
    keysByKind.set(suppressionKind, [
      ...(keysByKind.get(suppressionKind) ?? []),
      single.recipient.toLowerCase(),
    ]);
  }
  for (const kind of ['hard_bounce', 'complaint', 'unsubscribe'] as const) {
    const keys = keysByKind.get(kind) ?? [];
    await suppressAddresses(tx, accountId, keys, kind, { channel, messageId: message.id });
  }
}

/**
 * Suppresses addresses in the channels that the kind of report applies to. Each statement inserts
 * its addresses in a fixed order, so concurrent calls with one kind do not deadlock; transactions
 * that suppress several kinds may still deadlock.
 */
export async function suppressAddresses(
  tx: Tx,
  accountId: number,
  keys: readonly string[],
  kind: ReturnKind,
  scope: { channel: 'email' | 'temail'; messageId?: number },
): Promise<void> {
  if (kind === 'soft_bounce') return;
  const reason =
    kind === 'hard_bounce' ? 'bounced' : kind === 'complaint' ? 'reported' : 'unsubscribed';
  // An unsubscribe applies to marketing email, a hard bounce to all email, and a complaint to
  // marketing email and the channel of the message.
  const channels = kind === 'hard_bounce' ? (['email', 'temail'] as const) : ['email' as const];
  const suppressedChannels =
    kind === 'complaint' ? new Set([...channels, scope.channel] as const) : channels;
  const { messageId } = scope;
  for (const channel of suppressedChannels) {
    const messageRef = messageId === undefined ? {} : { messageId };
    await suppress(tx, accountId, keys, { channel, reason, ...messageRef });
  }
}
