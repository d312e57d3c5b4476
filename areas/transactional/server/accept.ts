// Accepts emails in batches: the calls of an account that arrive while its previous batch is written
// share one statement, which stores the idempotency key, the email and the response of each.
import {
  findSingle,
  nextSingleIds,
  notifySenders,
  type ReadySingle,
  readySingles,
} from '#areas/delivery/server/ledger/index.ts';
import { encodePublicId } from '#platform/ids.ts';
import { type Db, withRetries } from '#platform/server/database/database.ts';
import {
  type EarlierCall,
  findIdempotentAnswer,
  type KeyedCall,
  toStoredAnswers,
} from '#platform/server/http/idempotency.sql.ts';
import { sealAnswer } from '#platform/server/http/idempotency.ts';
import { type BatchWriter, batchWrites } from '#platform/server/database/batching.ts';
import { acceptEmails } from './accept.sql.ts';

export type AcceptCall = { single: ReadySingle; keyed: KeyedCall | undefined };
export type Accepted = { emailId: string } | { earlier: EarlierCall };
type Outcome = Accepted | { error: unknown };

const CALLS_PER_BATCH = 100;

const acceptors = new WeakMap<Db, Map<number, BatchWriter<AcceptCall, Outcome>>>();

/**
 * Accepts an email. After the commit, resolves to the id of the email, or to the stored response if
 * an earlier call had the same idempotency key.
 */
export async function accept(db: Db, accountId: number, call: AcceptCall): Promise<Accepted> {
  const accounts = acceptors.get(db) ?? new Map<number, BatchWriter<AcceptCall, Outcome>>();
  acceptors.set(db, accounts);
  const writer =
    accounts.get(accountId) ??
    batchWrites<AcceptCall, Outcome>(CALLS_PER_BATCH, (all) => acceptAll(db, accountId, all));
  accounts.set(accountId, writer);
  const outcome = await writer.add(call).finally(() => {
    if (writer.waiting() === 0) accounts.delete(accountId);
  });
  if ('error' in outcome) throw outcome.error;
  return outcome;
}

async function acceptAll(
  db: Db,
  accountId: number,
  all: readonly AcceptCall[],
): Promise<Outcome[]> {
  const keys = new Set<string>();
  const isFirst = ({ keyed }: AcceptCall) => {
    if (!keyed) return true;
    const isNew = !keys.has(keyed.key);
    keys.add(keyed.key);
    return isNew;
  };
  const first = all.filter(isFirst);
  const outcomes = new Map<AcceptCall, Outcome>();
  const storeResults = (calls: readonly AcceptCall[], results: readonly Outcome[]) => {
    for (const [place, call] of calls.entries()) outcomes.set(call, results[place] as Outcome);
  };
  storeResults(first, await acceptOrIsolate(db, accountId, first));
  // These calls have the same key as an earlier call of the batch, and get its response.
  const repeats = all.filter((asked) => !outcomes.has(asked));
  if (repeats.length > 0) storeResults(repeats, await acceptAll(db, accountId, repeats));
  return all.map((asked) => outcomes.get(asked) as Outcome);
}

/** Writes calls together; if that fails, each on its own, so that an error affects only its call. */
async function acceptOrIsolate(
  db: Db,
  accountId: number,
  some: readonly AcceptCall[],
): Promise<Outcome[]> {
  const ids = await takeIds(db, some.length);
  try {
    return await withRetries(() => acceptWith(db, accountId, some, ids));
  } catch (error) {
    if (some.length === 1) return [{ error }];
    const outcomes: Outcome[] = [];
    for (const email of some) outcomes.push(...(await acceptOrIsolate(db, accountId, [email])));
    return outcomes;
  }
}

const IDS_PER_BATCH = 500;
/** Ids taken from the sequence in advance. A restart skips those that are unused. */
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
  some: readonly AcceptCall[],
  ids: readonly number[],
): Promise<Outcome[]> {
  const emailIds = ids.map((id) => encodePublicId('email', accountId, id));
  const singles = some.map(({ single, keyed }, place) => ({
    ...single,
    id: ids[place] as number,
    claim: keyed?.key ?? null,
  }));
  const keyedAnswers = some.flatMap(({ keyed }, place) => {
    const emailId = emailIds[place] as string;
    if (!keyed) return [];
    return [{ keyed, kept: sealAnswer(answerOf(emailId), { 'x-message-id': emailId }) }];
  });
  const added = await acceptEmails(
    db,
    readySingles(accountId, 'transactional', singles),
    toStoredAnswers(accountId, keyedAnswers),
  );
  if (added.size > 0) await notifySenders(db, accountId);
  return Promise.all(
    some.map(async (asked, place) =>
      added.has(ids[place] as number)
        ? { emailId: emailIds[place] as string }
        : earlierOf(db, accountId, asked),
    ),
  );
}

/** The result of an earlier call with the same idempotency key, or of the same single send. */
async function earlierOf(
  db: Db,
  accountId: number,
  { single: { messageId, key }, keyed }: AcceptCall,
): Promise<Accepted> {
  const earlier = keyed && (await findIdempotentAnswer(db, keyed));
  if (earlier) return { earlier };
  const id = await findSingle(db, accountId, messageId, key);
  if (id === undefined) throw new Error('The idempotency key was neither inserted nor found');
  return { emailId: encodePublicId('email', accountId, id) };
}

export const answerOf = (emailId: string) => ({
  success: true as const,
  message: 'Email sent',
  emailId,
});
