// Each condition with the best SQL for the same count. It is written by hand with knowledge of the
// tables: it joins on one row per subscriber and uses the indexes' own expressions and constants.
import { condition } from '#areas/segments/filter-grammar.ts';
import type { Condition } from '#areas/segments/shared.ts';
import { type SegmentFixture, encodeFixtureIds } from './fill.ts';

export type SegmentCase = { name: string; conditions: Condition[]; sql: string };

const UTC = 'UTC';

export function listSegmentCases(fixture: SegmentFixture, isShopAlone: boolean): SegmentCase[] {
  if (isShopAlone) return shopCases(fixture);
  return [
    ...personCases(fixture),
    ...emailCases(fixture),
    ...shopCases(fixture),
    ...eventCases(fixture),
    together(fixture),
  ];
}

const single = (
  type: Condition['type'],
  operator: Condition['operator'],
  operand: string,
  sql: string,
  overrides: Partial<Condition> = {},
): SegmentCase => ({
  name: [type, operator, operand].filter(Boolean).join(' ').slice(0, 44),
  conditions: [condition(type, operator, operand, overrides)],
  sql,
});

const counter = ({ account }: SegmentFixture) => {
  const ownSubscribers = `s.account_id = ${account} and s.deleted_at is null`;
  return {
    where: (predicate: string) =>
      `select count(*) from subscribers s where ${ownSubscribers} and ${predicate}`,
    join: (table: string, predicate: string) =>
      `select count(*) from subscribers s join ${table} x on x.account_id = ${account}
        and x.subscriber_id = s.id where ${ownSubscribers} and ${predicate}`,
    has: (table: string, predicate: string, not = '') =>
      `select count(*) from subscribers s where ${ownSubscribers} and ${not} exists (select 1 from ${table} x
        where x.account_id = ${account} and x.subscriber_id = s.id and ${predicate})`,
  };
};

/**
 * Counts large sets with bitmaps of sixty-four subscribers per number. All existing subscribers and
 * the subscribers of each select are combined in one pass, and then the bits are counted.
 */
function countBits(
  { account }: SegmentFixture,
  sets: Record<string, string>,
  expectedSql: string,
): string {
  const queries = {
    living: `select id as subscriber_id from subscribers where account_id = ${account} and deleted_at is null`,
    ...sets,
  };
  const names = Object.keys(queries);
  const bitSql = '1::bigint << (subscriber_id & 63)::int';
  const maskQueries = Object.entries(queries).map(
    ([name, people]) => `select subscriber_id >> 6 as place,
      ${names.map((column) => `${column === name ? bitSql : 'null::bigint'} as ${column}`).join(', ')}
      from (${people}) ${name}`,
  );
  return `select sum(bit_count((${expectedSql})::bit(64))) as count from (
    select ${names.map((name) => `coalesce(bit_or(${name}), 0) as ${name}`).join(', ')}
    from (${maskQueries.join(' union all ')}) each_one group by place) bits`;
}

const timestampSql = (text: string) => `timestamptz '${text} ${UTC}'`;

function personCases(fixture: SegmentFixture): SegmentCase[] {
  const { where, has } = counter(fixture);
  const { text, number, datetime, group } = encodeFixtureIds(fixture);
  const { fields } = fixture;
  const member = `x.group_id = ${fixture.group}`;
  return [
    single('tag', 'have', group, has('group_members', member)),
    single('tag', 'not-have', group, has('group_members', member, 'not')),
    single('email_status', 'is', 'unsubscribed', where("s.email_status = 'unsubscribed'")),
    single('sms_status', 'not-is', 'active', where("s.sms_status <> 'active'")),
    single('geolocation_eu', 'is', '', where("s.country in ('LT', 'IE', 'SE')")),
    single('firstname', 'begins', 'first1', where("lower(s.firstname) like 'first1%'")),
    single(
      'lastname',
      'not-include',
      '77',
      where("coalesce(lower(s.lastname), '') not like '%77%'"),
    ),
    single(
      'email',
      'equals',
      'person7919@example1.com',
      where("s.email_key = 'person7919@example1.com'"),
    ),
    single('email', 'begins', 'person77', where("s.email_key like 'person77%'")),
    single('email', 'ends', '@example7.com', where("s.email_key like '%@example7.com'")),
    single('phone', 'not-blank', '', where('s.phone_key is not null')),
    single(
      'created',
      'weeks',
      '4',
      where(`s.created_at >= ${timestampSql('2026-05-04 12:00:00')}`),
    ),
    single(
      'created',
      'between',
      '2025-01-01',
      where(
        `s.created_at >= ${timestampSql('2025-01-01')} and s.created_at < ${timestampSql('2025-04-01')}`,
      ),
      { more: ['2025-03-31'] },
    ),
    single(
      'unsubscribed_at',
      'after',
      '2025-12-31',
      where(`s.unsubscribed_at >= ${timestampSql('2026-01-01')}`),
    ),
    single(
      'text',
      'equals',
      'town 7',
      where(`lower(s.field_values ->> '${fields.text}') = 'town 7'`),
      { key: text },
    ),
    single(
      'number',
      'more-than',
      '900',
      where(`(s.field_values -> '${fields.number}')::numeric > 900`),
      { key: number },
    ),
    single(
      'datetime',
      'before',
      '1980-01-01',
      where(`s.field_values ->> '${fields.datetime}' collate "C" < '1980-01-01 00:00:00'`),
      { key: datetime },
    ),
  ];
}

function emailCases(fixture: SegmentFixture): SegmentCase[] {
  const { join, has, where } = counter(fixture);
  const { account, message } = fixture;
  const { campaign } = encodeFixtureIds(fixture);
  const cutoff = timestampSql('2026-05-04 12:00:00');
  const february = `select subscriber_id from events where account_id = ${account}
    and at >= ${timestampSql('2026-02-01')} and at < ${timestampSql('2026-03-01')}`;
  const between = (type: Condition['type'], predicate: string, expectedSql: string) =>
    single(
      type,
      'between',
      '2026-02-01',
      countBits(fixture, { did: `${february} and ${predicate}` }, expectedSql),
      { more: ['2026-02-28'] },
    );
  return [
    single('open', 'all', '', join('activity', 'x.last_human_open_at is not null')),
    single('open', 'weeks', '4', join('activity', `x.last_human_open_at >= ${cutoff}`)),
    single(
      'open',
      'before',
      '2025-01-01',
      join('activity', `x.first_human_open_at < ${timestampSql('2025-01-01')}`),
    ),
    single(
      'open',
      'after',
      '2026-03-31',
      join('activity', `x.last_human_open_at >= ${timestampSql('2026-04-01')}`),
    ),
    between('open', "kind in ('open', 'click') and verdict = 'human'", 'living & did'),
    single(
      'open',
      'specific',
      campaign,
      join('outcomes', `x.message_id = ${message} and x.first_human_open_at is not null`),
    ),
    single('not-open', 'all', '', has('activity', 'x.last_open_at is not null', 'not')),
    single(
      'not-open',
      'months',
      '3',
      has('activity', `x.last_open_at >= ${timestampSql('2026-03-01 12:00:00')}`, 'not'),
    ),
    between('not-open', "kind in ('open', 'click')", 'living & ~did'),
    single(
      'not-open',
      'specific',
      campaign,
      countBits(
        fixture,
        {
          sent: `select subscriber_id from recipients where account_id = ${account} and message_id = ${message}`,
          did: `select subscriber_id from outcomes where account_id = ${account} and message_id = ${message}
            and first_open_at is not null`,
        },
        'living & sent & ~did',
      ),
    ),
    single('click', 'weeks', '4', join('activity', `x.last_human_click_at >= ${cutoff}`)),
    between('click', "kind = 'click' and verdict = 'human'", 'living & did'),
    between('not-click', "kind = 'click'", 'living & ~did'),
    single(
      'not_active_subscribers',
      'months',
      '6',
      `${where(`s.created_at < ${timestampSql('2025-12-01 12:00:00')}`)}
      and not exists (select 1 from activity x where x.account_id = ${fixture.account}
        and x.subscriber_id = s.id and x.last_open_at >= ${timestampSql('2025-12-01 12:00:00')})`,
    ),
  ];
}

function shopCases(fixture: SegmentFixture): SegmentCase[] {
  const { join, has } = counter(fixture);
  const { store, product } = encodeFixtureIds(fixture);
  const range = (column: string) =>
    `x.${column} >= ${timestampSql('2026-02-01')} and x.${column} < ${timestampSql('2026-03-01')}`;
  return [
    single('order_count', 'more-than', '1', join('shoppers', 'x.order_count > 1')),
    single('order_count', 'equals', '0', has('shoppers', 'x.order_count <> 0', 'not')),
    single('order_amount', 'between', '50', join('shoppers', 'x.order_amount between 50 and 100'), {
      more: ['100'],
    }),
    single('cart_product_count', 'more-than', '2', join('shoppers', 'x.cart_product_count > 2')),
    single(
      'not_active_customers',
      'months',
      '6',
      join('shoppers', `x.last_order_at < ${timestampSql('2025-12-01 12:00:00')}`),
    ),
    single('placed_order', 'all', '', join('shoppers', 'x.last_order_at is not null')),
    single(
      'placed_order',
      'between',
      '2026-02-01',
      has('orders', `x.cancelled_at is null and ${range('placed_at')}`),
      { more: ['2026-02-28'] },
    ),
    single(
      'placed_order',
      'specific',
      store,
      has('orders', `x.cancelled_at is null and x.store_id = ${fixture.store}`),
    ),
    single(
      'specific_product',
      'have',
      product,
      has('order_products', `x.product_id = ${fixture.product} and not x.is_cancelled`),
    ),
    single(
      'refunded_order',
      'before',
      '2025-12-01',
      has('orders', `x.refunded_at < ${timestampSql('2025-12-01')}`),
    ),
    single(
      'checkout_started',
      'weeks',
      '8',
      join('shoppers', `x.last_checkout_at >= ${timestampSql('2026-04-06 12:00:00')}`),
    ),
    single(
      'visited_cart',
      'between',
      '2026-02-01',
      has('shop_visits', `x.kind = 'cart' and ${range('at')}`),
      {
        more: ['2026-02-28'],
      },
    ),
  ];
}

function eventCases(fixture: SegmentFixture): SegmentCase[] {
  const { join, has } = counter(fixture);
  const { event: key } = encodeFixtureIds(fixture);
  const { account, event } = fixture;
  const ownEvents = (predicate: string) =>
    join('event_people', `x.event_id = ${event} and ${predicate}`);
  const cutoff = timestampSql('2026-05-04 12:00:00');
  const february = `select subscriber_id from event_occurrences where account_id = ${account}
    and event_id = ${event} and at >= ${timestampSql('2026-02-01')} and at < ${timestampSql('2026-03-01')}`;
  return [
    single('event', 'all', '', ownEvents('true'), { key }),
    single('event', 'weeks', '4', ownEvents(`x.last_at >= ${cutoff}`), { key }),
    single('event', 'more-than', '3', ownEvents('x.times > 3'), { key }),
    single(
      'event',
      'between',
      '2026-02-01',
      countBits(fixture, { had: february }, 'living & had'),
      {
        key,
        more: ['2026-02-28'],
      },
    ),
    single(
      'not-event',
      'weeks',
      '4',
      has('event_people', `x.event_id = ${event} and x.last_at >= ${cutoff}`, 'not'),
      { key },
    ),
  ];
}

/** Combines ten conditions in two groups, with every kind of join. */
function together(fixture: SegmentFixture): SegmentCase {
  const { text, campaign, group } = encodeFixtureIds(fixture);
  const { account, fields, message } = fixture;
  const or = { inside_concat: 'or' as const };
  const second = { group: 2, ...or };
  return {
    name: 'ten conditions in two groups',
    conditions: [
      condition('email_status', 'is', 'active'),
      condition('open', 'months', '6'),
      condition('tag', 'have', group, or),
      condition('created', 'before', '2026-01-01'),
      condition('email', 'ends', '.com'),
      condition('order_count', 'more-than', '1', { group: 2 }),
      condition('click', 'specific', campaign, second),
      condition('text', 'begins', 'town 1', { ...second, key: text }),
      condition('placed_order', 'months', '3', second),
      condition('not_active_subscribers', 'months', '12', second),
    ],
    sql: `select count(*) from subscribers s
      left join activity a on a.account_id = ${account} and a.subscriber_id = s.id
      left join shoppers b on b.account_id = ${account} and b.subscriber_id = s.id
      left join group_members g on g.account_id = ${account} and g.group_id = ${fixture.group} and g.subscriber_id = s.id
      left join outcomes o on o.account_id = ${account} and o.message_id = ${message} and o.subscriber_id = s.id
      where s.account_id = ${account} and s.deleted_at is null
        and ((s.email_status = 'active' and a.last_human_open_at >= ${timestampSql('2025-12-01 12:00:00')})
          or g.group_id is not null) and s.created_at < ${timestampSql('2026-01-01')} and s.email_key like '%.com'
        and (b.order_count > 1 or o.first_human_click_at is not null
          or lower(s.field_values ->> '${fields.text}') like 'town 1%'
          or b.last_order_at >= ${timestampSql('2026-03-01 12:00:00')}
          or (s.created_at < ${timestampSql('2025-06-01 12:00:00')}
            and coalesce(a.last_open_at < ${timestampSql('2025-06-01 12:00:00')}, true)))`,
  };
}
