// The list of subscribers over HTTP: pages, sorting, filters, arbitrary queries and engagement;
// also saved views and notes about subscribers.
import { sql } from 'kysely';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { CONDITION_TYPES, OPERATORS } from '#areas/segments/shared.ts';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { addSubscriber, listAddresses, buildListQuery, openShop } from '#testing/worlds/shop.ts';
import { propertyOptions } from '#testing/setup/property-runs.ts';

const LIST_PATH = '/client-api/api/subscribers';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
const subscriberIdOf = (id: string) => decodeId('subscriber', id) as number;

describe('the list', () => {
  test('the list is paged and sorted in both directions, with phone numbers after email addresses', async () => {
    const { owner } = await openShop(server);
    expect(await listAddresses(owner, 'order=created&direction=desc')).toEqual([
      '+37061234567',
      'bob@x.example',
      'ada@x.example',
    ]);
    expect(await listAddresses(owner, 'order=title ASC')).toEqual([
      'ada@x.example',
      'bob@x.example',
      '+37061234567',
    ]);
    expect(await listAddresses(owner, 'order=title&direction=DESC&limit=2&page=1')).toEqual([
      '+37061234567',
      'bob@x.example',
    ]);
    const lastPage = await owner.get(`${LIST_PATH}?order=title&direction=asc&limit=2&page=2`);
    expect(lastPage.body.data).toHaveLength(1);
    expect(lastPage.body.meta).toEqual({
      from: 3,
      to: 3,
      page: 2,
      pageCount: 2,
      total: 3,
      perPage: 2,
    });
    const beyond = await owner.get(`${LIST_PATH}?page=90000`);
    expect(beyond.body).toMatchObject({ data: [], meta: { from: null, to: null, total: 3 } });
    expect((await owner.get(`${LIST_PATH}?no_paginate=true`)).body.meta).toBeUndefined();
  });

  test('an oversized list is paged even if the request disables paging', async () => {
    const owner = await server.owner();
    const add = (from: number, to: number) =>
      sql`with people as (
          insert into subscribers (account_id, email, email_key, created_at, modified_at)
          select ${owner.accountId}, e, e, now(), now()
          from (select 'p' || n || '@all.example' as e
            from generate_series(${from}::int, ${to}::int) n) x returning id)
        update accounts set subscriber_count = ${to} where id = ${owner.accountId}`.execute(
        server.db,
      );
    const readAll = async () => (await owner.get(`${LIST_PATH}?no_paginate=true`)).body;
    await add(1, 10_000);
    const allRows = await readAll();
    expect([allRows.data.length, allRows.meta]).toEqual([10_000, undefined]);
    await add(10_001, 10_001);
    const page = await readAll();
    expect(page.data).toHaveLength(10_000);
    expect(page.meta).toMatchObject({ from: 1, to: 10_000, pageCount: 2, total: 10_001 });
  });

  test('the pages of every sort order contain each subscriber once, in order', async () => {
    const owner = await server.owner();
    for (let i = 0; i < 23; i++) {
      await addSubscriber(
        owner,
        i % 5 === 0 ? { phone: `+370612345${10 + i}` } : { email: `p${(i * 7) % 23}@x.example` },
      );
    }
    for (const order of ['title', 'created', 'modified']) {
      for (const direction of ['asc', 'desc']) {
        const allAddresses = await listAddresses(
          owner,
          `order=${order}&direction=${direction}&limit=100`,
        );
        expect(allAddresses).toHaveLength(23);
        const pages: string[] = [];
        for (let page = 1; page <= 5; page++) {
          pages.push(
            ...(await listAddresses(
              owner,
              `order=${order}&direction=${direction}&limit=5&page=${page}`,
            )),
          );
        }
        expect(pages).toEqual(allAddresses);
        const reversedAddresses = await listAddresses(
          owner,
          `order=${order}&direction=${direction === 'asc' ? 'desc' : 'asc'}&limit=100`,
        );
        expect(reversedAddresses.reverse()).toEqual(allAddresses);
        // A filter that matches all subscribers returns the same order.
        const everyone = `email_status,in,active,1,and,and,,non-subscribed`;
        expect(
          await listAddresses(
            owner,
            `order=${order}&direction=${direction}&limit=100&filter=${everyone}`,
          ),
        ).toEqual(allAddresses);
      }
    }
  });

  test('a row contains statuses, groups and the fields that have a value', async () => {
    const { owner, group: groupId, city, visits, since } = await openShop(server);
    const { data } = (await owner.get(`${LIST_PATH}?search=lovelace`)).body;
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      email: 'ada@x.example',
      status: { email: 'active', temail: 'active', sms: 'non-subscribed', tsms: 'non-subscribed' },
      subscriber_tags: [{ id: groupId, title: 'VIP' }],
      columns: [
        { id: city, name: 'city', title: 'City', type: 'text', value: 'Oslo' },
        { id: visits, name: 'visits', title: 'Visits', type: 'number', value: 3 },
        {
          id: since,
          name: 'since',
          title: 'Since',
          type: 'datetime',
          value: '2026-01-31 00:00:00',
        },
      ],
      source: 'manual',
    });
  });

  test.each([
    ['ada', ['ada@x.example']],
    ['ADA love', ['ada@x.example']],
    ['x.example', ['ada@x.example', 'bob@x.example']],
    ['612 345', ['+37061234567']],
    ['+370612', ['+37061234567']],
    ['۶۱۲۳۴', ['+37061234567']],
    ['+٣٧٠٦١٢', ['+37061234567']],
    ['0037061234', ['+37061234567']],
    ['%', []],
    ['_', []],
    ['ada bob', []],
  ])('searches %s in emails, names and numbers', async (term, expected) => {
    const { owner } = await openShop(server);
    expect(
      await listAddresses(owner, `order=title&direction=asc&search=${encodeURIComponent(term)}`),
    ).toEqual(expected);
  });

  test('finds a domain by its Unicode and its ASCII form', async () => {
    const { owner } = await openShop(server);
    await owner.post(LIST_PATH, { email: 'eva@bücher.example' });
    for (const term of ['eva@bücher.example', 'BÜCHER.example', 'xn--bcher-kva']) {
      expect(await listAddresses(owner, `search=${encodeURIComponent(term)}`), term).toEqual([
        'eva@xn--bcher-kva.example',
      ]);
    }
    expect(await listAddresses(owner, 'search=b%C3%BCche.example')).toEqual([]);
  });
});

describe('the filter', () => {
  let shop: Awaited<ReturnType<typeof openShop>>;
  const ADA = 'ada@x.example';
  const BOB = 'bob@x.example';
  const PHONE = '+37061234567';

  beforeAll(async () => {
    shop = await openShop(server);
    const selection = { subscriberIds: [subscriberIdOf(shop.bob)] };
    await inTx((tx) =>
      unsubscribe(tx, shop.owner.accountId, selection, { channel: 'email', reason: 'link' }),
    );
  });

  const cases: [string, string[]][] = [
    ['tag,have,{group},1,and,and,', [ADA]],
    ['tag,not-have,{group},1,and,and,', [BOB, PHONE]],
    ['email_status,is,unsubscribed,1,and,and,', [BOB]],
    ['email_status,not-is,unsubscribed,1,and,and,', [ADA, PHONE]],
    ['temail_status,in,active,1,and,and,,bounced', [ADA, BOB]],
    ['tsms_status,is,active,1,and,and,', [PHONE]],
    ['firstname,begins,aD,1,and,and,', [ADA]],
    ['firstname,blank,,1,and,and,', [PHONE]],
    ['lastname,not-include,love,1,and,and,', [BOB, PHONE]],
    ['email,ends,.example,1,and,and,', [ADA, BOB]],
    ['email,equals,BOB@x.example,1,and,and,', [BOB]],
    ['phone,begins,00370 612,1,and,and,', [PHONE]],
    ['text,equals,rīga,1,and,and,{city}', [BOB]],
    ['text,not-equal,Oslo,1,and,and,{city}', [BOB, PHONE]],
    ['text,in,oslo,1,and,and,{city},riga', [ADA]],
    ['number,more-than,2,1,and,and,{visits}', [ADA]],
    ['number,between,1,1,and,and,{visits},3', [ADA]],
    ['number,blank,,1,and,and,{visits}', [BOB, PHONE]],
    ['number,less-than,3,1,and,and,{visits}', []],
    ['datetime,between,2026-01-31,1,and,and,{since},2026-01-31', [ADA]],
    ['datetime,before,2026-01-31,1,and,and,{since}', []],
    ['datetime,after,2026-01-30,1,and,and,{since}', [ADA]],
    ['created,weeks,1,1,and,and,', [ADA, BOB, PHONE]],
    ['created,before,2020-01-01,1,and,and,', []],
    ['unsubscribed_at,weeks,1,1,and,and,', [BOB]],
    ['unsubscribed_at,blank,,1,and,and,', [ADA, PHONE]],
    ['not-open,all,,1,and,and,', [ADA, BOB, PHONE]],
    ['open,all,,1,and,and,', []],
    ['firstname,equals,ada,1,and,and,__next__firstname,equals,bob,1,and,or,', [ADA, BOB]],
    ['firstname,equals,ada,1,and,and,__next__lastname,equals,Phone,2,or,and,', [ADA, PHONE]],
    // (ada or bob) and not unsubscribed
    [
      'firstname,equals,ada,1,and,and,__next__firstname,equals,bob,1,and,or,__next__email_status,not-is,unsubscribed,2,and,and,',
      [ADA],
    ],
    ['order_count,equals,0,1,and,and,', [ADA, BOB, PHONE]],
    ['placed_order,all,,1,and,and,', []],
    // Malformed conditions and conditions with missing references are ignored.
    ['firstname,equals,ada,1,and,and,__next__nonsense', [ADA]],
    ['firstname,equals,ada,1,and,and,__next__tag,have,aaaaaaaa,1,and,and,', [ADA]],
    ['nonsense', [ADA, BOB, PHONE]],
  ];

  test.each(cases)('%s selects the matching subscribers', async (text, expected) => {
    const { group, city, visits, since } = shop;
    const ids: Record<string, string> = { group, city, visits, since };
    const filledFilter = text.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
    expect(await listAddresses(shop.owner, buildListQuery(filledFilter))).toEqual(expected);
  });

  test("a condition with another account's group or field is ignored", async () => {
    const otherShop = await openShop(server);
    expect(
      await listAddresses(shop.owner, buildListQuery(`tag,have,${otherShop.group},1,and,and,`)),
    ).toHaveLength(3);
    expect(
      await listAddresses(
        shop.owner,
        buildListQuery(`text,equals,Oslo,1,and,and,${otherShop.city}`),
      ),
    ).toHaveLength(3);
  });

  test('a repeated or too long filter is ignored', async () => {
    const ada = buildListQuery('firstname,equals,ada,1,and,and,');
    const bob = encodeURIComponent('firstname,equals,bob,1,and,and,');
    expect(await listAddresses(shop.owner, `${ada}&filter=${bob}`)).toEqual([ADA, BOB, PHONE]);
    const longFilter = buildListQuery(`firstname,equals,${'a'.repeat(8_200)},1,and,and,`);
    expect(await listAddresses(shop.owner, longFilter)).toEqual([ADA, BOB, PHONE]);
  });
});

describe('arbitrary queries', () => {
  const terms = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('%', '_', '\\', "'", '\0', '%00', ',', '__next__', 'and', 'or', '1', ''),
      fc.constantFrom(...CONDITION_TYPES, ...OPERATORS),
    ),
    { maxLength: 12 },
  );

  test('arbitrary queries return a list response', async () => {
    const { owner, city, visits, since } = await openShop(server);
    const conditions = fc.oneof(
      terms.map((words) => words.join(',')),
      fc
        .record({
          type: fc.constantFrom(...CONDITION_TYPES, 'text', 'number', 'datetime'),
          operator: fc.constantFrom(...OPERATORS),
          operand: fc.oneof(
            fc.string({ unit: 'binary' }),
            fc.constantFrom('active', '3', '2026-01-31'),
          ),
          more: fc.constantFrom('', ',3', ',2026-02-01', ',bounced'),
          key: fc.constantFrom('', city, visits, since),
        })
        .map(({ type, operator, operand, more, key }) =>
          [
            type,
            operator,
            encodeURIComponent(operand.toWellFormed()),
            1,
            'and',
            'and',
            key + more,
          ].join(','),
        ),
    );
    await fc.assert(
      fc.asyncProperty(conditions, terms, async (text, words) => {
        const query = new URLSearchParams({
          filter: text.toWellFormed(),
          search: words.join(' ').toWellFormed().slice(0, 200),
        });
        const response = await owner.get(`${LIST_PATH}?${query}`);
        expect(response.status).toBe(200);
        expect(response.body.meta.total).toBeLessThanOrEqual(3);
      }),
      propertyOptions(150, 40),
    );
  });
});

test("on request, rows contain the subscriber's last open, last click and orders", async () => {
  const { owner, ada } = await openShop(server);
  const at = new Date('2026-03-01T10:00:00Z');
  await sql`insert into activity (account_id, subscriber_id, last_open_at, last_human_open_at)
    values (${owner.accountId}, ${subscriberIdOf(ada)}, now(), ${at})`.execute(server.db);
  await sql`with shop as (
      insert into stores (account_id, type, title, domain, created_at, modified_at)
      values (${owner.accountId}, 'own', 'Shop', 'x.example', ${at}, ${at}) returning id)
    insert into orders (account_id, store_id, subscriber_id, remote_id, total, currency, placed_at,
      created_at, modified_at, cancelled_at)
    select ${owner.accountId}, shop.id, ${subscriberIdOf(ada)}, n::text, n, 'EUR', ${at}, ${at}, ${at},
      case when n = 3 then ${at}::timestamptz end
    from shop, generate_series(1, 3) n`.execute(server.db);
  const { body } = await owner.get(`${LIST_PATH}?order=title&direction=asc&engagement=true`);
  const engagement = body.data.map((row: { engagement: unknown }) => row.engagement);
  const noActivity = { last_open: null, last_click: null, worth: null };
  expect(engagement).toEqual([
    {
      // Machine opens are not counted.
      last_open: at.toISOString(),
      last_click: null,
      worth: {
        currencies: [{ currency: 'EUR', orders: 2, revenue: 3 }],
        last_order: at.toISOString(),
      },
    },
    noActivity,
    noActivity,
  ]);
  expect((await owner.get(LIST_PATH)).body.data[0].engagement).toBeUndefined();
});

test('saved views keep filter, order and columns, and their titles are unique within the account', async () => {
  const VIEWS = '/client-api/api/subscriber_views';
  const owner = await server.owner();
  const viewSettings = {
    ...{ filter: 'email_status,is,active,1,and,and,', sort: 'title', direction: 'asc' },
    columns: ['status', 'last_open'],
  };
  const create = (title: string) => owner.post(VIEWS, { title, ...viewSettings });
  const { id } = (await create('Active')).body.data;
  expect((await create('Āda')).status).toBe(200);
  const response = await create('ACTIVE');
  expect([response.status, response.body.code]).toEqual([409, 'view_title_taken']);
  expect((await create(' ')).status).toBe(422);
  const titles = async () =>
    (await owner.get(VIEWS)).body.data.map(({ title }: { title: string }) => title);
  expect(await titles()).toEqual(['Active', 'Āda']);
  expect((await owner.get(VIEWS)).body.data[0]).toEqual({ id, title: 'Active', ...viewSettings });
  const renameResponse = { title: 'Open', ...viewSettings, columns: [] };
  expect((await owner.patch(`${VIEWS}/${id}`, { ...renameResponse, title: 'āda' })).status).toBe(
    409,
  );
  expect((await owner.patch(`${VIEWS}/${id}`, renameResponse)).body.data).toEqual({
    id,
    ...renameResponse,
  });
  const outsider = await server.owner();
  expect((await outsider.get(VIEWS)).body.data).toEqual([]);
  expect((await outsider.patch(`${VIEWS}/${id}`, renameResponse)).status).toBe(404);
  expect((await outsider.delete(`${VIEWS}/${id}`)).status).toBe(404);
  expect((await owner.delete(`${VIEWS}/${id}`)).status).toBe(200);
  expect(await titles()).toEqual(['Āda']);
});

test('only one of two concurrent renames to the same title succeeds', async () => {
  const VIEWS = '/client-api/api/subscriber_views';
  const owner = await server.owner();
  const viewSettings = { filter: '', sort: 'title', direction: 'asc', columns: [] };
  for (let round = 0; round < 5; round++) {
    const responses = await Promise.all(
      ['A', 'B'].map((title) => owner.post(VIEWS, { title: `${title}${round}`, ...viewSettings })),
    );
    const renameResponses = await Promise.all(
      responses.map(({ body }) =>
        owner.patch(`${VIEWS}/${body.data.id}`, { title: `One ${round}`, ...viewSettings }),
      ),
    );
    expect(renameResponses.map(({ status }) => status).sort()).toEqual([200, 409]);
  }
});

test('notes about a subscriber have an author and a time, are exported, and are deleted by an erasure', async () => {
  const { owner, ada } = await openShop(server);
  const notesUrl = `${LIST_PATH}/${ada}/notes`;
  const { data } = (await owner.post(notesUrl, { text: 'Called\nprefers <b>SMS</b>' })).body;
  clock.advance(1000);
  await owner.post(notesUrl, { text: 'Second' });
  const noteList = (await owner.get(notesUrl)).body.data;
  expect(noteList.map(({ text }: { text: string }) => text)).toEqual(['Second', data.text]);
  expect(noteList[1].author).not.toBe('');
  expect(Date.parse(noteList[0].at)).toBeGreaterThan(Date.parse(noteList[1].at));
  expect((await owner.post(notesUrl, { text: '' })).status).toBe(422);
  const exportedData = (await owner.get(`${LIST_PATH}/${ada}/export`)).body.data;
  expect(exportedData.notes).toEqual(noteList);
  const outsider = await server.owner();
  expect((await outsider.get(notesUrl)).status).toBe(404);
  expect((await outsider.post(notesUrl, { text: 'x' })).status).toBe(404);
  expect((await outsider.delete(`${notesUrl}/${data.id}`)).status).toBe(404);
  expect((await owner.delete(`${notesUrl}/${data.id}`)).status).toBe(200);
  expect((await owner.get(notesUrl)).body.data).toHaveLength(1);
  expect((await owner.post(`${LIST_PATH}/${ada}/erase`, {})).status).toBe(200);
  const { rows } = await sql`select 1 from subscriber_notes
    where account_id = ${owner.accountId}`.execute(server.db);
  expect(rows).toEqual([]);
});
