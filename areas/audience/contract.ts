// Subscribers of an account: the list with its filter, bulk actions and single subscribers.
import { z } from 'zod';
import {
  dataResponse,
  Day,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  line,
  listResponse,
  listQuery,
  text,
} from '#platform/contract.ts';
import { ListedOrder } from '#areas/stores/contract.ts';
import { Worth } from '#areas/stores/earned-contract.ts';
import { WrittenIn } from '#areas/segments/contract.ts';
import { FIELD_TYPES } from '#areas/fields/shared.ts';
import { CHANNELS, CONSENT_KINDS, MAX_NAME_LENGTH, STATUSES } from '#areas/subscribers/shared.ts';
import { SubscriberNote } from './notes-contract.ts';
import { HISTORY_ACTIONS, HISTORY_PAGE, MAX_IDS, MAX_SUBJECT, MAX_TEXT_LENGTH } from './shared.ts';

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

/** A row of the list; `engagement` is included on request. */
export const SubscriberListItem = Subscriber.extend({
  engagement: z
    .object({
      /** Human opens and clicks; automatic ones are not counted. */
      last_open: Instant.nullable(),
      last_click: Instant.nullable(),
      /** Purchases in connected stores, after refunds; null if there are none. */
      worth: Worth.nullable(),
    })
    .optional(),
});
export type SubscriberListItem = z.infer<typeof SubscriberListItem>;

export const SubscriberDetails = Subscriber.extend({
  /** Purchases in connected stores, after refunds; null if there are none. */
  worth: Worth.nullable(),
  consents: z.array(
    z.object({
      at: Instant,
      channel: z.enum([...CHANNELS, 'terms']),
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
  /**
   * Whether the account may resubscribe the subscriber on a channel: freely, only with consent, or
   * never; `open` if the status is active already.
   */
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
      /** The campaign of the event. */
      campaign: Id.nullable(),
    })
    .nullable(),
  url: z.string().nullable(),
  /**
   * `soft` or `hard` for a bounce event, `machine` for an automatic open or click, the text of an
   * SMS reply, the data of a custom event, and otherwise the reason of the status change.
   */
  detail: z.string().nullable(),
});
export type HistoryEvent = z.infer<typeof HistoryEvent>;

/**
 * An event with the IP address and user agent that are stored, for the export of all data of a
 * subscriber.
 */
const ExportedEvent = HistoryEvent.extend({
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
});
export type ExportedEvent = z.infer<typeof ExportedEvent>;

const ids = z.array(idOf('subscriber')).min(1).max(MAX_IDS);

/**
 * The subscribers of a bulk action: listed ones, matches of the conditions and the search, or all.
 */
const selection = {
  subscribers: ids.optional(),
  /** A filter as text, or a list of conditions. Malformed conditions are refused. */
  conditions: z.union([z.string(), z.array(z.unknown())]).optional(),
  search: text(255).optional(),
  /**
   * Selects all subscribers. It must be explicit, so that a missing condition never selects all of
   * them.
   */
  all: z.literal(true).optional(),
};

const BulkResult = SuccessResponse.extend({
  /** Subscribers (or memberships) changed by this call. */
  count: z.number(),
  /** Subscribers skipped, by reason. */
  skipped: z.record(z.string(), z.number()),
  /** Whether the remaining subscribers are changed in the background. */
  queued: z.boolean(),
});
export type BulkResult = z.infer<typeof BulkResult>;
const bulkErrors = { conditions_malformed: 422, no_subscribers_selected: 422 };

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
/** The id of a custom field, or email, phone, firstname or lastname. */
const fieldOfSubscriber = z.object({ id: idOf('subscriber'), fieldId: z.string().max(60) });
const value = z.union([z.string().max(20_000), z.number()]).nullable();
const conflicts = { email_taken: 409, phone_taken: 409 };

/**
 * Opens and clicks of a subscriber by day in the account's time zone, from `from` to `to`
 * inclusive; days without activity are omitted.
 */
export const SubscriberEngagement = z.object({
  last_open: Instant.nullable(),
  last_click: Instant.nullable(),
  from: Day,
  to: Day,
  days: z.array(z.object({ day: Day, opens: z.number(), clicks: z.number() })),
});
export type SubscriberEngagement = z.infer<typeof SubscriberEngagement>;

export const calls = defineCalls({
  listSubscribers: {
    method: 'GET',
    path: '/client-api/api/subscribers',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List subscribers',
    description: 'The list can be searched, filtered, sorted and paginated.',
    query: listQuery(
      { sorts: ['title', 'created', 'modified'], order: 'created', direction: 'desc' },
      // Other values than a single string, such as a repeated parameter, are ignored.
      {
        filter: z.string().max(20_000).optional().catch(undefined),
        engagement: z.literal('true').optional().describe('Adds last open, last click and orders.'),
      },
    ),
    response: listResponse(SubscriberListItem),
  },
  createSubscriber: {
    method: 'POST',
    path: '/client-api/api/subscribers',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Create a subscriber',
    body: z.strictObject({
      email: z.string().max(320).optional(),
      phone: z.string().max(64).optional(),
      firstname: text(MAX_NAME_LENGTH).optional(),
      lastname: text(MAX_NAME_LENGTH).optional(),
      /** Values by field id. */
      fields: z.record(z.string(), value).optional(),
      groups: z.array(idOf('group')).max(100).optional(),
      trigger_automation: z.boolean().default(false),
    }),
    response: dataResponse(Subscriber),
    errors: conflicts,
  },
  getSubscriber: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Get a subscriber',
    description: 'Includes groups, fields, consent and status history.',
    params: subscriberId,
    response: dataResponse(SubscriberDetails),
  },
  getEngagement: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/engagement',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Get the engagement of a subscriber',
    description:
      'Returns the last open and click, and the days with opens or clicks in the last 371 days. Automatic opens and clicks are not counted.',
    params: subscriberId,
    response: dataResponse(SubscriberEngagement),
  },
  listEvents: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/events',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List activity of a subscriber',
    description:
      'Returns the newest first. Without `actions`, SMS replies and custom events are omitted. `next` is the cursor of the next page.',
    params: subscriberId,
    query: z.strictObject({
      actions: z.union([z.string(), z.array(z.string())]).optional(),
      limit: z.coerce.number().int().min(1).max(200).default(HISTORY_PAGE),
      after: z.string().max(80).optional(),
    }),
    response: z.object({
      data: z.array(HistoryEvent),
      meta: z.object({ next: z.string().nullable() }),
    }),
  },
  setField: {
    method: 'PATCH',
    path: '/client-api/api/subscribers/{id}/fields/{fieldId}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Set a field of a subscriber',
    params: fieldOfSubscriber,
    body: z.strictObject({ value }),
    response: dataResponse(Subscriber),
    errors: conflicts,
  },
  clearField: {
    method: 'DELETE',
    path: '/client-api/api/subscribers/{id}/fields/{fieldId}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Remove a field value of a subscriber',
    params: fieldOfSubscriber,
    response: dataResponse(Subscriber),
  },
  deleteSubscribers: {
    method: 'DELETE',
    path: '/client-api/api/subscribers',
    caller: 'account',
    requiredRight: 'people.delete',
    approval: { kind: 'subscribers_delete', requesterRight: 'people.change' },
    summary: 'Delete subscribers',
    body: z.strictObject(selection),
    response: BulkResult,
    transaction: 'own',
    errors: bulkErrors,
  },
  unsubscribe: {
    method: 'POST',
    path: '/client-api/api/unsubscribes',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Remove subscribers from a channel',
    body: z.strictObject(statusBody),
    response: BulkResult,
    transaction: 'own',
    errors: bulkErrors,
  },
  undoUnsubscribe: {
    method: 'POST',
    path: '/client-api/api/unsubscribes/undo',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Undo an unsubscribe made by the account',
    description:
      'Restores the previous status. Subscribers who opted out themselves or complained since then are skipped.',
    body: z.strictObject({ subscribers: ids, channel: Channel.optional() }),
    response: BulkResult,
    transaction: 'own',
  },
  reactivate: {
    method: 'POST',
    path: '/client-api/api/subscribers/reactivate',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Restore subscribers to a channel',
    description:
      'Subscribers who opted out themselves can only be restored individually, with their recorded consent.',
    body: z.strictObject({ ...statusBody, consent: text(1000, 3).optional() }),
    response: BulkResult,
    transaction: 'own',
    errors: { ...bulkErrors, consent_per_person: 422 },
  },
  addToGroup: {
    method: 'POST',
    path: '/client-api/api/subscribers/groups/{tagId}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Add subscribers to a group',
    params: z.object({ tagId: idOf('group') }),
    body: inData,
    response: BulkResult,
    transaction: 'own',
    errors: bulkErrors,
  },
  removeFromGroup: {
    method: 'DELETE',
    path: '/client-api/api/subscribers/groups/{tagId}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Remove subscribers from a group',
    params: z.object({ tagId: idOf('group') }),
    body: inData,
    response: BulkResult,
    transaction: 'own',
    errors: bulkErrors,
  },
  setFieldOfMany: {
    method: 'POST',
    path: '/client-api/api/subscribers/set_field',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Set a custom field of subscribers',
    description: 'The value null removes the stored value.',
    body: z.strictObject({ ...selection, field: idOf('field'), value }),
    response: BulkResult,
    transaction: 'own',
    errors: bulkErrors,
  },
  sendEmail: {
    method: 'POST',
    path: '/client-api/api/subscribers/{id}/email',
    caller: 'account',
    requiredRight: 'send',
    summary: 'Send an email to a subscriber',
    description:
      'Sends one transactional email with this text. Returns 422 `email_unwanted` for a subscriber who unsubscribed, bounced or complained on `email` or `temail`.',
    params: subscriberId,
    body: z.strictObject({
      from_name: line(MAX_NAME_LENGTH).default(''),
      from_email: z.string().max(320),
      subject: line(MAX_SUBJECT, 1),
      text: text(MAX_TEXT_LENGTH, 1),
    }),
    response: SuccessResponse,
    transaction: 'own',
    errors: {
      ...{ sender_not_verified: 422, content_invalid: 422, no_address: 422, email_unwanted: 422 },
    },
  },
  exportSubscriber: {
    method: 'GET',
    path: '/client-api/api/subscribers/{id}/export',
    caller: 'account',
    requiredRight: 'export',
    summary: 'Export all data of a subscriber',
    description: 'Serves access requests under GDPR Article 15.',
    params: subscriberId,
    response: dataResponse(
      z.object({
        subscriber: SubscriberDetails,
        history: z.array(ExportedEvent),
        orders: z.array(ListedOrder),
        notes: z.array(SubscriberNote),
      }),
    ),
  },
  eraseSubscriber: {
    method: 'POST',
    path: '/client-api/api/subscribers/{id}/erase',
    caller: 'account',
    requiredRight: 'people.delete',
    approval: { kind: 'subscriber_erase', requesterRight: 'people.change' },
    summary: 'Delete a subscriber permanently',
    description:
      'Erases the subscriber under GDPR Article 17. A keyed hash prevents the address from receiving email again. Content and settings that contain the address, such as the addresses of webhooks and senders, are not changed; `found_in` lists them. Of the campaigns, only the newest 500 and the newest 500 SMS campaigns are searched.',
    params: subscriberId,
    response: z.object({ success: z.literal(true), found_in: z.array(WrittenIn) }),
  },
});
