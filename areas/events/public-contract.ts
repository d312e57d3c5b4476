// Contract of custom events in the public API.
import { z } from 'zod';
import { defineCalls, idOf } from '#platform/contract.ts';
import { batchResponse, batchRows, V2SuccessResponse } from '#platform/v2-contract.ts';
import { Name } from './contract.ts';
import { MAX_PROPERTIES_BYTES, MAX_PROPERTIES, MAX_PROPERTY_BYTES } from './shared.ts';

const bytes = (text: string) => Buffer.byteLength(text);
const Property = z.union([
  z.string().refine((text) => bytes(text) <= MAX_PROPERTY_BYTES, 'events:errors.property_size'),
  z.number(),
  z.boolean(),
  z.null(),
]);
const Properties = z
  .record(z.string().min(1).max(100), Property)
  .refine((map) => Object.keys(map).length <= MAX_PROPERTIES, 'events:errors.properties')
  .refine(
    (map) => bytes(JSON.stringify(map)) <= MAX_PROPERTIES_BYTES,
    'events:errors.properties_size',
  );

const Subscriber = z
  .object({
    id: idOf('subscriber').optional(),
    email: z.string().trim().max(320).optional(),
    phone: z.string().trim().max(40).optional(),
  })
  .refine(({ id, email, phone }) => id !== undefined || email || phone, 'errors.fields.required');

export const NewEvent = z.object({
  subscriber: Subscriber,
  type: Name,
  value: z.number().min(-1e12).max(1e12).nullable().optional(),
  value_currency: z
    .string()
    .regex(/^[A-Za-z]{3}$/, 'errors.fields.choice')
    .transform((text) => text.toUpperCase())
    .nullable()
    .optional(),
  properties: Properties.nullable().optional(),
});

export const publicCalls = defineCalls({
  recordEvents: {
    method: 'POST',
    path: '/v2/events/batch',
    caller: 'account',
    requiredRight: 'people.change',
    audit: 'none',
    summary: 'Add up to 1,000 events',
    description:
      'Each row is an event as for `POST /v2/events`. Rows are processed independently; an invalid row does not affect others. One Idempotency-Key covers the request.',
    body: z.object({ events: batchRows() }),
    response: batchResponse({}),
    bodyLimit: 8 * 1024 * 1024,
    example: {
      body: { events: [{ subscriber: { email: 'ada@home.example' }, type: 'product_viewed' }] },
    },
  },
  recordEvent: {
    method: 'POST',
    path: '/v2/events',
    caller: 'account',
    requiredRight: 'people.change',
    audit: 'none',
    summary: 'Add an event to a subscriber',
    description:
      'The subscriber must exist: an unknown address returns 422, and an unknown ID 404. An unknown event type is created with its first event; an account can have 500 types. The event can start workflows.',
    body: NewEvent,
    response: V2SuccessResponse,
    errors: { not_found: 404, too_many_events: 422 },
    example: {
      body: {
        subscriber: { email: 'ada@home.example' },
        type: 'product_viewed',
        value: 12.5,
        value_currency: 'EUR',
        properties: { title: 'Green tea' },
      },
    },
  },
});
