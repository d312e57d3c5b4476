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
  MAX_STORED_RESPONSE,
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
import { readSecrets, type SigningSecrets, createSignatureHeaders } from './signing.ts';

/** Maximum deliveries per slice; keeps an endpoint's large backlog from filling the memory. */
const SLICE_ROWS = 500;
/** Duration of an endpoint's turn; the remaining deliveries wait for its next turn. */
const TURN_MS = 5_000;
const MAX_RESPONSE_BYTES = 64 * 1024;
const CLEARED_PER_TRANSACTION = 5_000;

export const deliverPoller: Poller = {
  name: 'webhooks.deliver',
  intervalMs: 1000,
  run: (db, signal) => deliverDue(db, signal),
};

export const clearPoller: Poller = {
  name: 'webhooks.clear',
  intervalMs: 3_600_000,
  run: deleteOldDeliveries,
};

/** Deletes old completed deliveries and their attempts. */
export async function deleteOldDeliveries(db: Db, signal?: AbortSignal): Promise<void> {
  const before = new Date(clock.now().getTime() - RETENTION_MS);
  for (const accountId of await store.listAccountsToClear(db, before)) {
    if (signal?.aborted) return;
    await isolateFailure('Deleting old webhook deliveries failed', { accountId }, async () => {
      let deletedCount = CLEARED_PER_TRANSACTION;
      while (deletedCount === CLEARED_PER_TRANSACTION && !signal?.aborted)
        deletedCount = await inTransaction(db, (tx) =>
          store.deleteOldDeliveries(tx, accountId, before, CLEARED_PER_TRANSACTION),
        );
    });
  }
}

/** Delivers to several endpoints concurrently until nothing is due. */
export function deliverDue(db: Db, signal?: AbortSignal): Promise<void> {
  const listDueReceivers = () => store.listWaitingEndpoints(db, clock.now());
  return deliverFairly(
    { listDueReceivers, deliver: (endpoint) => deliverToEndpoint(db, endpoint, signal) },
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
  const run = { db, accountId, endpointId, deadline: performance.now() + TURN_MS };
  let writing: Promise<void> = Promise.resolve();
  let reading: Promise<DeliverySlice | undefined> = readSlice(run);
  try {
    for (;;) {
      const slice = await reading;
      if (!slice) break;
      reading = slice.isLast ? Promise.resolve(undefined) : readSlice(run, slice);
      // Reads and writes are awaited later; until then, a failure must not be treated as unhandled.
      reading.catch(() => {});
      const attempts = await deliverBatch(run, slice);
      await writing;
      const outcome = evaluateAttempts(slice, attempts);
      writing = saveAttempts(run, slice, attempts, outcome);
      writing.catch(() => {});
      const isTurnOver = signal?.aborted || performance.now() >= run.deadline;
      if (outcome.isFailing || outcome.shouldDisable || isTurnOver) break;
    }
  } finally {
    await reading.catch(() => {});
    await writing;
  }
}

type DeliveryRun = { db: Db; accountId: number; endpointId: number; deadline: number };
type DeliverySlice = {
  endpoint: store.EndpointRow;
  due: readonly store.DueDelivery[];
  bodies: ReadonlyMap<number, string>;
  secrets: SigningSecrets;
  isLast: boolean;
};

/** Returns undefined if nothing is due or the endpoint is no longer active. */
async function readSlice(
  { db, accountId, endpointId }: DeliveryRun,
  previous?: DeliverySlice,
): Promise<DeliverySlice | undefined> {
  const lastDelivery = previous?.due.at(-1);
  const after = lastDelivery && { nextAt: lastDelivery.due_at, id: lastDelivery.id };
  const options = { now: clock.now(), limit: SLICE_ROWS, after };
  const dueDeliveries = await store.listDueDeliveries(db, accountId, endpointId, options);
  const endpoint = await store.findEndpoint(db, accountId, endpointId);
  if (endpoint?.status !== 'ACTIVE' || dueDeliveries.length === 0) return undefined;
  const secrets = await readSecrets(db, accountId);
  const storedBodies = dueDeliveries.flatMap(({ id, body }) =>
    body === null ? [] : [[id, body] as const],
  );
  const bodiless = dueDeliveries.filter(({ body }) => body === null);
  const builtBodies = bodiless.length > 0 ? await buildBodies(db, accountId, bodiless) : [];
  const bodies = new Map([...storedBodies, ...builtBodies]);
  return {
    endpoint,
    due: dueDeliveries,
    bodies,
    secrets,
    isLast: dueDeliveries.length < SLICE_ROWS,
  };
}

/** Delivers a few at a time until the turn ends; the remaining deliveries stay due. */
async function deliverBatch({ deadline }: DeliveryRun, { due, bodies, secrets }: DeliverySlice) {
  const attempts: store.DeliveryAttempt[] = [];
  let next = 0;
  const work = async () => {
    while (next < due.length && performance.now() < deadline) {
      const delivery = due[next++] as store.DueDelivery;
      attempts.push(await attemptDelivery(delivery, bodies.get(delivery.id), secrets));
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_DELIVERIES }, work));
  return attempts;
}

/**
 * Determines from the responses of a slice whether the endpoint is failing (none was a success) and
 * whether it must be disabled.
 */
function evaluateAttempts({ endpoint }: DeliverySlice, attempts: readonly store.DeliveryAttempt[]) {
  const now = clock.now();
  const failures = attempts.filter((attempt) => attempt.state !== 'delivered').length;
  const isFailing = failures === attempts.length;
  const failingFrom = endpoint.failing_since ?? now;
  const isGone = attempts.some((attempt) => attempt.status === 410);
  const isFailingTooLong = now.getTime() - failingFrom.getTime() >= DISABLE_AFTER_MS;
  const failingSince = isFailing && failures > 0 ? failingFrom : null;
  return {
    now,
    failures,
    isFailing,
    isGone,
    failingSince,
    shouldDisable: isGone || (isFailing && isFailingTooLong),
  };
}

/**
 * Writes the responses, the endpoint's counts and its state in one transaction, and publishes an
 * event if the endpoint was disabled.
 */
async function saveAttempts(
  { db, accountId, endpointId }: DeliveryRun,
  { endpoint }: DeliverySlice,
  attempts: readonly store.DeliveryAttempt[],
  { now, isGone, ...outcome }: ReturnType<typeof evaluateAttempts>,
): Promise<void> {
  if (attempts.length === 0) return;
  const durationMs = attempts.reduce((total, attempt) => total + attempt.durationMs, 0);
  await inTransaction(db, async (tx) => {
    await store.saveAttempts(tx, accountId, endpointId, attempts, { durationMs, ...outcome });
    if (outcome.shouldDisable)
      await endpointDisabled.announce(tx, {
        ...{ accountId, endpointId, url: endpoint.url, isDeleted: isGone, at: now },
      });
  });
}

type DueRequest = Pick<store.DueDelivery, 'account_id' | 'id' | 'attempt' | 'url'> & {
  topic: string;
};

/**
 * Makes one attempt and returns its result and the time of the next one. Without a body, which
 * means that the event's object was deleted, the delivery fails permanently.
 */
export async function attemptDelivery(
  webhookCall: DueRequest,
  body: string | undefined,
  secrets: SigningSecrets,
  key = encodePublicId('attempt', webhookCall.account_id, webhookCall.id),
): Promise<store.DeliveryAttempt> {
  const { id } = webhookCall;
  const at = clock.now();
  if (body === undefined) {
    const reason = 'Not sent: the object of the event was deleted.';
    return {
      id,
      state: 'failed',
      nextAt: at,
      at,
      status: null,
      durationMs: 0,
      body: '',
      response: reason,
    };
  }
  const startedAt = performance.now();
  const headers = {
    ...createSignatureHeaders(secrets, key, body, at),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Sendloom-Webhooks/1',
    'x-topic': webhookCall.topic,
  };
  const limits = {
    timeoutMs: RESPONSE_TIMEOUT_MS,
    maxBytes: MAX_RESPONSE_BYTES,
    isTrusted: isHookBox(webhookCall.url),
  };
  const call = { method: 'POST' as const, headers, body, ...limits };
  const response = await callPublic(webhookCall.url, call).catch((error: Error) => error);
  const durationMs = Math.round(performance.now() - startedAt);
  const isError = response instanceof Error;
  const status = isError ? null : response.status;
  const responseText = isError ? errorText(response) : cleanText(response.body.toString('utf8'));
  const attempt = { id, at, durationMs, status, body: cutText(body, MAX_STORED_BODY) };
  const result = { ...attempt, response: cutText(responseText, MAX_STORED_RESPONSE) };
  if (status !== null && status >= 200 && status < 300)
    return { ...result, state: 'delivered', nextAt: at };
  const wait = RETRY_MS[webhookCall.attempt];
  if (wait === undefined) return { ...result, state: 'failed', nextAt: at };
  const retryAfterMs = isError ? 0 : Number(response.headers['retry-after'] ?? 0) * 1000 || 0;
  const delayMs = Math.max(wait * (0.9 + Math.random() * 0.2), Math.min(retryAfterMs, 86_400_000));
  return { ...result, state: 'due', nextAt: new Date(at.getTime() + delayMs) };
}

const errorText = (error: Error) =>
  error.name === 'AbortError' || error.name === 'TimeoutError'
    ? `No answer within ${RESPONSE_TIMEOUT_MS / 1000} seconds.`
    : error.message;
