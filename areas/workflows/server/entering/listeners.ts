// Listeners of an active workflow: its trigger, the events its subscribers wait for, its goal.
import type { Tx } from '#platform/server/database/database.ts';
import { settingsOf } from '../runs/active.ts';
import { ANY, CLOSED, refOfUrl, REEVALUATE } from './facts.ts';
import { type Listened, setListeners } from './listeners.sql.ts';
import { numberOf } from '../steps/readiness.ts';
import { dataOf, type Tree, waitingSteps } from '../steps/tree.ts';
import type { WorkflowRow } from '../workflows.sql.ts';

/** Replaces the listeners after each change of an active workflow. */
export async function listen(tx: Tx, row: WorkflowRow, tree: Tree): Promise<void> {
  const { account_id: accountId, id } = row;
  await setListeners(tx, accountId, id, row.status === 'ACTIVE' ? heardBy(row, tree) : []);
}

function heardBy(row: WorkflowRow, tree: Tree): Listened[] {
  const { triggerType } = dataOf(tree.trigger, 'trigger');
  const needsTouches =
    triggerType === 'SEGMENT_ENTER' ||
    waitingSteps(tree).length > 0 ||
    settingsOf(row).goal !== null;
  return [...startedBy(tree), ...(needsTouches ? [{ kind: REEVALUATE, ref: ANY }] : [])];
}

/** Facts that start the workflow. */
export function startedBy({ trigger }: Pick<Tree, 'trigger'>): Listened[] {
  const { triggerType: kind, ...data } = dataOf(trigger, 'trigger');
  switch (kind) {
    case 'LIST_ADD':
    case 'LIST_REMOVE':
      return [{ kind, ref: numberOf('group', data.listId) ?? -1 }];
    case 'FIELD_UPDATE': {
      const refs = (data.fields ?? []).map((id) => numberOf('field', id) ?? -1);
      return (refs.length > 0 ? refs : [ANY]).map((ref) => ({ kind, ref }));
    }
    case 'FORM_SUBMIT':
      return [{ kind, ref: data.form === undefined ? ANY : (numberOf('form', data.form) ?? -1) }];
    case 'EVENT':
      return [{ kind, ref: numberOf('custom_event', data.event) ?? -1 }];
    case 'LINK_CLICK':
      return [{ kind, ref: refOfUrl(data.url ?? '') }];
    case 'CART_ABANDONED':
      return [
        { kind, ref: data.store === undefined ? ANY : (numberOf('store', data.store) ?? -1) },
        { kind: CLOSED, ref: ANY },
      ];
    case 'ORDER_PLACED':
    case 'ORDER_FULFILLED':
    case 'ORDER_REFUNDED':
      return [
        { kind, ref: data.store === undefined ? ANY : (numberOf('store', data.store) ?? -1) },
      ];
    case 'PRODUCT_PURCHASED':
      return [{ kind, ref: numberOf('product', data.product) ?? -1 }];
    case 'PRODUCT_VIEWED':
      return [
        { kind, ref: data.product === undefined ? ANY : (numberOf('product', data.product) ?? -1) },
      ];
    case 'UNSUBSCRIBE':
      return [{ kind, ref: ANY }];
    case 'API':
      return [{ kind, ref: trigger.workflow_id }];
    case 'SEGMENT_ENTER':
    case 'DATE':
    case 'ANNIVERSARY':
    case undefined:
      return [];
    default:
      return kind satisfies never;
  }
}
