// The people over HTTP: list, filter, bulk acts, one subscriber.
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { joinedGroup } from '#areas/groups/server/index.ts';
import { CONDITION_TYPES, OPERATORS } from '#areas/segments/limits.ts';
import { bounce, complain, unsubscribe } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database.ts';
import { type TestServer, testServer } from '#testing/server.ts';

const API = '/client-api/api';
const LIST = `${API}/subscribers`;
type Owner = Awaited<ReturnType<TestServer['owner']>>;
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
const number = (id: string) => decodeId('subscriber', id) as number;

async function add(owner: Owner, body: object): Promise<string> {
  const answer = await owner.post(LIST, body);
  expect(answer.status).toBe(200);
  clock.advance(1000);
  return answer.body.data.id;
}

const emails = async (owner: Owner, query: string) =>
  (await owner.get(`${LIST}?${query}`)).body.data.map(
    (one: { email: string | null; phone: string }) => one.email ?? one.phone,
  );

const filter = (text: string) => `order=title&direction=asc&filter=${encodeURIComponent(text)}`;

async function shop() {
  const owner = await server.owner();
  const group = (await owner.post(`${API}/tags`, { title: 'VIP' })).body.data.id;
  const city = (await owner.post(`${API}/fields`, { title: 'City', type: 'text' })).body.data.id;
  const visits = (await owner.post(`${API}/fields`, { title: 'Visits', type: 'number' })).body.data
    .id;
  const since = (await owner.post(`${API}/fields`, { title: 'Since', type: 'datetime' })).body.data
    .id;
  const ada = await add(owner, {
    email: 'ada@x.example',
    firstname: 'Ada',
    lastname: 'Lovelace',
    groups: [group],
    fields: { [city]: 'Oslo', [visits]: 3, [since]: '2026-01-31' },
  });
  const bob = await add(owner, {
    email: 'bob@x.example',
    firstname: 'Bob',
    fields: { [city]: 'Rīga' },
  });
  const phone = await add(owner, { phone: '+370 612 34567', lastname: 'Phone' });
  return { owner, group, city, visits, since, ada, bob, phone };
}

describe('the list', () => {
  test('is paged and sorted both ways, people with a number only last by title', async () => {
    const { owner } = await shop();
    expect(await emails(owner, 'order=created&direction=desc')).toEqual([
      '+37061234567',
      'bob@x.example',
      'ada@x.example',
    ]);
    expect(await emails(owner, 'order=title ASC')).toEqual([
      'ada@x.example',
      'bob@x.example',
      '+37061234567',
    ]);
    expect(await emails(owner, 'order=title&direction=DESC&limit=2&page=1')).toEqual([
      '+37061234567',
      'bob@x.example',
    ]);
    const last = await owner.get(`${LIST}?order=title&direction=asc&limit=2&page=2`);
    expect(last.body.data).toHaveLength(1);
    expect(last.body.meta).toEqual({ from: 3, to: 3, page: 2, pageCount: 2, total: 3, perPage: 2 });
    const beyond = await owner.get(`${LIST}?page=90000`);
    expect(beyond.body).toMatchObject({ data: [], meta: { from: null, to: null, total: 3 } });
    expect((await owner.get(`${LIST}?no_paginate=true`)).body.meta).toBeUndefined();
  });

  test('every page of every sort is a piece of one order', async () => {
    const owner = await server.owner();
    for (let i = 0; i < 23; i++) {
      await add(
        owner,
        i % 5 === 0 ? { phone: `+370612345${10 + i}` } : { email: `p${(i * 7) % 23}@x.example` },
      );
    }
    for (const order of ['title', 'created', 'modified']) {
      for (const direction of ['asc', 'desc']) {
        const whole = await emails(owner, `order=${order}&direction=${direction}&limit=100`);
        expect(whole).toHaveLength(23);
        const pieces: string[] = [];
        for (let page = 1; page <= 5; page++) {
          pieces.push(
            ...(await emails(owner, `order=${order}&direction=${direction}&limit=5&page=${page}`)),
          );
        }
        expect(pieces).toEqual(whole);
        const back = await emails(
          owner,
          `order=${order}&direction=${direction === 'asc' ? 'desc' : 'asc'}&limit=100`,
        );
        expect(back.reverse()).toEqual(whole);
        // A filter that everybody meets gives the same order.
        const all = `email_status,in,active,1,and,and,,non-subscribed`;
        expect(
          await emails(owner, `order=${order}&direction=${direction}&limit=100&filter=${all}`),
        ).toEqual(whole);
      }
    }
  });

  test('a row holds statuses, groups and the fields that have a value', async () => {
    const { owner, group, city, visits, since } = await shop();
    const { data } = (await owner.get(`${LIST}?search=lovelace`)).body;
    expect(data).toHaveLength(1);
    expect(data[0]).toMatchObject({
      email: 'ada@x.example',
      status: { email: 'active', temail: 'active', sms: 'non-subscribed', tsms: 'non-subscribed' },
      subscriber_tags: [{ id: group, title: 'VIP' }],
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
    ['%', []],
    ['_', []],
    ['ada bob', []],
  ])('searches %s in emails, names and numbers', async (words, expected) => {
    const { owner } = await shop();
    expect(
      await emails(owner, `order=title&direction=asc&search=${encodeURIComponent(words)}`),
    ).toEqual(expected);
  });
});

describe('the filter', () => {
  let at: Awaited<ReturnType<typeof shop>>;
  const ADA = 'ada@x.example';
  const BOB = 'bob@x.example';
  const PHONE = '+37061234567';

  beforeAll(async () => {
    at = await shop();
    const people = { subscriberIds: [number(at.bob)] };
    await inTx((tx) =>
      unsubscribe(tx, at.owner.accountId, people, { channel: 'email', reason: 'link' }),
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
    // Malformed conditions, and those that name what is not there, are ignored.
    ['firstname,equals,ada,1,and,and,__next__nonsense', [ADA]],
    ['firstname,equals,ada,1,and,and,__next__tag,have,aaaaaaaa,1,and,and,', [ADA]],
    ['order_count,equals,0,1,and,and,', [ADA, BOB, PHONE]],
    ['placed_order,all,,1,and,and,', []],
    ['nonsense', [ADA, BOB, PHONE]],
  ];

  test.each(cases)('%s', async (text, expected) => {
    const { group, city, visits, since } = at;
    const ids: Record<string, string> = { group, city, visits, since };
    const filled = text.replace(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? '');
    expect(await emails(at.owner, filter(filled))).toEqual(expected);
  });

  test("another account's group or field chooses nobody and is ignored", async () => {
    const theirs = await shop();
    expect(await emails(at.owner, filter(`tag,have,${theirs.group},1,and,and,`))).toHaveLength(3);
    expect(
      await emails(at.owner, filter(`text,equals,Oslo,1,and,and,${theirs.city}`)),
    ).toHaveLength(3);
  });
});

describe('whatever is asked', () => {
  const words = fc.array(
    fc.oneof(
      fc.string({ unit: 'binary', maxLength: 12 }),
      fc.constantFrom('%', '_', '\\', "'", '\0', '%00', ',', '__next__', 'and', 'or', '1', ''),
      fc.constantFrom(...CONDITION_TYPES, ...OPERATORS),
    ),
    { maxLength: 12 },
  );

  test('the list answers', async () => {
    const { owner, city, visits, since } = await shop();
    const conditions = fc.oneof(
      words.map((parts) => parts.join(',')),
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
      fc.asyncProperty(conditions, words, async (text, parts) => {
        const query = new URLSearchParams({
          filter: text.toWellFormed(),
          search: parts.join(' ').toWellFormed().slice(0, 200),
        });
        const answer = await owner.get(`${LIST}?${query}`);
        expect(answer.status).toBe(200);
        expect(answer.body.meta.total).toBeLessThanOrEqual(3);
      }),
      { numRuns: 150 },
    );
  });
});

describe('one subscriber', () => {
  test('is shown in full', async () => {
    const { owner, ada } = await shop();
    const { data } = (await owner.get(`${LIST}/${ada}`)).body;
    expect(data).toMatchObject({
      id: ada,
      firstname: 'Ada',
      consents: [{ kind: 'attested', channel: 'email', source: 'owner' }],
      status_changes: [],
      comeback: { email: 'open', temail: 'open', sms: 'never', tsms: 'never' },
    });
  });

  test('fields are set by id or by name, typed, and emptied', async () => {
    const { owner, ada, bob, city, visits } = await shop();
    const field = (id: string) => `${LIST}/${ada}/fields/${id}`;
    const set = await owner.patch(field(visits), { value: '4.5' });
    expect(set.body.data.columns[1]).toMatchObject({ id: visits, value: 4.5 });
    expect((await owner.patch(field('city'), { value: 'Bergen' })).body.data.columns[0].value).toBe(
      'Bergen',
    );
    expect((await owner.delete(field(city))).body.data.columns).toHaveLength(2);
    expect((await owner.patch(field('firstname'), { value: 'Augusta' })).body.data.firstname).toBe(
      'Augusta',
    );
    expect((await owner.delete(field('firstname'))).body.data.firstname).toBeNull();
    expect((await owner.patch(field('phone'), { value: '+37061234568' })).body.data.phone).toBe(
      '+37061234568',
    );
    expect(await owner.patch(field(visits), { value: 'many' })).toMatchObject({
      status: 422,
      body: { errors: { value: ['Please enter a number'] } },
    });
    expect(await owner.patch(field('email'), { value: 'nonsense' })).toMatchObject({ status: 422 });
    expect(await owner.patch(field('email'), { value: 'BOB@x.example' })).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    });
    expect((await owner.patch(field('nonsense'), { value: 1 })).status).toBe(404);
    const alone = await owner.delete(`${LIST}/${bob}/fields/email`);
    expect(alone.status).toBe(422);
  });

  test.each([
    [{}],
    [{ email: 'nonsense' }],
    [{ email: 'a@b.example', phone: 'call me' }],
    [{ email: 'a@b.example', fields: { nonsense: 1 } }],
    [{ email: 'a@b.example', email_status: 'active' }],
    [{ email: 'a@b.example', groups: ['nonsense'] }],
    [{ email: 'a@b.example', firstname: 'x'.repeat(256) }],
  ])('%j cannot be added', async (body) => {
    const { owner } = await shop();
    expect((await owner.post(LIST, body)).status).toBe(422);
  });

  test('one address is added once, also by five calls at once', async () => {
    const owner = await server.owner();
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => owner.post(LIST, { email: 'once@x.example' })),
    );
    expect(answers.map((one) => one.status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect((await owner.get(LIST)).body.meta.total).toBe(1);
  });

  test("another account's subscriber, another kind's id and nonsense are not found", async () => {
    const { owner, city } = await shop();
    const theirs = await shop();
    for (const id of [theirs.ada, encodeId('group', 1), 'nonsense']) {
      expect((await owner.get(`${LIST}/${id}`)).status).toBe(404);
      expect((await owner.get(`${LIST}/${id}/events`)).status).toBe(404);
      expect((await owner.get(`${LIST}/${id}/export`)).status).toBe(404);
      expect((await owner.patch(`${LIST}/${id}/fields/${city}`, { value: 'x' })).status).toBe(404);
      expect((await owner.delete(`${LIST}/${id}/fields/firstname`)).status).toBe(404);
      expect((await owner.post(`${LIST}/${id}/erase`)).status).toBe(404);
    }
    expect((await theirs.owner.get(`${LIST}/${theirs.ada}`)).body.data.firstname).toBe('Ada');
  });

  test('erasing leaves nobody to find', async () => {
    const { owner, ada } = await shop();
    expect((await owner.post(`${LIST}/${ada}/erase`)).body).toEqual({ success: true });
    expect((await owner.get(`${LIST}/${ada}`)).status).toBe(404);
    expect((await owner.post(`${LIST}/${ada}/erase`)).status).toBe(404);
    const again = await owner.post(LIST, { email: 'ada@x.example' });
    expect(again.body.data.status.email).toBe('unsubscribed');
  });

  test('the history goes on page by page, filtered by action', async () => {
    const { owner, ada } = await shop();
    const subscriberId = number(ada);
    const { accountId } = owner;
    await server.db
      .insertInto('messages')
      .values({
        account_id: accountId,
        id: 77,
        kind: 'campaign',
        source_id: 5,
        frozen: JSON.stringify({ source: { subject: 'Hello' } }),
        created_at: clock.now(),
        modified_at: clock.now(),
      })
      .execute();
    await server.db
      .insertInto('recipients')
      .values({
        account_id: accountId,
        message_id: 77,
        lane: 0,
        ordinal: 1,
        subscriber_id: subscriberId,
      })
      .execute();
    const at = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
    await server.db
      .insertInto('results')
      .values({
        account_id: accountId,
        message_id: 77,
        lane: 0,
        ordinal: 1,
        state: 'accepted',
        at: at(0),
      })
      .execute();
    const events = Array.from({ length: 7 }, (_, i) => ({
      account_id: accountId,
      at: at(i < 5 ? 10 : 20),
      message_id: 77,
      subscriber_id: subscriberId,
      kind: i % 2 === 0 ? ('open' as const) : ('click' as const),
      sequence: i,
    }));
    await server.db.insertInto('events').values(events).execute();
    const seen: string[] = [];
    let after = '';
    do {
      const { body } = await owner.get(
        `${LIST}/${ada}/events?limit=2${after && `&after=${after}`}`,
      );
      seen.push(...body.data.map((one: { action: string }) => one.action));
      after = body.meta.next ?? '';
    } while (after);
    expect(seen).toEqual([
      'clicked',
      'opened',
      'clicked',
      'clicked',
      'opened',
      'opened',
      'opened',
      'got',
    ]);
    const sent = await owner.get(`${LIST}/${ada}/events?actions=sent`);
    expect(sent.body).toMatchObject({
      data: [
        {
          action: 'sent',
          message: { kind: 'campaign', subject: 'Hello', campaign: encodeId('campaign', 5) },
        },
      ],
      meta: { next: null },
    });
    for (const actions of [
      'actions=opened,sent',
      'actions=["opened","sent"]',
      'actions=opened&actions=sent',
    ]) {
      expect((await owner.get(`${LIST}/${ada}/events?${actions}`)).body.data).toHaveLength(5);
    }
    const got = async () => (await owner.get(`${LIST}/${ada}/events?actions=got`)).body.data.length;
    expect(await got()).toBe(1);
    const outcome = { account_id: accountId, message_id: 77, subscriber_id: subscriberId };
    await server.db
      .insertInto('outcomes')
      .values({ ...outcome, soft_bounced_at: at(30) })
      .execute();
    expect(await got()).toBe(0);
    const whole = (await owner.get(`${LIST}/${ada}/export`)).body.data;
    expect(whole.subscriber).toMatchObject({ email: 'ada@x.example', firstname: 'Ada' });
    expect(whole.history).toHaveLength(8);
    const people = { subscriberIds: [subscriberId] };
    await inTx((tx) => complain(tx, accountId, people, { channel: 'email' }));
    expect((await owner.get(`${LIST}/${ada}/events?actions=spam`)).body.data).toMatchObject([
      { action: 'spam', detail: 'complaint', message: null },
    ]);
  });
});

describe('bulk acts', () => {
  test('unsubscribe by conditions, by id, and again without effect', async () => {
    const { owner, ada } = await shop();
    const acted = await owner.post(`${API}/unsubscribes`, {
      conditions: 'firstname,equals,Bob,1,or,and,',
    });
    expect(acted.body).toEqual({ success: true, count: 1, skipped: {}, queued: false });
    expect((await owner.post(`${API}/unsubscribes`, { subscribers: [ada] })).body.count).toBe(1);
    expect((await owner.post(`${API}/unsubscribes`, { subscribers: [ada] })).body.count).toBe(0);
    expect(await emails(owner, filter('email_status,is,unsubscribed,1,and,and,'))).toEqual([
      'ada@x.example',
      'bob@x.example',
    ]);
    const temail = await owner.post(`${API}/unsubscribes`, {
      subscribers: [ada],
      channel_status: 'TEMAIL',
    });
    expect(temail.body.count).toBe(1);
    expect((await owner.get(`${LIST}/${ada}`)).body.data.comeback).toMatchObject({
      email: 'free',
      temail: 'free',
    });
  });

  test('reactivate skips those who may not return and says why', async () => {
    const { owner, ada, bob } = await shop();
    const gone = await add(owner, { email: 'gone@x.example' });
    const { accountId } = owner;
    await owner.post(`${API}/unsubscribes`, { subscribers: [ada] });
    await inTx((tx) =>
      unsubscribe(
        tx,
        accountId,
        { subscriberIds: [number(bob)] },
        {
          channel: 'email',
          reason: 'one_click',
        },
      ),
    );
    await inTx((tx) =>
      complain(tx, accountId, { subscriberIds: [number(gone)] }, { channel: 'email' }),
    );
    const all = await owner.post(`${API}/subscribers/reactivate`, { all: true });
    expect(all.body).toEqual({
      success: true,
      count: 1,
      skipped: { own_wish: 1, reported: 1, no_address: 1 },
      queued: false,
    });
    const bobs = { subscribers: [bob], consent: 'Asked to come back by mail, 3 May' };
    expect(
      (await owner.post(`${API}/subscribers/reactivate`, { ...bobs, subscribers: [bob, ada] })).body
        .code,
    ).toBe('consent_per_person');
    expect((await owner.post(`${API}/subscribers/reactivate`, bobs)).body.count).toBe(1);
    const { data } = (await owner.get(`${LIST}/${bob}`)).body;
    expect(data.status.email).toBe('active');
    expect(data.consents[0]).toMatchObject({ kind: 'given', wording: bobs.consent });
  });

  test('who never subscribed to a channel is not brought into it in sets', async () => {
    const { owner, ada } = await shop();
    const both = await add(owner, { email: 'both@x.example', phone: '+37061234599' });
    const texts = { channel: 'sms', conditions: 'email,equals,both%40x.example,1,or,and,' };
    const all = await owner.post(`${LIST}/reactivate`, texts);
    expect([all.body.count, all.body.skipped]).toEqual([0, { no_consent: 1 }]);
    expect((await owner.get(`${LIST}/${both}`)).body.data.comeback.sms).toBe('consent');
    const consent = 'Ticked the box for texts at the fair';
    const one = { subscribers: [both], channel: 'sms', consent };
    expect((await owner.post(`${LIST}/reactivate`, one)).body.count).toBe(1);
    const { data } = (await owner.get(`${LIST}/${both}`)).body;
    expect([data.status.sms, data.consents[0].wording]).toEqual(['active', consent]);
    expect((await owner.get(`${LIST}/${ada}`)).body.data.status.sms).toBe('non-subscribed');
  });

  test.each([
    ['nobody', {}],
    ['an empty filter', { conditions: '' }],
    ['no conditions', { conditions: [] }],
    ['only malformed conditions', { conditions: 'nonsense__next__more' }],
    ['one malformed condition', { conditions: 'email,ends,x.example,1,and,and,__next__nonsense' }],
    ['a campaign that is not there', { conditions: 'open,specific,aaaaaaaa,1,and,and,' }],
    ['a group that is not there', { conditions: 'tag,not-have,aaaaaaaa,1,and,and,' }],
    ['a bad escape', { conditions: 'email,equals,%E0%A4%A,1,and,and,' }],
    [
      'a half between',
      { conditions: [{ type: 'created', operator: 'between', operand: '2020-01-01' }] },
    ],
    ['an unknown id', { subscribers: ['nonsense'] }],
    ['no ids', { subscribers: [] }],
    ['an unknown field', { conditions: 'email,ends,x,1,and,and,', force: true }],
    ['all that is not true', { all: false }],
  ])('%s is refused and touches nobody', async (_, body) => {
    const { owner, group } = await shop();
    expect((await owner.delete(LIST, body)).status).toBe(422);
    expect((await owner.post(`${API}/unsubscribes`, body)).status).toBe(422);
    expect((await owner.post(`${LIST}/reactivate`, body)).status).toBe(422);
    expect((await owner.post(`${LIST}/groups/${group}`, body)).status).toBe(422);
    expect((await owner.delete(`${LIST}/groups/${group}`, { data: body })).status).toBe(422);
    expect((await owner.get(LIST)).body.meta.total).toBe(3);
    expect((await owner.get(`${API}/tags/${group}`)).body.data.recipient_count).toBe(1);
    expect(await emails(owner, filter('email_status,is,active,1,and,and,'))).toHaveLength(2);
  });

  test('delete by conditions keeps the others and the counter true', async () => {
    const { owner, group, bob } = await shop();
    const answer = await owner.delete(LIST, {
      conditions: [
        {
          type: 'tag',
          operator: 'have',
          operand: group,
          group: 1,
          outside_concat: 'or',
          inside_concat: 'or',
        },
      ],
    });
    expect(answer.body).toEqual({ success: true, count: 1, skipped: {}, queued: false });
    expect(await emails(owner, 'order=title&direction=asc')).toEqual([
      'bob@x.example',
      '+37061234567',
    ]);
    const two = await Promise.all([1, 2].map(() => owner.delete(LIST, { subscribers: [bob] })));
    expect(two.map((one) => one.body.count).sort()).toEqual([0, 1]);
    expect((await owner.get(`${API}/users`)).body.data.account.subscriber_count).toBe(1);
    expect((await owner.get(`${API}/tags/${group}`)).body.data.recipient_count).toBe(0);
  });

  test('groups: flat or in data, quiet unless told, counted', async () => {
    const { owner, group, ada, bob } = await shop();
    const heard: boolean[] = [];
    const stop = joinedGroup.on(async (_, facts) => void heard.push(facts.triggerAutomation));
    const url = `${LIST}/groups/${group}`;
    expect(
      (
        await owner.post(url, {
          data: { conditions: 'email,ends,x.example,1,or,and,', trigger_automation: false },
        })
      ).body.count,
    ).toBe(1);
    expect((await owner.delete(url, { subscribers: [ada, bob] })).body.count).toBe(2);
    expect(
      (await owner.post(url, { subscribers: [bob], trigger_automation: true })).body.count,
    ).toBe(1);
    expect((await owner.post(url, { search: 'lovelace' })).body.count).toBe(1);
    stop();
    expect(heard).toEqual([false, true, false]);
    expect((await owner.get(`${API}/tags/${group}`)).body.data.recipient_count).toBe(2);
  });

  test("another account's people and groups stay untouched", async () => {
    const { owner, group, ada } = await shop();
    const theirs = await shop();
    expect(
      (await owner.post(`${LIST}/groups/${theirs.group}`, { subscribers: [ada] })).status,
    ).toBe(404);
    expect((await owner.delete(`${LIST}/groups/${theirs.group}`, { all: true })).status).toBe(404);
    for (const act of [
      owner.delete(LIST, { subscribers: [theirs.ada] }),
      owner.post(`${API}/unsubscribes`, { subscribers: [theirs.ada] }),
      owner.post(`${LIST}/groups/${group}`, { subscribers: [theirs.ada] }),
    ]) {
      expect((await act).body.count).toBe(0);
    }
    const { data } = (await theirs.owner.get(`${LIST}/${theirs.ada}`)).body;
    expect(data).toMatchObject({
      status: { email: 'active' },
      subscriber_tags: [{ title: 'VIP' }],
    });
  });

  test('a bounced person comes back when the owner says so', async () => {
    const { owner, ada } = await shop();
    await inTx((tx) =>
      bounce(tx, owner.accountId, { subscriberIds: [number(ada)] }, { channel: 'email' }),
    );
    const answer = await owner.post(`${LIST}/reactivate`, { subscribers: [ada], channel: 'email' });
    expect(answer.body.count).toBe(1);
    expect((await owner.get(`${LIST}/${ada}`)).body.data.status).toMatchObject({
      email: 'active',
      temail: 'bounced',
    });
  });
});
