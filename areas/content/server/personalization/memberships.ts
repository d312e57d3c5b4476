// Memberships in the groups and segments of section conditions, read for a whole batch and passed
// to the renderer with each recipient's values; and the values of a preview.
import { readFields } from '#areas/fields/server/index.ts';
import { compileAnyOf, readSegmentConditions } from '#areas/segments/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { type MessageCondition, filterMemberships, listConditionNames } from './conditions.ts';
import * as store from './memberships.sql.ts';
import type { MergeValues } from './merge-tags.ts';
import { toSubscriberValues } from './person-values.ts';

export type Memberships = ReadonlyMap<number, MergeValues>;

const NO_MEMBERSHIPS: Memberships = new Map();

/**
 * @param names names of values in a compiled message; names that are not memberships are ignored
 * @returns by subscriber, an object with the value true for each group and segment in `names` that
 *   the subscriber belongs to; subscribers who belong to none are missing
 */
export async function readMemberships(
  db: Reader,
  accountId: number,
  names: readonly string[],
  subscriberIds: readonly number[],
): Promise<Memberships> {
  const relevant = filterMemberships(names);
  if (relevant.length === 0 || subscriberIds.length === 0) return NO_MEMBERSHIPS;
  const membershipsBySubscriber = new Map<number, Record<string, boolean>>();
  const addMembership = (subscriberId: number, name: string) => {
    const memberships = membershipsBySubscriber.get(subscriberId) ?? {};
    membershipsBySubscriber.set(subscriberId, { ...memberships, [name]: true });
  };
  const groups = relevant.filter(({ kind }) => kind === 'group');
  if (groups.length > 0) {
    const ids = groups.map(({ id }) => id);
    for (const row of await store.findMemberships(db, accountId, ids, subscriberIds)) {
      addMembership(row.subscriber_id, `group:${row.group_id}`);
    }
  }
  for (const { kind, id, name } of relevant) {
    if (kind !== 'segment') continue;
    for (const subscriberId of await listSegmentSubscribers(db, accountId, id, subscriberIds))
      addMembership(subscriberId, name);
  }
  return membershipsBySubscriber;
}

/**
 * Lists the segment's members. A deleted segment, or one that refers to deleted resources, has
 * none.
 */
async function listSegmentSubscribers(
  db: Reader,
  accountId: number,
  id: number,
  subscriberIds: readonly number[],
): Promise<number[]> {
  const conditions = await readSegmentConditions(db, accountId, [id]);
  const condition = await compileAnyOf(db, accountId, conditions, {
    now: clock.now(),
    matchesAllIfUnknown: false,
    slice: { after: Math.min(...subscriberIds) - 1, lastId: Math.max(...subscriberIds) },
  });
  return condition ? store.filterSubscribers(db, accountId, subscriberIds, condition) : [];
}

/**
 * Returns the newest subscriber with an email address, the default of previews, if there is one.
 */
export async function previewSubscriber(
  db: Reader,
  accountId: number,
): Promise<number | undefined> {
  return (await store.findSubscriber(db, accountId, undefined))?.id;
}

/**
 * Returns all values of a subscriber for a preview, by default of the newest one with an email
 * address; they are empty if there is none. @throws `not_found`
 */
export async function previewValues(
  db: Reader,
  accountId: number,
  subscriberId: number | undefined,
  conditions: readonly MessageCondition[] = [],
): Promise<MergeValues> {
  const subscriber = await store.findSubscriber(db, accountId, subscriberId);
  if (subscriber === undefined) {
    if (subscriberId !== undefined) throw notFound();
    return {};
  }
  const names = conditions.flatMap(listConditionNames);
  const memberships = await readMemberships(db, accountId, names, [subscriber.id]);
  const fields = await readFields(db, accountId);
  return { ...toSubscriberValues(subscriber, fields), ...memberships.get(subscriber.id) };
}
