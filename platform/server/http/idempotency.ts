// One act, however often it is asked for under one Idempotency-Key: the first answer is kept, sealed, for a
// day, and said again. Of two at once one runs.
import { createHash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { takesKey } from '../../contract.ts';
import { clock } from '../clock.ts';
import type { Db, Reader, Tx } from '../database.ts';
import { AppError, invalid } from '../errors.ts';
import { seal, unseal } from '../secrets.ts';
import {
  type EarlierCall,
  findIdempotentAnswer,
  type KeyedCall,
  openIdempotencyKey,
  releaseIdempotencyKey,
  saveIdempotentAnswer,
} from './idempotency.sql.ts';
import type { Caller, Route } from './serve.ts';
import { isPublicApi } from './v2.ts';

const PURPOSE = 'answers kept for repeats';
const KEY_MOST = 255;
/** Headers that belong to an answer, and come again with it. */
const ANSWER_HEADERS = ['x-message-id'];

type Kept = { answer: unknown; headers: Record<string, string> };

/** The call under its key; nothing where it has none, or takes none. */
export function keyedCall(
  { area, call, name }: Route,
  request: FastifyRequest,
  caller: Caller | undefined,
): KeyedCall | undefined {
  const key = takesKey(call) && caller ? headerKey(request) : undefined;
  if (key === undefined || !caller) return undefined;
  // What a call is about stands in its path, too: the same words to another campaign are another request.
  const { params, query, body } = request;
  const isPublic = isPublicApi(call.path);
  const hash = createHash('sha256')
    .update(
      canonical([call.method, call.path, params, query, body, isPublic ? null : caller.userId]),
    )
    .digest();
  // Of the public API a key is the account's, whatever call it came with.
  const scope = isPublic ? 'v2' : `${area}.${name}`;
  return { accountId: caller.accountId, call: scope, key, hash, at: clock.now() };
}

/** What an earlier call under this key answered: its repeat costs nothing of the call's own limits. */
export async function earlierAnswer(
  db: Reader,
  keyed: KeyedCall,
  reply: FastifyReply,
): Promise<{ answer: unknown } | undefined> {
  const earlier = await findIdempotentAnswer(db, keyed);
  // One that is under way, or was left by a process that ended, is judged when the key is claimed.
  return earlier && (earlier.kept || !earlier.body_hash.equals(keyed.hash))
    ? { answer: repeat(earlier, keyed, reply) }
    : undefined;
}

/** Within the call's own transaction: whoever comes meanwhile waits for its end. */
export async function onceWithin(
  tx: Tx,
  keyed: KeyedCall,
  reply: FastifyReply,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const earlier = await openIdempotencyKey(tx, keyed);
  if (earlier) return repeat(earlier, keyed, reply);
  const answer = await run();
  await saveIdempotentAnswer(tx, keyed, keep(answer, reply));
  return answer;
}

/** For calls with transactions of their own: whoever comes meanwhile is told that it is under way. */
export async function onceAround(
  db: Db,
  keyed: KeyedCall,
  reply: FastifyReply,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const earlier = await openIdempotencyKey(db, keyed);
  if (earlier) return repeat(earlier, keyed, reply);
  let answer: unknown;
  try {
    answer = await run();
  } catch (error) {
    await releaseIdempotencyKey(db, keyed);
    throw error;
  }
  await saveIdempotentAnswer(db, keyed, keep(answer, reply));
  return answer;
}

/** An answer as it is kept, where the call itself keeps it. */
export const sealAnswer = (answer: unknown, headers: Record<string, string>) =>
  sealed({ answer, headers });

const sealed = (kept: Kept) => seal(PURPOSE, JSON.stringify(kept));

function keep(answer: unknown, reply: FastifyReply): Buffer {
  const headers = Object.fromEntries(
    ANSWER_HEADERS.flatMap((name) => {
      const value = reply.getHeader(name);
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
  return sealed({ answer: answer ?? null, headers });
}

/** The same key for another request is no repeat. */
export function repeat({ body_hash, kept }: EarlierCall, { hash }: KeyedCall, reply: FastifyReply) {
  if (!body_hash.equals(hash)) throw new AppError('idempotency_conflict');
  if (!kept) throw new AppError('in_progress', { retryAfter: 1 });
  const { answer, headers } = JSON.parse(unseal(PURPOSE, kept)) as Kept;
  reply.headers({ ...headers, 'idempotency-replayed': 'true' });
  return answer;
}

function headerKey(request: FastifyRequest): string | undefined {
  const key = request.headers['idempotency-key'];
  if (key === undefined) return undefined;
  if (typeof key !== 'string' || key.length < 1 || key.length > KEY_MOST) {
    throw invalid({ 'Idempotency-Key': ['errors.fields.characters'] });
  }
  return key;
}

/** Sorted keys, so that equal requests hash alike however they were written. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
}
