// Suppression: prevents sending to an address, even when it is added again. It applies to one
// account and channel and is stored as a keyed hash of the address, so that it may remain after the
// subscriber is deleted (GDPR).
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { getAddressField, CHANNELS, type Channel, type SuppressionReason } from '../shared.ts';
import { suppressionHash } from './suppression-hash.ts';
import {
  findSuppressions,
  insertSuppressions,
  updateSuppressionOwners,
} from './suppressions.sql.ts';

/**
 * Suppresses addresses, with or without a subscriber. A key is the lower-case email, or the phone
 * as E.164.
 */
export async function suppress(
  tx: Tx,
  accountId: number,
  keys: readonly string[],
  suppression: { channel: Channel; reason: SuppressionReason; messageId?: number },
): Promise<void> {
  const hashes = keys.map(suppressionHash);
  const { channel, ...rest } = suppression;
  await insertSuppressions(tx, accountId, channel, hashes, { ...rest, at: clock.now() }, keys);
}

/**
 * Links the suppressions of these addresses to the subscribers who have them now; called when a
 * subscriber gets a suppressed address.
 */
export async function linkSuppressions(
  tx: Tx,
  accountId: number,
  channel: Channel,
  keys: readonly string[],
): Promise<void> {
  if (keys.length === 0) return;
  await updateSuppressionOwners(tx, accountId, channel, keys.map(suppressionHash), keys);
}

/** Links the suppressions of a subscriber's addresses, by channel, to the subscriber. */
export async function linkSuppressionsOfSubscriber(
  tx: Tx,
  accountId: number,
  addresses: { email_key: string | null; phone_key: string | null },
  suppressions: Partial<Record<Channel, SuppressionReason>>,
): Promise<void> {
  for (const channel of CHANNELS) {
    const key = getAddressField(channel) === 'email' ? addresses.email_key : addresses.phone_key;
    if (suppressions[channel] && key) await linkSuppressions(tx, accountId, channel, [key]);
  }
}

/** Returns the keys that are suppressed on the channel, with reasons. */
export async function findSuppressedAmong(
  db: Reader,
  accountId: number,
  channel: Channel,
  keys: readonly string[],
): Promise<Map<string, SuppressionReason>> {
  const reasons = await findSuppressedOn(db, accountId, [channel], keys);
  return reasons.get(channel) ?? new Map();
}

/** Finds suppressed addresses on each of several channels that use the same kind of address. */
export async function findSuppressedOn(
  db: Reader,
  accountId: number,
  channels: readonly Channel[],
  keys: readonly string[],
): Promise<Map<Channel, Map<string, SuppressionReason>>> {
  const hashes = keys.map(suppressionHash);
  const rows = await findSuppressions(db, accountId, hashes, channels);
  const byHash = new Map(
    rows.length === 0 ? [] : hashes.map((hash, i) => [hash.toString('latin1'), keys[i] as string]),
  );
  const reasonsByChannel = new Map(
    channels.map((channel) => [channel, new Map<string, SuppressionReason>()]),
  );
  for (const { channel, address_hash: hash, reason } of rows)
    reasonsByChannel.get(channel)?.set(byHash.get(hash.toString('latin1')) as string, reason);
  return reasonsByChannel;
}

export async function isSuppressed(
  db: Reader,
  accountId: number,
  channel: Channel,
  key: string,
): Promise<boolean> {
  return (await findSuppressedAmong(db, accountId, channel, [key])).size > 0;
}

/** Returns the reasons of one subscriber's suppressed channels; other channels are absent. */
export async function findSuppressionReasons(
  db: Reader,
  accountId: number,
  addresses: { emailKey: string | null; phoneKey: string | null },
): Promise<Partial<Record<Channel, SuppressionReason>>> {
  const keyOf = (channel: Channel) =>
    getAddressField(channel) === 'email' ? addresses.emailKey : addresses.phoneKey;
  const hashes = new Map<Channel, Buffer>();
  for (const channel of CHANNELS) {
    const key = keyOf(channel);
    if (key) hashes.set(channel, suppressionHash(key));
  }
  const rows = await findSuppressions(db, accountId, [...new Set(hashes.values())], CHANNELS);
  return Object.fromEntries(
    rows
      .filter((row) => hashes.get(row.channel)?.equals(row.address_hash))
      .map((row) => [row.channel, row.reason]),
  );
}
