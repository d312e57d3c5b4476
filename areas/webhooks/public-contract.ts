// Outgoing webhooks in the public API. Responses contain the fields of a webhook at the top level.
// The response to its creation also contains them under `data` because some clients read them
// there.
import { z } from 'zod';
import { defineCalls, Id, idOf, InputInstant } from '#platform/contract.ts';
import { V2SuccessResponse, V2Time, v2List, v2Page } from '#platform/v2-contract.ts';
import { EndpointUrl } from './contract.ts';
import { TOPICS } from './shared.ts';

const Topic = z.enum(TOPICS);
const Status = z.enum(['ACTIVE', 'PAUSED', 'DISABLED']);

export const Webhook = z.object({
  id: Id,
  account_id: Id,
  url: z.string(),
  topic: Topic,
  group: Id.nullable(),
  total_deliveries: z.number().describe('Attempts so far, including retries and tests.'),
  total_failures: z.number().describe('Failed attempts so far.'),
  response_time: z.number().describe('Average response time in milliseconds.'),
  status: Status,
});
export type Webhook = z.infer<typeof Webhook>;

const Attempt = z.object({
  id: Id,
  state: z.enum(['due', 'delivered', 'failed']),
  attempts: z.number(),
  status: z.number().nullable().describe('HTTP status of the last response.'),
  answer: z.string().nullable(),
  next_at: V2Time,
  created: V2Time,
});
const Secret = z.object({ secret: z.string(), former_until: V2Time.nullable() });

const params = z.object({ id: idOf('endpoint') });
const change = z.object({
  url: EndpointUrl.optional(),
  topic: Topic.optional(),
  relation_id: idOf('group').optional(),
  status: z.enum(['ACTIVE', 'PAUSED']).optional(),
});
const errors = { not_found: 404, too_many_endpoints: 422 };

export const publicCalls = defineCalls({
  listWebhooks: {
    method: 'GET',
    path: '/v2/account/webhooks',
    caller: 'account',
    summary: 'List webhooks',
    description:
      'Returns the newest webhooks first, each with its delivery and failure counts and its average response time.',
    query: v2List({ order: 'created', direction: 'desc' }),
    response: v2Page(Webhook),
  },
  createWebhook: {
    method: 'POST',
    path: '/v2/account/webhooks',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Create a webhook',
    description:
      'The topics `groups/new-subscriber` and `groups/unsubscribed` require `relation_id`, the ID of a group; an unknown group returns 404. A private address returns 422. An account can have 50 webhooks.',
    body: z.object({ url: EndpointUrl, topic: Topic, relation_id: idOf('group').optional() }),
    response: Webhook.extend({ success: z.literal(true), message: z.string(), data: Webhook }),
    errors,
    example: { body: { url: 'https://shop.example/hooks', topic: 'subscribers/new' } },
  },
  readSecret: {
    method: 'GET',
    path: '/v2/account/webhooks/secret',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Get the signing secret',
    description:
      'All webhooks of the account are signed with this secret, which the first request creates. For 24 hours after a rotation, `former_until` is the time at which the previous secret expires; otherwise it is null.',
    response: z.object({ data: Secret }),
  },
  rotateSecret: {
    method: 'POST',
    path: '/v2/account/webhooks/secret',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Rotate the signing secret',
    description:
      'The previous secret stays valid for 24 hours. During this time it signs `X-Sender-Signature`, the new secret signs `X-Sender-Signature-Next`, and both sign `Webhook-Signature`.',
    response: z.object({ data: Secret }),
  },
  readWebhook: {
    method: 'GET',
    path: '/v2/account/webhooks/{id}',
    caller: 'account',
    summary: 'Get a webhook',
    description:
      'Includes delivery and failure counts and the average response time. The status is `DISABLED` after five days of failures, or if the endpoint returned 410.',
    params,
    response: Webhook,
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/v2/account/webhooks/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update a webhook',
    description:
      'Omitted fields keep their values. Setting `status` to `ACTIVE` resumes a paused or disabled webhook.',
    params,
    body: change,
    response: Webhook,
    example: { body: { status: 'PAUSED' } },
  },
  replaceWebhook: {
    method: 'PUT',
    path: '/v2/account/webhooks/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update a webhook (PUT alias)',
    description: 'Equivalent to the PATCH request: omitted fields keep their values.',
    params,
    body: change,
    response: Webhook,
    example: { body: { status: 'ACTIVE' } },
  },
  postWebhook: {
    method: 'POST',
    path: '/v2/account/webhooks/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update a webhook (POST alias)',
    description: 'Equivalent to the PATCH request: omitted fields keep their values.',
    params,
    body: change,
    response: Webhook,
    example: { body: { status: 'ACTIVE' } },
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/v2/account/webhooks/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Delete a webhook and its pending deliveries',
    description: 'Its delivery history is deleted too. The signing secret does not change.',
    params,
    response: V2SuccessResponse,
  },
  listAttempts: {
    method: 'GET',
    path: '/v2/account/webhooks/{id}/deliveries',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List deliveries of a webhook',
    description:
      'Returns delivered, failed and pending deliveries, newest first. `answer` holds up to 2,048 characters of the last response. Completed deliveries are deleted after 30 days.',
    params,
    query: v2List({ order: 'created', direction: 'desc' }),
    response: v2Page(Attempt),
  },
  resend: {
    method: 'POST',
    path: '/v2/account/webhooks/{id}/resend',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Resend deliveries of a webhook',
    description:
      'Without a time range, queues all failed deliveries. With `from` or `to`, queues all completed deliveries created in that range. `count` is the number of queued deliveries.',
    params,
    body: z.object({ from: InputInstant.optional(), to: InputInstant.optional() }).optional(),
    response: z.object({ success: z.literal(true), message: z.string(), count: z.number() }),
    example: { body: { from: '2026-01-01T00:00:00Z' } },
  },
  testWebhook: {
    method: 'POST',
    path: '/v2/account/webhooks/{id}/test',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Send a sample event to a webhook',
    description:
      'Queues one delivery with sample data for the topic of the webhook. The result appears in its list of deliveries.',
    params,
    response: V2SuccessResponse,
  },
});
