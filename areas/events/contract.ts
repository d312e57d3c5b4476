// Contract of custom events in the web app: event types with counts, and the events (occurrences)
// that programs report about subscribers.
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
} from '#platform/contract.ts';
import { MAX_DESCRIPTION, MAX_NAME_LENGTH } from './shared.ts';

export const CustomEvent = z.object({
  id: Id,
  name: z.string(),
  description: z.string(),
  /** Occurrences in the last 30 days. */
  count: z.number(),
  /** Distinct subscribers of these occurrences. */
  people: z.number(),
  /** Time of the last occurrence ever. */
  last: Instant.nullable(),
  created: Instant,
});
export type CustomEvent = z.infer<typeof CustomEvent>;

export const EventOccurrence = z.object({
  id: Id,
  subscriber: Id.nullable(),
  /** The subscriber's email address or phone number; empty if the subscriber was deleted. */
  person: z.string(),
  at: Instant,
  value: z.number().nullable(),
  currency: z.string().nullable(),
  properties: z.record(z.string(), z.unknown()),
});
export type EventOccurrence = z.infer<typeof EventOccurrence>;

/** Name of an event type as programs send it: letters, digits, `_`, `.`, `:` and `-`. */
export const Name = line(MAX_NAME_LENGTH, 1).regex(/^[A-Za-z0-9_.:-]+$/, 'events:errors.name');

const params = z.object({ id: idOf('custom_event') });
const one = dataResponse(CustomEvent);

export const calls = defineCalls({
  listEvents: {
    method: 'GET',
    path: '/client-api/api/custom_events',
    caller: 'account',
    summary: 'List event types',
    description: 'Includes the number of events in the last 30 days.',
    query: listQuery({ sorts: ['title', 'created'], direction: 'asc' }),
    response: listResponse(CustomEvent),
  },
  createEvent: {
    method: 'POST',
    path: '/client-api/api/custom_events',
    caller: 'account',
    requiredRight: 'settings',
    summary: 'Create an event type',
    body: z.strictObject({
      name: Name,
      description: z.string().trim().max(MAX_DESCRIPTION).default(''),
    }),
    response: one,
    errors: { name_taken: 409, too_many_events: 422 },
  },
  readEvent: {
    method: 'GET',
    path: '/client-api/api/custom_events/{id}',
    caller: 'account',
    summary: 'Get an event type',
    params,
    response: one,
  },
  updateEvent: {
    method: 'PATCH',
    path: '/client-api/api/custom_events/{id}',
    caller: 'account',
    requiredRight: 'settings',
    summary: "Update an event type's description",
    description: 'The name cannot be changed because API clients use it.',
    params,
    body: z.strictObject({ description: z.string().trim().max(MAX_DESCRIPTION) }),
    response: one,
  },
  deleteEvent: {
    method: 'DELETE',
    path: '/client-api/api/custom_events/{id}',
    caller: 'account',
    requiredRight: 'people.delete',
    summary: 'Delete an event type with its events',
    params,
    response: SuccessResponse,
    errors: { event_in_use: 409 },
  },
  readChart: {
    method: 'GET',
    path: '/client-api/api/custom_events/{id}/chart',
    caller: 'account',
    summary: 'Count events by day',
    description: "Days are in the account's time zone.",
    params,
    query: z.strictObject({ from: Day, to: Day }),
    response: dataResponse(
      z.array(
        z.object({
          day: z.string(),
          count: z.number(),
          people: z.number(),
          value: z.number(),
        }),
      ),
    ),
  },
  listOccurrences: {
    method: 'GET',
    path: '/client-api/api/custom_events/{id}/feed',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List events',
    description: 'Returns the newest first.',
    params,
    query: listQuery({ sorts: ['at'], direction: 'desc', max: 100 }),
    response: listResponse(EventOccurrence),
  },
});
