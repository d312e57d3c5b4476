// Step types in the menu for a new step, in menu order.
import { STEP_TYPES } from '../../shared.ts';
import type { NewStepType } from '../use-builder.ts';

const ORDER: readonly NewStepType[] = ['EMAIL', 'SMS', 'delay', 'CONDITION', 'split', 'ACTION'];

export const NEW_TYPES = ORDER.filter(
  (type) => type === 'split' || (STEP_TYPES as readonly string[]).includes(type),
);
