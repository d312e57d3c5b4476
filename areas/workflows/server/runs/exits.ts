// Checks of runs that arrive at an email or SMS step: which of them reached the goal, and which end
// there by the settings of the workflow.
import type { Condition } from '#areas/segments/shared.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { RunnableWorkflow } from './active.ts';
import { readSubscribers } from './runs.sql.ts';
import { listSubscriberIds, type StepEntrant, type StepResults } from '../steps/results.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the keys of the runs that reached the goal in time, and the results of the runs that end:
 * by a goal that ends runs, else by an unsubscribe, else because the subscriber no longer matches
 * the entry conditions.
 */
export async function findExits(
  tx: Tx,
  { row, settings }: RunnableWorkflow,
  entrants: readonly StepEntrant[],
  now: Date,
): Promise<{ reachedKeys: ReadonlySet<number>; exitResults: StepResults }> {
  const { account_id: accountId } = row;
  const { goal } = settings;
  const ids = listSubscriberIds(entrants);
  const exitResults: StepResults = new Map();
  const matchingIds = async (conditions: readonly Condition[]) =>
    new Set(await filterMatching(tx, accountId, conditions, ids, now));
  const subscribersAtGoal = goal ? await matchingIds(goal.conditions) : new Set<number>();
  const reachedKeys = new Set(
    entrants
      .filter(
        (entrant) =>
          subscribersAtGoal.has(entrant.subscriberId) &&
          enteredWithin(entrant, goal?.days ?? 0, now),
      )
      .map((entrant) => entrant.key),
  );
  if (goal?.ends)
    for (const key of reachedKeys) exitResults.set(key, { kind: 'ended', outcome: 'goal' });
  if (settings.exits_unsubscribed) {
    const subscribers = await readSubscribers(tx, accountId, ids);
    for (const { key, subscriberId } of entrants)
      if (subscribers.get(subscriberId)?.email_status === 'unsubscribed' && !exitResults.has(key))
        exitResults.set(key, { kind: 'ended', outcome: 'unsubscribed' });
  }
  if (settings.exits_by_filter && settings.entry_conditions.length > 0) {
    const matchingSubscribers = await matchingIds(settings.entry_conditions);
    for (const { key, subscriberId } of entrants)
      if (!matchingSubscribers.has(subscriberId) && !exitResults.has(key))
        exitResults.set(key, { kind: 'ended', outcome: 'filter' });
  }
  return { reachedKeys, exitResults };
}

const enteredWithin = (entrant: StepEntrant, days: number, now: Date) =>
  now.getTime() - entrant.enteredAt.getTime() <= days * DAY_MS;
