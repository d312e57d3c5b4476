// The API description (OpenAPI 3.1), built from the contracts the server validates with.
import { z } from 'zod';
import { type Call, acceptsIdempotencyKey } from '../../contract.ts';
import { getRight } from '../../rights.ts';
import { COMMON_STATUS } from '../errors.ts';
import { buildExample, exampleWithIds } from './examples.ts';
import type { Route } from './serve.ts';
import { isPublicApi } from './v2.ts';

type JsonObject = Record<string, unknown>;

/** A group of calls: the area that serves them. */
export type Tag = { name: string; description: string };

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonObject {
  const { $schema: _, ...rest } = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    target: 'draft-2020-12',
  });
  return rest as JsonObject;
}

const ERROR_SCHEMA: JsonObject = {
  type: 'object',
  required: ['message', 'code'],
  properties: {
    message: { type: 'string' },
    code: { type: 'string' },
    errors: { type: 'object', additionalProperties: { type: 'array', items: { type: 'string' } } },
    raw_message: { type: 'boolean' },
  },
};

function parametersOf(call: Call): JsonObject[] {
  const parts: ['path' | 'query', z.ZodType | undefined][] = [
    ['path', call.params],
    ['query', call.query],
  ];
  const parameters = parts.flatMap(([location, schema]): JsonObject[] => {
    if (!schema) return [];
    const { properties = {}, required = [] } = schemaOf(schema, 'input') as {
      properties?: Record<string, JsonObject>;
      required?: string[];
    };
    return Object.entries(properties).map(([name, property]) => ({
      name,
      in: location,
      required: location === 'path' || required.includes(name),
      schema: property,
    }));
  });
  if (acceptsIdempotencyKey(call)) {
    parameters.push({
      name: 'Idempotency-Key',
      in: 'header',
      required: false,
      description:
        'Repeating the request with the same key and body within 24 hours returns the first response without running it again.',
      schema: { type: 'string', maxLength: 255 },
    });
  }
  return parameters;
}

function responsesOf(call: Call): JsonObject {
  const responses: Record<string, JsonObject> = {
    200: call.response
      ? {
          description: 'Success',
          content: { 'application/json': { schema: schemaOf(call.response, 'output') } },
        }
      : { description: 'A file or an HTML page' },
  };
  const codes: Record<string, number> = { ...call.errors };
  if (call.params) codes.not_found = 404;
  if (call.body || call.query || acceptsIdempotencyKey(call)) codes.invalid = 422;
  if (call.caller === 'account') codes.unauthorized = 401;
  if (call.isPersonal) codes.session_needed = 403;
  if (getRight(call)) codes.missing_right = 403;
  if (call.approval) Object.assign(codes, { approval_requested: 403, too_many_approvals: 422 });
  if (call.caller === 'account' && !call.isPersonal) codes.network_not_allowed = 403;
  if (call.caller !== 'public' && (call.method !== 'GET' || call.requiresWriteHeader)) {
    codes.write_header_missing = 403;
  }
  if (acceptsIdempotencyKey(call))
    Object.assign(codes, { in_progress: 409, idempotency_conflict: 422 });
  if (call.method !== 'GET')
    Object.assign(codes, { body_too_large: 413, unsupported_media_type: 415 });
  // Returned by a proxy or by Node itself for an address that is too long.
  codes.headers_too_large = 431;
  for (const [code, status] of Object.entries({ ...codes, too_many_requests: 429 })) {
    const earlierDescription = responses[status]?.description;
    responses[status] = {
      description: earlierDescription ? `${earlierDescription}, ${code}` : code,
      content: { 'application/json': { schema: { $ref: '#/components/schemas/Error' } } },
    };
  }
  return responses;
}

function securityOf(call: Call): JsonObject[] {
  if (call.caller !== 'account') return [];
  const right = getRight(call);
  const rights = right ? [right] : [];
  if (isPublicApi(call.path)) return [{ token: rights }];
  return call.isPersonal ? [{ session: rights }] : [{ session: rights }, { token: rights }];
}

export function buildOpenApi(
  routes: readonly Route[],
  tags: readonly Tag[],
  publicUrl = '',
): JsonObject {
  return atOnce(buildOpenApiSteps(routes, tags, publicUrl));
}

/** Generates the same document as `buildOpenApi`, with a pause after each call. */
export function* buildOpenApiSteps(
  routes: readonly Route[],
  tags: readonly Tag[],
  publicUrl: string,
): Generator<void, JsonObject> {
  return {
    ...(yield* describe(routes, tags, publicUrl)),
    info: {
      title: 'Sendloom',
      version: '1',
      description:
        'Requests that write and are authenticated by the session cookie must send the header `X-Sendloom: 1`.\n\n' +
        'Errors are `{message, code, errors?}`. Every call may return these codes: ' +
        `${Object.keys(COMMON_STATUS).join(', ')}.`,
    },
  };
}

/** Markdown: what holds for all calls of the public API. */
const PUBLIC_API_RULES = [
  'Authenticate with `Authorization: Bearer <token>`. Create tokens under **Settings → API access tokens**. A token ' +
    'may be limited to rights and IP networks; each call lists its right in its security requirement. Without that ' +
    'right, the API returns 403 `missing_right`. If the call can be approved, it returns 403 `approval_requested` ' +
    'instead, with the ID of the request in `approval`.',
  'Each token may make 300 requests per minute. Every response has the headers `X-RateLimit-Limit`, ' +
    '`X-RateLimit-Remaining` and `X-RateLimit-Reset`, the Unix time in seconds at which the full limit is available ' +
    'again. A response with status 429 includes `Retry-After`.',
  'Every POST accepts an `Idempotency-Key`. Repeating the request with the same key and body within 24 hours returns ' +
    'the first response with `Idempotency-Replayed: true` and does not run it again. Another body with the same key ' +
    'returns 422; a request whose first run has not finished returns 409. A rejected request does not use up its key.',
  'Errors are `{success: false, message, code, errors?}`. Times are UTC. Unknown fields are ignored.',
].join('\n\n');

/** Describes the public API, for other programs. */
export function buildPublicApi(
  routes: readonly Route[],
  tags: readonly Tag[],
  publicUrl = '',
): JsonObject {
  return atOnce(buildPublicApiSteps(routes, tags, publicUrl));
}

/** Generates the same document as `buildPublicApi`, with a pause after each call. */
export function* buildPublicApiSteps(
  routes: readonly Route[],
  tags: readonly Tag[],
  publicUrl: string,
): Generator<void, JsonObject> {
  const document = yield* describe(
    routes.filter(({ call }) => isPublicApi(call.path)),
    tags,
    publicUrl,
  );
  return {
    ...document,
    info: {
      title: 'Sendloom API',
      version: '2',
      description: PUBLIC_API_RULES,
    },
  };
}

function atOnce(steps: Generator<void, JsonObject>): JsonObject {
  let step = steps.next();
  while (!step.done) step = steps.next();
  return step.value;
}

/** Returns the description; in the public API followed by example requests in Markdown. */
function describeCall(call: Call, publicUrl: string): JsonObject {
  const example = isPublicApi(call.path) ? buildExample(call, publicUrl) : undefined;
  const description = [call.description, example].filter(Boolean).join('\n\n');
  return description ? { description } : {};
}

/** Returns the request body's schema, with the call's example in the public API. */
function bodyOf(call: Call, body: z.ZodType): JsonObject {
  const example = isPublicApi(call.path) ? exampleWithIds(call).body : undefined;
  return { schema: schemaOf(body, 'input'), ...(example && { example }) };
}

/** Describes the routes, and those tags that have at least one of them. */
function* describe(
  routes: readonly Route[],
  tags: readonly Tag[],
  publicUrl: string,
): Generator<void, JsonObject> {
  const paths: Record<string, Record<string, JsonObject>> = {};
  const sortedRoutes = [...routes].sort((a, b) =>
    a.call.path < b.call.path ? -1 : a.call.path > b.call.path ? 1 : 0,
  );
  for (const { area, name, call } of sortedRoutes) {
    paths[call.path] ??= {};
    (paths[call.path] as Record<string, JsonObject>)[call.method.toLowerCase()] = {
      operationId: `${area}.${name}`,
      tags: [area],
      summary: call.summary,
      ...describeCall(call, publicUrl),
      parameters: parametersOf(call),
      ...(call.body && call.method !== 'GET'
        ? {
            requestBody: {
              content: { 'application/json': bodyOf(call, call.body) },
            },
          }
        : {}),
      responses: responsesOf(call),
      security: securityOf(call),
    };
    yield;
  }
  return {
    openapi: '3.1.0',
    servers: publicUrl ? [{ url: publicUrl }] : [],
    tags: tags.filter(({ name }) => routes.some(({ area }) => area === name)),
    paths,
    components: {
      schemas: { Error: ERROR_SCHEMA },
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'token' },
        token: { type: 'http', scheme: 'bearer' },
      },
    },
  };
}
