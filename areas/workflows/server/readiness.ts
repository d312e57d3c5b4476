// What a step lacks, and what keeps a workflow from being activated.
import { readFields } from '#areas/fields/server/index.ts';
import { groupTitles } from '#areas/groups/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database.ts';
import type { StepRow } from './steps.sql.ts';
import { dataOf, type Tree } from './tree.ts';

/** What of the account steps may name. */
export type Known = {
  groups: ReadonlySet<number>;
  dateFields: ReadonlySet<number>;
  fields: ReadonlySet<number>;
};

export async function readKnown(
  db: Reader,
  accountId: number,
  steps: readonly StepRow[],
): Promise<Known> {
  const ids = steps.flatMap((step) => {
    const { listId, group, from_group: from } = step.data as Record<string, string | undefined>;
    return [listId, group, from].flatMap((id) => numberOf('group', id) ?? []);
  });
  const groups = new Set((await groupTitles(db, accountId, ids)).keys());
  const fields = await readFields(db, accountId);
  return {
    groups,
    fields: new Set(fields.map((field) => field.id)),
    dateFields: new Set(fields.filter((field) => field.type === 'datetime').map(({ id }) => id)),
  };
}

export const numberOf = (kind: 'group' | 'field' | 'step', id: string | undefined) =>
  id === undefined ? undefined : decodeId(kind, id);

/** Names of what is missing in its data, or names what is gone; empty where it is complete. */
export function missingOf(step: StepRow, tree: Tree, known: Known): string[] {
  const isGroup = (id: string | undefined) => known.groups.has(numberOf('group', id) ?? 0);
  const lacks = (name: string, isThere: boolean) => (isThere ? [] : [name]);
  switch (step.type) {
    case 'trigger': {
      const { triggerType: type, listId, fields = [] } = dataOf(step, 'trigger');
      if (type === undefined) return ['triggerType'];
      if (type === 'LIST_ADD' || type === 'LIST_REMOVE') return lacks('listId', isGroup(listId));
      const isKnown = fields.every((id) => known.fields.has(numberOf('field', id) ?? 0));
      return lacks('fields', type !== 'FIELD_UPDATE' || isKnown);
    }
    case 'delay': {
      const { delay_type: type, amount, date, field } = dataOf(step, 'delay');
      if (type === undefined) return ['delay_type'];
      if (type === 'DATE') return lacks('date', date !== undefined);
      if (type === 'FIELD')
        return lacks('field', known.dateFields.has(numberOf('field', field) ?? 0));
      return lacks('amount', amount !== undefined);
    }
    case 'CONDITION':
      return missingOfCondition(step, tree);
    case 'ACTION': {
      const { action, group, from_group: from, field } = dataOf(step, 'ACTION');
      if (action === undefined) return ['action'];
      if (action === 'FIELD')
        return lacks('field', known.fields.has(numberOf('field', field) ?? 0));
      if (action === 'END' || action === 'UNSUBSCRIBE') return [];
      return [
        ...lacks('group', isGroup(group)),
        ...lacks('from_group', action !== 'MOVE' || isGroup(from)),
      ];
    }
    default: {
      const { subject, from_name: name, from_email: email } = dataOf(step, 'EMAIL');
      return [
        ...lacks('subject', Boolean(subject)),
        ...lacks('from_name', Boolean(name)),
        ...lacks('from_email', Boolean(email)),
        ...lacks('content', step.content_id !== null),
      ];
    }
  }
}

function missingOfCondition(step: StepRow, tree: Tree): string[] {
  const { kind, conditions = [], activity, step_id, shares = [] } = dataOf(step, 'CONDITION');
  if (kind === undefined) return ['kind'];
  if (kind === 'segment') return conditions.length > 0 ? [] : ['conditions'];
  if (kind === 'split') {
    const sum = shares.reduce((all, one) => all + one.share, 0);
    return shares.length >= 2 && sum === 100 ? [] : ['shares'];
  }
  const email = tree.byId.get(numberOf('step', step_id) ?? 0);
  const isAbove = email?.type === 'EMAIL' && !email.removed_at && tree.isBelow(step.id, email.id);
  return [...(activity ? [] : ['activity']), ...(isAbove ? [] : ['step_id'])];
}

/** Everything that keeps it from being activated. */
export function missingOfTree(
  tree: Tree,
  known: Known,
): { code: string; stepId: number | null; fields: string[] }[] {
  const steps = tree.ordered();
  const does = steps.some((step) => step.type === 'EMAIL' || step.type === 'ACTION');
  return [
    ...(does ? [] : [{ code: 'no_step', stepId: null, fields: [] }]),
    ...steps.flatMap((step) => {
      const fields = missingOf(step, tree, known);
      return fields.length > 0 ? [{ code: 'step_incomplete', stepId: step.id, fields }] : [];
    }),
  ];
}
