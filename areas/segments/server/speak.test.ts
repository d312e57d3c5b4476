// Conditions as sentences: examples, and completeness in each language.
import { describe, expect, test } from 'vitest';
import { LANGUAGES } from '#platform/languages.ts';
import { getOperandKind, listOperators } from '../conditions.ts';
import { condition } from '../filter-grammar.ts';
import { ALL_CONDITION_TYPES, type Condition, OPERATORS } from '../shared.ts';
import { buildTitle } from '../sentence.ts';
import { describeConditions } from './speak.ts';

const NAMES = { vip: 'VIP', new1: 'New', tea: 'Favorite tea', spring: 'Spring', shop: 'Tea shop' };
const sentenceFor = (...conditions: Condition[]) => describeConditions(conditions, NAMES, 'eng');

test.each<[string, Condition[]]>([
  ['', []],
  ['In the group “VIP”', [condition('tag', 'have', 'vip')]],
  ['Not in the group “VIP” or “New”', [condition('tag', 'not-have', 'vip', { more: ['new1'] })]],
  ['Opened an email in the last 1 week', [condition('open', 'weeks', '1')]],
  ['Clicked in an email in the last 6 months', [condition('click', 'months', '6')]],
  ['Never opened an email', [condition('not-open', 'all')]],
  ['Got “Spring” without opening it', [condition('not-open', 'specific', 'spring')]],
  ['Placed an order in “Tea shop”', [condition('placed_order', 'specific', 'shop')]],
  [
    'Added from Jan 1, 2026 to Jan 31, 2026',
    [condition('created', 'between', '2026-01-01', { more: ['2026-01-31'] })],
  ],
  ['Added before Jan 1, 2026 9:30 AM', [condition('created', 'before', '2026-01-01 09:30:00')]],
  ['Number of orders is more than 1,000', [condition('order_count', 'more-than', '1000')]],
  [
    'Amount spent is from 0.5 to 99.9',
    [condition('order_amount', 'between', '0.5', { more: ['99.9'] })],
  ],
  [
    'Email status is unsubscribed or bounced',
    [condition('email_status', 'in', 'unsubscribed', { more: ['bounced'] })],
  ],
  ['Favorite tea is “Assam”', [condition('text', 'equals', 'Assam', { key: 'tea' })]],
  ['Something deleted is empty', [condition('text', 'blank', '', { key: 'gone' })]],
  ['Never unsubscribed', [condition('unsubscribed_at', 'blank')]],
  ['Inactive for 3 months', [condition('not_active_subscribers', 'months', '3')]],
  ['Customer without an order for 8 weeks', [condition('not_active_customers', 'weeks', '8')]],
])('conditions are described as %j', (sentence, conditions) => {
  expect(sentenceFor(...conditions)).toBe(sentence);
});

describe('brackets', () => {
  const [a, b, c] = ['Ada', 'Bo', 'Cy'].map((name) => condition('firstname', 'equals', name));
  const joinCondition = (from: Condition | undefined, changes: Partial<Condition>) => ({
    ...(from as Condition),
    ...changes,
  });

  test('parentheses enclose the preceding conditions where “and” changes to “or” or back', () => {
    expect(
      sentenceFor(
        joinCondition(a, {}),
        joinCondition(b, {}),
        joinCondition(c, { inside_concat: 'or' }),
      ),
    ).toBe('(First name is “Ada” and first name is “Bo”) or first name is “Cy”');
    expect(
      sentenceFor(
        joinCondition(a, {}),
        joinCondition(b, { inside_concat: 'or' }),
        joinCondition(c, { inside_concat: 'and' }),
      ),
    ).toBe('(First name is “Ada” or first name is “Bo”) and first name is “Cy”');
  });

  test('parentheses enclose groups and are omitted where unambiguous', () => {
    expect(
      sentenceFor(
        joinCondition(a, {}),
        joinCondition(b, { group: 2 }),
        joinCondition(c, { group: 2, inside_concat: 'or' }),
      ),
    ).toBe('First name is “Ada” and (first name is “Bo” or first name is “Cy”)');
    expect(sentenceFor(joinCondition(a, {}), joinCondition(b, {}), joinCondition(c, {}))).toBe(
      'First name is “Ada” and first name is “Bo” and first name is “Cy”',
    );
  });
});

test('a sentence isolates text of the other direction, and its title contains no isolation marks', () => {
  const tea = [condition('text', 'equals', 'Sencha', { key: 'tea', more: ['گل‌گاوزبان'] })];
  const names = { tea: 'Favorite tea' };
  const sentence = describeConditions(tea, names, 'fas');
  expect(sentence).toContain('\u2068Favorite tea\u2069');
  expect(sentence).toContain('\u2068Sencha\u2069');
  expect(sentence).not.toContain('\u2068گل‌گاوزبان');
  expect(buildTitle(sentence)).toBe(sentence.replaceAll('\u2068', '').replaceAll('\u2069', ''));
  const english = describeConditions(tea, names, 'eng');
  expect(english).toContain('\u2068گل‌گاوزبان\u2069');
  expect(buildTitle(english)).toBe('Favorite tea is “Sencha” or “گل‌گاوزبان”');
  expect(buildTitle('🍵'.repeat(300))).toMatch(/^(🍵)+…$/u);
});

const operandFor: Record<string, string> = {
  number: '3',
  number_range: '3',
  count: '2',
  month: '5',
  date: '2026-01-31',
  date_range: '2026-01-31',
  status: 'active',
  statuses: 'reported',
};

test.each(LANGUAGES)('%s has phrases for every condition', (language) => {
  const keys = new RegExp(
    `\\b(${['phrases', 'compare', 'acted', 'acts', 'ever', 'never'].join('|')})\\.`,
  );
  for (const type of ALL_CONDITION_TYPES) {
    for (const operator of listOperators(type)) {
      const operand = operandFor[getOperandKind(type, operator) ?? ''] ?? 'vip';
      const sample = condition(type, operator, operand, { more: [operand], key: 'tea' });
      const sentence = describeConditions([sample], NAMES, language);
      expect([sentence, keys.test(sentence), /\{\{|undefined|NaN/.test(sentence)]).toEqual([
        sentence,
        false,
        false,
      ]);
      expect(OPERATORS.some((candidate) => sentence.endsWith(`.${candidate}`))).toBe(false);
    }
  }
});
