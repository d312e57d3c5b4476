// Addresses that are closed by themselves: nobody has them, or who was written to has another by now.
import {
  bounce,
  findSubscriber,
  type PersonRow,
  parseEmail,
  readSubscribers,
  suppress,
} from '#areas/subscribers/server/index.ts';
import type { Tx } from '#platform/server/database.ts';
import type { Told } from './hook-provider.ts';
import type { Cause } from './classification.ts';
import { recipientsOfSingles, type ReturnedMessage } from './feedback.sql.ts';

export type Kind = 'hard_bounce' | 'soft_bounce' | 'complaint' | 'unsubscribe';

/** Whose copy, and what became of it. */
export type Return = {
  told: Told;
  messageId: number;
  /** 0: a single send to an address that is nobody's. */
  subscriberId: number;
  /** Of such a single send. */
  singleId: number;
  kind: Kind;
  cause: Cause;
  at: Date;
};

export const idsOf = (list: readonly { subscriberId: number }[]) => [
  ...new Set(list.map((one) => one.subscriberId)),
];

/**
 * Those of these returns whose copy went to an address that the person has no more, with that address,
 * undefined where whoever told it could have made it up. Only where the person's details changed since the
 * message was made: tellers write addresses in ways of their own, and of anybody else the present address is
 * the one.
 */
export async function ofFormerAddresses(
  tx: Tx,
  accountId: number,
  message: ReturnedMessage,
  returns: readonly Return[],
): Promise<Map<Return, string | undefined>> {
  const bounces = returns.filter(({ told }) => told.kind === 'bounce' && told.recipient);
  const rows = bounces.length === 0 ? [] : await readSubscribers(tx, accountId, idsOf(bounces));
  const people = new Map(rows.map((row) => [row.id, row]));
  const former = new Map<Return, string | undefined>();
  for (const one of bounces) {
    const key = formerKey(people.get(one.subscriberId), message, one.told.recipient ?? '');
    if (key !== undefined) former.set(one, one.told.isRecipientUnproven ? undefined : key);
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
export async function closeFormer(tx: Tx, accountId: number, key: string, messageId: number) {
  const holder = await findSubscriber(tx, accountId, { email: key });
  if (holder) {
    await bounce(tx, accountId, { subscriberIds: [holder.id] }, { channel: 'email', messageId });
  }
  await closeAddresses(tx, accountId, [key], 'hard_bounce', { channel: 'email', messageId });
}

/** Single sends to addresses that are nobody's. */
export async function closeStrangers(
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
  const closed = new Map<Kind, string[]>();
  for (const { told, kind, singleId } of closing) {
    const single = singles.find((row) => row.id === singleId && row.message_id === message.id);
    if (!single) continue;
    const as = told.isUnproven ? 'unsubscribe' : kind;
    closed.set(as, [...(closed.get(as) ?? []), single.recipient.toLowerCase()]);
  }
  for (const kind of ['hard_bounce', 'complaint', 'unsubscribe'] as const) {
    const keys = closed.get(kind) ?? [];
    await closeAddresses(tx, accountId, keys, kind, { channel, messageId: message.id });
  }
}

/**
 * Keeps mail from addresses, whoever has them or will: as far as what was told of them goes. A statement for
 * each channel, which closes those of one kind in one order, whoever does so at the same time; several kinds
 * are closed one after another, and may meet others crosswise.
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
  // Leaving is about news; the address itself is gone for everything.
  const channels = kind === 'hard_bounce' ? (['email', 'temail'] as const) : ['email' as const];
  const all = kind === 'complaint' ? new Set([...channels, of.channel] as const) : channels;
  const { messageId } = of;
  for (const channel of all) {
    const by = messageId === undefined ? {} : { messageId };
    await suppress(tx, accountId, keys, { channel, reason, ...by });
  }
}
