// Subscribers in the public API. The same path parameter accepts an email address, a phone number
// or an id.
import { z } from 'zod';
import { FIELD_TYPES } from '#areas/fields/shared.ts';
import { MAX_NAME_LENGTH, STATUSES } from '#areas/subscribers/shared.ts';
import { defineCalls, Id, idOf, text } from '#platform/contract.ts';
import {
  absent,
  batchResponse,
  batchRows,
  flagOr,
  listedIds,
  V2Time,
  v2List,
  v2Page,
  v2Saved,
} from '#platform/v2-contract.ts';
import { MAX_PUBLIC_PEOPLE } from './shared.ts';

const Status = z.enum(STATUSES);

export const PublicSubscriber = z.object({
  id: Id,
  email: z.string().nullable(),
  firstname: z.string().nullable(),
  lastname: z.string().nullable(),
  phone: z.string().nullable(),
  phone_country: z.object({ phone_code: z.number(), country_code: z.string() }).nullable(),
  created: V2Time,
  bounced_at: V2Time.nullable(),
  unsubscribed_at: V2Time.nullable(),
  location: z.string().nullable(),
  ip_address: z.string().nullable(),
  /** A channel without an address is omitted. */
  status: z.object({
    email: Status.optional(),
    temail: Status.optional(),
    sms: Status.optional(),
    tsms: Status.optional(),
  }),
  subscriber_tags: z.array(z.object({ id: Id, title: z.string() })),
  columns: z.array(
    z.object({
      id: Id,
      title: z.string(),
      type: z.enum(FIELD_TYPES),
      default: z.boolean(),
      value: z.union([z.string(), z.number()]),
    }),
  ),
  source: z.string(),
});
export type PublicSubscriber = z.infer<typeof PublicSubscriber>;

const value = z.union([z.string().max(20_000), z.number(), z.boolean()]).nullable();
const WrittenStatus = z
  .enum(['ACTIVE', 'UNSUBSCRIBED', 'BOUNCED', 'SPAM_REPORTED'])
  .describe(
    '`ACTIVE` subscribes a subscriber who never opted out, with a consent that the account attests. Bounces, complaints and opt-outs by subscribers remain.',
  );
const statuses = {
  subscriber_status: WrittenStatus.nullable().optional(),
  sms_status: WrittenStatus.nullable().optional(),
  transactional_email_status: WrittenStatus.nullable().optional(),
};
const subscriberFields = {
  firstname: text(MAX_NAME_LENGTH).nullable().optional(),
  lastname: text(MAX_NAME_LENGTH).nullable().optional(),
  phone: z.string().max(64).nullable().optional(),
  groups: listedIds('group', 100),
  /** Values by `{$name}`, or the name alone. */
  fields: absent(
    // Values are validated after the shape of the body, so that each error names its field.
    z
      .union([z.array(z.never()), z.record(z.string(), z.unknown())])
      .transform((map): Record<string, unknown> => (Array.isArray(map) ? {} : map))
      .pipe(z.record(z.string(), value)),
  ),
  trigger_automation: flagOr(true),
};

/** An email address, a phone number, or an id. */
const subscriberParams = z.object({ who: z.string().min(1).max(320) });
const SubscriberReference = z.union([z.string().max(320), z.number()]).transform(String);
const subscriberReferences = z.union([
  z.array(SubscriberReference).min(1).max(MAX_PUBLIC_PEOPLE),
  SubscriberReference.transform((reference) => [reference]),
]);
const subscribersBody = z.object({ subscribers: subscriberReferences });
const groupMembersBody = z.object({
  subscribers: subscriberReferences,
  trigger_automation: flagOr(true),
});
const group = z.object({ group: idOf('group') });
const addresses = z.array(z.string());
const GroupChangeResponse = z.object({
  success: z.literal(true),
  message: z.record(z.string(), addresses),
});
const conflicts = {
  ...{ email_taken: 409, phone_taken: 409 },
  ...{ cannot_resubscribe: 422, bounce_stays: 422, no_address: 422 },
};
const Channel = z.enum(['EMAIL', 'TEMAIL', 'SMS', 'TSMS', 'email', 'temail', 'sms', 'tsms']);

/** A page of subscribers, including properties that clients of the older API read. */
const Page = v2Page(PublicSubscriber).extend({ has_more_not_deleted_subscribers: z.boolean() });
const SuccessResponse = z.object({
  success: z.literal(true),
  message: z.string(),
  data: z.array(z.never()),
});

export const NewSubscriber = z.object({
  email: absent(z.string().max(320)),
  ...subscriberFields,
  ...statuses,
});

export const publicCalls = defineCalls({
  saveSubscribers: {
    method: 'POST',
    path: '/v2/subscribers/batch',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Create or update up to 1,000 subscribers',
    description:
      'Each row is a subscriber as for `POST /v2/subscribers`. Rows are processed independently; an invalid row does not affect others. One Idempotency-Key covers the request.',
    body: z.object({ subscribers: batchRows() }),
    response: batchResponse({
      id: Id.optional(),
      created: z.boolean().optional(),
      notes: z.array(z.string()).optional(),
    }),
    bodyLimit: 8 * 1024 * 1024,
    example: {
      body: { subscribers: [{ email: 'ada@home.example' }, { email: 'bob@home.example' }] },
    },
  },
  createSubscriber: {
    method: 'POST',
    path: '/v2/subscribers',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Create or update a subscriber',
    description:
      'Updates the existing subscriber with this address and adds it to the groups. A subscriber who is `non-subscribed` becomes active; opt-outs, bounces and complaints remain. `message` lists the channels that were subscribed or could not be subscribed, and ignored fields. An unknown group returns 404.',
    body: NewSubscriber,
    response: z.object({
      success: z.literal(true),
      message: z.array(z.string()),
      data: PublicSubscriber,
    }),
    errors: { not_found: 404 },
    example: { body: { email: 'ada@home.example', firstname: 'Ada', groups: ['$GROUP_ID'] } },
  },
  listSubscribers: {
    method: 'GET',
    path: '/v2/subscribers',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List subscribers',
    description:
      'Returns the newest subscribers first. With `email`, returns only the subscriber with that address, or an empty list.',
    query: v2List(
      { order: 'created', direction: 'desc' },
      { email: z.string().max(320).optional() },
    ),
    response: Page,
  },
  getSubscriber: {
    method: 'GET',
    path: '/v2/subscribers/{who}',
    caller: 'account',
    requiredRight: 'people',
    summary: 'Get a subscriber',
    description: '`who` is an email address, a phone number or an ID.',
    params: subscriberParams,
    response: z.object({ success: z.literal(true), data: PublicSubscriber }),
    example: { params: { who: 'ada@home.example' } },
  },
  updateSubscriber: {
    method: 'PATCH',
    path: '/v2/subscribers/{who}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Update a subscriber',
    description:
      'Omitted fields keep their values. `ACTIVE` cannot undo a bounce, a complaint or an opt-out by the subscriber: it returns 422 `bounce_stays` or `cannot_resubscribe`, and nothing is changed.',
    params: subscriberParams,
    body: z.object({
      email: absent(z.string().max(320)),
      ...subscriberFields,
      ...statuses,
    }),
    response: SuccessResponse,
    errors: conflicts,
    example: { params: { who: 'ada@home.example' }, body: { lastname: 'Lovelace' } },
  },
  deleteSubscribers: {
    method: 'DELETE',
    path: '/v2/subscribers',
    caller: 'account',
    requiredRight: 'people.delete',
    approval: { kind: 'subscribers_delete', requesterRight: 'people.change' },
    summary: 'Delete subscribers',
    description:
      'Accepts up to 10,000 email addresses, phone numbers or IDs; unknown ones are ignored. Suppressed addresses remain suppressed.',
    body: subscribersBody,
    response: z.object({ message: z.string(), delete_instance: z.string() }),
    errors: { no_subscribers_selected: 422 },
    example: { body: { subscribers: ['ada@home.example'] } },
  },
  removePhone: {
    method: 'DELETE',
    path: '/v2/subscribers/{who}/phone',
    caller: 'account',
    requiredRight: 'people.change',
    summary: "Remove a subscriber's phone number",
    description:
      '`who` is an email address, a phone number or an ID. Returns 422 if the subscriber has no email address, because a subscriber needs at least one address.',
    params: subscriberParams,
    response: SuccessResponse,
    example: { params: { who: 'ada@home.example' } },
  },
  removePhoneOnce: {
    method: 'DELETE',
    path: '/v2/subscribers/{who}/remove_phone',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Remove a phone number (alias)',
    description: 'Equivalent to `DELETE /v2/subscribers/{who}/phone`.',
    params: subscriberParams,
    response: SuccessResponse,
    example: { params: { who: 'ada@home.example' } },
  },
  listEvents: {
    method: 'GET',
    path: '/v2/subscribers/{who}/events',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List events of a subscriber',
    description:
      'Returns up to 200 events, newest first, grouped by channel and type. `actions` lists the types to return. SMS replies (`replied`) and custom events (`event`) are returned only if it names them.',
    params: subscriberParams,
    query: z.object({ actions: z.union([z.string(), z.array(z.string())]).optional() }),
    response: z.record(
      z.string(),
      z.record(
        z.string(),
        z.array(
          z.object({
            created_at: V2Time,
            title: z.string().nullable(),
            campaign_id: Id.nullable(),
            url: z.string().nullable(),
          }),
        ),
      ),
    ),
    example: { params: { who: 'ada@home.example' } },
  },
  setField: {
    method: 'PATCH',
    path: '/v2/subscribers/{who}/fields/{field}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Set a field of a subscriber',
    description:
      '`field` is the ID or the name of a custom field, or `email`, `phone`, `firstname` or `lastname`. The value null removes the stored value.',
    params: subscriberParams.extend({ field: z.string().max(300) }),
    body: z.object({ value }),
    response: SuccessResponse,
    errors: { email_taken: 409, phone_taken: 409 },
    example: { params: { who: 'ada@home.example' }, body: { value: 'Green' } },
  },
  addToGroup: {
    method: 'POST',
    path: '/v2/subscribers/groups/{group}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Add subscribers to a group',
    description:
      'Accepts up to 10,000 email addresses, phone numbers or IDs. `message` lists those that were added, were already members, do not exist or are invalid. Returns 400 `subscribers_not_found` if none of them exists.',
    params: group,
    body: groupMembersBody,
    response: GroupChangeResponse,
    errors: { subscribers_not_found: 400 },
    example: { body: { subscribers: ['ada@home.example'] } },
  },
  removeFromGroup: {
    method: 'DELETE',
    path: '/v2/subscribers/groups/{group}',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Remove subscribers from a group',
    description:
      'Accepts up to 10,000 email addresses, phone numbers or IDs. `message` lists those that were removed, were not members, do not exist or are invalid. Returns 400 `subscribers_not_found` if none of them exists.',
    params: group,
    body: groupMembersBody,
    response: GroupChangeResponse,
    errors: { subscribers_not_found: 400 },
    example: { body: { subscribers: ['ada@home.example'] } },
  },
  reactivate: {
    method: 'POST',
    path: '/v2/subscribers/reactivate',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Restore subscribers to a channel',
    description:
      '`channel_status` is the channel, by default `EMAIL`. Subscribers who opted out themselves, bounced, complained or never subscribed are counted as `skipped` and are not restored.',
    body: subscribersBody.extend({ channel_status: Channel.optional() }),
    response: v2Saved(z.object({ reactivated: z.number(), skipped: z.number() })),
    example: { body: { subscribers: ['ada@home.example'], channel_status: 'EMAIL' } },
  },
  unsubscribe: {
    method: 'POST',
    path: '/v2/unsubscribes',
    caller: 'account',
    requiredRight: 'people.change',
    summary: 'Remove subscribers from a channel',
    description:
      '`channel_status` is the channel, by default `EMAIL`. The addresses are added to the suppression list with the reason `manual`. Unknown subscribers are ignored, and `unsubscribed` counts subscribers with a changed status.',
    body: subscribersBody.extend({ channel_status: Channel.optional() }),
    response: v2Saved(z.object({ unsubscribed: z.number() })),
    example: { body: { subscribers: ['ada@home.example'] } },
  },
  listOfGroup: {
    method: 'GET',
    path: '/v2/groups/{group}/subscribers',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List subscribers of a group',
    description: 'Returns members with any status, newest first.',
    params: group,
    query: v2List({ order: 'created', direction: 'desc' }),
    response: Page,
  },
  listOfSegment: {
    method: 'GET',
    path: '/v2/segments/{segment}/subscribers',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List subscribers in a segment',
    description: 'Returns the subscribers who match the conditions now, newest first.',
    params: z.object({ segment: idOf('segment') }),
    query: v2List({ order: 'created', direction: 'desc' }),
    response: Page,
  },
});
