// Schemas that the calls of the public API (/v2) share. Existing clients expect these formats:
// lists with `links` and `meta`, and times without a zone, in UTC. Unknown fields of requests are
// ignored.
import { z } from 'zod';
import { idOf, type ListRequest } from './contract.ts';
import type { Kind } from './ids.ts';

export const V2 = '/v2';
const PER_PAGE = 10;
const MAX_PER_PAGE = 1000;

/**
 * Validates a number in a query. An invalid number is replaced by the default instead of refused,
 * because clients send `limit` with every GET.
 */
function numberOr(defaultValue: number, max: number) {
  return z.coerce
    .number()
    .int()
    .min(1)
    .catch(defaultValue)
    .transform((value) => Math.min(value, max));
}

const pageShape = {
  page: numberOr(1, 1_000_000).optional().default(1).describe('Page number, starting at 1.'),
  limit: numberOr(PER_PAGE, MAX_PER_PAGE)
    .optional()
    .default(PER_PAGE)
    .describe('Rows per page, from 1 to 1,000.'),
};

/** Builds the schema of a list's query: `page`, `limit`, and the fields of `more`. */
export function v2List<const Sort extends string, More extends z.ZodRawShape>(
  defaults: { order: Sort; direction: 'asc' | 'desc' },
  more: More = {} as More,
) {
  return z.object({ ...pageShape, ...more }).transform((query) => {
    const { page, limit, ...filters } = query as { page: number; limit: number };
    const list: ListRequest<Sort> = {
      page,
      perPage: limit,
      order: defaults.order,
      direction: defaults.direction,
      isUnpaginated: false,
      search: undefined,
    };
    return { list, ...(filters as z.output<z.ZodObject<More>>) };
  });
}

const Url = z.string().nullable();

/**
 * Builds the schema of a page of a list. `links` point to this server; `meta.last_page` is the last
 * page number.
 */
export function v2Page<T extends z.ZodType>(row: T) {
  return z.object({
    data: z.array(row),
    links: z.object({ first: Url, last: Url, prev: Url, next: Url }),
    meta: z.object({
      current_page: z.number(),
      from: z.number().nullable(),
      last_page: z.number(),
      links: z.array(z.object({ url: Url, label: z.string(), active: z.boolean() })),
      path: z.string(),
      per_page: z.number(),
      to: z.number().nullable(),
      total: z.number(),
    }),
    has_more_resources: z.boolean(),
  });
}
export type V2Page<T> = z.infer<ReturnType<typeof v2Page<z.ZodType<T>>>>;

/** `YYYY-MM-DD HH:MM:SS` in UTC. */
export const V2Time = z.string().describe('Time in UTC, as YYYY-MM-DD HH:MM:SS.');

export function v2Time(at: Date): string;
export function v2Time(at: Date | null): string | null;
export function v2Time(at: Date | null): string | null {
  return at === null ? null : at.toISOString().slice(0, 19).replace('T', ' ');
}

/** Converts an instant of the product's own calls to the same format. */
export function formatV2Time(at: string): string {
  return at.slice(0, 19).replace('T', ' ');
}

/**
 * Converts a time in this format to ISO 8601 with its zone; other strings are returned unchanged.
 */
export function parseV2Time(time: string): string {
  return /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/.test(time) ? `${time.replace(' ', 'T')}.000000Z` : time;
}

export const V2SuccessResponse = z.object({ success: z.literal(true), message: z.string() });

export function v2Saved<T extends z.ZodType>(data: T) {
  return z.object({ success: z.literal(true), message: z.string(), data });
}

/** 0 or 1, the API's format of flags. */
export const Flag = z.union([z.literal(0), z.literal(1)]);
/** A flag in a client's input. */
export const FlexibleFlag = z
  .union([z.boolean(), z.literal(0), z.literal(1), z.enum(['0', '1', 'true', 'false'])])
  .transform((flag) => flag === true || flag === 1 || flag === '1' || flag === 'true');

/** An optional member; clients may write null instead of omitting it. */
export const absent = <T extends z.ZodType>(value: T) =>
  value.nullish().transform((given) => given ?? undefined);

/** An optional flag with a default. */
export const flagOr = (defaultValue: boolean) =>
  FlexibleFlag.nullish().transform((given) => given ?? defaultValue);

const ListedId = z.union([z.string().max(100), z.number()]).nullable();

/**
 * Ids as clients write them: a list, a map with ids as values, a string of ids separated by commas
 * or spaces, or null. Empty entries are ignored.
 */
export function listedIds(kind: Kind, max: number) {
  return z
    .union([z.array(ListedId), z.record(z.string(), ListedId), z.string().max(max * 64)])
    .nullish()
    .transform((given) => {
      const entries =
        typeof given === 'string' ? given.split(/[,\s]+/) : Object.values(given ?? {});
      return entries.map((entry) => String(entry ?? '').trim()).filter((entry) => entry !== '');
    })
    .pipe(z.array(idOf(kind)).max(max));
}

const MAX_BATCH = 1000;

/** Result for one row of a batch. */
export const RowResult = z.object({
  index: z.number().describe('Position of the row, starting at 0.'),
  success: z.boolean(),
  error: z.string().optional(),
  code: z.string().optional(),
  errors: z.record(z.string(), z.array(z.string())).optional(),
});
export type RowResult = z.infer<typeof RowResult>;

export const batchResponse = <T extends z.ZodRawShape>(shape: T) =>
  z.object({
    success: z.literal(true),
    message: z.string(),
    saved: z.number(),
    failed: z.number(),
    data: z.array(RowResult.extend(shape)),
  });

export const batchRows = () => z.array(z.unknown()).min(1).max(MAX_BATCH);

export function buildBatchResponse<Row extends RowResult>(data: Row[]) {
  const savedCount = data.filter(({ success }) => success).length;
  const failedCount = data.length - savedCount;
  return {
    success: true as const,
    message: `${savedCount} rows were saved`,
    saved: savedCount,
    failed: failedCount,
    data,
  };
}
