// The people as their owner sees them: the list with its filter, bulk actions, one subscriber
// (specification sections 3, 5 and 7).
import { z } from 'zod';
import {
  dataAnswer,
  Day,
  defineCalls,
  Done,
  Id,
  idOf,
  Instant,
  listAnswer,
  listQuery,
  text,
} from '#platform/contract.ts';
import { Order } from '#areas/stores/contract.ts';
import { Worth } from '#areas/stores/earned-contract.ts';
import { FIELD_TYPES } from '#areas/fields/limits.ts';
import { CHANNELS, CONSENT_KINDS, NAME_MOST, STATUSES } from '#areas/subscribers/limits.ts';
import { HISTORY_ACTIONS, HISTORY_PAGE, IDS_MOST } from './limits.ts';

const Status = z.enum(STATUSES);
const Channel = z.enum(CHANNELS);

export const Subscriber = z.object({
  id: Id,
  email: z.string().nullable(),
  firstname: z.string().nullable(),
  lastname: z.string().nullable(),
  phone: z.string().nullable(),
  status: z.object({ email: Status, temail: Status, sms: Status, tsms: Status }),
  subscriber_tags: z.array(z.object({ id: Id, title: z.string() })),
  /** Custom fields that have a value. */
  columns: z.array(
    z.object({
      id: Id,
      name: z.string(),
      title: z.string(),
      type: z.enum(FIELD_TYPES),
      value: z.union([z.string(), z.number()]),
    }),
  ),
  location: z.string().nullable(),
  country: z.string().nullable(),
  language: z.string().nullable(),
  ip_address: z.string().nullable(),
  source: z.string(),
  unsubscribed_at: Instant.nullable(),
  bounced_at: Instant.nullable(),
  created: Instant,
  modified: Instant,
});
export type Subscriber = z.infer<typeof Subscriber>;

export const SubscriberDetails = Subscriber.extend({
  /** What was bought in connected stores, after refunds; null while nothing was. */
  worth: Worth.nullable(),
  consents: z.array(
    z.object({
      at: Instant,
      channel: Channel,
      kind: z.enum(CONSENT_KINDS),
      source: z.string(),
      wording: z.string().nullable(),
      ip_address: z.string().nullable(),
    }),
  ),
  status_changes: z.array(
    z.object({
      at: Instant,
      channel: Channel,
      from: Status.nullable(),
      to: Status,
      reason: z.string(),
    }),
  ),
  /** Per channel: may the owner bring them back, alone, only with the person's consent, or never. */
  comeback: z.object({
    email: z.enum(['open', 'free', 'consent', 'never']),
    temail: z.enum(['open', 'free', 'consent', 'never']),
    sms: z.enum(['open', 'free', 'consent', 'never']),
    tsms: z.enum(['open', 'free', 'consent', 'never']),
  }),
});
export type SubscriberDetails = z.infer<typeof SubscriberDetails>;

export const HistoryEvent = z.object({
  action: z.enum(HISTORY_ACTIONS),
  at: Instant,
  channel: Channel.nullable(),
  message: z
    .object({
      id: Id,
      kind: z.string(),
      subject: z.string().nullable(),
      /** The campaign it belongs to. */
      campaign: Id.nullable(),
    })
    .nullable(),
  url: z.string().nullable(),
  /** soft, hard; or who or what made them leave. */
  detail: z.string().nullable(),
});
export type HistoryEvent = z.infer<typeof HistoryEvent>;

/** As the person who asks gets it: with what was kept of their device. */
const ExportedEvent = HistoryEvent.extend({
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
});
export type ExportedEvent = z.infer<typeof ExportedEvent>;

const ids = z.array(idOf('subscriber')).min(1).max(IDS_MOST);

/** Who a bulk act is for: named people, or everybody whom the conditions (and the search) choose. */
const selection = {
  subscribers: ids.optional(),
  /** A filter's text or a list of conditions; malformed ones are refused. */
  conditions: z.union([z.string(), z.array(z.unknown())]).optional(),
  search: text(255).optional(),
  /** Everybody: must be said, so that a lost condition never means it. */
  all: z.literal(true).optional(),
};

const Bulk = Done.extend({
  /** People (or memberships) changed by this call. */
  count: z.number(),
  /** People left out, by reason. */
  skipped: z.record(z.string(), z.number()),
  /** The rest is being done in the background. */
  queued: z.boolean(),
});
export type Bulk = z.infer<typeof Bulk>;
const bulkErrors = { conditions_malformed: 422, nobody_chosen: 422 };

const groupBody = { ...selection, trigger_automation: z.boolean().default(false) };
const inData = z
  .union([z.strictObject({ data: z.strictObject(groupBody) }), z.strictObject(groupBody)])
  .transform((body) => ('data' in body ? body.data : body));

const statusBody = {
  ...selection,
  channel: Channel.optional(),
  channel_status: z.string().max(16).optional(),
};

const subscriberId = z.object({ id: idOf('subscriber') });
/** A custom field's id, or one of email, phone, firstname, lastname. */
const fieldOfSubscriber = z.object({ id: idOf('subscriber'), fieldId: z.string().max(60) });
const value = z.union([z.string().max(20_000), z.number()]).nullable();
const taken = { email_taken: 409, phone_taken: 409 };

/** By people, in days of the account's time zone, both ends included; days without any are left out. */
export const Engagement = z.object({
  last_open: Instant.nullable(),
  last_click: Instant.nullable(),
  from: Day,
  to: Day,
  days: z.array(z.object({ day: Day, opens: z.number(), clicks: z.number() })),
});
export type Engagement = z.infer<typeof Engagement>;

export const calls = defineCalls({
  listSubscribers: {
    method: 'GET',
    path: '/client-api/api/subscribers',
    who: 'account',
    summary: 'Subscribers: searched, filtered, sorted, a page at a time',
    query: listQuery(
      { sorts: ['title', 'created', 'modified'], order: 'created', direction: 'desc' },
      // One text; anything else, given twice for instance, is malformed and chooses nothing.
      { filter: z.string().max(20_000).optional().catch(undefined) },
    ),
    answer: listAnswer(Subscriber),
  },
  createSubscriber: {
    method: 'POST',
    path: '/client-api/api/subscribers',
    who: 'account',
    summary: 'Adds one subscriber',
    body: z.strictObject({
      email: z.string().max(320).optional(),
      phone: z.string().max(64).optional(),
      firstname: text(NAME_MOST).optional(),
      lastname: text(NAME_MOST).optional(),
      /** Values by field id. */
      fields: z.record(z.string(), value).optional(),
      groups: z.array(idOf('group')).max(100).optional(),
      trigger_automation: z.boolean().default(false),
    }),
    answer: dataAnswer(Subscriber),
    errors: taken,
  },
  getSubscriber: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}',
    who: 'account',
    summary: 'One subscriber with groups, fields, consent and status history',
    params: subscriberId,
    answer: dataAnswer(SubscriberDetails),
  },
  getEngagement: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/engagement',
    who: 'account',
    summary: 'When a subscriber last opened and clicked, and on which days of a year',
    params: subscriberId,
    answer: dataAnswer(Engagement),
  },
  listEvents: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/events',
    who: 'account',
    summary: 'What a subscriber got and did, newest first; `next` of the answer goes on',
    params: subscriberId,
    query: z.strictObject({
      actions: z.union([z.string(), z.array(z.string())]).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(HISTORY_PAGE),
      after: z.string().max(80).optional(),
    }),
    answer: z.object({
      data: z.array(HistoryEvent),
      meta: z.object({ next: z.string().nullable() }),
    }),
  },
  setField: {
    method: 'PATCH',
    path: '/client-api/api/subscribers/{id}/fields/{fieldId}',
    who: 'account',
    summary: 'Sets one field of one subscriber',
    params: fieldOfSubscriber,
    body: z.strictObject({ value }),
    answer: dataAnswer(Subscriber),
    errors: taken,
  },
  clearField: {
    method: 'DELETE',
    path: '/client-api/api/subscribers/{id}/fields/{fieldId}',
    who: 'account',
    summary: 'Empties one field of one subscriber',
    params: fieldOfSubscriber,
    answer: dataAnswer(Subscriber),
  },
  deleteSubscribers: {
    method: 'DELETE',
    path: '/client-api/api/subscribers',
    who: 'account',
    summary: 'Deletes subscribers',
    body: z.strictObject(selection),
    answer: Bulk,
    transaction: 'own',
    errors: bulkErrors,
  },
  unsubscribe: {
    method: 'POST',
    path: '/client-api/api/unsubscribes',
    who: 'account',
    summary: 'Takes subscribers out of a channel',
    body: z.strictObject(statusBody),
    answer: Bulk,
    transaction: 'own',
    errors: bulkErrors,
  },
  undoUnsubscribe: {
    method: 'POST',
    path: '/client-api/api/unsubscribes/undo',
    who: 'account',
    summary:
      'Takes back that the account unsubscribed these people: each has the status of before again',
    body: z.strictObject({ subscribers: ids, channel: Channel.optional() }),
    answer: Bulk,
    transaction: 'own',
    errors: bulkErrors,
  },
  reactivate: {
    method: 'POST',
    path: '/client-api/api/subscribers/reactivate',
    who: 'account',
    summary:
      'Brings subscribers back; who left by themselves only one by one, with the consent they gave',
    body: z.strictObject({ ...statusBody, consent: text(1000, 3).optional() }),
    answer: Bulk,
    transaction: 'own',
    errors: { ...bulkErrors, consent_per_person: 422 },
  },
  addToGroup: {
    method: 'POST',
    path: '/client-api/api/subscribers/groups/{tagId}',
    who: 'account',
    summary: 'Adds subscribers to a group',
    params: z.object({ tagId: idOf('group') }),
    body: inData,
    answer: Bulk,
    transaction: 'own',
    errors: bulkErrors,
  },
  removeFromGroup: {
    method: 'DELETE',
    path: '/client-api/api/subscribers/groups/{tagId}',
    who: 'account',
    summary: 'Takes subscribers out of a group',
    params: z.object({ tagId: idOf('group') }),
    body: inData,
    answer: Bulk,
    transaction: 'own',
    errors: bulkErrors,
  },
  exportSubscriber: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/export',
    who: 'account',
    summary: 'All that is kept about one subscriber, for the person who asks (GDPR, article 15)',
    params: subscriberId,
    answer: dataAnswer(
      z.object({
        subscriber: SubscriberDetails,
        history: z.array(ExportedEvent),
        orders: z.array(Order),
      }),
    ),
  },
  eraseSubscriber: {
    method: 'POST',
    path: '/client-api/api/subscribers/{id}/erase',
    who: 'account',
    summary: 'Erases a subscriber for good; a keyed hash keeps the address from being mailed again',
    params: subscriberId,
    answer: Done,
  },
});
