// Errors as responses: {message, errors?, code, raw_message?} with the status of the code, in the
// caller's language. Unexpected errors are logged with the request id and return 500.
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type Language, parseAcceptLanguage } from '../../languages.ts';
import {
  isConnectionLost,
  isOutOfSpace,
  isRetriable,
  isStatementTooSlow,
} from '../database/database.ts';
import { isNodeFailure } from '../database/node-failure.ts';
import { AppError, COMMON_STATUS } from '../errors.ts';
import { log } from '../log.ts';
import { hasServerText, serverTexts } from '../texts.ts';
import { parseFieldIssue } from './field-errors.ts';
import type { Route } from './serve.ts';
import { type ErrorBody, isPublicApi, publicErrorBody } from './v2.ts';

/**
 * Handles failed requests, with an HTML page for links in emails: plugins add those paths to
 * `publicPages`.
 */
export function addErrorResponses(app: FastifyInstance): void {
  app.decorate('publicPages', []);
  app.setErrorHandler((error, request, reply) =>
    sendError(error, request, reply, findPublicPage(app, request)),
  );
}

/**
 * Returns the error pages for a path that readers open from a link in an email: the link is
 * invalid, or temporarily unavailable. Undefined for other paths.
 */
export function findPublicPage(app: FastifyInstance, request: FastifyRequest) {
  return app.publicPages.find(({ pathPrefix: prefix }) => request.url.startsWith(prefix));
}

export function requestLanguage(request: FastifyRequest): Language {
  return (
    request.caller?.language ?? parseAcceptLanguage(request.headers['accept-language']) ?? 'eng'
  );
}

/** Errors without a code that the multipart parser throws. */
const MALFORMED_PARTS =
  /^(?:Multipart: |Malformed (?:content type|part header)|Unexpected end of (?:form|file|multipart)|Part terminated early|Missing Content-Type|Unsupported content type)/;

function asAppError(error: unknown): AppError | undefined {
  if (error instanceof AppError) return error;
  const code = (error as { code?: string })?.code;
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE' || code === 'FST_REQ_FILE_TOO_LARGE') {
    return new AppError('body_too_large');
  }
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE' || code === 'FST_INVALID_MULTIPART_CONTENT_TYPE') {
    return new AppError('unsupported_media_type');
  }
  if (
    error instanceof SyntaxError ||
    code === 'FST_ERR_CTP_INVALID_JSON_BODY' ||
    code === 'FST_ERR_CTP_EMPTY_JSON_BODY'
  ) {
    return new AppError('invalid', { errors: { body: ['errors.fields.json'] } });
  }
  if (error instanceof Error && MALFORMED_PARTS.test(error.message)) {
    return new AppError('invalid', { errors: { body: ['errors.fields.format'] } });
  }
  const status = (error as { statusCode?: number })?.statusCode;
  if (status && status >= 400 && status < 500) return new AppError('invalid', { status: 422 });
  if (isStatementTooSlow(error)) return new AppError('work_too_heavy');
  if (isUnavailable(error)) return new AppError('unavailable');
  return undefined;
}

/**
 * PostgreSQL or a cluster node is unreachable, restarting, or out of disk, memory or connections;
 * or the file disk is full.
 */
const isUnavailable = (error: unknown) =>
  isRetriable(error) || isConnectionLost(error) || isOutOfSpace(error) || isNodeFailure(error);

/** Returns the response for a failed call. */
export function toErrorResponse(
  error: AppError,
  request: FastifyRequest,
): { status: number; body: ErrorBody } {
  const route = (request.routeOptions?.config as { route?: Route } | undefined)?.route;
  const { code, details } = error;
  return {
    status: details.status ?? route?.call.errors?.[code] ?? COMMON_STATUS[code] ?? 422,
    body: errorBody(error, [route?.area, route?.fallbackArea], requestLanguage(request)),
  };
}

/**
 * Returns the error in the form that the caller receives. The cause is logged if it is unexpected
 * or `unavailable`.
 */
export function toKnownError(error: unknown, request: FastifyRequest): AppError {
  const appError = asAppError(error);
  if (!appError || appError.code === 'unavailable') {
    log.error('Request failed', {
      request: request.id,
      url: request.routeOptions?.url,
      error: error instanceof Error ? error : String(error),
    });
  }
  return appError ?? new AppError('server_error');
}

export function sendError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  page?: FastifyInstance['publicPages'][number],
): FastifyReply {
  const app = toKnownError(error, request);
  const { status, body } = toErrorResponse(app, request);
  if (app.details.retryAfterSeconds)
    reply.header('retry-after', String(app.details.retryAfterSeconds));
  if (page && status >= 500) return page.sendError(request, reply, status);
  return reply.status(status).send(isPublicApi(request.url) ? publicErrorBody(body, status) : body);
}

/**
 * Returns an error's messages in a language, from the first of these areas' catalogs that contains
 * them, or else the platform's.
 */
export function errorBody(
  error: AppError,
  areas: readonly (string | undefined)[],
  language: Language,
): ErrorBody {
  const translate = (key: string, values?: Record<string, unknown>) => {
    const home = areas.find((area) => area && hasServerText(area, key)) ?? 'platform';
    return hasServerText(home, key) ? serverTexts(home, language)(key, values) : undefined;
  };
  const message =
    translate(`errors.${error.code}`, error.details.values) ?? translate('errors.invalid');
  const body: ErrorBody = {
    message: message ?? '',
    code: error.code,
    ...error.details.extra,
  };
  if (error.details.errors) {
    body.errors = Object.fromEntries(
      Object.entries(error.details.errors).map(([field, codes]) => [
        field,
        codes.map((code) => {
          const issue = parseFieldIssue(code);
          return translate(issue.key, { ...error.details.values, field, ...issue.values }) ?? code;
        }),
      ]),
    );
  }
  return body;
}
