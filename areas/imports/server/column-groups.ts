// The groups that the rows of a file name: made where they are missing, joined by whom each row names.
import { ensureGroup, joinGroups } from '#areas/groups/server/index.ts';
import { titleKey } from '#areas/groups/limits.ts';
import { idsByAddress } from '#areas/subscribers/server/index.ts';
import type { Origin } from '#platform/origins.ts';
import type { Tx } from '#platform/server/database.ts';
import * as store from './imports.sql.ts';
import type { ReadPerson } from './person-rows.ts';

interface Joining {
  accountId: number;
  importId: number;
  /** Rows of people who are there by now, the repeated ones too. */
  people: readonly ReadPerson[];
  /** Whom this batch has made: they go with the import, and nothing is kept of them for the way back. */
  created: readonly number[];
  origin: Origin;
}

/** In the transaction of the batch, after its people are in and its turn has come. */
export async function joinNamedGroups(tx: Tx, joining: Joining): Promise<void> {
  const { accountId, importId, origin } = joining;
  const people = joining.people.filter((person) => person.groups.length > 0);
  if (people.length === 0) return;
  const ids = await idsByAddress(tx, accountId, {
    emails: people.flatMap((person) => person.emailKey ?? []),
    phones: people.flatMap((person) => (person.emailKey === null ? (person.phone ?? []) : [])),
  });
  const members = membersByGroup(people, ids);
  const created = new Set(joining.created);
  const groupIds: number[] = [];
  // In the order of their keys: two imports of an account never wait for each other crosswise.
  for (const [, { title, subscriberIds }] of [...members].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const groupId = await ensureGroup(tx, accountId, title);
    groupIds.push(groupId);
    const change = { groupIds: [groupId], subscriberIds: [...subscriberIds], origin };
    const joined = await joinGroups(tx, accountId, change);
    const were = joined.filter((one) => !created.has(one.subscriber_id));
    await store.insertMemberships(tx, accountId, importId, were);
  }
  await store.noteNamedGroups(tx, accountId, importId, groupIds);
}

function membersByGroup(
  people: readonly ReadPerson[],
  ids: ReadonlyMap<string, number>,
): Map<string, { title: string; subscriberIds: Set<number> }> {
  const members = new Map<string, { title: string; subscriberIds: Set<number> }>();
  for (const person of people) {
    const id = ids.get(person.emailKey ?? person.phone ?? '');
    if (id === undefined) continue;
    for (const title of person.groups) {
      const key = titleKey(title);
      const group = members.get(key) ?? { title, subscriberIds: new Set<number>() };
      group.subscriberIds.add(id);
      members.set(key, group);
    }
  }
  return members;
}
