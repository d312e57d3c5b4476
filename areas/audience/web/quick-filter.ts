// The quick filters above the list write the same filter as the address holds: one condition each,
// beside whatever else stands there, and always for all of it.
import { condition, parseFilter, writeFilter } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/limits.ts';

export type QuickFilter = {
  /** The email status chosen, or none. */
  status: string | null;
  /** The group chosen, or none. */
  group: string | null;
  /** Conditions that the two do not show. */
  others: Condition[];
};

const isQuick = (one: Condition, type: Condition['type'], operator: Condition['operator']) =>
  one.type === type && one.operator === operator && one.more.length === 0;

/** All in one pair of brackets and joined by `and`: one more or one less changes none of the others. */
const isPlain = (conditions: readonly Condition[]) =>
  conditions.every((one) => one.inside_concat === 'and' && one.group === 1);

/**
 * Quick are the conditions of a plain filter, and of any other those of its last group where this holds
 * for all before it and has nothing else. With `or` around it nothing is quick: taking one away would
 * change the rest.
 */
export function readQuickFilter(text: string): QuickFilter {
  const { conditions } = parseFilter(text);
  const among = isPlain(conditions) ? conditions : lastGroup(conditions);
  const status = among.find((one) => isQuick(one, 'email_status', 'is'));
  const group = among.find((one) => isQuick(one, 'tag', 'have'));
  const quick = [status, group];
  if (among !== conditions && !among.every((one) => quick.includes(one))) {
    return { status: null, group: null, others: conditions };
  }
  return {
    status: status?.operand ?? null,
    group: group?.operand ?? null,
    others: conditions.filter((one) => !quick.includes(one)),
  };
}

/** The last group, if `and` joins it to all before it and its own to each other; else none. */
function lastGroup(conditions: readonly Condition[]): readonly Condition[] {
  const last = [...new Set(conditions.map((one) => one.group))].at(-1);
  const [first, ...more] = conditions.filter((one) => one.group === last);
  if (!first || first.outside_concat === 'or' || more.length + 1 === conditions.length) return [];
  return more.every((one) => one.inside_concat === 'and') ? [first, ...more] : [];
}

/** Beside what is not plain they are a group of their own, the last: it is read from left to right. */
export function writeQuickFilter({ status, group, others }: QuickFilter): string {
  const rest = isPlain(others) ? {} : { group: freeNumber(others) };
  const quick = [
    ...(status ? [condition('email_status', 'is', status, rest)] : []),
    ...(group ? [condition('tag', 'have', group, rest)] : []),
  ];
  return writeFilter(isPlain(others) ? [...quick, ...others] : [...others, ...quick]);
}

/** Groups stand in the order in which they appear, whatever their numbers. */
function freeNumber(conditions: readonly Condition[]): number {
  let number = 1;
  while (conditions.some((one) => one.group === number)) number += 1;
  return number;
}
