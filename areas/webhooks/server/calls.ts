// Calls of workflows: each person who comes to the step is posted to the address it names, signed as endpoints are and
// tried again as theirs are.
import { publicSubscribers } from '#areas/audience/server/index.ts';
import { encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type Db, inTransaction, type Tx } from '#platform/server/database.ts';
import { isolateFailure } from '#platform/server/isolate-failure.ts';
import type { Poller } from '#platform/server/pollers.ts';
import { AT_ONCE } from '../limits.ts';
import * as store from './calls.sql.ts';
import { tell } from './deliver.ts';
import { readSecrets } from './signing.ts';

const BATCH = 500;

export const addCalls = (
  tx: Tx,
  facts: {
    accountId: number;
    workflowId: number;
    stepId: number;
    subscriberIds: readonly number[];
    url: string;
    at: Date;
  },
) => store.insertCalls(tx, facts.accountId, { ...facts, subjectIds: facts.subscriberIds });

export const callsPoller: Poller = {
  name: 'webhooks.calls',
  everyMs: 1000,
  run: (db, signal) => makeCalls(db, signal),
};

/** Until none is due any more. */
export async function makeCalls(db: Db, signal?: AbortSignal): Promise<void> {
  for (;;) {
    if (signal?.aborted) return;
    const due = await store.dueCalls(db, clock.now(), BATCH, AT_ONCE * 20);
    if (due.length === 0) return;
    const bySteps = Map.groupBy(due, (one) => `${one.account_id} ${one.step_id}`);
    await Promise.all(
      [...bySteps.values()].map((own) =>
        isolateFailure('Calls of a workflow failed', { step: own[0]?.step_id }, () =>
          callFor(db, own),
        ),
      ),
    );
  }
}

async function callFor(db: Db, due: readonly store.DueCall[]): Promise<void> {
  const { account_id: accountId } = due[0] as store.DueCall;
  const secrets = await readSecrets(db, accountId);
  const people = await publicSubscribers(
    db,
    accountId,
    due.map((one) => one.subject_id),
  );
  const answers: store.Answered[] = [];
  const queue = [...due];
  const work = async () => {
    for (let one = queue.shift(); one; one = queue.shift()) {
      const subscriber = people.get(one.subject_id);
      const body = subscriber && JSON.stringify({ ...namesOf(one), subscriber });
      const key = encodePublicId('step', accountId, one.id);
      answers.push(await tell({ ...one, topic: 'workflows/step' }, body, secrets, key));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  await inTransaction(db, (tx) => store.writeCalls(tx, accountId, answers));
}

const namesOf = (call: store.DueCall) => ({
  workflow_id: encodeId('workflow', call.workflow_id),
  step_id: encodeId('step', call.step_id),
  at: call.created_at.toISOString(),
});
