// Finds the subscribers who would have entered a workflow since the start of a forecast's window:
// from stored facts such as orders and sign-ups, for a segment from its conditions' data, and
// otherwise from the entries of workflows with the same trigger.
import { listSignUpsSince } from '#areas/forms/server/index.ts';
import { compileAnyOf, filterMatching } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { FORECAST_SAMPLE } from '../../shared.ts';
import type { RunnableWorkflow } from '../runs/active.ts';
import { listListeners } from './listeners.sql.ts';
import { listStartEvents } from './listeners.ts';
import * as past from './past-entrants.sql.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import { readTriggerSegment } from './segment-members.ts';
import { findDueDates } from './sweeps.ts';
import { getStepData } from '../steps/tree.ts';

const DAY = 86_400_000;

/** `isLowerBound`: more subscribers may have entered, because some entries were not stored. */
export type PastEntrants = past.PastEntrantSample & { isLowerBound: boolean };

const LIMIT = FORECAST_SAMPLE;

/** Returns undefined if the stored data does not show who would have entered. */
export async function listEntrants(
  tx: Tx,
  workflow: RunnableWorkflow,
  since: Date,
  now: Date,
): Promise<PastEntrants | undefined> {
  const { triggerType } = getStepData(workflow.tree.trigger, 'trigger');
  switch (triggerType) {
    case 'SEGMENT_ENTER':
      return listSegmentEntrants(tx, workflow, since, now);
    case 'LIST_REMOVE':
    case 'FIELD_UPDATE':
    case 'API':
      return listWorkflowEntrants(tx, workflow, since);
    default: {
      const entrants = await listFactEntrants(tx, workflow, since, now);
      // Subscribers who joined the group and have left it since are not stored.
      return entrants && { ...entrants, isLowerBound: triggerType === 'LIST_ADD' };
    }
  }
}

async function listFactEntrants(
  tx: Tx,
  workflow: RunnableWorkflow,
  since: Date,
  now: Date,
): Promise<past.PastEntrantSample | undefined> {
  const { account_id: accountId } = workflow.row;
  const { triggerType, ...data } = getStepData(workflow.tree.trigger, 'trigger');
  const storeId = decodeOptionalId('store', data.store);
  const productId = decodeOptionalId('product', data.product);
  switch (triggerType) {
    case 'LIST_ADD':
      return past.listJoinedSince(
        tx,
        accountId,
        decodeOptionalId('group', data.listId) ?? 0,
        since,
        LIMIT,
      );
    case 'FORM_SUBMIT':
      return listSignUpsSince(tx, accountId, decodeOptionalId('form', data.form), since, LIMIT);
    case 'UNSUBSCRIBE':
      return past.listUnsubscribedSince(tx, accountId, since, LIMIT);
    case 'LINK_CLICK':
      return past.listClickedSince(tx, accountId, data.url?.trim() ?? '', since, LIMIT);
    case 'CART_ABANDONED':
      return past.listCartsAbandonedSince(tx, accountId, storeId, since, LIMIT);
    case 'ORDER_PLACED':
    case 'PRODUCT_PURCHASED':
      return past.listOrderedSince(tx, accountId, { storeId, productId }, since, LIMIT);
    case 'ORDER_FULFILLED':
    case 'ORDER_REFUNDED': {
      const state = triggerType === 'ORDER_FULFILLED' ? 'fulfilled' : 'refunded';
      return past.listFulfilledOrRefundedSince(tx, accountId, { state, storeId }, since, LIMIT);
    }
    case 'PRODUCT_VIEWED':
      return past.listViewedSince(tx, accountId, productId, since, LIMIT);
    case 'EVENT': {
      const eventId = decodeOptionalId('custom_event', data.event) ?? 0;
      return past.listOccurredSince(tx, accountId, eventId, since, LIMIT);
    }
    case 'DATE':
    case 'ANNIVERSARY': {
      const dueDates = await findDueDates(tx, workflow, { from: since, until: now });
      return { total: dueDates.length, sample: dueDates.slice(0, LIMIT) };
    }
    default:
      return undefined;
  }
}

/**
 * Lists subscribers who entered this workflow, or an active one with the same trigger, since the
 * start of the forecast's window. Returns undefined if no such workflow exists and this one was
 * never activated.
 */
async function listWorkflowEntrants(
  tx: Tx,
  { row, tree }: RunnableWorkflow,
  since: Date,
): Promise<PastEntrants | undefined> {
  const triggerKeys = listStartEvents(tree).map((event) => `${event.kind}/${event.ref}`);
  const listeners = await listListeners(tx, row.account_id);
  const workflowsWithSameTrigger = listeners
    .filter((listener) => triggerKeys.includes(`${listener.kind}/${listener.ref}`))
    .map((listener) => listener.workflow_id);
  const ids = [...new Set([row.id, ...workflowsWithSameTrigger])];
  if (workflowsWithSameTrigger.length === 0 && row.activated_at === null) return undefined;
  const entrants = await past.listEnteredSince(tx, row.account_id, ids, since, LIMIT);
  return { ...entrants, isLowerBound: true };
}

/**
 * Lists subscribers who match the segment now but did not at the start of the window. They are
 * checked day by day: `at` is the first check that they matched, or now if they matched none.
 * Subscribers who matched only in between are not found.
 */
async function listSegmentEntrants(
  tx: Tx,
  workflow: RunnableWorkflow,
  since: Date,
  now: Date,
): Promise<PastEntrants | undefined> {
  const { account_id: accountId } = workflow.row;
  const conditions = await readTriggerSegment(tx, workflow);
  if (!conditions) return undefined;
  const matchesAt = (at: Date) =>
    compileAnyOf(tx, accountId, [conditions], { now: at, matchesAllIfUnknown: false });
  const [matchesNow, matchedBefore] = [await matchesAt(now), await matchesAt(since)];
  if (!matchesNow || !matchedBefore) return undefined;
  const conditionsAt = { now: matchesNow, before: matchedBefore };
  const { total, sample } = await past.listStartedMatchingSince(
    tx,
    accountId,
    conditionsAt,
    since,
    LIMIT,
  );
  const createdAtById = new Map(sample.map(({ id, at }) => [id, at]));
  const matchedEntrants: past.PastEntrant[] = [];
  let remaining = sample.map((entrant) => entrant.id);
  for (let day = since.getTime() + DAY; remaining.length > 0 && day < now.getTime(); day += DAY) {
    const matchingIds = new Set(
      await filterMatching(tx, accountId, conditions, remaining, new Date(day)),
    );
    for (const id of remaining)
      if (matchingIds.has(id) && (createdAtById.get(id) as Date).getTime() <= day)
        matchedEntrants.push({ id, at: new Date(day) });
    const matchedIds = new Set(matchedEntrants.map((entrant) => entrant.id));
    remaining = remaining.filter((id) => !matchedIds.has(id));
  }
  matchedEntrants.push(...remaining.map((id) => ({ id, at: now })));
  return { total, sample: matchedEntrants, isLowerBound: true };
}
