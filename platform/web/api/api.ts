// The typed client of an area's calls, named by method and path as in the contract: `const api =
// client<typeof calls>()`, `await api('GET /client-api/api/tags', { query: { page: 2 } })`. Only
// types are imported from the contract, so the browser bundle contains no schemas.
import { type QueryKey, queryOptions } from '@tanstack/react-query';
import type { z } from 'zod';
import { http } from './http.ts';

export { ApiError, isRefusal } from '../api-error.ts';

interface CallShape {
  method: string;
  path: string;
  params?: z.ZodType;
  query?: z.ZodType;
  body?: z.ZodType;
  response?: z.ZodType;
}

/** Calls by method and path. */
type ByName<Calls> = {
  [Key in keyof Calls as Calls[Key] extends CallShape
    ? `${Calls[Key]['method']} ${Calls[Key]['path']}`
    : never]: Calls[Key];
};

/** 'GET /client-api/api/tags' | 'POST /client-api/api/tags' | … */
export type CallName<Calls> = keyof ByName<Calls>;

type NamedCall<Calls, Name> = Name extends CallName<Calls> ? ByName<Calls>[Name] : never;

type RequestBody<Schema> = Schema extends z.ZodType ? z.input<Schema> : never;

/** The response, as parsed from JSON. */
export type ResponseOf<Calls, Name> =
  NamedCall<Calls, Name> extends { response: infer Schema }
    ? Schema extends z.ZodType
      ? z.output<Schema>
      : undefined
    : undefined;

type CallInput<Call, Key extends string> = Call extends { [Name in Key]: infer Schema }
  ? Schema extends z.ZodType
    ? Record<never, never> extends RequestBody<Schema>
      ? { [Name in Key]?: RequestBody<Schema> }
      : { [Name in Key]: RequestBody<Schema> }
    : unknown
  : unknown;

export type CallOptions<Calls, Name> = CallInput<NamedCall<Calls, Name>, 'params'> &
  CallInput<NamedCall<Calls, Name>, 'query'> &
  CallInput<NamedCall<Calls, Name>, 'body'> & {
    /**
     * Idempotency key, for calls that send, schedule, import or pay: a repeat with the same key
     * returns the same response.
     */
    idempotencyKey?: string;
    signal?: AbortSignal;
  };

type Arguments<Options> =
  Record<never, never> extends Options ? [options?: Options] : [options: Options];

export interface Client<Calls> {
  <Name extends CallName<Calls>>(
    name: Name,
    ...options: Arguments<CallOptions<Calls, Name>>
  ): Promise<ResponseOf<Calls, Name>>;
  /** For useQuery and prefetching: `useQuery(api.query('GET …', { query }))`. */
  query<Name extends CallName<Calls>>(
    name: Name,
    ...options: Arguments<CallOptions<Calls, Name>>
  ): ReturnType<typeof queryOptions<ResponseOf<Calls, Name>>>;
  /** Sends a file or form as the body. */
  upload<Name extends CallName<Calls>>(
    name: Name,
    form: FormData | Blob,
    options?: Omit<CallOptions<Calls, Name>, 'body'>,
  ): Promise<ResponseOf<Calls, Name>>;
}

interface UntypedOptions {
  params?: Record<string, unknown>;
  query?: Record<string, unknown>;
  body?: unknown;
  idempotencyKey?: string;
  signal?: AbortSignal;
}

/** @param at maps call names in the types to names of the actual calls */
export function client<Calls>(at = (name: string) => name): Client<Calls> {
  const call = (name: string, options: UntypedOptions = {}) => {
    const { method, path } = requestOf(at(name), options.params);
    return http(method, path, options);
  };
  return Object.assign(call, {
    query: (name: string, options: UntypedOptions = {}) =>
      queryOptions({
        queryKey: callKey(at(name), options),
        queryFn: ({ signal }: { signal: AbortSignal }) => call(name, { ...options, signal }),
      }),
    upload: (name: string, form: FormData | Blob, options: UntypedOptions = {}) => {
      const { method, path } = requestOf(at(name), options.params);
      return http(method, path, { ...options, form });
    },
  }) as unknown as Client<Calls>;
}

/**
 * Returns the query key of a call. It begins with the filled path, one entry per segment, so that
 * `invalidate('/client-api/api/tags')` matches everything below that path.
 */
export function callKey(name: string, options: UntypedOptions = {}): QueryKey {
  const { path } = requestOf(name, options.params);
  const segments = path.split('/').filter(Boolean);
  return options.query ? [...segments, { query: options.query }] : segments;
}

function requestOf(
  name: string,
  params: Record<string, unknown> = {},
): { method: string; path: string } {
  const [method = 'GET', template = '/'] = name.split(' ');
  const path = template.replace(/\{(\w+)\}|:(\w+)/g, (_, braced?: string, coloned?: string) => {
    const value = params[braced ?? coloned ?? ''];
    if (value === undefined) throw new Error(`No value for ${braced ?? coloned} of ${name}`);
    return encodeURIComponent(String(value));
  });
  return { method, path };
}
