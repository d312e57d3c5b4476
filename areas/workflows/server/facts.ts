// Facts of lower areas on their way into workflows. A handler only looks whether somebody listens, and notes the set:
// it can fail nobody's act.
import { type Cause, startsWorkflows } from '#platform/origins.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database.ts';
import type { StepRow } from './steps.sql.ts';
import { numberOf } from './readiness.ts';
import { dataOf } from './tree.ts';
import { heardRefs, insertFact } from './workflows.sql.ts';

/** Any field. */
const ANY = 0;

/** What an active workflow with this trigger listens to. */
export function heardBy(trigger: StepRow): { kind: string; refs: number[] } | undefined {
  const { triggerType: kind, listId, fields = [] } = dataOf(trigger, 'trigger');
  switch (kind) {
    case undefined:
      return undefined;
    case 'LIST_ADD':
    case 'LIST_REMOVE':
      return { kind, refs: [numberOf('group', listId) ?? -1] };
    case 'FIELD_UPDATE': {
      const refs = fields.map((id) => numberOf('field', id) ?? -1);
      return { kind, refs: refs.length > 0 ? [...new Set(refs)] : [ANY] };
    }
    case 'UNSUBSCRIBE':
      return { kind, refs: [ANY] };
    case 'API':
      return { kind, refs: [trigger.workflow_id] };
    default:
      return kind satisfies never;
  }
}

type Told = Cause & { accountId: number; subscriberIds: readonly number[] };

async function note(tx: Tx, kind: string, refs: readonly number[], facts: Told): Promise<void> {
  const { accountId, origin, depth = 0, subscriberIds: ids } = facts;
  if (!startsWorkflows(origin) || ids.length === 0) return;
  for (const ref of await heardRefs(tx, accountId, kind, refs)) {
    await insertFact(tx, accountId, { kind, ref, at: clock.now(), depth, ids });
  }
}

export const groupJoined = (tx: Tx, facts: Told & { groupId: number }) =>
  note(tx, 'LIST_ADD', [facts.groupId], facts);

export const groupLeft = (tx: Tx, facts: Told & { groupId: number }) =>
  note(tx, 'LIST_REMOVE', [facts.groupId], facts);

export const fieldsChanged = (tx: Tx, facts: Told & { fieldIds: number[] }) =>
  note(tx, 'FIELD_UPDATE', [ANY, ...facts.fieldIds], facts);

export async function leftEmail(tx: Tx, facts: Told & { channel: string }): Promise<void> {
  if (facts.channel === 'email') await note(tx, 'UNSUBSCRIBE', [ANY], facts);
}
