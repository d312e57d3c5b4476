// Quick filters read and write the URL's filter without changing other conditions, and always
// narrow the list.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { condition, parseFilter } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/shared.ts';
import { describeConditions } from '#areas/segments/server/speak.ts';
import { selectMatching, type TruthPerson } from '#testing/oracles/segment-truth.ts';
import { readQuickFilter, writeQuickFilter } from './quick-filter.ts';

const OTHER = 'firstname,begins,A,1,and,and,';

describe('quick filters', () => {
  it('find their own conditions and keep the others', () => {
    const text = `email_status,is,active,1,and,and,__next__${OTHER}__next__tag,have,abcdef,1,and,and,`;
    const read = readQuickFilter(text);
    expect(read).toMatchObject({ status: 'active', group: 'abcdef' });
    expect(read.others).toHaveLength(1);
    expect(writeQuickFilter({ ...read, status: null })).toBe(
      `tag,have,abcdef,1,and,and,__next__${OTHER}`,
    );
    expect(writeQuickFilter({ status: null, group: null, others: [] })).toBe('');
  });

  it('ignore conditions that are joined by “or” or have several values', () => {
    const either = `email_status,is,active,1,and,and,__next__tag,have,abcdef,1,and,or,`;
    expect(readQuickFilter(either)).toMatchObject({ status: null, group: null });
    expect(readQuickFilter(either).others).toHaveLength(2);
    expect(readQuickFilter('tag,have,abcdef,1,and,and,,ghijkl').group).toBeNull();
    const cards = 'firstname,begins,A,1,and,and,__next__email_status,is,active,2,or,and,';
    expect(readQuickFilter(cards)).toMatchObject({ status: null, group: null });
  });
});

const inGroup = (id: string, rest: Partial<Condition> = {}) => condition('tag', 'have', id, rest);
const NAMES = { x: 'X', y: 'Y', g: 'G' };
const describeFilter = (text: string) =>
  describeConditions(parseFilter(text).conditions, NAMES, 'eng');
const ANY = [inGroup('x', { inside_concat: 'or' }), inGroup('y', { inside_concat: 'or' })];
const CARDS = [inGroup('x'), inGroup('y', { group: 2, outside_concat: 'or' })];

test.each<[string, Condition[]]>([
  ['alternatives in one condition group', ANY],
  ['alternative condition groups', CARDS],
])('quick filters combined with %s apply to the whole filter, and stay selected', (_, others) => {
  const text = writeQuickFilter({ status: 'active', group: 'g', others });
  expect(describeFilter(text)).toBe(
    '(In the group “X” or in the group “Y”) and email status is active and in the group “G”',
  );
  const read = readQuickFilter(text);
  expect(read).toMatchObject({ status: 'active', group: 'g' });
  expect(read.others).toEqual(others);
  expect(writeQuickFilter({ ...read, status: null, group: null })).toBe(
    writeQuickFilter({ status: null, group: null, others }),
  );
});

/** One subscriber of each kind that the conditions below distinguish. */
const PEOPLE: TruthPerson[] = ['active', 'bounced'].flatMap((status) =>
  [[], ['g'], ['x'], ['y'], ['x', 'y'], ['g', 'x'], ['g', 'y'], ['g', 'x', 'y']].map((groups) => ({
    id: 0,
    email: 'a@x.example',
    phone: null,
    firstname: null,
    lastname: null,
    country: null,
    statuses: {
      email_status: status,
      temail_status: 'active',
      sms_status: 'active',
      tsms_status: 'active',
    },
    groups,
    fields: {},
    createdAt: new Date(0),
    unsubscribedAt: null,
    campaigns: [],
    events: [],
    smsCampaigns: [],
    smsClicks: [],
    orders: [],
    carts: [],
    visits: [],
    occurrences: [],
  })),
);
PEOPLE.forEach((person, index) => {
  person.id = index + 1;
});
const chosenBy = (conditions: readonly Condition[]) =>
  selectMatching(PEOPLE, conditions, { now: new Date(0), timezone: 'UTC' });

const operator = fc.constantFrom('and' as const, 'or' as const);
const anyOther = fc
  .record({
    what: fc.constantFrom(
      inGroup('x'),
      inGroup('y'),
      inGroup('g'),
      condition('email_status', 'is', 'active'),
      condition('email_status', 'is', 'bounced'),
    ),
    group: fc.constantFrom(1, 2, 3, 9999),
    outside_concat: operator,
    inside_concat: operator,
  })
  .map(({ what, ...rest }): Condition => ({ ...what, ...rest }));

test('quick filters combined with any filter select exactly the matching subset of its subscribers', () => {
  fc.assert(
    fc.property(
      fc.array(anyOther, { maxLength: 6 }),
      fc.constantFrom('active', null),
      fc.constantFrom('g', null),
      (conditions, status, group) => {
        // The screen starts from the URL.
        const { others, ...read } = readQuickFilter(
          writeQuickFilter({ status: null, group: null, others: conditions }),
        );
        expect(chosenBy(parseFilter(writeQuickFilter({ ...read, others })).conditions)).toEqual(
          chosenBy(conditions),
        );
        const text = writeQuickFilter({ status, group, others });
        const expected = new Set(chosenBy(others));
        expect(chosenBy(parseFilter(text).conditions)).toEqual(
          PEOPLE.filter(
            (person) =>
              expected.has(person.id) &&
              (status === null || person.statuses.email_status === status) &&
              (group === null || person.groups.includes(group)),
          ).map((person) => person.id),
        );
        if (status !== null) expect(readQuickFilter(text).status).toBe(status);
        if (group !== null) expect(readQuickFilter(text).group).toBe(group);
      },
    ),
    { numRuns: 500 },
  );
});
