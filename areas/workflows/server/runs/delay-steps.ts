// DELAY steps: wait for a duration, until an instant, or until an event with a time-out.
import { readAccount } from '#areas/accounts/server/index.ts';
import { filterMatching } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { StepData } from '../../contract.ts';
import { zoneOf } from './active.ts';
import { type ActivityState, readActivity } from './activity.ts';
import { endOfDelay } from '../steps/delays.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import { readSubscribers } from './runs.sql.ts';
import type { StepRow } from '../steps/steps.sql.ts';
import {
  idsOf,
  left,
  type Subscriber,
  type Result,
  type Results,
  type World,
} from '../steps/results.ts';
import { dataOf } from '../steps/tree.ts';

/**
 * Clicks are classified within this time. A time-out is extended by it, so that clicks of its last
 * seconds count.
 */
const CLASSIFYING_MS = 15_000;

export async function waitAt(
  tx: Tx,
  step: StepRow,
  people: readonly Subscriber[],
  world: World,
): Promise<Results> {
  const data = dataOf(step, 'delay') as StepData['delay'];
  const ends = await endsOf(tx, step, data, people);
  if (data.delay_type === 'UNTIL') return until(tx, step, data, people, { ...world, ends });
  // A date field may change or be cleared, so it is read again at the end and on each change.
  const isStarted = data.delay_type !== 'FIELD';
  return new Map(
    people.map((person): [number, Result] => {
      const end = ends.get(person.key);
      if (!end) return [person.key, left('TRUE', 'no_wait')];
      return end <= world.now
        ? [person.key, left('TRUE')]
        : [person.key, { is: 'waits', until: end, isStarted }];
    }),
  );
}

/**
 * Ends of the delay by run, counted from each arrival, also when a changed delay is applied to
 * subscribers who already wait.
 */
async function endsOf(
  tx: Tx,
  step: StepRow,
  data: StepData['delay'],
  people: readonly Subscriber[],
): Promise<Map<number, Date | undefined>> {
  const facts = await readSubscribers(tx, step.account_id, idsOf(people));
  const { timezone } = await readAccount(tx, step.account_id);
  const field = decodeOptionalId('field', data.field);
  // A fixed date is one instant for all subscribers.
  const isOfAccount = data.delay_type === 'DATE' || data.zone === 'account';
  return new Map(
    people.map((entrant) => {
      const person = facts.get(entrant.subscriberId);
      const values = (person?.field_values ?? {}) as Record<string, string | number>;
      const zone = isOfAccount ? timezone : zoneOf(person, timezone);
      const fieldValue = field === undefined ? undefined : values[field];
      return [entrant.key, endOfDelay(data, { at: entrant.arrivedAt, zone, fieldValue })];
    }),
  );
}

async function until(
  tx: Tx,
  step: StepRow,
  { until: what }: StepData['delay'],
  people: readonly Subscriber[],
  world: World & { ends: ReadonlyMap<number, Date | undefined> },
): Promise<Results> {
  const { now, ends } = world;
  const happened = await whatHappened(tx, step, what, people, world);
  return new Map(
    people.map((person): [number, Result] => {
      const state = happened.get(person.key);
      const limit = (ends.get(person.key) ?? now).getTime() + CLASSIFYING_MS;
      const at = typeof state === 'object' ? state.at.getTime() : Number.POSITIVE_INFINITY;
      if (at <= now.getTime()) return [person.key, left('TRUE', 'happened')];
      if (limit <= now.getTime()) return [person.key, left('TRUE', 'timed_out')];
      return [person.key, { is: 'waits', until: new Date(Math.min(at, limit)), isStarted: false }];
    }),
  );
}

async function whatHappened(
  tx: Tx,
  step: StepRow,
  what: StepData['delay']['until'],
  people: readonly Subscriber[],
  world: World,
): Promise<ReadonlyMap<number, ActivityState>> {
  const { account_id: accountId } = step;
  if (what?.kind === 'activity') {
    const { activity = 'opened', step_id } = what;
    const query = { accountId, activity, stepId: decodeOptionalId('step', step_id) ?? 0 };
    return readActivity(tx, query, people, world);
  }
  const conditions = what?.conditions ?? [];
  const yes = new Set(await filterMatching(tx, accountId, conditions, idsOf(people), world.now));
  const at = { at: world.now };
  return new Map(
    people.flatMap((person) => (yes.has(person.subscriberId) ? [[person.key, at]] : [])),
  );
}
