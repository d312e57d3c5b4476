// Executes a step for a set of subscribers by its type.
import type { Tx } from '#platform/server/database/database.ts';
import { executeAction } from './action-steps.ts';
import { evaluateCondition } from './condition-steps.ts';
import { handOffMessages } from './handoff.ts';
import {
  createResults,
  leaveStep,
  type StepEntrant,
  type StepResults,
  type StepContext,
} from '../steps/results.ts';
import type { WorkflowStepRow } from '../steps/steps.sql.ts';
import { evaluateDelay } from './delay-steps.ts';

export function executeStep(
  tx: Tx,
  step: WorkflowStepRow,
  entrants: readonly StepEntrant[],
  context: StepContext,
): Promise<StepResults> {
  switch (step.type) {
    case 'delay':
      return evaluateDelay(tx, step, entrants, context);
    case 'CONDITION':
      return evaluateCondition(tx, step, entrants, context);
    case 'ACTION':
      return executeAction(tx, step, entrants);
    case 'EMAIL':
    case 'SMS':
      return handOffMessages(tx, step, entrants, context);
    default:
      return Promise.resolve(createResults(entrants, leaveStep('TRUE')));
  }
}
