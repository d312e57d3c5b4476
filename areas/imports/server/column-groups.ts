// Adds subscribers to the groups named in their rows of the file. Groups that do not exist are
// created.
import { ensureGroup, joinGroups } from '#areas/groups/server/index.ts';
import { toTitleKey } from '#areas/groups/shared.ts';
import { mapIdsByAddress } from '#areas/subscribers/server/index.ts';
import type { Origin } from '#platform/origins.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { ImportRecord } from './import-records.ts';
import * as store from './imports.sql.ts';

interface GroupBatch {
  accountId: number;
  importId: number;
  /** Rows whose subscribers exist after this batch, including repeated rows. */
  records: readonly ImportRecord[];
  /**
   * Subscribers created by this batch: an undo deletes them, so their memberships are not recorded
   * for it.
   */
  createdIds: readonly number[];
  origin: Origin;
}

/**
 * Called in the transaction of the batch, once its subscribers are written and the previous batch
 * is committed.
 */
export async function joinNamedGroups(tx: Tx, joining: GroupBatch): Promise<void> {
  const { accountId, importId, origin } = joining;
  const namedRecords = joining.records.filter((record) => record.groups.length > 0);
  if (namedRecords.length === 0) return;
  const ids = await mapIdsByAddress(tx, accountId, {
    emails: namedRecords.flatMap((record) => record.emailKey ?? []),
    phones: namedRecords.flatMap((record) =>
      record.emailKey === null ? (record.phone ?? []) : [],
    ),
  });
  const members = groupMembersByTitle(namedRecords, ids);
  const createdIds = new Set(joining.createdIds);
  const groupIds: number[] = [];
  // In key order, so that two imports of an account cannot deadlock.
  for (const [, { title, subscriberIds }] of [...members].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const groupId = await ensureGroup(tx, accountId, title);
    groupIds.push(groupId);
    const change = { groupIds: [groupId], subscriberIds: [...subscriberIds], origin };
    const memberships = await joinGroups(tx, accountId, change);
    const undoable = memberships.filter((membership) => !createdIds.has(membership.subscriber_id));
    await store.recordAddedMemberships(tx, accountId, importId, undoable);
  }
  await store.addNamedGroups(tx, accountId, importId, groupIds);
}

function groupMembersByTitle(
  records: readonly ImportRecord[],
  ids: ReadonlyMap<string, number>,
): Map<string, { title: string; subscriberIds: Set<number> }> {
  const members = new Map<string, { title: string; subscriberIds: Set<number> }>();
  for (const record of records) {
    const id = ids.get(record.emailKey ?? record.phone ?? '');
    if (id === undefined) continue;
    for (const title of record.groups) {
      const key = toTitleKey(title);
      const group = members.get(key) ?? { title, subscriberIds: new Set<number>() };
      group.subscriberIds.add(id);
      members.set(key, group);
    }
  }
  return members;
}
