// Executes a step for a set of subscribers by its type.
import type { Tx } from '#platform/server/database/database.ts';
import { act } from './action-steps.ts';
import { evaluateCondition } from './condition-steps.ts';
import { handOff } from './handoff.ts';
import { forAll, left, type Subscriber, type Results, type World } from '../steps/results.ts';
import type { StepRow } from '../steps/steps.sql.ts';
import { waitAt } from './delay-steps.ts';

export function executeStep(
  tx: Tx,
  step: StepRow,
  people: readonly Subscriber[],
  world: World,
): Promise<Results> {
  switch (step.type) {
    case 'delay':
      return waitAt(tx, step, people, world);
    case 'CONDITION':
      return evaluateCondition(tx, step, people, world);
    case 'ACTION':
      return act(tx, step, people);
    case 'EMAIL':
    case 'SMS':
      return handOff(tx, step, people, world);
    default:
      return Promise.resolve(forAll(people, left('TRUE')));
  }
}
