// Converts rows of subscribers to subscribers as API responses contain them.
import { type FieldFacts, readFields } from '#areas/fields/server/index.ts';
import { findGroupsOfSubscribers } from '#areas/groups/server/index.ts';
import { type SubscriberRow, readSubscribers } from '#areas/subscribers/server/index.ts';
import { readCustomerValues } from '#areas/stores/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { SubscriberListItem, Subscriber } from '../contract.ts';
import { listLastEngagements } from './engagement.sql.ts';

/**
 * Returns these subscribers in the given order, with groups and fields; deleted ones are omitted.
 */
export async function presentSubscribers(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Subscriber[]> {
  if (ids.length === 0) return [];
  const rows = new Map((await readSubscribers(db, accountId, ids)).map((row) => [row.id, row]));
  const fields = await readFields(db, accountId);
  const groups = new Map<number, { id: string; title: string }[]>();
  for (const group of await findGroupsOfSubscribers(db, accountId, ids)) {
    const list = groups.get(group.subscriber_id) ?? [];
    list.push({ id: encodeId('group', group.id), title: group.title });
    groups.set(group.subscriber_id, list);
  }
  return ids.flatMap((id) => {
    const row = rows.get(id);
    return row ? [presentSubscriber(row, fields, groups.get(id) ?? [])] : [];
  });
}

/** Adds last open, last click and purchases, with two statements for all rows of a page. */
export async function withEngagement(
  db: Reader,
  accountId: number,
  subscribers: readonly Subscriber[],
): Promise<SubscriberListItem[]> {
  const ids = subscribers.flatMap(({ id }) => decodeId('subscriber', id) ?? []);
  const activityById = new Map(
    (await listLastEngagements(db, accountId, ids)).map((row) => [row.id, row]),
  );
  const worth = await readCustomerValues(db, accountId, ids);
  return subscribers.map((subscriber, i) => {
    const id = ids[i] ?? 0;
    const { lastOpenAt = null, lastClickAt = null } = activityById.get(id) ?? {};
    const engagement = {
      last_open: lastOpenAt?.toISOString() ?? null,
      last_click: lastClickAt?.toISOString() ?? null,
      worth: worth.get(id) ?? null,
    };
    return { ...subscriber, engagement };
  });
}

function presentSubscriber(
  row: SubscriberRow,
  fields: readonly FieldFacts[],
  groups: { id: string; title: string }[],
): Subscriber {
  const values = row.field_values as Record<string, string | number>;
  return {
    id: encodeId('subscriber', row.id),
    email: row.email,
    firstname: row.firstname,
    lastname: row.lastname,
    phone: row.phone,
    status: {
      email: row.email_status,
      temail: row.temail_status,
      sms: row.sms_status,
      tsms: row.tsms_status,
    },
    subscriber_tags: groups,
    columns: fields.flatMap((field) => {
      const value = values[field.id];
      const { name, title, type } = field;
      return value === undefined
        ? []
        : [{ id: encodeId('field', field.id), name, title, type, value }];
    }),
    location: row.location,
    country: row.country,
    language: row.language,
    ip_address: row.ip,
    source: row.source,
    unsubscribed_at: row.unsubscribed_at?.toISOString() ?? null,
    bounced_at: row.bounced_at?.toISOString() ?? null,
    created: row.created_at.toISOString(),
    modified: row.modified_at.toISOString(),
  };
}
