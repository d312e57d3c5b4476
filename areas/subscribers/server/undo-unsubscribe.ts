// Undoes unsubscribes that the account's users or programs caused: each subscriber gets the
// previous status again, for example bounced. Subscribers who opted out themselves or complained
// since then stay unsubscribed or reported.
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import {
  getAddressField,
  type Channel,
  isPersonal,
  type SubscriptionStatus,
  type SuppressionReason,
} from '../shared.ts';
import { statusesChanged } from './events.ts';
import type { SubscriberSet, Reactivation, Refusal } from './statuses.ts';
import { type AddressRow, lockAddresses } from './statuses.sql.ts';
import { suppressionHash } from './suppression-hash.ts';
import { deleteSuppressions, findSuppressions } from './suppressions.sql.ts';
import {
  restoreBounceSuppressions,
  restoreStatus,
  type LastChange,
  findLastChanges,
} from './undo-unsubscribe.sql.ts';

type OptedOutRow = { id: number; hash: Buffer | undefined };

/**
 * Ignores subscribers who are neither unsubscribed nor reported. `skipped` contains those who
 * cannot be restored, with the reason; `reactivated` contains all restored subscribers, whichever
 * status they got.
 */
export async function undoUnsubscribe(
  tx: Tx,
  accountId: number,
  subscribers: SubscriberSet,
  options: { channel: Channel; userId?: number | undefined },
): Promise<Reactivation> {
  const { channel } = options;
  const rows = await lockAddresses(tx, accountId, subscribers.subscriberIds, channel);
  const optedOutRows = rows.filter(
    (row) => row.status === 'unsubscribed' || row.status === 'reported',
  );
  if (optedOutRows.length === 0) return { reactivated: [], skipped: [] };
  const changes = await findLastChanges(
    tx,
    accountId,
    optedOutRows.map((row) => row.id),
    channel,
  );
  const reasons = await reasonsOf(tx, accountId, optedOutRows, channel);
  const skipped: Reactivation['skipped'] = [];
  const byStatus = new Map<SubscriptionStatus, OptedOutRow[]>();
  for (const row of optedOutRows) {
    const { id } = row;
    const hash = hashOf(row, channel);
    const change = changes.get(id);
    const previousStatus = change?.previousStatus;
    // A subscriber whose address was removed since then cannot become active.
    const reason =
      !hash && previousStatus === 'active'
        ? 'no_address'
        : refusalOf(row, change, hash && reasons.get(hash.toString('latin1')));
    if (reason || !previousStatus) skipped.push({ id, reason: reason ?? 'no_consent' });
    else byStatus.set(previousStatus, [...(byStatus.get(previousStatus) ?? []), { id, hash }]);
  }
  for (const [to, rowsToRestore] of byStatus)
    await restoreStatuses(tx, accountId, rowsToRestore, { ...options, to });
  return { reactivated: [...byStatus.values()].flat().map((row) => row.id), skipped };
}

function hashOf(row: AddressRow, channel: Channel): Buffer | undefined {
  const key = getAddressField(channel) === 'email' ? row.email_key : row.phone_key;
  return key === null ? undefined : suppressionHash(key);
}

async function reasonsOf(tx: Tx, accountId: number, rows: AddressRow[], channel: Channel) {
  const hashes = rows.map((row) => hashOf(row, channel)).filter((hash) => hash !== undefined);
  const suppressions = await findSuppressions(tx, accountId, hashes, [channel]);
  return new Map(suppressions.map((row) => [row.address_hash.toString('latin1'), row.reason]));
}

function refusalOf(
  row: AddressRow,
  change: LastChange | undefined,
  reason: SuppressionReason | undefined,
): Refusal | undefined {
  if (row.status === 'reported' || reason === 'reported') return 'reported';
  if (reason === 'erased') return 'erased';
  if (reason === 'unsubscribed' || !change || isPersonal(change.reason)) return 'own_wish';
  return undefined;
}

async function restoreStatuses(
  tx: Tx,
  accountId: number,
  rows: readonly OptedOutRow[],
  options: { channel: Channel; userId?: number | undefined; to: SubscriptionStatus },
): Promise<void> {
  const { channel, userId, to } = options;
  const subscriberIds = rows.map((row) => row.id);
  const reason = to === 'active' ? 'reactivated' : 'owner';
  const at = clock.now();
  const hashedRows = rows.flatMap(({ id, hash }) => (hash ? [{ id, hash }] : []));
  if (to === 'bounced') await restoreBounceSuppressions(tx, accountId, channel, hashedRows);
  else {
    const hashes = hashedRows.map((row) => row.hash);
    await deleteSuppressions(tx, accountId, channel, hashes);
  }
  await restoreStatus(tx, accountId, subscriberIds, { channel, to, reason, userId, at });
  await statusesChanged.announce(tx, { accountId, subscriberIds, channel, to, reason });
}
