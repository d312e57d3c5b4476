// The filter grammar: examples, dropped conditions, and the round trip.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  getKeyKind,
  getOperandKind,
  listOperators,
  toPlainNumber,
  acceptsMany,
} from './conditions.ts';
import { condition, parseFilter, readConditions, writeFilter } from './filter-grammar.ts';
import { ALL_CONDITION_TYPES, CONDITION_TYPES, type Condition, OPERATORS } from './shared.ts';

describe('parseFilter', () => {
  it.each([
    [
      'tag,have,eZVD4w,1,and,and,__next__email_status,is,active,1,and,and,',
      [condition('tag', 'have', 'eZVD4w'), condition('email_status', 'is', 'active')],
    ],
    [
      'created,between,2026-01-01,1,and,and,,2026-01-31__next__click,weeks,4,2,or,and,',
      [
        condition('created', 'between', '2026-01-01', { more: ['2026-01-31'] }),
        condition('click', 'weeks', '4', { group: 2, outside_concat: 'or' }),
      ],
    ],
    [
      'text,equals,Smith%2C%20Jr,1,and,and,bDqoKd__next__number,between,10,1,and,or,z61Z7g,20',
      [
        condition('text', 'equals', 'Smith, Jr', { key: 'bDqoKd' }),
        condition('number', 'between', '10', { inside_concat: 'or', key: 'z61Z7g', more: ['20'] }),
      ],
    ],
    [
      'datetime,between,2026-01-01,1,and,and,bDqoKd,2026-01-31',
      [
        condition('datetime', 'between', '2026-01-01 00:00:00', {
          key: 'bDqoKd',
          more: ['2026-01-31 23:59:59'],
        }),
      ],
    ],
    [
      'event,more-than,3,1,and,and,bDqoKd__next__not-event,weeks,4,1,and,and,bDqoKd',
      [
        condition('event', 'more-than', '3', { key: 'bDqoKd' }),
        condition('not-event', 'weeks', '4', { key: 'bDqoKd' }),
      ],
    ],
    ['firstname,blank,whatever,1,and,and,,x', [condition('firstname', 'blank')]],
    [
      'tag,have,aaaaaa,1,and,and,,bbbbbb',
      [condition('tag', 'have', 'aaaaaa', { more: ['bbbbbb'] })],
    ],
  ])('reads %s', (text, conditions) => {
    expect(parseFilter(text)).toEqual({ conditions, droppedCount: 0 });
  });

  it.each([
    ['fewer than seven parts', 'tag,have,x,1,and,and'],
    ['an unknown type', 'colour,is,red,1,and,and,'],
    ['an unknown operator', 'email,sounds-like,ada,1,and,and,'],
    ['an operator of another type', 'email_status,begins,act,1,and,and,'],
    ['another concat', 'email,equals,a,1,xor,and,'],
    ['the group zero', 'email,equals,a,0,and,and,'],
    ['a group that is not a number', 'email,equals,a,one,and,and,'],
    ['a range with one end', 'created,between,2026-01-01,1,and,and,'],
    ['a range of numbers with one end', 'number,between,1,1,and,and,abcdef,'],
    ['an empty range', 'number,between,,1,and,and,abcdef,'],
    ['a day that does not exist', 'created,before,2026-02-30,1,and,and,'],
    ['an hour that does not exist', 'created,before,2026-02-20 24:00:00,1,and,and,'],
    ['an unknown status', 'email_status,is,happy,1,and,and,'],
    ['half weeks', 'click,weeks,1.5,1,and,and,'],
    ['a phone number of nothing but brackets', 'phone,includes,(),1,and,and,'],
    ['a phone number of nothing but brackets among others', 'phone,in,%2B370,1,and,and,,( )'],
    ['a bad escape', 'email,equals,%E0%A4%A,1,and,and,'],
    ['a field type without its field', 'text,equals,a,1,and,and,'],
    ['an event without its name', 'event,all,,1,and,and,'],
    ['an event that happened more than zero times', 'event,more-than,0,1,and,and,abcdef'],
    ['a field for a type without fields', 'email,equals,a,1,and,and,abcdef'],
  ])('drops %s', (_, text) => {
    expect(parseFilter(text)).toEqual({ conditions: [], droppedCount: 1 });
  });

  it('keeps well-formed conditions even next to malformed ones', () => {
    const parsed = parseFilter('nonsense__next__email,equals,a,1,and,and,__AND__more nonsense');
    expect(parsed).toEqual({ conditions: [condition('email', 'equals', 'a')], droppedCount: 2 });
  });

  it('accepts at most 100 conditions and 8 KB', () => {
    const text = 'email,equals,a,1,and,and,';
    const many = parseFilter(Array(150).fill(text).join('__next__'));
    expect([many.conditions.length, many.droppedCount]).toEqual([100, 50]);
    expect(parseFilter(`email,equals,${'a'.repeat(9000)},1,and,and,`).droppedCount).toBe(1);
  });

  it('reads the same conditions from objects', () => {
    expect(
      readConditions([
        { type: 'email_status', operator: 'in', operand: ['active', 'bounced'], group: 1 },
        { type: 'text', operator: 'equals', operand: 'x', key: 'abcdef', inside_concat: 'or' },
        { type: 'text', operator: 'equals' },
        'nonsense',
        null,
      ]),
    ).toEqual({
      conditions: [
        condition('email_status', 'in', 'active', { more: ['bounced'] }),
        condition('text', 'equals', 'x', { key: 'abcdef', inside_concat: 'or' }),
      ],
      droppedCount: 3,
    });
  });
});

const textArbitrary = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 20 })
  .filter((text) => text.isWellFormed() && !text.includes('\0'));
const ids = fc.stringMatching(/^[A-Za-z0-9]{6,12}$/);
const dates = fc
  .date({ min: new Date('1900-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
  .map((date) => date.toISOString().slice(0, 19).replace('T', ' '));

function operandArbitrary(type: Condition['type'], operator: Condition['operator']) {
  switch (getOperandKind(type, operator)) {
    case 'none':
      return fc.constant('');
    case 'count':
      return fc.integer({ min: 1, max: 1200 }).map(String);
    case 'month':
      return fc.integer({ min: 1, max: 12 }).map(String);
    case 'status':
    case 'statuses':
      return fc.constantFrom('active', 'bounced', 'unsubscribed', 'reported', 'non-subscribed');
    case 'number':
    case 'number_range':
      return fc.double({ noNaN: true, noDefaultInfinity: true }).map(String);
    case 'date':
    case 'date_range':
      return dates;
    case 'text':
    case 'texts':
      return type === 'phone'
        ? textArbitrary.filter((text) => toPlainNumber(text, operator) !== '')
        : textArbitrary;
    default:
      return ids;
  }
}

const anyCondition: fc.Arbitrary<Condition> = fc
  .constantFrom(...ALL_CONDITION_TYPES)
  .chain((type) => fc.tuple(fc.constant(type), fc.constantFrom(...listOperators(type))))
  .chain(([type, operator]) => {
    const operand = operandArbitrary(type, operator);
    const isList = acceptsMany(getOperandKind(type, operator) ?? 'none');
    return fc.record({
      type: fc.constant(type),
      operator: fc.constant(operator),
      operand,
      group: fc.integer({ min: 1, max: 9999 }),
      outside_concat: fc.constantFrom('and' as const, 'or' as const),
      inside_concat: fc.constantFrom('and' as const, 'or' as const),
      key: getKeyKind(type) ? ids : fc.constant(''),
      more:
        operator === 'between'
          ? fc.tuple(operand)
          : isList
            ? fc.array(operand, { maxLength: 3 })
            : fc.constant([]),
    });
  });

describe('round trip', () => {
  it('a filter has the same conditions after formatting and parsing, even through a query string', () => {
    fc.assert(
      fc.property(fc.array(anyCondition, { minLength: 1, maxLength: 8 }), (conditions) => {
        const query = new URLSearchParams({ filter: writeFilter(conditions) }).toString();
        const text = new URLSearchParams(query).get('filter') ?? '';
        if (new TextEncoder().encode(text).length > 8192) return;
        expect(parseFilter(text)).toEqual({ conditions, droppedCount: 0 });
        expect(readConditions(conditions)).toEqual({ conditions, droppedCount: 0 });
      }),
      { numRuns: 500 },
    );
  });

  it('never throws and never returns more conditions than given', () => {
    const noise = fc.array(
      fc.oneof(
        fc.string(),
        fc.constantFrom(
          ...CONDITION_TYPES,
          ...OPERATORS,
          ',',
          '__next__',
          '__',
          '%',
          'and',
          'or',
          '1',
        ),
      ),
      { maxLength: 40 },
    );
    fc.assert(
      fc.property(noise, (parts) => {
        const text = parts.join(',');
        const { conditions, droppedCount } = parseFilter(text);
        expect(conditions.length + droppedCount).toBeLessThanOrEqual(text.split('__').length);
        expect(parseFilter(writeFilter(conditions)).conditions).toEqual(conditions);
      }),
      { numRuns: 2000 },
    );
  });
});
