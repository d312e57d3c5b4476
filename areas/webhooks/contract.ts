// The web app's calls for outgoing webhooks: endpoints, their deliveries, and the signing secret.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  SuccessResponse,
  Id,
  idOf,
  Instant,
  InputInstant,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { TOPICS, MAX_URL } from './shared.ts';

const Topic = z.enum(TOPICS);
export const EndpointUrl = z
  .string()
  .trim()
  .max(MAX_URL)
  .pipe(z.url({ protocol: /^https?$/ }));

export const Endpoint = z.object({
  id: Id,
  url: z.string(),
  topic: Topic,
  group: Id.nullable(),
  group_title: z.string().nullable(),
  total_deliveries: z.number().describe('Attempts so far, including retries and tests.'),
  total_failures: z.number().describe('Failed attempts so far.'),
  response_time: z.number().describe('Average response time in milliseconds.'),
  status: z.enum(['ACTIVE', 'PAUSED', 'DISABLED']),
  failing_since: Instant.nullable(),
  created: Instant,
});
export type Endpoint = z.infer<typeof Endpoint>;

export const WebhookDelivery = z.object({
  id: Id,
  state: z.enum(['due', 'delivered', 'failed']),
  attempts: z.number(),
  status: z.number().nullable().describe('HTTP status of the last response.'),
  is_test: z.boolean(),
  next_at: Instant,
  created: Instant,
});
export type WebhookDelivery = z.infer<typeof WebhookDelivery>;

const WebhookAttempt = z.object({
  at: Instant,
  status: z.number().nullable(),
  ms: z.number(),
  body: z.string(),
  answer: z.string(),
});
export type WebhookAttempt = z.infer<typeof WebhookAttempt>;

const Secret = z.object({ secret: z.string(), former_until: Instant.nullable() });
const params = z.object({ id: idOf('endpoint') });
const endpointResponse = dataResponse(Endpoint);
const BASE = '/client-api/api/webhooks';
const Count = dataResponse(z.object({ count: z.number() }));

export const calls = defineCalls({
  listEndpoints: {
    method: 'GET',
    path: BASE,
    caller: 'account',
    summary: 'List webhooks with statistics',
    query: listQuery({ sorts: ['created', 'title'], direction: 'desc' }),
    response: listResponse(Endpoint),
  },
  createEndpoint: {
    method: 'POST',
    path: BASE,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Create a webhook',
    body: z.strictObject({ url: EndpointUrl, topic: Topic, relation_id: idOf('group').optional() }),
    response: endpointResponse,
    errors: { too_many_endpoints: 422 },
  },
  readSecret: {
    method: 'GET',
    path: `${BASE}/secret`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Get the signing secret',
    response: dataResponse(Secret),
  },
  rotateSecret: {
    method: 'POST',
    path: `${BASE}/secret`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Rotate the signing secret',
    description:
      'The previous secret stays valid for 24 hours. During this time it signs `X-Sender-Signature`, the new secret signs `X-Sender-Signature-Next`, and both sign `Webhook-Signature`.',
    response: dataResponse(Secret),
  },
  readEndpoint: {
    method: 'GET',
    path: `${BASE}/{id}`,
    caller: 'account',
    summary: 'Get a webhook',
    params,
    response: endpointResponse,
  },
  updateEndpoint: {
    method: 'PATCH',
    path: `${BASE}/{id}`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Update a webhook',
    description: 'Setting `status` to `ACTIVE` resumes a paused or disabled webhook.',
    params,
    body: z.strictObject({
      url: EndpointUrl.optional(),
      topic: Topic.optional(),
      relation_id: idOf('group').optional(),
      status: z.enum(['ACTIVE', 'PAUSED']).optional(),
    }),
    response: endpointResponse,
  },
  deleteEndpoint: {
    method: 'DELETE',
    path: `${BASE}/{id}`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Delete a webhook and its pending deliveries',
    params,
    response: SuccessResponse,
  },
  testEndpoint: {
    method: 'POST',
    path: `${BASE}/{id}/test`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Send a sample event to a webhook',
    params,
    response: SuccessResponse,
  },
  listDeliveries: {
    method: 'GET',
    path: `${BASE}/{id}/deliveries`,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List deliveries of a webhook',
    description: 'Lists delivered, failed and pending deliveries, newest first.',
    params,
    query: listQuery(
      { sorts: ['created'], direction: 'desc', max: 100 },
      { state: z.enum(['due', 'delivered', 'failed']).optional() },
    ),
    response: listResponse(WebhookDelivery),
  },
  listAttempts: {
    method: 'GET',
    path: `${BASE}/{id}/deliveries/{delivery}`,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List attempts of a delivery',
    description: 'Includes request and response.',
    params: z.object({ id: idOf('endpoint'), delivery: z.string() }),
    response: dataResponse(z.array(WebhookAttempt)),
  },
  resendDelivery: {
    method: 'POST',
    path: `${BASE}/{id}/deliveries/{delivery}/resend`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Resend a delivery',
    params: z.object({ id: idOf('endpoint'), delivery: z.string() }),
    response: Count,
  },
  resendDeliveries: {
    method: 'POST',
    path: `${BASE}/{id}/resend`,
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Resend deliveries of a webhook',
    description:
      'Without a time range, queues all failed deliveries. With a time range, queues all completed deliveries created in it.',
    params,
    body: z.strictObject({ from: InputInstant.optional(), to: InputInstant.optional() }),
    response: Count,
  },
});
