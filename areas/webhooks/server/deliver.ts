// Delivers webhooks to each endpoint independently, a few deliveries at a time. Failed deliveries
// are retried for a day. An endpoint is disabled when it responds with 410, or after five days of
// failures. Old deliveries are deleted.
import { encodePublicId } from '#platform/ids.ts';
import { cleanText, cutText } from '#platform/server/clean-text.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';
import { callPublic } from '#platform/server/outgoing/outgoing-call.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { isolateFailure } from '#platform/server/process/isolate-failure.ts';
import {
  MAX_STORED_ANSWER,
  MAX_CONCURRENT_DELIVERIES,
  MAX_STORED_BODY,
  DISABLE_AFTER_MS,
  RETENTION_MS,
  RETRY_MS,
  RESPONSE_TIMEOUT_MS,
} from '../shared.ts';
import { buildBodies } from './bodies.ts';
import * as store from './endpoints.sql.ts';
import { endpointDisabled } from './events.ts';
import { isHookBox } from './hook-box-address.ts';
import { deliverFairly, type Receiver } from './fair-delivery.ts';
import { readSecrets, type Secrets, signatureHeaders } from './signing.ts';

/** Maximum deliveries of a slice, so that a large backlog of an endpoint does not fill the memory. */
const SLICE_ROWS = 500;
/** Duration of an endpoint's turn; the remaining deliveries wait for its next turn. */
const TURN_MS = 5_000;
const MAX_ANSWER_BYTES = 64 * 1024;
const CLEARED_PER_TRANSACTION = 5_000;

export const deliverPoller: Poller = {
  name: 'webhooks.deliver',
  everyMs: 1000,
  run: (db, signal) => deliverDue(db, signal),
};

export const clearPoller: Poller = {
  name: 'webhooks.clear',
  everyMs: 3_600_000,
  run: clearOld,
};

/** Deletes old completed deliveries, with their attempts. */
export async function clearOld(db: Db, signal?: AbortSignal): Promise<void> {
  const before = new Date(clock.now().getTime() - RETENTION_MS);
  for (const accountId of await store.accountsToClear(db, before)) {
    if (signal?.aborted) return;
    await isolateFailure('Deleting old webhook deliveries failed', { accountId }, async () => {
      let deleted = CLEARED_PER_TRANSACTION;
      while (deleted === CLEARED_PER_TRANSACTION && !signal?.aborted)
        deleted = await inTransaction(db, (tx) =>
          store.clearEvents(tx, accountId, before, CLEARED_PER_TRANSACTION),
        );
    });
  }
}

/** Delivers to several endpoints concurrently until nothing is due. */
export function deliverDue(db: Db, signal?: AbortSignal): Promise<void> {
  const waiting = () => store.waitingEndpoints(db, clock.now());
  return deliverFairly(
    { waiting, deliver: (endpoint) => deliverToEndpoint(db, endpoint, signal) },
    signal,
  );
}

/**
 * Delivers slice by slice for about TURN_MS. While one slice is delivered, the next is read and the
 * responses of the previous one are written. No delivery is made twice: each slice starts after the
 * last row of the previous one, and all responses are written before the endpoint is polled again.
 */
async function deliverToEndpoint(
  db: Db,
  { account_id: accountId, id: endpointId }: Receiver,
  signal?: AbortSignal,
) {
  const run = { db, accountId, endpointId, ends: performance.now() + TURN_MS };
  let writing: Promise<void> = Promise.resolve();
  let reading: Promise<Slice | undefined> = readSlice(run);
  try {
    for (;;) {
      const slice = await reading;
      if (!slice) break;
      reading = slice.isLast ? Promise.resolve(undefined) : readSlice(run, slice);
      // Reading and writing are awaited later; a failure until then must not count as unhandled.
      reading.catch(() => {});
      const answers = await deliverBatch(run, slice);
      await writing;
      const outcome = evaluateAnswers(slice, answers);
      writing = saveAnswers(run, slice, answers, outcome);
      writing.catch(() => {});
      const isTurnOver = signal?.aborted || performance.now() >= run.ends;
      if (outcome.isFailing || outcome.disable || isTurnOver) break;
    }
  } finally {
    await reading.catch(() => {});
    await writing;
  }
}

type DeliveryRun = { db: Db; accountId: number; endpointId: number; ends: number };
type Slice = {
  endpoint: store.EndpointRow;
  due: readonly store.Due[];
  bodies: ReadonlyMap<number, string>;
  secrets: Secrets;
  isLast: boolean;
};

/** Undefined if nothing is due, or the endpoint was disabled since it was polled. */
async function readSlice(
  { db, accountId, endpointId }: DeliveryRun,
  before?: Slice,
): Promise<Slice | undefined> {
  const last = before?.due.at(-1);
  const after = last && { nextAt: last.due_at, id: last.id };
  const options = { now: clock.now(), limit: SLICE_ROWS, after };
  const due = await store.dueEvents(db, accountId, endpointId, options);
  const endpoint = await store.findEndpoint(db, accountId, endpointId);
  if (endpoint?.status !== 'ACTIVE' || due.length === 0) return undefined;
  const secrets = await readSecrets(db, accountId);
  const stored = due.flatMap(({ id, body }) => (body === null ? [] : [[id, body] as const]));
  const bodiless = due.filter(({ body }) => body === null);
  const read = bodiless.length > 0 ? await buildBodies(db, accountId, bodiless) : [];
  const bodies = new Map([...stored, ...read]);
  return { endpoint, due, bodies, secrets, isLast: due.length < SLICE_ROWS };
}

/** Delivers a few at a time until the turn ends; the remaining deliveries stay due. */
async function deliverBatch({ ends }: DeliveryRun, { due, bodies, secrets }: Slice) {
  const answers: store.DeliveryAttempt[] = [];
  let next = 0;
  const work = async () => {
    while (next < due.length && performance.now() < ends) {
      const delivery = due[next++] as store.Due;
      answers.push(await attemptDelivery(delivery, bodies.get(delivery.id), secrets));
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_DELIVERIES }, work));
  return answers;
}

/**
 * Determines from the responses of a slice whether the endpoint is failing (none was a success) and
 * whether it must be disabled.
 */
function evaluateAnswers({ endpoint }: Slice, answers: readonly store.DeliveryAttempt[]) {
  const now = clock.now();
  const failures = answers.filter((answer) => answer.state !== 'delivered').length;
  const isFailing = failures === answers.length;
  const since = endpoint.failing_since ?? now;
  const isGone = answers.some((answer) => answer.status === 410);
  const isFailingTooLong = now.getTime() - since.getTime() >= DISABLE_AFTER_MS;
  const failingSince = isFailing && failures > 0 ? since : null;
  return {
    now,
    failures,
    isFailing,
    isGone,
    failingSince,
    disable: isGone || (isFailing && isFailingTooLong),
  };
}

/**
 * Writes the responses, the endpoint's counts and its state in one transaction, and publishes an
 * event if the endpoint was disabled.
 */
async function saveAnswers(
  { db, accountId, endpointId }: DeliveryRun,
  { endpoint }: Slice,
  answers: readonly store.DeliveryAttempt[],
  { now, isGone, ...outcome }: ReturnType<typeof evaluateAnswers>,
): Promise<void> {
  if (answers.length === 0) return;
  const ms = answers.reduce((sum, answer) => sum + answer.ms, 0);
  await inTransaction(db, async (tx) => {
    await store.writeAnswers(tx, accountId, endpointId, answers, { ms, ...outcome });
    if (outcome.disable)
      await endpointDisabled.announce(tx, {
        ...{ accountId, endpointId, url: endpoint.url, isDeleted: isGone, at: now },
      });
  });
}

type Call = Pick<store.Due, 'account_id' | 'id' | 'attempt' | 'url'> & { topic: string };

/**
 * Makes one attempt, and returns its result with the time of the next one. Without a body, which
 * means that the event's object was deleted, the delivery fails for good.
 */
export async function attemptDelivery(
  webhookCall: Call,
  body: string | undefined,
  secrets: Secrets,
  key = encodePublicId('attempt', webhookCall.account_id, webhookCall.id),
): Promise<store.DeliveryAttempt> {
  const { id } = webhookCall;
  const at = clock.now();
  if (body === undefined) {
    const answer = 'Not sent: the object of the event was deleted.';
    return { id, state: 'failed', nextAt: at, at, status: null, ms: 0, body: '', answer };
  }
  const startedAt = performance.now();
  const headers = {
    ...signatureHeaders(secrets, key, body, at),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Sendloom-Webhooks/1',
    'x-topic': webhookCall.topic,
  };
  const limits = {
    withinMs: RESPONSE_TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
    isOurs: isHookBox(webhookCall.url),
  };
  const call = { method: 'POST' as const, headers, body, ...limits };
  const answer = await callPublic(webhookCall.url, call).catch((error: Error) => error);
  const ms = Math.round(performance.now() - startedAt);
  const isError = answer instanceof Error;
  const status = isError ? null : answer.status;
  const answerText = isError ? errorText(answer) : cleanText(answer.body.toString('utf8'));
  const attempt = { id, at, ms, status, body: cutText(body, MAX_STORED_BODY) };
  const result = { ...attempt, answer: cutText(answerText, MAX_STORED_ANSWER) };
  if (status !== null && status >= 200 && status < 300)
    return { ...result, state: 'delivered', nextAt: at };
  const wait = RETRY_MS[webhookCall.attempt];
  if (wait === undefined) return { ...result, state: 'failed', nextAt: at };
  const retryAfterMs = isError ? 0 : Number(answer.headers['retry-after'] ?? 0) * 1000 || 0;
  const after = Math.max(wait * (0.9 + Math.random() * 0.2), Math.min(retryAfterMs, 86_400_000));
  return { ...result, state: 'due', nextAt: new Date(at.getTime() + after) };
}

const errorText = (error: Error) =>
  error.name === 'AbortError' || error.name === 'TimeoutError'
    ? `No answer within ${RESPONSE_TIMEOUT_MS / 1000} seconds.`
    : error.message;
