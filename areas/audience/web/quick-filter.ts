// The quick filters above the list write the same filter as the address holds: one condition each,
// beside whatever else stands there.
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
  one.type === type && one.operator === operator && one.more.length === 0 && one.group === 1;

/** With `or` between conditions, nothing is quick: taking one away would change the rest. */
export function readQuickFilter(text: string): QuickFilter {
  const { conditions } = parseFilter(text);
  const isPlain = conditions.every((one) => one.inside_concat === 'and' && one.group === 1);
  if (!isPlain) return { status: null, group: null, others: conditions };
  const status = conditions.find((one) => isQuick(one, 'email_status', 'is'));
  const group = conditions.find((one) => isQuick(one, 'tag', 'have'));
  return {
    status: status?.operand ?? null,
    group: group?.operand ?? null,
    others: conditions.filter((one) => one !== status && one !== group),
  };
}

export function writeQuickFilter({ status, group, others }: QuickFilter): string {
  return writeFilter([
    ...(status ? [condition('email_status', 'is', status)] : []),
    ...(group ? [condition('tag', 'have', group)] : []),
    ...others,
  ]);
}
