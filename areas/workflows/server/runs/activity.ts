// Reads the engagement of a set of subscribers with the message that a step created for each of
// them.
import { readCopyStates } from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { Activity } from '../../shared.ts';
import { whenDone } from './activity.sql.ts';
import type { Subscriber, World } from '../steps/results.ts';

export type ActivityQuery = {
  accountId: number;
  stepId: number;
  activity: Activity;
  url?: string | undefined;
};

/**
 * Instant of the engagement; `waits` if the message has not been sent yet; undefined if it did not
 * happen.
 */
export type ActivityState = { at: Date } | 'waits' | undefined;

/** Results by `key`. */
export async function readActivity(
  db: Reader,
  { accountId, stepId, activity, url }: ActivityQuery,
  people: readonly Subscriber[],
  { now, assumptions }: World,
): Promise<Map<number, ActivityState>> {
  const activities = new Map<number, ActivityState>();
  if (assumptions) {
    const relevant = assumptions.filter(
      (assumption) => assumption.stepId === stepId && implies(assumption.activity, activity),
    );
    for (const person of people) {
      const sent = person.messages.get(stepId);
      const [first] = relevant.map((assumption) => assumption.afterMs).sort((a, b) => a - b);
      const isDone = sent !== undefined && (activity === 'delivered' || first !== undefined);
      if (isDone) activities.set(person.key, { at: new Date(sent.at.getTime() + (first ?? 0)) });
    }
    return activities;
  }
  const byMessage = Map.groupBy(people, (person) => person.messages.get(stepId)?.id);
  for (const [messageId, group] of byMessage) {
    if (messageId === undefined) continue;
    const ids = group.map((person) => person.subscriberId);
    const states = await readCopyStates(db, accountId, messageId, ids, now);
    const stateById = new Map(states.map((state) => [state.subscriberId, state]));
    const times =
      activity === 'delivered'
        ? new Map<number, Date>()
        : await whenDone(db, accountId, { activity, url }, messageId, ids);
    for (const person of group) {
      const { state: is, at } = stateById.get(person.subscriberId) ?? {};
      const when =
        activity === 'delivered' && is === 'accepted'
          ? (at ?? now)
          : times.get(person.subscriberId);
      if (when) activities.set(person.key, { at: when });
      else if (is && ['pending', 'deferred', 'handing_over'].includes(is))
        activities.set(person.key, 'waits');
    }
  }
  return activities;
}

/** Each activity implies those before it: a click implies an open, and an open implies delivery. */
const ORDER: readonly Activity[] = ['delivered', 'opened', 'clicked'];
const implies = (done: Activity, expected: Activity) =>
  ORDER.indexOf(done) >= ORDER.indexOf(expected);
