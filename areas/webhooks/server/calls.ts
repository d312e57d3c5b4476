// HTTP calls of workflows: a step posts each subscriber who reaches it to a URL. Calls are signed
// and retried like webhook deliveries.
import { readPublicSubscribers } from '#areas/audience/server/index.ts';
import { encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database/database.ts';
import type { Poller } from '#platform/server/jobs/pollers.ts';
import { MAX_CONCURRENT_DELIVERIES } from '../shared.ts';
import * as store from './calls.sql.ts';
import { attemptDelivery } from './deliver.ts';
import { deliverFairly, type Receiver } from './fair-delivery.ts';
import { readSecrets } from './signing.ts';

/** Maximum number of calls that a step makes in one slice. */
const CALLS_PER_STEP = 100;
/** After this time, a slice does not start further calls; they wait for the next slice. */
const SLICE_MS = 5_000;

export const addCalls = (
  tx: Tx,
  call: {
    accountId: number;
    workflowId: number;
    stepId: number;
    subscriberIds: readonly number[];
    url: string;
    at: Date;
  },
) => store.insertCalls(tx, call.accountId, { ...call, subjectIds: call.subscriberIds });

export const callsPoller: Poller = {
  name: 'webhooks.calls',
  intervalMs: 1000,
  run: (db, signal) => makeCalls(db, signal),
};

/**
 * Makes calls until none is due. Steps run concurrently, so a slow server delays only the calls of
 * the steps that use it.
 */
export function makeCalls(db: Db, signal?: AbortSignal): Promise<void> {
  const listDueReceivers = () => store.listWaitingSteps(db, clock.now());
  return deliverFairly({ listDueReceivers, deliver: (step) => callFor(db, step) }, signal);
}

async function callFor(db: Db, { account_id: accountId, id: stepId }: Receiver): Promise<void> {
  const dueCalls = await store.listDueCalls(db, accountId, stepId, {
    now: clock.now(),
    limit: CALLS_PER_STEP,
  });
  if (dueCalls.length === 0) return;
  const secrets = await readSecrets(db, accountId);
  const subscribers = await readPublicSubscribers(
    db,
    accountId,
    dueCalls.map((dueCall) => dueCall.subject_id),
  );
  const outcomes: store.CallOutcome[] = [];
  const queue = [...dueCalls];
  const endsAt = performance.now() + SLICE_MS;
  const work = async () => {
    while (performance.now() < endsAt) {
      const job = queue.shift();
      if (!job) return;
      const subscriber = subscribers.get(job.subject_id);
      const body = subscriber && JSON.stringify({ ...namesOf(job), subscriber });
      const key = encodePublicId('step', accountId, job.id);
      outcomes.push(await attemptDelivery({ ...job, topic: 'workflows/step' }, body, secrets, key));
    }
  };
  await Promise.all(Array.from({ length: MAX_CONCURRENT_DELIVERIES }, work));
  await inTransaction(db, (tx) => store.saveCallOutcomes(tx, accountId, outcomes));
}

const namesOf = (call: store.DueCall) => ({
  workflow_id: encodeId('workflow', call.workflow_id),
  step_id: encodeId('step', call.step_id),
  at: call.created_at.toISOString(),
});
