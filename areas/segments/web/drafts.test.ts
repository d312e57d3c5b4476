// Drafts of conditions in the filter builder: their round trip, incomplete ones, and conjunctions.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { getKeyKind, getOperandKind, listOperators, toPlainNumber } from '../conditions.ts';
import { parseFilter, writeFilter } from '../filter-grammar.ts';
import { ALL_CONDITION_TYPES, type Condition, OPERATORS } from '../shared.ts';
import {
  toCards,
  toConditions,
  isComplete,
  createCard,
  createDraft,
  changeType,
  changeOperator,
  changeConjunction,
  getConjunction,
} from './drafts.ts';

const concat = fc.constantFrom('and' as const, 'or' as const);
const texts = fc.string({ minLength: 1, maxLength: 12 }).filter((text) => !text.includes('\0'));
const day = fc
  .date({ min: new Date('1990-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 10));
/** Texts with at least one digit, as conditions on phone numbers require. */
const phoneTexts = texts.filter((text) => toPlainNumber(text, 'includes') !== '');
const ids = fc.array(fc.stringMatching(/^[A-Za-z0-9]{1,9}$/), { minLength: 1, maxLength: 4 });
const VALUES: Record<string, fc.Arbitrary<string[]>> = {
  none: fc.constant(['']),
  text: texts.map((text) => [text]),
  texts: fc.array(texts, { minLength: 1, maxLength: 4 }),
  number: fc.integer().map((number) => [String(number)]),
  number_range: fc.tuple(fc.integer(), fc.integer()).map((ends) => ends.map(String)),
  count: fc.integer({ min: 1, max: 1200 }).map((count) => [String(count)]),
  month: fc.integer({ min: 1, max: 12 }).map((month) => [String(month)]),
  date: day.map((value) => [value]),
  date_range: fc.tuple(day, day).map((ends) => [...ends]),
  status: fc.constantFrom('active', 'bounced').map((value) => [value]),
  statuses: fc.constantFrom(['active'], ['reported', 'non-subscribed']),
};

function valuesOf(type: Condition['type'], operator: Condition['operator']) {
  const kind = getOperandKind(type, operator) ?? 'none';
  if (type !== 'phone' || !kind.startsWith('text')) return VALUES[kind] ?? ids;
  return fc.array(phoneTexts, { minLength: 1, maxLength: kind === 'text' ? 1 : 4 });
}

const condition: fc.Arbitrary<Condition> = fc
  .constantFrom(...ALL_CONDITION_TYPES)
  .chain((type) => fc.tuple(fc.constant(type), fc.constantFrom(...listOperators(type))))
  .chain(([type, operator]) =>
    fc.record({
      type: fc.constant(type),
      operator: fc.constant(operator),
      values: valuesOf(type, operator),
      inside_concat: concat,
      key: getKeyKind(type) ? fc.stringMatching(/^[A-Za-z0-9]{2,8}$/) : fc.constant(''),
    }),
  )
  .map(({ values: [operand = '', ...more], ...rest }) => ({
    ...rest,
    operand,
    more,
    group: 1,
    outside_concat: 'and',
  }));

/** Conditions as the builder writes them: groups from 1 on, each with one conjunction before it. */
const conditionLists: fc.Arbitrary<Condition[]> = fc
  .array(fc.tuple(concat, fc.array(condition, { minLength: 1, maxLength: 4 })), { maxLength: 4 })
  .map((groups) =>
    groups.flatMap(([outside_concat, conditions], index) =>
      conditions.map((condition) => ({ ...condition, outside_concat, group: index + 1 })),
    ),
  );

test('the builder preserves a filter from the URL', () => {
  fc.assert(
    fc.property(conditionLists, (conditions) => {
      const { conditions: read, droppedCount } = parseFilter(writeFilter(conditions));
      expect(droppedCount).toBe(0);
      const text = writeFilter(read);
      expect(writeFilter(toConditions(toCards(read)))).toBe(text);
      // The URL encodes the filter once more.
      const query = new URLSearchParams({ filter: text }).toString();
      expect(new URLSearchParams(query).get('filter')).toBe(text);
    }),
    { numRuns: 300 },
  );
});

test('an incomplete condition is not written, and remains in its card', () => {
  const blank = changeType('firstname', '', undefined, 'and');
  const card = createCard('and', [undefined, blank, { ...blank, operand: 'Ada' }]);
  expect(toConditions([createCard('or'), card])).toEqual([{ ...blank, operand: 'Ada' }]);
  expect(card.drafts.map(isComplete)).toEqual([false, false, true]);
  expect(toConditions([])).toEqual([]);
});

test('changing the type or operator keeps compatible operands', () => {
  fc.assert(
    fc.property(condition, fc.constantFrom(...OPERATORS), (condition, operator) => {
      if (getOperandKind(condition.type, operator) === undefined) return;
      const changed = changeOperator(condition, operator);
      expect(getOperandKind(changed.type, changed.operator)).toBeDefined();
      if (
        getOperandKind(condition.type, condition.operator) ===
        getOperandKind(condition.type, operator)
      ) {
        expect(changed.more).toEqual(condition.more);
      }
    }),
  );
  const name = { ...changeType('firstname', '', undefined, 'or'), operand: 'Ada' };
  expect(changeType('lastname', '', name, 'and')).toMatchObject({
    operand: 'Ada',
    inside_concat: 'or',
  });
  expect(changeType('created', '', name, 'and')).toMatchObject({ operand: '', operator: 'weeks' });
});

test('a card has one conjunction; a mixed card stays mixed until it is changed', () => {
  const and = { ...changeType('firstname', '', undefined, 'and'), operand: 'A' };
  const or = { ...and, inside_concat: 'or' as const };
  expect(getConjunction(createCard('and', [and]))).toBe('and');
  expect(getConjunction(createCard('and', [and, or]))).toBe('or');
  const mixed = createCard('and', [and, or, and]);
  expect(getConjunction(mixed)).toBeUndefined();
  expect(getConjunction(changeConjunction(mixed, 'or'))).toBe('or');
  expect(createDraft().id).not.toBe(createDraft().id);
});
