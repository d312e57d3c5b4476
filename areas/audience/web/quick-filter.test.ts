// Quick filters read and write the URL's filter without changing other conditions, and always
// narrow the list.
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { condition, parseFilter } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/shared.ts';
import { describeConditions } from '#areas/segments/server/speak.ts';
import { selectMatching, type TruthSubscriber } from '#testing/oracles/segment-truth.ts';
import { readQuickFilter, writeQuickFilter } from './quick-filter.ts';

const OTHER_FILTER = 'firstname,begins,A,1,and,and,';

describe('quick filters', () => {
  it('quick filters find their own conditions and keep the others', () => {
    const text = `email_status,is,active,1,and,and,__next__${OTHER_FILTER}__next__tag,have,abcdef,1,and,and,`;
    const parsed = readQuickFilter(text);
    expect(parsed).toMatchObject({ status: 'active', group: 'abcdef' });
    expect(parsed.others).toHaveLength(1);
    expect(writeQuickFilter({ ...parsed, status: null })).toBe(
      `tag,have,abcdef,1,and,and,__next__${OTHER_FILTER}`,
    );
    expect(writeQuickFilter({ status: null, group: null, others: [] })).toBe('');
  });

  it('quick filters ignore conditions that are joined by “or” or have several values', () => {
    const either = `email_status,is,active,1,and,and,__next__tag,have,abcdef,1,and,or,`;
    expect(readQuickFilter(either)).toMatchObject({ status: null, group: null });
    expect(readQuickFilter(either).others).toHaveLength(2);
    expect(readQuickFilter('tag,have,abcdef,1,and,and,,ghijkl').group).toBeNull();
    const cards = 'firstname,begins,A,1,and,and,__next__email_status,is,active,2,or,and,';
    expect(readQuickFilter(cards)).toMatchObject({ status: null, group: null });
  });
});

const inGroup = (id: string, overrides: Partial<Condition> = {}) =>
  condition('tag', 'have', id, overrides);
const NAMES = { x: 'X', y: 'Y', g: 'G' };
const describeFilter = (text: string) =>
  describeConditions(parseFilter(text).conditions, NAMES, 'eng');
const ANY_GROUPS = [inGroup('x', { inside_concat: 'or' }), inGroup('y', { inside_concat: 'or' })];
const CARDS = [inGroup('x'), inGroup('y', { group: 2, outside_concat: 'or' })];

test.each<[string, Condition[]]>([
  ['alternatives in one condition group', ANY_GROUPS],
  ['alternative condition groups', CARDS],
])(
  'quick filters combined with %s apply to the whole filter and stay selected',
  (_, otherConditions) => {
    const text = writeQuickFilter({ status: 'active', group: 'g', others: otherConditions });
    expect(describeFilter(text)).toBe(
      '(In the group “X” or in the group “Y”) and email status is active and in the group “G”',
    );
    const parsed = readQuickFilter(text);
    expect(parsed).toMatchObject({ status: 'active', group: 'g' });
    expect(parsed.others).toEqual(otherConditions);
    expect(writeQuickFilter({ ...parsed, status: null, group: null })).toBe(
      writeQuickFilter({ status: null, group: null, others: otherConditions }),
    );
  },
);

/** One subscriber of each kind that the conditions below distinguish. */
const SUBSCRIBERS: TruthSubscriber[] = ['active', 'bounced'].flatMap((status) =>
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
SUBSCRIBERS.forEach((subscriber, index) => {
  subscriber.id = index + 1;
});
const chosenBy = (conditions: readonly Condition[]) =>
  selectMatching(SUBSCRIBERS, conditions, { now: new Date(0), timezone: 'UTC' });

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
  .map(({ what, ...overrides }): Condition => ({ ...what, ...overrides }));

test('quick filters combined with any filter select exactly the matching subset of its subscribers', () => {
  fc.assert(
    fc.property(
      fc.array(anyOther, { maxLength: 6 }),
      fc.constantFrom('active', null),
      fc.constantFrom('g', null),
      (conditions, status, group) => {
        // The screen starts from the URL.
        const { others: otherConditions, ...parsed } = readQuickFilter(
          writeQuickFilter({ status: null, group: null, others: conditions }),
        );
        expect(
          chosenBy(
            parseFilter(writeQuickFilter({ ...parsed, others: otherConditions })).conditions,
          ),
        ).toEqual(chosenBy(conditions));
        const text = writeQuickFilter({ status, group, others: otherConditions });
        const expectedRows = new Set(chosenBy(otherConditions));
        expect(chosenBy(parseFilter(text).conditions)).toEqual(
          SUBSCRIBERS.filter(
            (subscriber) =>
              expectedRows.has(subscriber.id) &&
              (status === null || subscriber.statuses.email_status === status) &&
              (group === null || subscriber.groups.includes(group)),
          ).map((subscriber) => subscriber.id),
        );
        if (status !== null) expect(readQuickFilter(text).status).toBe(status);
        if (group !== null) expect(readQuickFilter(text).group).toBe(group);
      },
    ),
    { numRuns: 500 },
  );
});
