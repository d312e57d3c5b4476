// Exits before a message: subscribers who reached the goal, unsubscribed or no longer match the
// filter.
import type { Condition } from '#areas/segments/shared.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { RunnableWorkflow } from './active.ts';
import { readSubscribers } from './runs.sql.ts';
import { idsOf, type Subscriber, type Results } from '../steps/results.ts';

const DAY = 86_400_000;

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
  const atGoal = goal ? await matchingIds(goal.conditions) : new Set<number>();
  const reached = new Set(
    people
      .filter((person) => atGoal.has(person.subscriberId) && isWithin(person, goal?.days ?? 0, now))
      .map((person) => person.key),
  );
  if (goal?.ends) for (const key of reached) leaving.set(key, { is: 'ended', outcome: 'goal' });
  if (settings.exits_unsubscribed) {
    const facts = await readSubscribers(tx, accountId, ids);
    for (const { key, subscriberId } of people)
      if (facts.get(subscriberId)?.email_status === 'unsubscribed' && !leaving.has(key))
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

const isWithin = (person: Subscriber, days: number, now: Date) =>
  now.getTime() - person.enteredAt.getTime() <= days * DAY;
