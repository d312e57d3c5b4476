// Segments (`filters` on the wire): subscribers who match conditions, evaluated each time.
// docs/api/filter-grammar.md describes the grammar.
import { z } from 'zod';
import { isConfirmed, modelErrors, ModelRequest } from '#areas/models/contract.ts';
import { MAX_WORDS } from '#areas/models/shared.ts';
import {
  SuccessResponse,
  dataResponse,
  defineCalls,
  Id,
  Instant,
  idOf,
  line,
  listResponse,
  listQuery,
  text,
} from '#platform/contract.ts';
import {
  ALL_CONDITION_TYPES,
  MAX_CONDITIONS,
  MAX_FILTER_BYTES,
  OPERATORS,
  SAMPLE,
  MAX_TITLE_LENGTH,
} from './shared.ts';

/** A resource of the account whose content contains an address. */
export const WrittenIn = z.object({ kind: z.string(), id: Id, title: z.string() });
export type WrittenIn = z.infer<typeof WrittenIn>;

export const Condition = z.object({
  type: z.enum(ALL_CONDITION_TYPES),
  operator: z.enum(OPERATORS),
  operand: z.string(),
  group: z.number(),
  outside_concat: z.enum(['and', 'or']),
  inside_concat: z.enum(['and', 'or']),
  key: z.string(),
  more: z.array(z.string()),
});

const Concat = z.enum(['and', 'or']).optional();
const Value = z.union([z.string(), z.number()]);

/** A condition in a request; missing properties have defaults. */
const WrittenCondition = z.strictObject({
  type: z.string().max(60),
  operator: z.string().max(60),
  /** One value, or several. */
  operand: z.union([Value, z.array(Value), z.null()]).optional(),
  group: z.number().int().optional(),
  outside_concat: Concat,
  inside_concat: Concat,
  key: z.string().max(60).nullable().optional(),
  more: z.array(Value).optional(),
});

/** A list of conditions, or a filter's text. Malformed values are refused with 422. */
export const Conditions = z.union([
  z.array(WrittenCondition).max(MAX_CONDITIONS),
  z.string().max(MAX_FILTER_BYTES),
]);

/**
 * Titles of referenced items (groups, campaigns, fields, custom events, stores, products), by id.
 */
const Names = z.record(z.string(), z.string());

/**
 * Counts: all, with an active email status, with a phone number, with a phone number and an active
 * SMS status.
 */
const Counts = {
  subscribers: z.number(),
  active_subscribers: z.number(),
  phone_count: z.number(),
  active_phone_count: z.number(),
};

export const Segment = z.object({
  id: Id,
  title: z.string(),
  account_id: Id,
  conditions: z.array(Condition),
  /** Increases with each change; an update names the revision it is based on. */
  revision: z.number(),
  /** The conditions as a filter of the subscribers list: /subscribers?filter=… */
  filter: z.string(),
  /** The conditions as a sentence, in the caller's language. */
  sentence: z.string(),
  names: Names,
  /** Whether a condition refers to a deleted item, which makes the segment empty. */
  is_broken: z.boolean(),
  subscribers: Counts.subscribers.nullable(),
  active_subscribers: Counts.active_subscribers.nullable(),
  phone_count: Counts.phone_count.nullable(),
  active_phone_count: Counts.active_phone_count.nullable(),
  /** Time of the counts; null if there are none. The list renews old counts in the background. */
  counted_at: Instant.nullable(),
  created: Instant,
  modified: Instant,
});
export type Segment = z.infer<typeof Segment>;

export const Preview = z.object({
  ...Counts,
  sentence: z.string(),
  names: Names,
  /** A few matching subscribers, newest first. */
  sample: z
    .array(
      z.object({
        id: Id,
        email: z.string().nullable(),
        phone: z.string().nullable(),
        firstname: z.string().nullable(),
        lastname: z.string().nullable(),
      }),
    )
    .max(SAMPLE),
});
export type Preview = z.infer<typeof Preview>;

const params = z.object({ id: idOf('segment') });
const segmentResponse = dataResponse(Segment);
const title = line(MAX_TITLE_LENGTH, 1);
export const WordsResponse = z.object({
  request: ModelRequest,
  conditions: z.array(Condition).nullable(),
  sentence: z
    .string()
    .nullable()
    .describe('The conditions in words, to compare with the description'),
  subscribers: z.number().nullable(),
});
export type WordsResponse = z.infer<typeof WordsResponse>;

export const malformedErrors = { conditions_malformed: 422 };

export const calls = defineCalls({
  listSegments: {
    method: 'GET',
    path: '/client-api/api/filters',
    caller: 'account',
    summary: 'List segments with their counts',
    query: listQuery({
      sorts: ['title', 'created', 'modified'],
      order: 'title',
      direction: 'asc',
    }),
    response: listResponse(Segment),
  },
  getSegment: {
    method: 'GET',
    path: '/client-api/api/filters/{id}',
    caller: 'account',
    summary: 'Get a segment',
    description: 'Subscribers are counted at request time.',
    params,
    response: segmentResponse,
  },
  createSegment: {
    method: 'POST',
    path: '/client-api/api/filters',
    caller: 'account',
    summary: 'Create a segment from conditions',
    description: 'Without a title, one is generated from the conditions.',
    body: z.strictObject({ conditions: Conditions, title: title.optional() }),
    response: segmentResponse,
    errors: { ...malformedErrors, conditions_missing: 422, too_many_segments: 422 },
  },
  updateSegment: {
    method: 'PATCH',
    path: '/client-api/api/filters/{id}',
    caller: 'account',
    summary: 'Update a segment',
    description:
      'Changing the conditions requires the right to send while a scheduled or recurring campaign, an active workflow or a form on a site uses them, and the right to send transactional messages while a transactional email uses them.',
    params,
    body: z.strictObject({
      title: title.optional(),
      conditions: Conditions.optional(),
      /**
       * The revision that the update is based on; 409 if there is a newer one. Without it, the
       * current revision is overwritten.
       */
      revision: z.number().int().positive().optional(),
    }),
    response: segmentResponse,
    errors: {
      ...malformedErrors,
      conditions_missing: 422,
      stale_revision: 409,
      segment_in_force: 403,
    },
  },
  duplicateSegment: {
    method: 'POST',
    path: '/client-api/api/filters/{id}/duplicate',
    caller: 'account',
    summary: 'Duplicate a segment',
    params,
    body: z.strictObject({ title: title.optional() }),
    response: segmentResponse,
    errors: { too_many_segments: 422 },
  },
  deleteSegment: {
    method: 'DELETE',
    path: '/client-api/api/filters/{id}',
    caller: 'account',
    summary: 'Delete a segment',
    description:
      'Returns 409 `segment_in_use` while something uses the segment, such as a scheduled campaign.',
    params,
    response: SuccessResponse,
    errors: { segment_in_use: 409 },
  },
  segmentFromWords: {
    method: 'POST',
    path: '/client-api/api/filters/from_words',
    caller: 'account',
    audit: 'none',
    acceptsIdempotencyKey: false,
    transaction: 'own',
    slots: 'count',
    summary: 'Get conditions from a description',
    description:
      "The account's model writes the conditions from the description and the names of groups and fields. Nothing is saved.",
    body: z.strictObject({ words: text(MAX_WORDS, 3), is_confirmed: isConfirmed }),
    response: dataResponse(WordsResponse),
    errors: { ...modelErrors, ...malformedErrors, words_unclear: 422 },
  },
  previewSegment: {
    method: 'POST',
    path: '/client-api/api/filters/preview',
    caller: 'account',
    requiredRight: 'read',
    slots: 'count',
    summary: 'Count subscribers who match conditions',
    description: 'Does not save the conditions. Includes a few matching subscribers.',
    body: z.strictObject({ conditions: Conditions }),
    response: dataResponse(Preview),
    errors: malformedErrors,
  },
});
