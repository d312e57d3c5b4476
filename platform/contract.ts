// How an area declares its calls: zod schemas for input and output. Server routes validate with
// these schemas; the web client's types and the OpenAPI document are derived from them.
import { z } from 'zod';
import { decodeId, type Kind } from './ids.ts';
import type { Right } from './rights.ts';

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/**
 * A caller's input as documentation shows it; `$GROUP_ID` is a placeholder for the reader's own id.
 */
export type CallExample = {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
};

export type Call = {
  method: HttpMethod;
  path: `/${string}`;
  /** Imperative verb and object, at most eight words, without a final period. */
  summary: string;
  /**
   * Full sentences for the API's documentation: units, limits, defaults, order and side effects.
   */
  description?: string;
  /**
   * account: needs a session or a token. visitor: no session, from the product's own pages. public:
   * any client.
   */
  caller: 'account' | 'visitor' | 'public';
  /**
   * The right that the caller needs; by default `read` for GET and `drafts` for other methods.
   * none: the call concerns the caller only, or the handler checks rights.
   */
  requiredRight?: Right | 'none';
  /**
   * A caller without the right for this call, but with `requesterRight`, may request an approval: a
   * session adds `?ask=1` to the call, a program simply makes the call. `kind` is the kind of the
   * approval. The approval is about the object of the path parameter `id`, or about the object that
   * the kind reads from the input. A call with `approval` declares no query.
   */
  approval?: { kind: string; requesterRight: Right };
  /**
   * What the audit log records. By default: a call that changes something, without its values.
   * `none`: nothing, because the call's own rows are the record. A list: the call and the values of
   * these body fields, which must not contain subscriber data.
   */
  audit?: 'none' | readonly string[];
  /**
   * A call of the operator's page: the operator's session on the coordinator suffices, so it works
   * while the database node of the operator's account is down.
   */
  isOperatorCall?: true;
  /**
   * API tokens may not make this call, because it concerns the token's creator or its effect
   * outlives the token.
   */
  isPersonal?: boolean;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Schema of the response; undefined if the handler writes the reply itself (files, pages). */
  response?: z.ZodType;
  /** Error codes of this call, besides the common ones, and their status. */
  errors?: Record<string, number>;
  /**
   * Overrides the default of the function `acceptsIdempotencyKey`, for instance false for uploads.
   */
  acceptsIdempotencyKey?: boolean;
  /** own: the handler opens transactions itself (uploads, streams). */
  transaction?: 'own';
  /**
   * With `transaction: 'own'`: the handler claims the idempotency key and stores the response in
   * the transaction that does the work.
   */
  storesResponseItself?: true;
  /**
   * For costly calls: an account can run only a few of this kind at the same time; further calls
   * wait outside any transaction.
   */
  slots?: 'preview' | 'count' | 'export';
  /** Maximum bytes of a JSON body; 1 MiB by default. */
  bodyLimit?: number;
  /** A GET with a side effect (sends an email): requires the header X-Sendloom like a write. */
  requiresWriteHeader?: boolean;
  /** Input of the example in the public API's documentation, if ids of the path do not suffice. */
  example?: CallExample;
};

export type Calls = Record<string, Call>;

/**
 * Returns true for account calls with POST and a response (they send, create or pay), unless the
 * call overrides it. They accept an Idempotency-Key: an identical repeat within 24 hours gets the
 * first response. Calls with other methods are idempotent anyway.
 */
export function acceptsIdempotencyKey(call: Call): boolean {
  const { method, caller, response, acceptsIdempotencyKey: override } = call;
  return override ?? (method === 'POST' && caller === 'account' && response !== undefined);
}

export function defineCalls<const T extends Calls>(calls: T): T {
  return calls;
}

/**
 * For calls that several areas declare for their own objects, such as email and SMS campaigns.
 * `itemPath` builds the path of a call on one object; `params` is the schema of the path's `id`.
 */
export function itemRoutes<const Base extends `/${string}`>(base: Base, kind: Kind) {
  const itemPath = <const Rest extends string>(rest: Rest) =>
    `${base}/{id}/${rest}` as `${Base}/{id}/${Rest}` & `/${string}`;
  return { itemPath, params: z.object({ id: idOf(kind) }) };
}

/** Decodes an id in a request. An invalid id is 404 in a path, and 422 in a query or body. */
export function idOf(kind: Kind) {
  return z.string().transform((text, context) => {
    const id = decodeId(kind, text);
    if (id === undefined) {
      context.addIssue({ code: 'custom', message: 'errors.unknown_id' });
      return z.NEVER;
    }
    return id;
  });
}

/** An id in a response. */
export const Id = z.string().describe('An opaque ID.');
/** An instant: ISO 8601 in UTC. */
export const Instant = z.iso.datetime();

const FIRST_DAY = '2000-01-01';
const LAST_DAY = '2100-12-31';

/**
 * A day from 2000 to 2100 as `YYYY-MM-DD`. The limits bound loops over days and exclude years with
 * fewer or more than four digits.
 */
export const Day = z.iso
  .date()
  .refine((day) => day >= FIRST_DAY && day <= LAST_DAY, 'errors.fields.day');

/** An instant in input, from 2000 to 2100 like `Day`. */
export const InputInstant = z.iso
  .datetime()
  .refine((at) => at >= FIRST_DAY && at.slice(0, 10) <= LAST_DAY, 'errors.fields.day');

export type ListRequest<Sort extends string = string> = {
  page: number;
  perPage: number;
  order: Sort;
  direction: 'asc' | 'desc';
  /**
   * no_paginate: all rows without meta. If there are more than 10,000, the first 10,000 with meta.
   */
  isUnpaginated: boolean;
  search: string | undefined;
};

const COMMON_SORTS = ['title', 'created', 'modified'] as const;
type CommonSort = (typeof COMMON_SORTS)[number];

const YES = new Set(['1', 'true', '']);

type ListQueryOptions<Sort extends string> = {
  sorts: readonly Sort[];
  order?: Sort;
  sortAliases?: Partial<Record<CommonSort, Sort>>;
  direction?: 'asc' | 'desc';
  perPage?: number;
  max?: number;
};

/**
 * Builds the query of a list: page, limit, order, direction, no_paginate, search, and the fields of
 * `more`. `order=title&direction=ASC` and `order=title ASC` are equivalent. Besides its `sorts`,
 * every list accepts `title`, `created` and `modified`: `sortAliases` maps these names to similar
 * sorts of the list; a name without a mapping means the default order. Any other order or direction
 * is refused.
 */
export function listQuery<
  const Sort extends string,
  More extends z.ZodRawShape = Record<never, never>,
>(options: ListQueryOptions<Sort>, more?: More) {
  const { perPage = 10, max = 1000 } = options;
  return z
    .strictObject({
      page: z.coerce.number().int().min(1).max(100_000_000).default(1),
      limit: z.coerce.number().int().min(1).max(max).default(perPage),
      order: z.string().max(64).optional(),
      direction: z.string().max(8).optional(),
      no_paginate: z
        .string()
        .optional()
        .describe(
          'Returns all rows without `meta`. If there are more than 10,000, the first 10,000 are returned with `meta`.',
        ),
      as_list: z.string().optional(),
      search: z.string().max(255).optional(),
      ...((more ?? {}) as More),
    })
    .transform((query, context) => {
      const { page, limit, order, direction, no_paginate, search, ...rest } = query as PlainQuery;
      const list: ListRequest<Sort> = {
        page,
        perPage: limit,
        ...parseSort(options, order, direction, (name) =>
          context.addIssue({ code: 'custom', path: [name], message: 'errors.fields.choice' }),
        ),
        isUnpaginated: no_paginate !== undefined && YES.has(no_paginate.toLowerCase()),
        search: search?.replaceAll('\0', ' ').trim() || undefined,
      };
      return { list, ...(rest as z.output<z.ZodObject<More>>) };
    });
}

/** The query fields that every list has. */
type PlainQuery = Record<string, unknown> & {
  page: number;
  limit: number;
  order?: string;
  direction?: string;
  no_paginate?: string;
  search?: string;
};

/** Parses `title`, `title ASC` or a separate direction; refuses an unknown order or direction. */
function parseSort<Sort extends string>(
  options: ListQueryOptions<Sort>,
  order: string | undefined,
  direction: string | undefined,
  refuse: (name: 'order' | 'direction') => void,
): Pick<ListRequest<Sort>, 'order' | 'direction'> {
  const {
    sorts,
    sortAliases,
    order: defaultOrder = sorts[0] as Sort,
    direction: defaultDirection = 'desc',
  } = options;
  const [sortKey = '', appendedDirection] = (order ?? '').trim().split(/\s+/);
  const selectedSort =
    sorts.find((sort) => sort === sortKey) ?? resolveSortAlias(sortKey, sortAliases, defaultOrder);
  if (sortKey !== '' && selectedSort === undefined) refuse('order');
  const sortDirection = (
    direction ??
    appendedDirection ??
    (selectedSort ? 'asc' : undefined)
  )?.toLowerCase();
  if (sortDirection === 'asc' || sortDirection === 'desc') {
    return { order: selectedSort ?? defaultOrder, direction: sortDirection };
  }
  if (sortDirection) refuse('direction');
  return { order: selectedSort ?? defaultOrder, direction: defaultDirection };
}

function resolveSortAlias<Sort extends string>(
  sortKey: string,
  sortAliases: Partial<Record<CommonSort, Sort>> | undefined,
  sort: Sort,
): Sort | undefined {
  const common = COMMON_SORTS.find((sort) => sort === sortKey);
  return common && (sortAliases?.[common] ?? sort);
}

export const ListMeta = z.object({
  from: z.number().nullable(),
  to: z.number().nullable(),
  page: z.number(),
  pageCount: z.number(),
  total: z.number(),
  perPage: z.number(),
});
export type ListMeta = z.infer<typeof ListMeta>;

export function listResponse<T extends z.ZodType>(row: T) {
  return z.object({ data: z.array(row), meta: ListMeta.optional() });
}

export function dataResponse<T extends z.ZodType>(data: T) {
  return z.object({ data });
}

/** User input: trimmed, without NUL, within a length. */
export function text(max: number, min = 0) {
  return z
    .string()
    .trim()
    .min(min)
    .max(max)
    .refine((value) => !value.includes('\0'), 'errors.fields.characters');
}

/** One line of text, safe for an email header: no CR, LF or NUL. */
export function line(max: number, min = 0) {
  return text(max, min).refine((value) => !/[\r\n]/.test(value), 'errors.fields.characters');
}

export const SuccessResponse = z.object({
  success: z.literal(true),
  message: z.string().optional(),
});
