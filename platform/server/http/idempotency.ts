// Idempotency-Key handling: the first response is encrypted, stored for a day and returned to
// repeated requests. Of concurrent calls with the same key only one runs.
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { acceptsIdempotencyKey } from '../../contract.ts';
import { clock } from '../clock.ts';
import type { Db, Reader, Tx } from '../database/database.ts';
import { AppError, invalid } from '../errors.ts';
import { seal, unseal } from '../secrets.ts';
import {
  type EarlierCall,
  findIdempotentResponse,
  type KeyedCall,
  openIdempotencyKey,
  releaseIdempotencyKey,
  saveIdempotentResponse,
} from './idempotency.sql.ts';
import type { Caller, Route } from './serve.ts';
import { isPublicApi } from './v2.ts';

const PURPOSE = 'answers kept for repeats';
const MAX_KEY_LENGTH = 255;
/** Headers that are stored with a response and returned with it. */
const RESPONSE_HEADERS = ['x-message-id'];

type StoredResponse = { answer: unknown; headers: Record<string, string> };

/**
 * Returns a call's key and the hash of its request; undefined if there is no key or the call
 * accepts none.
 */
export function toKeyedCall(
  { area, call, name }: Route,
  request: FastifyRequest,
  caller: Caller | undefined,
): KeyedCall | undefined {
  const key = acceptsIdempotencyKey(call) && caller ? readKeyHeader(request) : undefined;
  if (key === undefined || !caller) return undefined;
  // The path is part of the request: the same body for another campaign is a different request.
  const { params, query, body } = request;
  const isPublic = isPublicApi(call.path);
  const hash = createHash('sha256')
    .update(
      toCanonicalJson([
        call.method,
        call.path,
        params,
        query,
        body,
        isPublic ? null : caller.userId,
      ]),
    )
    .digest();
  // In the public API a key belongs to the account, across all calls.
  const scope = isPublic ? 'v2' : `${area}.${name}`;
  return { accountId: caller.accountId, call: scope, key, hash, at: clock.now() };
}

/**
 * Returns the response of an earlier call under this key, so that a repeat does not count against
 * the call's limits.
 */
export async function readStoredResponse(
  db: Reader,
  keyedCall: KeyedCall,
  reply: FastifyReply,
): Promise<{ response: unknown } | undefined> {
  const storedCall = await findIdempotentResponse(db, keyedCall);
  // A call that is running, or was left by a dead process, is handled when the key is claimed.
  return storedCall && (storedCall.kept || !storedCall.body_hash.equals(keyedCall.hash))
    ? { response: replayResponse(storedCall, keyedCall, reply) }
    : undefined;
}

/** Runs a call inside its single transaction. Concurrent repeats wait until it ends. */
export async function runOnceInTransaction(
  tx: Tx,
  keyedCall: KeyedCall,
  reply: FastifyReply,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const storedCall = await openIdempotencyKey(tx, keyedCall);
  if (storedCall) return replayResponse(storedCall, keyedCall, reply);
  const response = await run();
  await saveIdempotentResponse(tx, keyedCall, sealResponse(response, reply));
  return response;
}

/** Runs a call that opens its own transactions. Concurrent repeats are refused until it ends. */
export async function runOnceWithClaim(
  db: Db,
  keyedCall: KeyedCall,
  reply: FastifyReply,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const storedCall = await openIdempotencyKey(db, keyedCall);
  if (storedCall) return replayResponse(storedCall, keyedCall, reply);
  let response: unknown;
  try {
    response = await run();
  } catch (error) {
    await releaseIdempotencyKey(db, keyedCall);
    throw error;
  }
  await saveIdempotentResponse(db, keyedCall, sealResponse(response, reply));
  return response;
}

/** A response as it is stored, for calls that store it themselves. */
export const sealIdempotentResponse = (response: unknown, headers: Record<string, string>) =>
  sealStored({ answer: response, headers });

const sealStored = (response: StoredResponse) => seal(PURPOSE, JSON.stringify(response));

function sealResponse(response: unknown, reply: FastifyReply): Buffer {
  const headers = Object.fromEntries(
    RESPONSE_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
  return sealStored({ answer: response ?? null, headers });
}

/**
 * Returns the stored response. Refuses a different request under the same key, and a repeat while
 * the first call runs.
 */
export function replayResponse(
  { body_hash, kept }: EarlierCall,
  { hash }: KeyedCall,
  reply: FastifyReply,
) {
  if (!body_hash.equals(hash)) throw new AppError('idempotency_conflict');
  if (!kept) throw new AppError('in_progress', { retryAfterSeconds: 1 });
  const { answer: response, headers } = JSON.parse(unseal(PURPOSE, kept)) as StoredResponse;
  reply.headers({ ...headers, 'idempotency-replayed': 'true' });
  return response;
}

function readKeyHeader(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > MAX_KEY_LENGTH) {
    throw invalid({ 'Idempotency-Key': ['errors.fields.characters'] });
  }
  return key;
}

/** Sorts keys, so that identical requests have the same hash. */
function toCanonicalJson(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
