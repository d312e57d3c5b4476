// Subscribers who would have entered a workflow since an instant, from the stored data of lower
// areas, otherwise from the entries of workflows with the same trigger.
import { signUpsSince } from '#areas/forms/server/index.ts';
import { inAnyOf, matching } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { FORECAST_SAMPLE } from '../../shared.ts';
import type { ActiveWorkflow } from '../runs/active.ts';
import { listenersOf } from './listeners.sql.ts';
import { startedBy } from './listeners.ts';
import * as past from './past-entrants.sql.ts';
import { numberOf } from '../steps/readiness.ts';
import { segmentOf } from './segment-members.ts';
import { findDueDates } from './sweeps.ts';
import { dataOf } from '../steps/tree.ts';

const DAY = 86_400_000;

/** `isLeast`: the count is a lower bound, because the stored data lacks some of the entries. */
export type Entered = past.PastPeople & { isLeast: boolean };

const limit = FORECAST_SAMPLE;

/** Undefined if the stored data does not show who would have entered. */
export async function listEntrants(
  tx: Tx,
  workflow: ActiveWorkflow,
  since: Date,
  now: Date,
): Promise<Entered | undefined> {
  const { triggerType } = dataOf(workflow.tree.trigger, 'trigger');
  switch (triggerType) {
    case 'SEGMENT_ENTER':
      return ofSegment(tx, workflow, since, now);
    case 'LIST_REMOVE':
    case 'FIELD_UPDATE':
    case 'API':
      return ofWorkflows(tx, workflow, since);
    default: {
      const people = await ofFacts(tx, workflow, since, now);
      // For a group only current members are known.
      return people && { ...people, isLeast: triggerType === 'LIST_ADD' };
    }
  }
}

async function ofFacts(
  tx: Tx,
  workflow: ActiveWorkflow,
  since: Date,
  now: Date,
): Promise<past.PastPeople | undefined> {
  const { account_id: accountId } = workflow.row;
  const { triggerType, ...data } = dataOf(workflow.tree.trigger, 'trigger');
  const storeId = numberOf('store', data.store);
  const productId = numberOf('product', data.product);
  switch (triggerType) {
    case 'LIST_ADD':
      return past.joinedSince(tx, accountId, numberOf('group', data.listId) ?? 0, since, limit);
    case 'FORM_SUBMIT':
      return signUpsSince(tx, accountId, numberOf('form', data.form), since, limit);
    case 'UNSUBSCRIBE':
      return past.unsubscribedSince(tx, accountId, since, limit);
    case 'LINK_CLICK':
      return past.clickedSince(tx, accountId, data.url ?? '', since, limit);
    case 'CART_ABANDONED':
      return past.cartsLeftSince(tx, accountId, storeId, since, limit);
    case 'ORDER_PLACED':
    case 'PRODUCT_PURCHASED':
      return past.orderedSince(tx, accountId, { storeId, productId }, since, limit);
    case 'ORDER_FULFILLED':
      return past.orderEndedSince(tx, accountId, { is: 'fulfilled', storeId }, since, limit);
    case 'ORDER_REFUNDED':
      return past.orderEndedSince(tx, accountId, { is: 'refunded', storeId }, since, limit);
    case 'PRODUCT_VIEWED':
      return past.viewedSince(tx, accountId, productId, since, limit);
    case 'EVENT': {
      const eventId = numberOf('custom_event', data.event) ?? 0;
      return past.occurredSince(tx, accountId, eventId, since, limit);
    }
    case 'DATE':
    case 'ANNIVERSARY': {
      const due = await findDueDates(tx, workflow, { from: since, upto: now });
      return { total: due.length, people: due.slice(0, limit) };
    }
    default:
      return undefined;
  }
}

/**
 * Subscribers who entered this workflow, or another active one with the same trigger, since its
 * activation.
 */
async function ofWorkflows(
  tx: Tx,
  { row, tree }: ActiveWorkflow,
  since: Date,
): Promise<Entered | undefined> {
  const starts = startedBy(tree).map((listened) => `${listened.kind}/${listened.ref}`);
  const listeners = await listenersOf(tx, row.account_id);
  const alike = listeners
    .filter((listener) => starts.includes(`${listener.kind}/${listener.ref}`))
    .map((listener) => listener.workflow_id);
  const ids = [...new Set([row.id, ...alike])];
  if (alike.length === 0 && row.activated_at === null) return undefined;
  const people = await past.enteredSince(tx, row.account_id, ids, since, limit);
  return { ...people, isLeast: true };
}

/** Current members who were not members then; the instant is the first day of membership. */
async function ofSegment(
  tx: Tx,
  workflow: ActiveWorkflow,
  since: Date,
  now: Date,
): Promise<Entered | undefined> {
  const { account_id: accountId } = workflow.row;
  const conditions = await segmentOf(tx, workflow);
  if (!conditions) return undefined;
  const asOf = (at: Date) => inAnyOf(tx, accountId, [conditions], { now: at, ifUnknown: false });
  const [inside, before] = [await asOf(now), await asOf(since)];
  if (!inside || !before) return undefined;
  const where = { now: inside, before };
  const { total, people } = await past.startedMatchingSince(tx, accountId, where, since, limit);
  const created = new Map(people.map(({ id, at }) => [id, at]));
  const matched: past.PastEntrant[] = [];
  let open = people.map((person) => person.id);
  for (let day = since.getTime() + DAY; open.length > 0 && day < now.getTime(); day += DAY) {
    const is = new Set(await matching(tx, accountId, conditions, open, new Date(day)));
    for (const id of open)
      if (is.has(id) && (created.get(id) as Date).getTime() <= day)
        matched.push({ id, at: new Date(day) });
    const known = new Set(matched.map((entrant) => entrant.id));
    open = open.filter((id) => !known.has(id));
  }
  matched.push(...open.map((id) => ({ id, at: now })));
  return { total, people: matched, isLeast: true };
}
