// Groups that people join and leave by themselves, on the preference page.
import type { Reader, Tx } from '#platform/server/database.ts';
import { addToGroups, removeFromGroups } from './memberships.ts';
import { findPublicGroups, type PublicGroup } from './public-groups.sql.ts';

/** More than a person would read through. */
const MOST = 50;

export type { PublicGroup };

export function publicGroupsOf(
  db: Reader,
  accountId: number,
  subscriberId: number,
): Promise<PublicGroup[]> {
  return findPublicGroups(db, accountId, subscriberId, MOST);
}

/** From now on the person is in these of the public groups, and in no other of them. */
export async function choosePublicGroups(
  tx: Tx,
  accountId: number,
  subscriberId: number,
  chosen: ReadonlySet<number>,
): Promise<void> {
  const groups = await publicGroupsOf(tx, accountId, subscriberId);
  const joined = groups.filter((group) => chosen.has(group.id) && !group.is_member);
  const left = groups.filter((group) => !chosen.has(group.id) && group.is_member);
  const change = { subscriberIds: [subscriberId], origin: 'person' as const };
  await addToGroups(tx, accountId, { ...change, groupIds: joined.map((group) => group.id) });
  await removeFromGroups(tx, accountId, { ...change, groupIds: left.map((group) => group.id) });
}
