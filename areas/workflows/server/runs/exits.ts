// Checks of runs that arrive at an email or SMS step: which of them reached the goal, and which end
// there by the settings of the workflow.
import type { Condition } from '#areas/segments/shared.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { RunnableWorkflow } from './active.ts';
import { readSubscribers } from './runs.sql.ts';
import { idsOf, type Subscriber, type Results } from '../steps/results.ts';

const DAY_MS = 86_400_000;

/**
 * Returns the keys of the runs that reached the goal in time, and the results of the runs that end:
 * by a goal that ends runs, else by an unsubscribe, else because the subscriber no longer matches
 * the entry conditions.
 */
export async function findExits(
  tx: Tx,
  { row, settings }: RunnableWorkflow,
  people: readonly Subscriber[],
  now: Date,
): Promise<{ reached: ReadonlySet<number>; leaving: Results }> {
  const { account_id: accountId } = row;
  const { goal } = settings;
  const ids = idsOf(people);
  const leaving: Results = new Map();
  const matchingIds = async (conditions: readonly Condition[]) =>
    new Set(await filterMatching(tx, accountId, conditions, ids, now));
  const subscribersAtGoal = goal ? await matchingIds(goal.conditions) : new Set<number>();
  const reached = new Set(
    people
      .filter(
        (person) =>
          subscribersAtGoal.has(person.subscriberId) && enteredWithin(person, goal?.days ?? 0, now),
      )
      .map((person) => person.key),
  );
  if (goal?.ends) for (const key of reached) leaving.set(key, { is: 'ended', outcome: 'goal' });
  if (settings.exits_unsubscribed) {
    const subscribers = await readSubscribers(tx, accountId, ids);
    for (const { key, subscriberId } of people)
      if (subscribers.get(subscriberId)?.email_status === 'unsubscribed' && !leaving.has(key))
        leaving.set(key, { is: 'ended', outcome: 'unsubscribed' });
  }
  if (settings.exits_by_filter && settings.entry_conditions.length > 0) {
    const matchingSubscribers = await matchingIds(settings.entry_conditions);
    for (const { key, subscriberId } of people)
      if (!matchingSubscribers.has(subscriberId) && !leaving.has(key))
        leaving.set(key, { is: 'ended', outcome: 'filter' });
  }
  return { reached, leaving };
}

const enteredWithin = (person: Subscriber, days: number, now: Date) =>
  now.getTime() - person.enteredAt.getTime() <= days * DAY_MS;
