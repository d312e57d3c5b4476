// Handles newsletter sign-ups on a store's pages. They need only the store's public key, so anyone
// can send them for any address. A sign-up changes no status until the emailed link is confirmed.
import { addToGroups } from '#areas/groups/server/index.ts';
import {
  confirm,
  parseEmail,
  reactivate,
  readSubscribers,
} from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { hashSecret, generateSecret } from '#platform/server/secrets.ts';
import { createThrottle } from '#platform/server/limits/throttle.ts';
import * as store from './confirmations.sql.ts';
import { findStore, type StoreRow } from './connections.sql.ts';
import { consentRequested } from './events.ts';

const DAY_MS = 86_400_000;
const LINK_VALIDITY_MS = 30 * DAY_MS;
/** Limit per address across all accounts, so that many stores cannot flood a mailbox. */
const ofAddress = createThrottle({ capacity: 3, perSecond: 1 / 21_600 });
/** Limit per network of the caller: enough for an office, too low for a script. */
const ofNetwork = createThrottle({ capacity: 10, perSecond: 1 / 120 });

/** Path of the confirmation page, followed by the token. */
export const CONFIRM_PATH = '/commerce/confirm/';

/**
 * Sends a confirmation link to a person who is non-subscribed or unsubscribed, at most once a day,
 * within the limits by address and network. Above a limit, nothing is sent or changed. The caller
 * gets no result, so that no response can reveal whether the address is known.
 */
export async function requestConsent(
  tx: Tx,
  accountId: number,
  shop: StoreRow,
  { subscriberId, network }: { subscriberId: number; network: string },
): Promise<void> {
  const [subscriber] = await readSubscribers(tx, accountId, [subscriberId]);
  const isOpen =
    subscriber?.email_status === 'non-subscribed' || subscriber?.email_status === 'unsubscribed';
  const parsed = subscriber?.email && isOpen ? parseEmail(subscriber.email) : undefined;
  if (!subscriber?.email || typeof parsed !== 'object') return;
  const at = clock.now();
  const since = new Date(at.getTime() - DAY_MS);
  if (await store.hasSentLink(tx, accountId, subscriberId, since)) return;
  if (!ofNetwork(network, at.getTime()) || !ofAddress(parsed.key, at.getTime())) return;
  const secret = generateSecret();
  await store.insertConfirmation(tx, accountId, {
    ...{ hash: hashSecret(secret), storeId: shop.id, subscriberId, at },
    expiresAt: new Date(at.getTime() + LINK_VALIDITY_MS),
  });
  await consentRequested.announce(tx, {
    ...{ accountId, storeId: shop.id, title: shop.title, subscriberId },
    email: subscriber.email,
    token: `${encodeId('account', accountId)}.${secret}`,
  });
}

/**
 * Activates the person and adds them to the store's customer group, if any. Only the first
 * confirmation has an effect. Later ones also return true. An unknown link, or one that expired
 * unconfirmed, returns false.
 */
export async function confirmConsent(
  tx: Tx,
  accountId: number,
  hash: Buffer,
  { ip }: { ip: string },
): Promise<boolean> {
  const confirmation = await store.claimConfirmation(tx, accountId, hash, clock.now());
  if (!confirmation)
    return (await store.findConfirmation(tx, accountId, hash))?.confirmed_at != null;
  const { store_id: sourceId, subscriber_id: subscriberId } = confirmation;
  const subscribers = { subscriberIds: [subscriberId] };
  const wording = 'confirmed by the mailed link';
  const consent = { channel: 'email', ip } as const;
  const confirmedIds = await confirm(tx, accountId, subscribers, {
    ...consent,
    ...{ source: 'store', sourceId, wording },
  });
  if (confirmedIds.length === 0)
    await reactivate(tx, accountId, subscribers, {
      ...consent,
      consent: { source: 'store', wording },
    });
  const shop = await findStore(tx, accountId, sourceId);
  if (shop?.settings.group_id)
    await addToGroups(tx, accountId, {
      ...{ groupIds: [shop.settings.group_id], subscriberIds: [subscriberId], origin: 'store' },
    });
  return true;
}
