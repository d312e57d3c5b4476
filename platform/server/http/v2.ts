// Specifics of public API (/v2) responses: errors, lists, and headers that existing clients depend
// on.
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ListMeta } from '../../contract.ts';
import { V2, type V2Page } from '../../v2-contract.ts';
import type { LimitStatus } from '../limits/rate-limit.ts';

/** Returns true if the path belongs to the public API. */
export function isPublicApi(url: string): boolean {
  return url.startsWith(`${V2}/`);
}

/**
 * Removes the charset from the content type, because existing clients compare the whole header.
 * JSON defines no charset anyway.
 */
export function bareContentType(request: FastifyRequest, reply: FastifyReply): void {
  const type = reply.getHeader('content-type');
  if (isPublicApi(request.url) && typeof type === 'string' && type.startsWith('application/json'))
    reply.header('content-type', 'application/json');
}

/**
 * Adds headers with the limit of the API token, its remaining calls, and the time when all are
 * available again.
 */
export function addLimitHeaders(
  reply: FastifyReply,
  limitStatus: LimitStatus,
  capacity: number,
): void {
  reply.header('x-ratelimit-limit', String(capacity));
  reply.header('x-ratelimit-remaining', String(limitStatus.remaining));
  reply.header('x-ratelimit-reset', String(limitStatus.fullAt));
}

/** Some errors add further members. */
export interface ErrorBody extends Record<string, unknown> {
  message: string;
  code: string;
  /** Reasons by field. */
  errors?: Record<string, string[]>;
}

/**
 * Builds an error body of the form `{success: false, message, errors?, code}`. Clients log only the
 * message, so the message of a request with invalid fields contains the first reason. A refusal
 * (422) always has `errors`; if no field is the cause, it has the message under the error code.
 */
export function publicErrorBody(body: ErrorBody, status: number): Record<string, unknown> {
  const fieldErrors = Object.entries(body.errors ?? {});
  const [first] = fieldErrors;
  const reason = first?.[1][0];
  const message =
    reason === undefined || reason === body.message
      ? body.message
      : body.code === 'content_invalid'
        ? reason
        : `${body.message} ${first?.[0]}: ${reason}`;
  const errors =
    status === 422 && fieldErrors.length === 0 ? { [body.code]: [body.message] } : body.errors;
  return { success: false, ...body, message, ...(errors && { errors }) };
}

/** Converts a page to the public API's format. Links use the requested host if it is valid. */
export function presentPage<Row, Out>(
  request: FastifyRequest,
  { data, meta }: { data: readonly Row[]; meta?: ListMeta | undefined },
  present: (row: Row) => Out,
): V2Page<Out> {
  const { page = 1, pageCount = 1, perPage = data.length, total = data.length } = meta ?? {};
  const origin = `${request.protocol}://${request.host}`;
  const base = URL.canParse(origin) ? origin : request.server.publicUrl;
  const requestedUrl = new URL(request.url, base);
  const path = `${requestedUrl.origin}${requestedUrl.pathname}`;
  const pageUrl = (number: number): string => {
    requestedUrl.searchParams.set('page', String(number));
    return `${path}?${requestedUrl.searchParams}`;
  };
  const prev = page > 1 ? pageUrl(Math.min(page - 1, pageCount)) : null;
  const next = page < pageCount ? pageUrl(page + 1) : null;
  return {
    data: data.map(present),
    links: { first: pageUrl(1), last: pageUrl(pageCount), prev, next },
    meta: {
      current_page: page,
      from: meta?.from ?? null,
      last_page: pageCount,
      links: [
        { url: prev, label: 'Previous', active: false },
        { url: pageUrl(page), label: String(page), active: true },
        { url: next, label: 'Next', active: false },
      ],
      path,
      per_page: perPage,
      to: meta?.to ?? null,
      total,
    },
    has_more_resources: page < pageCount,
  };
}
