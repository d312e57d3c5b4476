// Accepts emails in batches: the calls of an account that arrive while its previous batch is
// written share one statement, which stores the idempotency key, the email and the response of
// each.
import {
  findSingle,
  nextSingleIds,
  notifySenders,
  type ReadySingle,
  toReadySingles,
} from '#areas/delivery/server/ledger/index.ts';
import { encodePublicId } from '#platform/ids.ts';
import { type Db, withRetries } from '#platform/server/database/database.ts';
import {
  type EarlierCall,
  findIdempotentResponse,
  type KeyedCall,
  toStoredResponses,
} from '#platform/server/http/idempotency.sql.ts';
import { sealIdempotentResponse } from '#platform/server/http/idempotency.ts';
import { type BatchWriter, createBatchWriter } from '#platform/server/database/batching.ts';
import { acceptEmails } from './accept.sql.ts';

export type AcceptCall = { single: ReadySingle; keyedCall: KeyedCall | undefined };
export type AcceptResult = { emailId: string } | { earlierCall: EarlierCall };
type AcceptOutcome = AcceptResult | { error: unknown };

const CALLS_PER_BATCH = 100;

const acceptors = new WeakMap<Db, Map<number, BatchWriter<AcceptCall, AcceptOutcome>>>();

/**
 * Accepts an email. After the commit, resolves to the id of the email, or to the stored response if
 * an earlier call had the same idempotency key.
 */
export async function acceptEmail(
  db: Db,
  accountId: number,
  call: AcceptCall,
): Promise<AcceptResult> {
  const accounts = acceptors.get(db) ?? new Map<number, BatchWriter<AcceptCall, AcceptOutcome>>();
  acceptors.set(db, accounts);
  const writer =
    accounts.get(accountId) ??
    createBatchWriter<AcceptCall, AcceptOutcome>(CALLS_PER_BATCH, (calls) =>
      acceptAll(db, accountId, calls),
    );
  accounts.set(accountId, writer);
  const outcome = await writer.add(call).finally(() => {
    if (writer.countWaiting() === 0) accounts.delete(accountId);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome;
}

async function acceptAll(
  db: Db,
  accountId: number,
  calls: readonly AcceptCall[],
): Promise<AcceptOutcome[]> {
  const keys = new Set<string>();
  const isFirst = ({ keyedCall }: AcceptCall) => {
    if (!keyedCall) return true;
    const isNew = !keys.has(keyedCall.key);
    keys.add(keyedCall.key);
    return isNew;
  };
  const firstCalls = calls.filter(isFirst);
  const outcomes = new Map<AcceptCall, AcceptOutcome>();
  const storeResults = (calls: readonly AcceptCall[], results: readonly AcceptOutcome[]) => {
    for (const [index, call] of calls.entries())
      outcomes.set(call, results[index] as AcceptOutcome);
  };
  storeResults(firstCalls, await acceptOrIsolate(db, accountId, firstCalls));
  // These calls have the same key as an earlier call of the batch, and get its response.
  const repeats = calls.filter((call) => !outcomes.has(call));
  if (repeats.length > 0) storeResults(repeats, await acceptAll(db, accountId, repeats));
  return calls.map((call) => outcomes.get(call) as AcceptOutcome);
}

/**
 * Writes calls together; if that fails, writes each separately, so that an error affects only its
 * call.
 */
async function acceptOrIsolate(
  db: Db,
  accountId: number,
  calls: readonly AcceptCall[],
): Promise<AcceptOutcome[]> {
  const ids = await takeIds(db, calls.length);
  try {
    return await withRetries(() => acceptWith(db, accountId, calls, ids));
  } catch (error) {
    if (calls.length === 1) return [{ error }];
    const outcomes: AcceptOutcome[] = [];
    for (const email of calls) outcomes.push(...(await acceptOrIsolate(db, accountId, [email])));
    return outcomes;
  }
}

const IDS_PER_BATCH = 500;
/** Ids taken from the sequence in advance. A restart skips unused ids. */
const idPools = new WeakMap<Db, number[]>();

async function takeIds(db: Db, count: number): Promise<number[]> {
  const idPool = idPools.get(db) ?? [];
  idPools.set(db, idPool);
  if (idPool.length < count) idPool.push(...(await nextSingleIds(db, IDS_PER_BATCH)));
  return idPool.splice(0, count);
}

async function acceptWith(
  db: Db,
  accountId: number,
  calls: readonly AcceptCall[],
  ids: readonly number[],
): Promise<AcceptOutcome[]> {
  const emailIds = ids.map((id) => encodePublicId('email', accountId, id));
  const singles = calls.map(({ single, keyedCall }, index) => ({
    ...single,
    id: ids[index] as number,
    claim: keyedCall?.key ?? null,
  }));
  const keyedResponses = calls.flatMap(({ keyedCall }, index) => {
    const emailId = emailIds[index] as string;
    if (!keyedCall) return [];
    return [
      {
        keyedCall,
        response: sealIdempotentResponse(toSendResponse(emailId), { 'x-message-id': emailId }),
      },
    ];
  });
  const addedIds = await acceptEmails(
    db,
    toReadySingles(accountId, 'transactional', singles),
    toStoredResponses(accountId, keyedResponses),
  );
  if (addedIds.size > 0) await notifySenders(db, accountId);
  return Promise.all(
    calls.map(async (call, index) =>
      addedIds.has(ids[index] as number)
        ? { emailId: emailIds[index] as string }
        : earlierOf(db, accountId, call),
    ),
  );
}

/**
 * Returns the result of an earlier call with the same idempotency key, or of the same single send.
 */
async function earlierOf(
  db: Db,
  accountId: number,
  { single: { messageId, key }, keyedCall }: AcceptCall,
): Promise<AcceptResult> {
  const earlierResponse = keyedCall && (await findIdempotentResponse(db, keyedCall));
  if (earlierResponse) return { earlierCall: earlierResponse };
  const id = await findSingle(db, accountId, messageId, key);
  if (id === undefined) throw new Error('The idempotency key was neither inserted nor found');
  return { emailId: encodePublicId('email', accountId, id) };
}

export const toSendResponse = (emailId: string) => ({
  success: true as const,
  message: 'Email sent',
  emailId,
});
