// CONDITION steps: evaluated once, when a subscriber arrives.
import { readAccount } from '#areas/accounts/server/index.ts';
import { filterMatching, readSegmentConditions } from '#areas/segments/server/index.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { StepData } from '../../contract.ts';
import { readActivity } from './activity.ts';
import { later } from '../steps/delays.ts';
import { decodeOptionalId } from '../steps/readiness.ts';
import { drawPlace } from '#areas/experiments/server/index.ts';
import { pathAtPlace } from '../steps/shares.ts';
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

const HOUR = 3_600_000;

export async function evaluateCondition(
  tx: Tx,
  step: StepRow,
  people: readonly Subscriber[],
  world: World,
): Promise<Results> {
  const data = dataOf(step, 'CONDITION');
  switch (data.kind) {
    case 'split':
      return split(step, data.shares ?? [], people);
    case 'activity':
      return activity(tx, step, data, people, world);
    default:
      return segment(tx, step, data, people, world.now);
  }
}

const answer = (isTrue: boolean): Result =>
  left(isTrue ? 'TRUE' : 'FALSE', isTrue ? 'TRUE' : 'FALSE');

function split(
  step: StepRow,
  shares: readonly { path: string; share: number }[],
  people: readonly Subscriber[],
): Results {
  return new Map(
    people.map((person) => {
      const path = pathAtPlace(shares, drawPlace(`split/${step.id}`, person.subscriberId)) ?? 'A';
      return [person.key, left(path, path)];
    }),
  );
}

type Data = Partial<StepData['CONDITION']>;

async function segment(
  tx: Tx,
  step: StepRow,
  data: Data,
  people: readonly Subscriber[],
  now: Date,
): Promise<Results> {
  const { account_id: accountId } = step;
  const saved = decodeOptionalId('segment', data.segment) ?? 0;
  const conditions =
    data.kind === 'saved'
      ? (await readSegmentConditions(tx, accountId, [saved]))[0]
      : (data.conditions ?? []);
  const yes = conditions ? await filterMatching(tx, accountId, conditions, idsOf(people), now) : [];
  const matches = new Set(yes);
  return new Map(people.map((person) => [person.key, answer(matches.has(person.subscriberId))]));
}

/** If the message has not been sent yet, subscribers wait an hour instead of taking the No path. */
async function activity(
  tx: Tx,
  step: StepRow,
  data: Data,
  people: readonly Subscriber[],
  world: World,
): Promise<Results> {
  const { activity: what = 'opened', step_id, url, amount, unit } = data;
  const stepId = decodeOptionalId('step', step_id) ?? 0;
  const { account_id: accountId } = step;
  const query = { accountId, activity: what, stepId, url: url || undefined };
  const states = await readActivity(tx, query, people, world);
  const { timezone } = await readAccount(tx, accountId);
  const again = new Date(world.now.getTime() + HOUR);
  return new Map(
    people.map((person): [number, Result] => {
      const done = states.get(person.key);
      if (done === 'waits')
        return [
          person.key,
          { is: 'waits', until: again, isStarted: false, heldFor: 'not_sent_yet' },
        ];
      const sent = person.messages.get(stepId)?.at;
      const limit = sent && amount && unit ? later(sent, amount, unit, timezone) : world.now;
      const isTrue = done !== undefined && done.at <= limit && done.at <= world.now;
      return [person.key, answer(isTrue)];
    }),
  );
}
