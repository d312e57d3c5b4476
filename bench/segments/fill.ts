// Creates an account of any size for the segment benchmark: subscribers, two years of emails and
// their activity, and a store. Randomness comes from hashes, so that each run measures the same
// data.
import type pg from 'pg';
import { refreshShoppers } from '#areas/stores/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { type Db, inTransaction } from '#platform/server/database/database.ts';

export type SegmentFixture = {
  account: number;
  group: number;
  fields: { text: number; number: number; datetime: number };
  campaign: number;
  message: number;
  store: number;
  product: number;
  event: number;
};

/** The extent of an account. With only a store, emails and custom events are omitted. */
type Extent = { people: number; isShopAlone: boolean; ordersTimes: number };

const MESSAGES = 100;
const EVENTS_EACH = 20;
/** Reference for all other times, a week after the newest email. */
export const NOW = new Date('2026-06-01T12:00:00Z');

const fractionSql = (expression: string, salt: number) =>
  `((hashint8extended(${expression}, ${salt}) & 1073741823) / 1073741824.0)`;

export async function fillSegments(
  database: pg.Client,
  db: Db,
  account: number,
  { people, isShopAlone, ordersTimes }: Extent,
): Promise<SegmentFixture> {
  const queryId = async (text: string, values: unknown[] = []) =>
    (await database.query(text, values)).rows[0].id as number;
  const now = NOW.toISOString();
  const field = (type: string) =>
    queryId(
      `insert into fields (account_id, name, title, type, created_at, modified_at)
        values ($1, $2, $2, $2, $3, $3) returning id`,
      [account, type, now],
    );
  const fields = {
    text: await field('text'),
    number: await field('number'),
    datetime: await field('datetime'),
  };
  await insertPeople(database, account, people, fields);
  const group = await queryId(
    `insert into groups (account_id, title, title_key, created_at, modified_at)
      values ($1, 'A third', 'a third', $2, $2) returning id`,
    [account, now],
  );
  await database.query(
    `insert into group_members (account_id, group_id, subscriber_id, created_at)
      select account_id, $2, id, created_at from subscribers where account_id = $1 and id % 3 = 0`,
    [account, group],
  );
  const email = isShopAlone
    ? { message: 0, campaign: 0 }
    : await insertEmails(database, account, people);
  const shop = await insertShop(database, account, ordersTimes);
  const event = isShopAlone ? 0 : await insertOccurrences(database, account);
  for (let from = 0; from < people * 2; from += 50_000) {
    const { rows } = await database.query<{ id: number }>(
      'select id::int from subscribers where account_id = $1 order by id limit 50000 offset $2',
      [account, from],
    );
    if (rows.length === 0) break;
    const ids = rows.map((row) => row.id);
    await inTransaction(db, (tx) => refreshShoppers(tx, account, ids));
  }
  await database.query('vacuum analyze');
  return { account, group, fields, ...email, ...shop, event };
}

async function insertPeople(
  database: pg.Client,
  account: number,
  subscriberCount: number,
  fields: SegmentFixture['fields'],
): Promise<void> {
  await database.query(
    `insert into subscribers (account_id, email, email_key, phone, phone_key, firstname, lastname,
        field_values, email_status, sms_status, country, unsubscribed_at, created_at, modified_at)
      select $1, e, e, p, p, 'First' || n % 1009, 'Last' || n % 5003,
        jsonb_build_object($3::text, 'Town ' || n % 313, $4::text, n % 1000,
          $5::text, to_char(date '1950-01-01' + n % 20000, 'YYYY-MM-DD') || ' 00:00:00'),
        (case when n % 20 = 0 then 'unsubscribed' when n % 33 = 0 then 'bounced' else 'active' end)::subscription_status,
        (case when p is null then 'non-subscribed' else 'active' end)::subscription_status,
        (array['LT','NO','IE','US','GB','SE',null])[1 + n % 7],
        case when n % 20 = 0 then joined + interval '30 days' end, joined, joined
      from (select n, 'person' || (n::bigint * 7919) % 15485863 || '@example' || n % 997 || '.com' as e,
          case when n % 10 = 0 then '+3706' || 1000000 + n end as p,
          timestamptz '${NOW.toISOString()}' - (1 - n / $2::float8) * interval '800 days' as joined
        from generate_series(1, $2::int) n) x`,
    [account, subscriberCount, fields.text, fields.number, fields.datetime],
  );
  await database.query('update accounts set subscriber_count = $2 where id = $1', [
    account,
    subscriberCount,
  ]);
  await database.query('analyze subscribers');
}

/**
 * Inserts a hundred weekly emails. Seven of ten subscribers engage, and a quarter of these cause
 * half of the opens and clicks.
 */
async function insertEmails(database: pg.Client, account: number, subscriberCount: number) {
  const { rows } = await database.query<{ first: string; last: string }>(
    'select min(id) as first, max(id) as last from subscribers where account_id = $1',
    [account],
  );
  const firstId = Number(rows[0]?.first);
  await makeMonths(database);
  let message = 0;
  const eventsPerMessage = Math.floor((subscriberCount * EVENTS_EACH) / MESSAGES / 2);
  for (let week = MESSAGES; week > 0; week--) {
    const sentAt = new Date(NOW.getTime() - week * 7 * 86_400_000).toISOString();
    const messageResult = await database.query(
      `insert into messages (account_id, kind, state, frozen, created_at, modified_at)
        values ($1, 'campaign', 'finished', '{}', $2, $2) returning id`,
      [account, sentAt],
    );
    message = Number(messageResult.rows[0].id);
    const pair = `${message}::bigint * 1000003 + g / 2`;
    await database.query(
      `insert into events (account_id, at, message_id, subscriber_id, kind, sequence, verdict)
        select $1, $2::timestamptz + at * interval '5 days', $3,
          $4 + floor(who * who * $5 * 0.7)::bigint,
          (case when g % 4 = 3 then 'click' else 'open' end)::event_kind, g,
          (case when way < 0.2 then 'machine' else 'human' end)::event_verdict
        from (select g, ${fractionSql(`${message}::bigint * 1000003 + g`, 1)} as at, ${fractionSql(pair, 2)} as who,
            ${fractionSql(pair, 3)} as way
          from generate_series(1, $6::int) g) x order by at`,
      [account, sentAt, message, firstId, subscriberCount, eventsPerMessage * 2],
    );
  }
  const human = "filter (where verdict = 'human')";
  const click = "filter (where kind = 'click')";
  const humanClick = "filter (where kind = 'click' and verdict = 'human')";
  await database.query(
    `insert into outcomes (account_id, subscriber_id, message_id, first_open_at, first_human_open_at,
        first_click_at, first_human_click_at, opens, clicks)
      select account_id, subscriber_id, message_id, min(at), min(at) ${human}, min(at) ${click},
        min(at) ${humanClick}, count(*), count(*) ${click}
      from events where account_id = $1 group by 1, 3, 2`,
    [account],
  );
  await database.query(
    `insert into activity (account_id, subscriber_id, first_open_at, first_human_open_at, first_click_at,
        first_human_click_at, last_open_at, last_human_open_at, last_click_at, last_human_click_at)
      select account_id, subscriber_id, min(at), min(at) ${human}, min(at) ${click}, min(at) ${humanClick},
        max(at), max(at) ${human}, max(at) ${click}, max(at) ${humanClick}
      from events where account_id = $1 group by 1, 2`,
    [account],
  );
  await database.query(
    `insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
      select account_id, $2, 0, row_number() over (order by id), id from subscribers
      where account_id = $1 and id % 10 > 0`,
    [account, message],
  );
  const { rows: campaigns } = await database.query(
    `insert into campaigns (account_id, title, message_id, status, created_at, modified_at)
      values ($1, 'The last one', $2, 'SENT', $3, $3) returning id`,
    [account, message, NOW.toISOString()],
  );
  return { message, campaign: Number(campaigns[0].id) };
}

/**
 * Creates partitions of past months in the same way as the worker creates partitions of future
 * months.
 */
async function makeMonths(database: pg.Client): Promise<void> {
  for (let monthsAgo = 30; monthsAgo >= 0; monthsAgo--) {
    const from = new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - monthsAgo));
    const to = new Date(Date.UTC(NOW.getUTCFullYear(), NOW.getUTCMonth() - monthsAgo + 1));
    const name = `events_${from.toISOString().slice(0, 7).replace('-', '_')}`;
    await database.query(
      `create table if not exists ${name} partition of events
        for values from ('${from.toISOString()}') to ('${to.toISOString()}')`,
    );
  }
}

/**
 * Drops indexes before writing and recreates them afterwards. For millions of rows, this takes a
 * fraction of the time.
 */
async function indexedAfter(database: pg.Client, table: string, write: () => Promise<unknown>) {
  const { rows } = await database.query<{ name: string; definition: string }>(
    `select i.indexrelid::regclass::text as name, pg_get_indexdef(i.indexrelid) as definition
      from pg_index i where i.indrelid = $1::regclass
        and not exists (select from pg_constraint c where c.conindid = i.indexrelid)`,
    [table],
  );
  for (const { name } of rows) await database.query(`drop index ${name}`);
  await write();
  for (const { definition } of rows) await database.query(definition);
}

/** Gives half of the subscribers one to three orders, multiplied by `times`. */
async function insertShop(database: pg.Client, account: number, times: number) {
  const now = NOW.toISOString();
  const { rows: stores } = await database.query(
    `insert into stores (account_id, type, title, domain, created_at, modified_at)
      values ($1, 'shopify', 'Shop', 'shop.example', $2, $2) returning id`,
    [account, now],
  );
  const store = Number(stores[0].id);
  const { rows: products } = await database.query(
    `insert into products (account_id, store_id, remote_id, title, created_at, modified_at)
      select $1, $2, n::text, 'Product ' || n, $3, $3 from generate_series(1, 50) n returning id`,
    [account, store, now],
  );
  const product = Number(products[0].id);
  const past = (salt: number) =>
    `$3::timestamptz - ${fractionSql('s.id * 10 + k', salt)} * interval '700 days'`;
  const orders = () =>
    database.query(
      `insert into orders (account_id, store_id, subscriber_id, remote_id, total, placed_at, cancelled_at,
        refunded_at, created_at, modified_at)
      select $1, $2, s.id, s.id || '-' || k, floor(${fractionSql('s.id * 10 + k', 4)} * 10000) / 100,
        ${past(5)}, case when s.id % 50 = 0 then $3::timestamptz end,
        case when s.id % 30 = 0 then ${past(6)} end, $3, $3
      from subscribers s cross join generate_series(1, 3 * $4::int) k where s.account_id = $1 and s.id % 6 < 3
        and k <= $4::int * (1 + s.id % 3)`,
      [account, store, now, times],
    );
  const lines = () =>
    database.query(
      `insert into order_products (account_id, order_id, position, subscriber_id, product_id, title, is_cancelled)
      select account_id, id, 0, subscriber_id, $2::bigint + id % 50, 'x', cancelled_at is not null from orders where account_id = $1`,
      [account, product],
    );
  await indexedAfter(database, 'orders', orders);
  await indexedAfter(database, 'order_products', lines);
  await database.query(
    `insert into carts (account_id, store_id, subscriber_id, remote_id, product_count, created_at, modified_at)
      select $1, $2, id, id::text, 1 + id % 5, $3, $3 from subscribers where account_id = $1 and id % 12 = 0`,
    [account, store, now],
  );
  await database.query(
    `insert into shop_visits (account_id, subscriber_id, at, kind, store_id)
      select $1, s.id, ${past(7)}, case when k = 2 then 'checkout' else 'cart' end, $2
      from subscribers s cross join generate_series(1, 2) k where s.account_id = $1 and s.id % 4 < 2`,
    [account, store, now],
  );
  return { store, product };
}

/** Gives half of the subscribers four product views each. */
async function insertOccurrences(database: pg.Client, account: number): Promise<number> {
  const now = NOW.toISOString();
  const { rows } = await database.query(
    `insert into custom_events (account_id, name, created_at) values ($1, 'product_viewed', $2) returning id`,
    [account, now],
  );
  const event = Number(rows[0].id);
  await database.query(
    `insert into event_occurrences (account_id, event_id, subscriber_id, at)
      select $1, $2, s.id, $3::timestamptz - ${fractionSql('s.id * 10 + k', 8)} * interval '700 days'
      from subscribers s cross join generate_series(1, 4) k where s.account_id = $1 and s.id % 2 = 0`,
    [account, event, now],
  );
  await database.query(
    `insert into event_people (account_id, event_id, subscriber_id, times, first_at, last_at)
      select account_id, event_id, subscriber_id, count(*), min(at), max(at)
      from event_occurrences where account_id = $1 group by 1, 2, 3`,
    [account],
  );
  return event;
}

/** Returns the public IDs as they appear in conditions. */
export function encodeFixtureIds(fixture: SegmentFixture) {
  return {
    group: encodeId('group', fixture.group),
    campaign: encodeId('campaign', fixture.campaign),
    store: encodeId('store', fixture.store),
    product: encodeId('product', fixture.product),
    event: encodeId('custom_event', fixture.event),
    text: encodeId('field', fixture.fields.text),
    number: encodeId('field', fixture.fields.number),
    datetime: encodeId('field', fixture.fields.datetime),
  };
}
