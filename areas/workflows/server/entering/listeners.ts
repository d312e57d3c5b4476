// Listeners of an active workflow to its trigger's facts, and to subscriber changes if it has a
// segment trigger, a waiting step or a goal.
import type { Tx } from '#platform/server/database/database.ts';
import type { StepData } from '../../contract.ts';
import type { Trigger } from '../../shared.ts';
import { readWorkflowSettings } from '../runs/active.ts';
import { followSplits } from '../splits/follow.ts';
import { ANY, CLOSED, hashUrl, REEVALUATE } from './facts.ts';
import { type ListenedEvent, setListeners } from './listeners.sql.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import { readSteps } from '../steps/steps.sql.ts';
import { getStepData, StepTree, listWaitingSteps } from '../steps/tree.ts';
import type { WorkflowRow } from '../workflows.sql.ts';

/**
 * Replaces the listeners after a change of the workflow. If it is active, its changed splits are
 * restarted. Removed steps are treated as waiting steps because subscribers may still wait at them.
 */
export async function updateListeners(tx: Tx, row: WorkflowRow): Promise<void> {
  const { account_id: accountId, id } = row;
  if (row.status !== 'ACTIVE') return setListeners(tx, accountId, id, []);
  const tree = new StepTree(await readSteps(tx, accountId, [id], 'all'));
  await setListeners(tx, accountId, id, listListenedEvents(row, tree));
  await followSplits(tx, row, tree);
}

function listListenedEvents(row: WorkflowRow, tree: StepTree): ListenedEvent[] {
  const { triggerType } = getStepData(tree.trigger, 'trigger');
  const needsReevaluation =
    triggerType === 'SEGMENT_ENTER' ||
    listWaitingSteps(tree).length > 0 ||
    readWorkflowSettings(row).goal !== null;
  return [...listStartEvents(tree), ...(needsReevaluation ? [{ kind: REEVALUATE, ref: ANY }] : [])];
}

/** Lists facts that start the workflow, and the closing of carts that started it. */
export function listStartEvents({ trigger }: Pick<StepTree, 'trigger'>): ListenedEvent[] {
  const data = getStepData(trigger, 'trigger');
  const { triggerType: kind } = data;
  if (kind === undefined) return [];
  const startEvents = REFS_OF[kind](data, trigger.workflow_id).map((ref) => ({ kind, ref }));
  return kind === 'CART_ABANDONED' ? [...startEvents, { kind: CLOSED, ref: ANY }] : startEvents;
}

type TriggerData = Partial<StepData['trigger']>;

const listStoreRefs = ({ store }: TriggerData) => [decodeRefOrAny('store', store)];

/** References of the facts that each trigger listens to; time and segment triggers have none. */
const REFS_OF: Record<Trigger, (data: TriggerData, workflowId: number) => ListenedEvent['ref'][]> =
  {
    LIST_ADD: ({ listId }) => [decodeRef('group', listId)],
    LIST_REMOVE: ({ listId }) => [decodeRef('group', listId)],
    FIELD_UPDATE: ({ fields = [] }) =>
      fields.length > 0 ? fields.map((id) => decodeRef('field', id)) : [ANY],
    FORM_SUBMIT: ({ form }) => [decodeRefOrAny('form', form)],
    EVENT: ({ event }) => [decodeRef('custom_event', event)],
    LINK_CLICK: ({ url = '' }) => [hashUrl(url)],
    CART_ABANDONED: listStoreRefs,
    ORDER_PLACED: listStoreRefs,
    ORDER_FULFILLED: listStoreRefs,
    ORDER_REFUNDED: listStoreRefs,
    PRODUCT_PURCHASED: ({ product }) => [decodeRef('product', product)],
    PRODUCT_VIEWED: ({ product }) => [decodeRefOrAny('product', product)],
    UNSUBSCRIBE: () => [ANY],
    API: (_data, workflowId) => [workflowId],
    SEGMENT_ENTER: () => [],
    DATE: () => [],
    ANNIVERSARY: () => [],
  };

type IdKind = Parameters<typeof decodeOptionalId>[0];

/**
 * Returns the number of the chosen resource, or -1, which matches no fact, if the choice is
 * invalid.
 */
const decodeRef = (kind: IdKind, id: string | undefined) => decodeOptionalId(kind, id) ?? -1;

/** Returns the number of the chosen resource, or ANY if none is chosen. */
const decodeRefOrAny = (kind: IdKind, id: string | undefined) =>
  id === undefined ? ANY : decodeRef(kind, id);
