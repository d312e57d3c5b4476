// Section conditions in a message: markers in its HTML and text enclose conditional content; each
// condition is compiled once to a test, which is evaluated per recipient.
import { decodeId } from '#platform/ids.ts';
import type { SectionCondition, ConditionRule, FieldOperator } from '../../document.ts';
import type { MergeValue, MergeValues } from './merge-tags.ts';

/** Rule as frozen with a message: plain data with decoded ids. */
export type MessageRule =
  | { kind: 'group' | 'segment'; id: number; is_in: boolean }
  | { kind: 'field'; field: string; operator: FieldOperator; value: string };
export type MessageCondition = { match: 'all' | 'any'; rules: MessageRule[] };

/** Unicode noncharacters, as in masked-source.ts. */
const OPEN_MARK = '\ufdd2';
const CLOSE = '\ufdd3';
const MARKER = /\ufdd2(\d*)\ufdd3/g;

export function wrapConditional(number: number, text: string): string {
  return `${OPEN_MARK}${number}${CLOSE}${text}${OPEN_MARK}${CLOSE}`;
}

export function removeMarkers(text: string): string {
  return text.replace(MARKER, '');
}

/**
 * Splits a text into literals and markers in turn: a number opens the condition of that index, ''
 * closes it.
 */
export function splitConditions(text: string): string[] {
  return text.split(MARKER);
}

/** Returns the ranges of the conditional spans, including their markers. */
export function listConditionalRanges(text: string): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  let start: number | undefined;
  for (const match of text.matchAll(MARKER)) {
    if (match[1] !== '') start = match.index;
    else if (start !== undefined) {
      ranges.push({ start, end: match.index + match[0].length });
      start = undefined;
    }
  }
  return ranges;
}

export function toMessageCondition({ match, rules }: SectionCondition): MessageCondition {
  return { match, rules: rules.map(toMessageRule) };
}

/** Converts a rule; an invalid id becomes 0, the id of a group or segment without members. */
function toMessageRule(rule: ConditionRule): MessageRule {
  if (rule.kind === 'field') return { ...rule };
  const text = rule.kind === 'group' ? rule.group : rule.segment;
  const id = decodeId(rule.kind, text) ?? 0;
  return { kind: rule.kind, id, is_in: rule.operator === 'in' };
}

/** Returns the name of a membership among a recipient's values; no merge tag can have this name. */
export function toMembershipName(kind: 'group' | 'segment', id: number): string {
  return `${kind}:${id}`;
}

/** Returns the groups and segments among the names that a compiled message reads. */
export function filterMemberships(names: readonly string[]) {
  return names.flatMap((name) => {
    const [, kind, id] = /^(group|segment):(\d+)$/.exec(name) ?? [];
    return kind === undefined ? [] : [{ name, kind: kind as 'group' | 'segment', id: Number(id) }];
  });
}

/** Names of the groups and segments in a message's conditions. */
export function listMembershipNames(source: {
  conditions?: readonly MessageCondition[];
}): string[] {
  const names = (source.conditions ?? []).flatMap(listConditionNames);
  return filterMemberships(names).map(({ name }) => name);
}

export function usesMemberships({ names }: { names: readonly string[] }): boolean {
  return filterMemberships(names).length > 0;
}

export function listConditionNames({ rules }: MessageCondition): string[] {
  return rules.map((rule) =>
    rule.kind === 'field' ? rule.field : toMembershipName(rule.kind, rule.id),
  );
}

export type Test = (values: MergeValues) => boolean;

export function compileCondition({ match, rules }: MessageCondition): Test {
  const tests = rules.map(compileRule);
  return match === 'all'
    ? (values) => tests.every((test) => test(values))
    : (values) => tests.some((test) => test(values));
}

function compileRule(rule: MessageRule): Test {
  if (rule.kind !== 'field') {
    const name = toMembershipName(rule.kind, rule.id);
    return (values) => (values[name] === true) === rule.is_in;
  }
  const { field, operator } = rule;
  const expectedText = rule.value.trim().toLowerCase();
  const readValue = (values: MergeValues) =>
    toComparableText(Object.hasOwn(values, field) ? values[field] : '');
  switch (operator) {
    case 'is':
      return (values) => readValue(values) === expectedText;
    case 'is_not':
      return (values) => readValue(values) !== expectedText;
    case 'contains':
      return (values) => readValue(values).includes(expectedText);
    case 'not_contains':
      return (values) => !readValue(values).includes(expectedText);
    case 'more':
      return (values) => compareValues(readValue(values), expectedText) > 0;
    case 'less':
      return (values) => compareValues(readValue(values), expectedText) < 0;
    case 'blank':
      return (values) => readValue(values) === '';
    case 'not_blank':
      return (values) => readValue(values) !== '';
  }
}

function toComparableText(value: MergeValue): string {
  return typeof value === 'object' || value === undefined ? '' : String(value).trim().toLowerCase();
}

/**
 * Compares two values as numbers if both are numeric, otherwise (dates and text) as strings; 0 if
 * one is missing.
 */
function compareValues(left: string, right: string): number {
  if (left === '' || right === '') return 0;
  const [a, b] = [Number(left), Number(right)];
  if (!Number.isNaN(a) && !Number.isNaN(b)) return a - b;
  return left < right ? -1 : left > right ? 1 : 0;
}
