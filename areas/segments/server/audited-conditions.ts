// Conditions in the audit log, without texts that may name a subscriber.
import { writeFilter } from '../filter-grammar.ts';
import type { Condition } from '../shared.ts';
import { TEXT_TYPES } from './erase-people.ts';

/** Stands for a text. */
const HIDDEN = '…';

export const auditedConditions = (conditions: readonly Condition[]) => ({
  conditions: writeFilter(
    conditions.map((condition) =>
      TEXT_TYPES.has(condition.type)
        ? { ...condition, operand: HIDDEN, more: condition.more.map(() => HIDDEN) }
        : condition,
    ),
  ),
});
