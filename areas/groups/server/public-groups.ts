// Public groups, which subscribers join and leave on the preference page.
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { addToGroups, removeFromGroups } from './memberships.ts';
import { findPublicGroups, type PublicGroupRow } from './public-groups.sql.ts';

/** Maximum number of public groups: subscribers would not read a longer list. */
const MAX_PUBLIC_GROUPS = 50;

export type { PublicGroupRow };

export function listPublicGroups(
  db: Reader,
  accountId: number,
  subscriberId: number,
): Promise<PublicGroupRow[]> {
  return findPublicGroups(db, accountId, subscriberId, MAX_PUBLIC_GROUPS);
}

/** Adds the subscriber to the chosen public groups and removes them from the others. */
export async function choosePublicGroups(
  tx: Tx,
  accountId: number,
  subscriberId: number,
  selectedIds: ReadonlySet<number>,
): Promise<void> {
  const groups = await listPublicGroups(tx, accountId, subscriberId);
  const joinedGroups = groups.filter((group) => selectedIds.has(group.id) && !group.is_member);
  const unchosen = groups.filter((group) => !selectedIds.has(group.id) && group.is_member);
  const change = { subscriberIds: [subscriberId], origin: 'person' as const };
  await addToGroups(tx, accountId, { ...change, groupIds: joinedGroups.map((group) => group.id) });
  await removeFromGroups(tx, accountId, { ...change, groupIds: unchosen.map((group) => group.id) });
}
