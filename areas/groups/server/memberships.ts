// Adds sets of subscribers to groups and removes them, and publishes each change once.
import type { Cause } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import { afterCommit, type CopyIn, type Tx } from '#platform/server/database/database.ts';
import { type DomainEvent } from '#platform/server/events.ts';
import { clearCounts } from './counts.ts';
import { joinedGroup, leftGroup } from './events.ts';
import * as store from './groups.sql.ts';

export type MembershipChange = {
  groupIds: readonly number[];
  subscriberIds: readonly number[];
} & Cause;

/**
 * Adds subscribers to groups; ids of other accounts, deleted subscribers and groups being deleted
 * are ignored. Returns the number of new memberships.
 */
export async function addToGroups(
  tx: Tx,
  accountId: number,
  change: MembershipChange,
): Promise<number> {
  return (await joinGroups(tx, accountId, change)).length;
}

/** Adds subscribers to groups like `addToGroups`; returns the new memberships. */
export async function joinGroups(
  tx: Tx,
  accountId: number,
  change: MembershipChange,
): Promise<store.Membership[]> {
  if (change.groupIds.length === 0 || change.subscriberIds.length === 0) return [];
  const lockedIds = await store.lockGroups(tx, accountId, change.groupIds);
  const addedMembers = await store.insertMembers(
    tx,
    accountId,
    lockedIds,
    change.subscriberIds,
    clock.now(),
  );
  await announce(tx, accountId, joinedGroup, addedMembers, change);
  return addedMembers;
}

/**
 * Adds subscribers created in the same transaction: they have no memberships and are invisible to
 * other transactions, so they are copied in without looking them up or locking them (7 µs a
 * membership instead of 16).
 */
export async function addNewSubscribersToGroups(
  tx: Tx,
  copy: CopyIn,
  accountId: number,
  change: MembershipChange,
): Promise<void> {
  const { groupIds, subscriberIds, origin, depth = 0 } = change;
  if (groupIds.length === 0 || subscriberIds.length === 0) return;
  const lockedIds = await store.lockGroups(tx, accountId, groupIds);
  await store.copyMembers(copy, accountId, lockedIds, subscriberIds, clock.now());
  afterCommit(() => clearCounts(accountId));
  for (const groupId of lockedIds)
    await joinedGroup.announce(tx, {
      accountId,
      groupId,
      subscriberIds: [...subscriberIds],
      origin,
      depth,
    });
}

/**
 * Publishes events for memberships that were added without events before a sign-up was confirmed,
 * if they still exist.
 */
export async function publishJoined(
  tx: Tx,
  accountId: number,
  change: MembershipChange,
): Promise<void> {
  const requestedIds = new Set(change.groupIds);
  const members = await store.findGroupsOfSubscribers(tx, accountId, change.subscriberIds);
  const existingMembers = members
    .filter(({ id }) => requestedIds.has(id))
    .map(({ id, subscriber_id }) => ({ group_id: id, subscriber_id }));
  await announce(tx, accountId, joinedGroup, existingMembers, change);
}

/** Removes subscribers from groups. Returns the number of removed memberships. */
export async function removeFromGroups(
  tx: Tx,
  accountId: number,
  change: MembershipChange,
): Promise<number> {
  if (change.groupIds.length === 0 || change.subscriberIds.length === 0) return 0;
  const { groupIds, subscriberIds } = change;
  const removedMembers = await store.deleteMembers(tx, accountId, groupIds, subscriberIds);
  await announce(tx, accountId, leftGroup, removedMembers, change);
  return removedMembers.length;
}

async function announce(
  tx: Tx,
  accountId: number,
  event: DomainEvent<Parameters<typeof joinedGroup.announce>[1]>,
  memberships: readonly store.Membership[],
  { origin, depth = 0 }: Cause,
): Promise<void> {
  if (memberships.length > 0) afterCommit(() => clearCounts(accountId));
  const byGroup = new Map<number, number[]>();
  for (const { group_id, subscriber_id } of memberships) {
    const ids = byGroup.get(group_id);
    if (ids) ids.push(subscriber_id);
    else byGroup.set(group_id, [subscriber_id]);
  }
  for (const [groupId, subscriberIds] of byGroup) {
    await event.announce(tx, { accountId, groupId, subscriberIds, origin, depth });
  }
}

/** Handles the deletion of subscribers: removes them from their groups without events. */
export async function deleteMembershipsOfDeleted(
  tx: Tx,
  event: { accountId: number; subscriberIds: number[] },
): Promise<void> {
  await store.eraseMembers(tx, event.accountId, event.subscriberIds);
  afterCommit(() => clearCounts(event.accountId));
}
