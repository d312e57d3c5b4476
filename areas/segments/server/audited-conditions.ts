// Conditions in the audit log, without values that may identify a subscriber.
import { getOperandKind } from '../conditions.ts';
import { writeFilter } from '../filter-grammar.ts';
import type { Condition } from '../shared.ts';
import { TEXT_TYPES } from './erase-people.ts';

/** Placeholder for a value. */
const HIDDEN = '…';

/**
 * Includes text, number and datetime fields, because a customer number or a date of birth can
 * identify a subscriber. Birthdays, which are a day and a month, are not hidden.
 */
const HIDDEN_TYPES: ReadonlySet<string> = new Set([...TEXT_TYPES, 'number', 'datetime']);

export const toAuditedConditions = (conditions: readonly Condition[]) => ({
  conditions: writeFilter(
    conditions.map((condition) => (hasHidden(condition) ? withHidden(condition) : condition)),
  ),
});

const hasHidden = ({ type, operator }: Condition): boolean =>
  HIDDEN_TYPES.has(type) && getOperandKind(type, operator) !== 'none';

const withHidden = (condition: Condition): Condition => ({
  ...condition,
  operand: HIDDEN,
  more: condition.more.map(() => HIDDEN),
});
