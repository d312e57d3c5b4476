// Quick filters above the list are part of the URL's filter: one condition each, combined with all
// other conditions by `and`.
import { condition, parseFilter, writeFilter } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/shared.ts';

export type QuickFilter = {
  /** The selected email status, or none. */
  status: string | null;
  /** The selected group, or none. */
  group: string | null;
  /** Conditions without a quick filter. */
  others: Condition[];
};

const isQuick = (condition: Condition, type: Condition['type'], operator: Condition['operator']) =>
  condition.type === type && condition.operator === operator && condition.more.length === 0;

/**
 * Returns whether a filter is plain: all conditions are in one group joined by `and`, so adding or
 * removing one affects no other.
 */
const isPlain = (conditions: readonly Condition[]) =>
  conditions.every((condition) => condition.inside_concat === 'and' && condition.group === 1);

/**
 * Reads the quick filters, which are conditions of a plain filter. In any other filter they form
 * the last group, if it contains nothing else and is joined by `and` to all groups before it.
 * Conditions joined by `or` are never quick filters, because removing one would change the meaning
 * of the other conditions.
 */
export function readQuickFilter(text: string): QuickFilter {
  const { conditions } = parseFilter(text);
  const candidates = isPlain(conditions) ? conditions : lastGroup(conditions);
  const status = candidates.find((condition) => isQuick(condition, 'email_status', 'is'));
  const group = candidates.find((condition) => isQuick(condition, 'tag', 'have'));
  const quickFilter = [status, group];
  if (
    candidates !== conditions &&
    !candidates.every((condition) => quickFilter.includes(condition))
  ) {
    return { status: null, group: null, others: conditions };
  }
  return {
    status: status?.operand ?? null,
    group: group?.operand ?? null,
    others: conditions.filter((condition) => !quickFilter.includes(condition)),
  };
}

/**
 * Returns the conditions of the last group if they are joined by `and` to each other and to the
 * groups before, or none.
 */
function lastGroup(conditions: readonly Condition[]): readonly Condition[] {
  const lastConditionGroup = [...new Set(conditions.map((condition) => condition.group))].at(-1);
  const [first, ...more] = conditions.filter((condition) => condition.group === lastConditionGroup);
  if (!first || first.outside_concat === 'or' || more.length + 1 === conditions.length) return [];
  return more.every((condition) => condition.inside_concat === 'and') ? [first, ...more] : [];
}

/**
 * Adds the quick filters to the other conditions. If the other conditions are not plain, the quick
 * filters form the last group, because groups are evaluated left to right.
 */
export function writeQuickFilter({ status, group, others }: QuickFilter): string {
  const grouping = isPlain(others) ? {} : { group: findFreeNumber(others) };
  const quickConditions = [
    ...(status ? [condition('email_status', 'is', status, grouping)] : []),
    ...(group ? [condition('tag', 'have', group, grouping)] : []),
  ];
  return writeFilter(
    isPlain(others) ? [...quickConditions, ...others] : [...others, ...quickConditions],
  );
}

/** Returns the lowest unused number; groups are ordered by first appearance, not by number. */
function findFreeNumber(conditions: readonly Condition[]): number {
  let number = 1;
  while (conditions.some((condition) => condition.group === number)) number += 1;
  return number;
}
