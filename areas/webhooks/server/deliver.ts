// Tells endpoints what is due: a few at once each, tried again for a day, given up after five days of failures.
import { publicSubscribers } from '#areas/audience/server/index.ts';
import { encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction } from '#platform/server/database.ts';
import { callPublic } from '#platform/server/outgoing-call.ts';
import { log } from '#platform/server/log.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { ANSWER_KEPT, AT_ONCE, GIVE_UP_MS, RETRY_MS, WITHIN_MS } from '../limits.ts';
import * as store from './endpoints.sql.ts';
import { readSecrets, type Secrets, signatureHeaders } from './signing.ts';

const BATCH = 500;
const BYTES_MOST = 64 * 1024;

export const deliverPoller: Poller = {
  name: 'webhooks.deliver',
  everyMs: 1000,
  run: (db, signal) => deliverDue(db, signal),
};

/** Until nothing is due any more. */
export async function deliverDue(db: Db, signal?: AbortSignal): Promise<void> {
  for (;;) {
    if (signal?.aborted) return;
    const due = await store.dueEvents(db, clock.now(), BATCH, AT_ONCE * 20);
    if (due.length === 0) return;
    const byEndpoint = Map.groupBy(due, (one) => `${one.account_id} ${one.endpoint_id}`);
    await Promise.all(
      [...byEndpoint.values()].map((own) =>
        tellEndpoint(db, own).catch((error: Error) =>
          log.error('An endpoint could not be told', { endpoint: own[0]?.endpoint_id, error }),
        ),
      ),
    );
  }
}

async function tellEndpoint(db: Db, due: readonly store.Due[]): Promise<void> {
  const [first] = due;
  if (!first) return;
  const { account_id: accountId, endpoint_id: endpointId } = first;
  const endpoint = await store.findEndpoint(db, accountId, endpointId);
  if (!endpoint) return;
  const secrets = await readSecrets(db, accountId);
  const subjects = await publicSubscribers(
    db,
    accountId,
    due.map((one) => one.subject_id),
  );
  const answers: (store.Told & { ms: number })[] = [];
  const queue = [...due];
  const work = async () => {
    for (let one = queue.shift(); one; one = queue.shift())
      answers.push(await tell(one, subjects.get(one.subject_id), secrets));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const now = clock.now();
  const failures = answers.filter((one) => one.state !== 'delivered').length;
  const isFailing = failures === answers.length;
  const since = endpoint.failing_since ?? now;
  const isGone = answers.some((one) => one.status === 410);
  const disable = isGone || (isFailing && now.getTime() - since.getTime() >= GIVE_UP_MS);
  const ms = answers.reduce((sum, one) => sum + one.ms, 0);
  const figures = { ms, failures, failingSince: isFailing ? since : null, disable };
  await inTransaction(db, (tx) => store.writeAnswers(tx, accountId, endpointId, answers, figures));
}

type Call = Pick<store.Due, 'account_id' | 'id' | 'attempt' | 'url'> & { topic: string };

/** Its words are read as they are now; who is gone meanwhile is told of to nobody. */
export async function tell(
  one: Call,
  subject: unknown,
  secrets: Secrets,
  key = encodePublicId('attempt', one.account_id, one.id),
) {
  const { id } = one;
  const now = clock.now();
  if (subject === undefined)
    return { id, state: 'delivered' as const, nextAt: now, status: null, answer: '', ms: 0 };
  const body = JSON.stringify(subject);
  const began = performance.now();
  const headers = {
    ...signatureHeaders(secrets, key, body, now),
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'Sendloom-Webhooks/1',
    'x-topic': one.topic,
  };
  const call = {
    method: 'POST',
    headers,
    body,
    withinMs: WITHIN_MS,
    bytesMost: BYTES_MOST,
  } as const;
  const answer = await callPublic(one.url, call).catch((error: Error) => error);
  const ms = Math.round(performance.now() - began);
  const isError = answer instanceof Error;
  const status = isError ? null : answer.status;
  const words = isError ? answer.message : answer.body.toString('utf8').replaceAll('\0', '');
  const kept = { id, status, answer: words.slice(0, ANSWER_KEPT), ms };
  if (status !== null && status >= 200 && status < 300)
    return { ...kept, state: 'delivered' as const, nextAt: now };
  const wait = RETRY_MS[one.attempt];
  if (wait === undefined) return { ...kept, state: 'failed' as const, nextAt: now };
  const asked = isError ? 0 : Number(answer.headers['retry-after'] ?? 0) * 1000 || 0;
  const after = Math.max(wait * (0.9 + Math.random() * 0.2), Math.min(asked, 86_400_000));
  return { ...kept, state: 'due' as const, nextAt: new Date(now.getTime() + after) };
}
