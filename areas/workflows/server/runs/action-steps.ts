// ACTION steps: changes to sets of subscribers, and notifications.
import { readFieldValue } from '#areas/fields/server/index.ts';
import { addToGroups, removeFromGroups } from '#areas/groups/server/index.ts';
import { setFieldValue, unsubscribe } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { callNeeded, noticeNeeded } from '../events.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import type { WorkflowStepRow } from '../steps/steps.sql.ts';
import {
  createResults,
  listSubscriberIds,
  leaveStep,
  type StepEntrant,
  type StepResults,
} from '../steps/results.ts';
import { getStepData } from '../steps/tree.ts';

export async function executeAction(
  tx: Tx,
  step: WorkflowStepRow,
  entrants: readonly StepEntrant[],
): Promise<StepResults> {
  const { action } = getStepData(step, 'ACTION');
  if (action === 'END') return createResults(entrants, { kind: 'ended', outcome: 'action_end' });
  for (const [depth, group] of Map.groupBy(entrants, (entrant) => entrant.depth)) {
    await applyAction(tx, step, listSubscriberIds(group), depth + 1);
  }
  return createResults(entrants, leaveStep('TRUE', 'done'));
}

async function applyAction(
  tx: Tx,
  step: WorkflowStepRow,
  subscriberIds: number[],
  depth: number,
): Promise<void> {
  const { account_id: accountId } = step;
  const data = getStepData(step, 'ACTION');
  const cause = { origin: 'workflow', depth } as const;
  const groups = (id: string | undefined) => [decodeOptionalId('group', id) ?? 0];
  const event = { accountId, workflowId: step.workflow_id, stepId: step.id, subscriberIds };
  switch (data.action) {
    case 'COPY':
      return addToGroups(tx, accountId, {
        ...{ groupIds: groups(data.group), subscriberIds, ...cause },
      }).then(() => {});
    case 'MOVE':
      await addToGroups(tx, accountId, { groupIds: groups(data.group), subscriberIds, ...cause });
      await removeFromGroups(tx, accountId, {
        ...{ groupIds: groups(data.from_group), subscriberIds, ...cause },
      });
      return;
    case 'REMOVE':
      await removeFromGroups(tx, accountId, {
        ...{ groupIds: groups(data.group), subscriberIds, ...cause },
      });
      return;
    case 'UNSUBSCRIBE': {
      const channel = data.channel ?? 'email';
      await unsubscribe(tx, accountId, { subscriberIds }, { channel, reason: 'workflow', cause });
      return;
    }
    case 'FIELD': {
      const fieldId = decodeOptionalId('field', data.field) ?? 0;
      const value = await readFieldValue(tx, accountId, fieldId, data.value ?? null);
      await setFieldValue(tx, accountId, subscriberIds, { fieldId, value }, cause);
      return;
    }
    case 'NOTIFY':
      return noticeNeeded.announce(tx, { ...event, message: data.message ?? '', at: clock.now() });
    case 'WEBHOOK':
      return callNeeded.announce(tx, { ...event, url: data.url ?? '', at: clock.now() });
    default:
      return;
  }
}
