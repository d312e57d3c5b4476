// Manages event types and records their occurrences.
import { readAccount } from '#areas/accounts/server/index.ts';
import { findSubscriber, readSubscriber } from '#areas/subscribers/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId, encodePublicId } from '#platform/ids.ts';
import type { Language } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, invalid, notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { CustomEvent, EventOccurrence } from '../contract.ts';
import { MAX_CHART_DAYS, MAX_EVENTS } from '../shared.ts';
import { customEventDeleted, customEventRecorded, customEventUsedBy } from './events.ts';
import * as store from './events.sql.ts';

const MONTH_MS = 30 * 86_400_000;
const DAY_MS = 86_400_000;
const monthAgo = () => new Date(clock.now().getTime() - MONTH_MS);

export async function listEvents(
  db: Reader,
  accountId: number,
  list: ListRequest<'title' | 'created' | 'modified'>,
) {
  const { search, direction } = list;
  const order = list.order === 'created' ? 'created' : 'title';
  return buildListResponse(
    list,
    {
      rows: (slice) =>
        store.listEvents(db, accountId, { ...slice, search, order, direction, since: monthAgo() }),
      total: () => store.countEvents(db, accountId, search),
    },
    present,
  );
}

/** @throws `not_found` if it is unknown or belongs to another account */
export async function readEvent(db: Reader, accountId: number, id: number): Promise<CustomEvent> {
  const options = {
    search: undefined,
    order: 'title',
    direction: 'asc',
    since: monthAgo(),
  } as const;
  const [row] = await store.listEvents(db, accountId, { ...options, id, limit: 1, offset: 0 });
  if (!row) throw notFound();
  return present(row);
}

export async function createEvent(
  tx: Tx,
  accountId: number,
  body: { name: string; description: string },
): Promise<CustomEvent> {
  await requireCapacity(tx, accountId);
  const customEvent = await store.insertEvent(tx, accountId, { ...body, created_at: clock.now() });
  if (!customEvent)
    throw new AppError('name_taken', { errors: { name: ['events:errors.name_taken'] } });
  return readEvent(tx, accountId, customEvent.id);
}

async function requireCapacity(db: Reader, accountId: number): Promise<void> {
  if ((await store.countEvents(db, accountId)) >= MAX_EVENTS)
    throw new AppError('too_many_events', { values: { most: MAX_EVENTS } });
}

export async function describeEvent(tx: Tx, accountId: number, id: number, description: string) {
  await readEvent(tx, accountId, id);
  await store.describeEvent(tx, accountId, id, description);
  return readEvent(tx, accountId, id);
}

/** @throws `event_in_use`, with the objects that use the event type */
export async function deleteEvent(
  tx: Tx,
  accountId: number,
  eventId: number,
  language: Language,
): Promise<void> {
  await readEvent(tx, accountId, eventId);
  const uses = await customEventUsedBy.collect(tx, { accountId, eventId, language });
  if (uses.length > 0) {
    throw new AppError('event_in_use', {
      values: { names: uses.map(({ title }) => title).join(', '), count: uses.length },
      extra: { used_by: uses },
    });
  }
  await store.deleteEvent(tx, accountId, eventId);
  await customEventDeleted.announce(tx, { accountId, eventId });
}

export type RecordedEvent = {
  subscriber: { id?: number | undefined; email?: string | undefined; phone?: string | undefined };
  type: string;
  value?: number | null | undefined;
  value_currency?: string | null | undefined;
  properties?: Record<string, unknown> | null | undefined;
};

/**
 * Records an occurrence and creates its event type if it is new.
 * @throws 422 for an unknown email address or phone number, `not_found` for an unknown id, or
 * `too_many_events`
 */
export async function recordEvent(tx: Tx, accountId: number, event: RecordedEvent): Promise<void> {
  const { id, email, phone } = event.subscriber;
  const subscriber =
    id === undefined
      ? await findSubscriber(tx, accountId, email ? { email } : { phone: phone ?? '' })
      : await readSubscriber(tx, accountId, id);
  if (!subscriber) throw invalid({ subscriber: ['events:errors.noSubscribers'] });
  const eventId = await eventNamed(tx, accountId, event.type);
  await store.insertOccurrence(tx, accountId, {
    event_id: eventId,
    subscriber_id: subscriber.id,
    at: clock.now(),
    value: event.value ?? null,
    currency: event.value_currency ?? null,
    properties: JSON.stringify(event.properties ?? {}),
  });
  const subscriberIds = [subscriber.id];
  await customEventRecorded.announce(tx, { accountId, eventId, subscriberIds, origin: 'api' });
}

async function eventNamed(tx: Tx, accountId: number, name: string): Promise<number> {
  const customEvent = await store.findEvent(tx, accountId, name);
  if (customEvent) return customEvent.id;
  await requireCapacity(tx, accountId);
  const row = { name, description: '', created_at: clock.now() };
  const newEvent = await store.insertEvent(tx, accountId, row);
  // If it was not inserted, a concurrent call created it.
  const id = newEvent?.id ?? (await store.findEvent(tx, accountId, name))?.id;
  if (id === undefined) throw new Error('The custom event was neither created nor found');
  return id;
}

/**
 * Returns counts by day in the account's time zone, from `from` to `to` inclusive.
 * @throws 422 if `to` precedes `from`, or the days are too far apart
 */
export async function buildChart(
  db: Reader,
  accountId: number,
  id: number,
  span: { from: string; to: string },
): Promise<store.DayRow[]> {
  await readEvent(db, accountId, id);
  const days = (Date.parse(span.to) - Date.parse(span.from)) / DAY_MS;
  if (days < 0 || days >= MAX_CHART_DAYS) throw invalid({ to: ['errors.fields.choice'] });
  const { timezone } = await readAccount(db, accountId);
  return store.readDays(db, accountId, id, { ...span, zone: timezone });
}

export async function listOccurrences(
  db: Reader,
  accountId: number,
  id: number,
  list: ListRequest,
) {
  await readEvent(db, accountId, id);
  const { search, direction } = list;
  return buildListResponse(
    list,
    {
      rows: (slice) => store.listOccurrences(db, accountId, id, { ...slice, search, direction }),
      total: () => store.countOccurrences(db, accountId, id, search),
    },
    (row) => presentOccurrence(accountId, row),
  );
}

const present = ({ id, created_at, last, ...row }: store.EventRow): CustomEvent => ({
  id: encodeId('custom_event', id),
  ...row,
  last: last?.toISOString() ?? null,
  created: created_at.toISOString(),
});

function presentOccurrence(accountId: number, row: store.OccurrenceRow): EventOccurrence {
  return {
    id: encodePublicId('occurrence', accountId, row.id),
    subscriber: row.is_gone ? null : encodeId('subscriber', row.subscriber_id),
    person: row.is_gone ? '' : (row.email ?? row.phone ?? ''),
    at: row.at.toISOString(),
    value: row.value,
    currency: row.currency,
    properties: row.properties,
  };
}
