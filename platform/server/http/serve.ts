// Turns an area's contract and handlers into HTTP routes: authorization, input validation, limits,
// one transaction (unless the call opens its own), the audit log, and the response. errors.ts maps
// errors to statuses and messages.
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from 'fastify';
import type { z } from 'zod';
import type { Call, Calls } from '../../contract.ts';
import type { Language } from '../../languages.ts';
import type { Right } from '../../rights.ts';
import { cleanValue } from '../clean-text.ts';
import { type Db, inTransaction, type Tx } from '../database/database.ts';
import { isNodeFailure } from '../database/node-failure.ts';
import { actionAudited, isAudited, withAuditedAction } from '../audit.ts';
import { AppError, invalid, notFound } from '../errors.ts';
import { FairTurns } from '../work/fair-turns.ts';
import { isolateFailure } from '../process/isolate-failure.ts';
import { markWork } from '../process/event-loop-watchdog.ts';
import { type RateLimit, consumeCounted, consumeToken } from '../limits/rate-limit.ts';
import { toNetwork } from '../limits/visitor-network.ts';
import { runForKey } from '../work/work-pool.ts';
import { selectEnvelope, type HandlerResult } from './envelope.ts';
import { fieldErrors } from './field-errors.ts';
import { isApprovalRequest, requestApproval, requireRightOrRequest } from './approvals.ts';
import { runAsCaller } from './rights.ts';
import type { KeyedCall } from './idempotency.sql.ts';
import {
  readStoredResponse,
  toKeyedCall,
  runOnceWithClaim,
  runOnceInTransaction,
} from './idempotency.ts';
import { addLimitHeaders, isPublicApi } from './v2.ts';

/**
 * The caller: one user in one account, authenticated by a session, an API token or a connected
 * assistant.
 */
export type Caller = {
  accountId: number;
  userId: number;
  via: 'session' | 'token' | 'agent';
  /** The id of the session, the token or the grant of the assistant. */
  sessionId: number;
  language: Language;
  /** Read at each request, so that a removed right is effective at the next request. */
  rights: ReadonlySet<Right>;
};

/** The account and user for whom a change is recorded. */
export type Actor = Pick<Caller, 'accountId' | 'userId'>;

export type Authenticate = (
  request: FastifyRequest,
  db: Db,
  call?: Pick<Call, 'isOperatorCall'>,
) => Promise<Caller | undefined>;

type In<S> = S extends z.ZodType ? z.output<S> : undefined;
type Out<S> = S extends z.ZodType ? HandlerResult<S> : FastifyReply;

export type CallContext<C extends Call> = {
  db: Db;
  /** The call's transaction; absent if the contract has transaction: 'own'. */
  tx: C['transaction'] extends 'own' ? undefined : Tx;
  caller: C['caller'] extends 'account' ? Caller : Caller | undefined;
  params: In<C['params']>;
  query: In<C['query']>;
  body: In<C['body']>;
  request: FastifyRequest;
  reply: FastifyReply;
  /** For calls that store their response themselves. */
  keyedCall: KeyedCall | undefined;
};

export type Handlers<T extends Calls> = {
  [K in keyof T]: (context: CallContext<T[K]>) => Promise<Out<T[K]['response']>>;
};

/** Input of rate limits: everything known about a request before its transaction. */
type LimitContext<C extends Call> = Omit<CallContext<C>, 'tx' | 'reply' | 'keyedCall'>;

/**
 * Limits are checked before the transaction opens: inside it, each concurrent call would hold one
 * connection of the pool and wait for another.
 */
export type CallLimits<T extends Calls> = {
  [K in keyof T]?: (context: LimitContext<T[K]>) => Promise<void>;
};

export type Route = {
  area: string;
  name: string;
  /** A lower area, if any, that provides error messages missing from this area's catalog. */
  fallbackArea: string | undefined;
  call: Call;
  limit: ((context: LimitContext<Call>) => Promise<void>) | undefined;
  handle: (context: CallContext<Call>) => Promise<unknown>;
};

/**
 * Returns the routes of one area. Handlers return the value; the envelope, `{data: …}` or
 * `{success: true}`, is added by the contract. `area` also names the catalog of its error messages;
 * `fallbackArea` names the catalog for messages that it lacks.
 */
export function createRoutes<T extends Calls>(
  area: string,
  calls: T,
  handlers: Handlers<T>,
  limits: CallLimits<T> = {},
  fallbackArea?: string,
): Route[] {
  return Object.entries(calls).map(([name, call]) => {
    const handle = handlers[name] as unknown as Route['handle'];
    const envelope = selectEnvelope(call.response);
    return {
      area,
      name,
      fallbackArea,
      call,
      limit: limits[name] as unknown as Route['limit'],
      handle: async (context) => envelope(await handle(context)),
    };
  });
}

export type ServeOptions = {
  db: Db;
  authenticate: Authenticate;
  /** Tests validate each response against its contract. */
  validatesResponses: boolean;
};

declare module 'fastify' {
  interface FastifyInstance {
    /** The contracts of all calls, by method and path. */
    calls: ReadonlyMap<string, Call>;
  }
  interface FastifyRequest {
    caller: Caller | undefined;
    /** Time of the last check of a session or token, by `performance.now()`. */
    authenticatedAt?: number;
    /**
     * Checks the access of a slow request again. Called before the handler. Handlers that read an
     * upload themselves call it again after the last byte. @throws unauthorized, missing_right
     */
    recheckAccess?: () => Promise<void>;
  }
}

const WRITE_METHODS = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);
const MAX_BODY_BYTES = 1_048_576;
/** Access is checked again if the body takes longer than this to arrive. */
const SLOW_BODY_MS = 1_000;
/** Body limit for visitors: enough for an address and a password. */
const MAX_VISITOR_BODY_BYTES = 16_384;
export const SESSION_LIMIT = { capacity: 600, perSecond: 10 };
export const TOKEN_LIMIT = { capacity: 300, perSecond: 5 };
/** Limit per network for writes without a session: a network may be a whole office. */
const VISITOR_LIMIT = { capacity: 600, perSecond: 10 };

/** Milliseconds for each statement of a call's transaction. */
const STATEMENT_MS = { usual: 20_000, preview: 10_000, count: 15_000, export: 15_000 };

type Slots = NonNullable<Call['slots']>;
const createSlots = (perKey: number) =>
  new FairTurns({ maxConcurrent: Number.POSITIVE_INFINITY, maxPerKey: perKey, maxWaiting: 100 });
/** Limits of concurrent calls in this process, per account or per network of visitors. */
const SLOTS: Record<Slots, FairTurns> = {
  preview: createSlots(2),
  count: createSlots(2),
  export: createSlots(2),
};

export function addRoutes(
  app: FastifyInstance,
  routes: readonly Route[],
  options: ServeOptions,
): void {
  for (const route of routes) {
    app.route({
      method: route.call.method as HTTPMethods,
      url: route.call.path.replace(/\{(\w+)\}/g, ':$1'),
      bodyLimit:
        route.call.bodyLimit ??
        (route.call.caller === 'visitor' ? MAX_VISITOR_BODY_BYTES : MAX_BODY_BYTES),
      config: { route },
      // Runs before the body is read, so that an unauthorized request is refused without parsing a
      // body of any size.
      onRequest: (request, reply) => admit(route.call, request, reply, options),
      preHandler: (request) => {
        request.recheckAccess = () => recheckAccess(route.call, request, options);
        return request.recheckAccess();
      },
      handler: (request, reply) => respondInTurn(route, request, reply, options),
    });
  }
}

/**
 * Makes costly calls wait for a slot of their account or of the visitor's network. The thread work
 * of each call is scheduled under the same key.
 */
function respondInTurn(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServeOptions,
): Promise<unknown> {
  const { slots } = route.call;
  const key = request.caller?.accountId ?? `visitor ${toNetwork(request.ip)}`;
  const run = () =>
    runForKey(key, () =>
      runAsCaller(request.caller, () => handleRequest(route, request, reply, options)),
    );
  return slots === undefined ? run() : SLOTS[slots].run(key, run);
}

async function handleRequest(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServeOptions,
): Promise<unknown> {
  const { call } = route;
  const { caller } = request;
  markWork(call.method, call.path);
  const input = {
    params: parseParams(call, request.params),
    query: parse(call.query, request.query ?? {}),
    body: parse(call.body, request.body ?? (call.body ? {} : undefined)),
  };
  if (caller && isApprovalRequest(call, caller, request)) {
    return requestApproval(options.db, call, { caller, request, ...input });
  }
  const keyedCall = toKeyedCall(route, request, caller);
  const callContext = { db: options.db, caller, request, reply, keyedCall };
  const context = { tx: undefined, ...callContext, ...input };
  if (route.limit) {
    // A repeated call that already has a response is not counted again.
    const earlierResponse = keyedCall && (await readStoredResponse(options.db, keyedCall, reply));
    if (earlierResponse) return earlierResponse.response;
    await route.limit(context as unknown as LimitContext<Call>);
  }
  const handle = async (tx?: Tx) =>
    finish(route, await route.handle({ ...context, tx } as unknown as CallContext<Call>), options);
  const run = (tx?: Tx) => runAudited(route, { ...context, caller, tx }, () => handle(tx));
  if (call.transaction === 'own') {
    return keyedCall && !call.storesResponseItself
      ? runOnceWithClaim(options.db, keyedCall, reply, run)
      : run();
  }
  return inTransaction(
    options.db,
    (tx) => (keyedCall ? runOnceInTransaction(tx, keyedCall, reply, () => run(tx)) : run(tx)),
    { statementMs: STATEMENT_MS[call.slots ?? 'usual'], retriesOnDuplicate: true },
  );
}

type AuditedCall = {
  db: Db;
  tx: Tx | undefined;
  caller: Caller | undefined;
  request: FastifyRequest;
  body: unknown;
};

/**
 * Records the action in the call's transaction. A call that opens its own transactions has already
 * committed when its action is recorded in a further transaction. A failure to record it is only
 * logged, so that the client does not repeat the call.
 */
async function runAudited(
  route: Route,
  { db, tx, caller, request, body }: AuditedCall,
  handle: () => Promise<unknown>,
): Promise<unknown> {
  if (!caller || !isAudited(route.call)) return handle();
  return withAuditedAction(route, { caller, request, body }, handle, async (action) => {
    if (tx) return actionAudited.announce(tx, action);
    const fields = { action: action.action, account: action.accountId };
    await isolateFailure('Could not record an audited action', fields, () =>
      inTransaction(db, (ownTx) => actionAudited.announce(ownTx, action)),
    );
  });
}

async function admit(
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServeOptions,
): Promise<void> {
  if (isPublicApi(call.path)) return admitToken(call, request, reply, options);
  const isWrite = WRITE_METHODS.has(call.method) || call.requiresWriteHeader === true;
  if (call.caller === 'public') return;
  request.authenticatedAt = performance.now();
  const caller = await authenticateCall(call, request, options);
  request.caller = caller;
  if (call.caller === 'account' && !caller) throw new AppError('unauthorized');
  const isProgram = caller !== undefined && caller.via !== 'session';
  if (call.isPersonal && isProgram) throw new AppError('session_needed');
  if (isWrite && !isProgram && request.headers['x-sendloom'] !== '1') {
    throw new AppError('write_header_missing');
  }
  if (caller) await admitCaller(call, caller, request, options);
  else if (isWrite) {
    await consumeTokens(options.db, `visitor:${toNetwork(request.ip)}`, VISITOR_LIMIT, 20);
  }
}

/** @throws too_many_requests, missing_right, approval_needed */
async function admitCaller(
  call: Call,
  caller: Caller,
  request: FastifyRequest,
  options: ServeOptions,
): Promise<void> {
  const [limit, slice] = caller.via === 'session' ? [SESSION_LIMIT, 20] : [TOKEN_LIMIT, 10];
  const key = `${caller.via}:${caller.accountId}:${caller.sessionId}`;
  await consumeTokens(options.db, key, limit, slice);
  requireRightOrRequest(call, caller, request);
}

/** Runs a call for a caller that another protocol, such as MCP, has already authenticated. */
export async function performCall(
  route: Route,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServeOptions,
): Promise<unknown> {
  const { caller } = request;
  if (!caller || route.call.caller !== 'account') throw new AppError('unauthorized');
  if (route.call.isPersonal) throw new AppError('session_needed');
  await admitCaller(route.call, caller, request, options);
  return respondInTurn(route, request, reply, options);
}

/**
 * True if the body took so long that the access is checked again: a password reset, a sign-out, a
 * removal from the account or the loss of a right may have ended it since.
 */
export const hasSlowBody = ({ authenticatedAt }: FastifyRequest): boolean =>
  authenticatedAt !== undefined && performance.now() - authenticatedAt >= SLOW_BODY_MS;

async function recheckAccess(
  call: Call,
  request: FastifyRequest,
  options: ServeOptions,
): Promise<void> {
  const { caller } = request;
  if (!caller || !hasSlowBody(request)) return;
  const now = await authenticateCall(call, request, options);
  const isSame = now?.via === caller.via && now.sessionId === caller.sessionId;
  request.caller = isSame ? now : undefined;
  if (request.caller) requireRightOrRequest(call, request.caller, request);
  else if (call.caller === 'account') throw new AppError('unauthorized');
}

/**
 * Authenticates the caller. If the database node of the session's account is down, a call for
 * visitors continues without a caller, so that users can still sign in and out.
 */
async function authenticateCall(
  call: Call,
  request: FastifyRequest,
  { authenticate, db }: ServeOptions,
): Promise<Caller | undefined> {
  try {
    return await authenticate(request, db, call);
  } catch (error) {
    if (call.caller === 'visitor' && isNodeFailure(error)) return undefined;
    throw error;
  }
}

async function consumeTokens(db: Db, key: string, limit: RateLimit, slice: number): Promise<void> {
  if (await consumeToken(db, key, limit, slice)) return;
  throw new AppError('too_many_requests', { retryAfterSeconds: 1 });
}

/** Admits a token, the only credential of the public API; some clients omit "Bearer". */
async function admitToken(
  call: Call,
  request: FastifyRequest,
  reply: FastifyReply,
  options: ServeOptions,
): Promise<void> {
  const { authorization = '' } = request.headers;
  if (authorization !== '' && !/\s/.test(authorization.trim()))
    request.headers.authorization = `Bearer ${authorization.trim()}`;
  request.authenticatedAt = performance.now();
  const caller = await options.authenticate(request, options.db);
  if (caller?.via !== 'token') throw new AppError('unauthorized');
  request.caller = caller;
  const key = `token:${caller.accountId}:${caller.sessionId}`;
  const limitStatus = await consumeCounted(options.db, key, TOKEN_LIMIT, 10);
  addLimitHeaders(reply, limitStatus, TOKEN_LIMIT.capacity);
  if (!limitStatus.isTaken) throw new AppError('too_many_requests', { retryAfterSeconds: 1 });
  requireRightOrRequest(call, caller, request);
}

function parseParams(call: Call, value: unknown): unknown {
  if (!call.params) return undefined;
  const parsed = call.params.safeParse(value);
  // An id in another format matches no object: 404 instead of a validation error.
  if (!parsed.success) throw notFound();
  return cleanValue(parsed.data);
}

function parse(schema: z.ZodType | undefined, value: unknown): unknown {
  if (!schema) return undefined;
  const parsed = schema.safeParse(value);
  // The input may be stored in one statement with rows of other accounts, which would all fail if
  // it contained text that PostgreSQL cannot store.
  if (parsed.success) return cleanValue(parsed.data);
  throw invalid(fieldErrors(parsed.error.issues));
}

function finish(route: Route, value: unknown, options: ServeOptions): unknown {
  if (!route.call.response || !options.validatesResponses) return value;
  // Responses are validated as JSON, where dates are strings.
  const plainValue: unknown = JSON.parse(JSON.stringify(value));
  const parsed = route.call.response.safeParse(plainValue);
  if (!parsed.success) {
    throw new Error(
      `${route.area}.${route.name} answered outside its contract: ${parsed.error.message}`,
    );
  }
  return value;
}
