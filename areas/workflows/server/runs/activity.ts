// Reads the engagement of a set of subscribers with the message that a step created for each of
// them.
import { readCopyStates } from '#areas/delivery/server/ledger/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { EmailActivity } from '../../shared.ts';
import { listActivityTimes } from './activity.sql.ts';
import type { StepEntrant, StepContext } from '../steps/results.ts';

export type ActivityQuery = {
  accountId: number;
  stepId: number;
  activity: EmailActivity;
  url?: string | undefined;
};

/**
 * The time of the engagement; `waits` if the message has not been sent yet; undefined if the
 * subscriber has not engaged.
 */
export type ActivityState = { at: Date } | 'waits' | undefined;

/** Returns results by `key`. */
export async function readActivity(
  db: Reader,
  { accountId, stepId, activity, url }: ActivityQuery,
  entrants: readonly StepEntrant[],
  { now, assumptions }: StepContext,
): Promise<Map<number, ActivityState>> {
  const activities = new Map<number, ActivityState>();
  if (assumptions) {
    const relevant = assumptions.filter(
      (assumption) => assumption.stepId === stepId && implies(assumption.activity, activity),
    );
    for (const entrant of entrants) {
      const sentMessage = entrant.messages.get(stepId);
      const [first] = relevant.map((assumption) => assumption.afterMs).sort((a, b) => a - b);
      const isDone = sentMessage !== undefined && (activity === 'delivered' || first !== undefined);
      if (isDone)
        activities.set(entrant.key, { at: new Date(sentMessage.at.getTime() + (first ?? 0)) });
    }
    return activities;
  }
  const byMessage = Map.groupBy(entrants, (entrant) => entrant.messages.get(stepId)?.id);
  for (const [messageId, group] of byMessage) {
    if (messageId === undefined) continue;
    const ids = group.map((entrant) => entrant.subscriberId);
    const states = await readCopyStates(db, accountId, messageId, ids, now);
    const stateById = new Map(states.map((state) => [state.subscriberId, state]));
    const times =
      activity === 'delivered'
        ? new Map<number, Date>()
        : await listActivityTimes(db, accountId, { activity, url }, messageId, ids);
    for (const entrant of group) {
      const { state: is, at } = stateById.get(entrant.subscriberId) ?? {};
      const activityTime =
        activity === 'delivered' && is === 'accepted'
          ? (at ?? now)
          : times.get(entrant.subscriberId);
      if (activityTime) activities.set(entrant.key, { at: activityTime });
      else if (is && ['pending', 'deferred', 'handing_over'].includes(is))
        activities.set(entrant.key, 'waits');
    }
  }
  return activities;
}

/** Each activity implies those before it: a click implies an open, and an open implies delivery. */
const ORDER: readonly EmailActivity[] = ['delivered', 'opened', 'clicked'];
const implies = (recorded: EmailActivity, expected: EmailActivity) =>
  ORDER.indexOf(recorded) >= ORDER.indexOf(expected);
