// Opt-outs of addresses, with or without a subscriber: entered manually, by API or by file. The
// status of a subscriber with such an address follows the reason.
import type { Tx } from '#platform/server/database/database.ts';
import {
  getAddressField,
  type ChangeReason,
  type Channel,
  type SuppressionReason,
} from '../shared.ts';
import { parseEmail } from './email-address.ts';
import { findIdsByAddress } from './people.sql.ts';
import { parsePhone } from './phone-number.ts';
import { bounce, complain, unsubscribe } from './statuses.ts';
import { suppress, findSuppressedAmong } from './suppression.ts';

export type OptOut = {
  channel: Channel;
  /** Erasing subscribers is a separate operation. */
  reason: Exclude<SuppressionReason, 'erased'>;
  userId?: number | undefined;
  /** Who entered the opt-out, if the reason is `manual`. */
  enteredBy?: Extract<ChangeReason, 'owner' | 'api'>;
};

/** Keys are lower-case emails, or numbers as E.164. */
export async function optOut(
  tx: Tx,
  accountId: number,
  keys: readonly string[],
  { channel, reason, userId, enteredBy = 'owner' }: OptOut,
): Promise<void> {
  if (keys.length === 0) return;
  await suppress(tx, accountId, keys, { channel, reason });
  const kind = getAddressField(channel) === 'email' ? 'email' : 'sms';
  const subscribers = { subscriberIds: await findIdsByAddress(tx, accountId, kind, keys) };
  if (reason === 'bounced') await bounce(tx, accountId, subscribers, { channel });
  else if (reason === 'reported') await complain(tx, accountId, subscribers, { channel });
  else {
    const givenReason = reason === 'manual' ? enteredBy : 'import';
    await unsubscribe(tx, accountId, subscribers, { channel, reason: givenReason, userId });
  }
}

export type SuppressedAddresses = { added: number; already: number; invalid: string[] };

/** Returns the key of an address on a channel, or undefined for an invalid one. */
export function toAddressKey(
  channel: Channel,
  input: string,
  country?: string,
): string | undefined {
  if (getAddressField(channel) === 'email') {
    const address = parseEmail(input);
    return typeof address === 'string' ? undefined : address.key;
  }
  const number = parsePhone(input, country);
  return typeof number === 'string' ? undefined : number.phone;
}

/** Suppresses addresses; if one is suppressed already, the stronger reason remains. */
export async function suppressAddresses(
  tx: Tx,
  accountId: number,
  addresses: readonly string[],
  details: OptOut & { country?: string | undefined },
): Promise<SuppressedAddresses> {
  const keys = new Set<string>();
  const invalid: string[] = [];
  for (const address of addresses) {
    const key = toAddressKey(details.channel, address, details.country);
    if (key === undefined) invalid.push(address);
    else keys.add(key);
  }
  const sortedKeys = [...keys].sort();
  const before = await findSuppressedAmong(tx, accountId, details.channel, sortedKeys);
  await optOut(tx, accountId, sortedKeys, details);
  return { added: sortedKeys.length - before.size, already: before.size, invalid };
}
