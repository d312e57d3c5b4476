// Every trigger starts the workflow of whom it is about and of nobody else, and the forecast knows it afterwards; every
// kind of condition lets through whom it is true of.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { customEventRecorded } from '#areas/events/server/index.ts';
import { formConfirmed } from '#areas/forms/server/index.ts';
import { removeFromGroups } from '#areas/groups/server/index.ts';
import {
  cartAbandoned,
  orderFulfilled,
  orderPlaced,
  orderRefunded,
  productViewed,
  refreshShoppers,
} from '#areas/stores/server/index.ts';
import { setFieldValue, unsubscribe } from '#areas/subscribers/server/index.ts';
import { type Engagement, engagementRecorded } from '#areas/tracking/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database.ts';
import { addPeople } from '#testing/mailing.ts';
import { type TestClient, testServer } from '#testing/server.ts';
import { EMAIL, workflowsOf } from '#testing/workflow-builder.ts';
import { TRIGGERS, type Trigger } from '../limits.ts';

const server = await testServer();
const API = '/client-api/api';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const SALE = 'https://tea.example/sale';
let owner: TestClient & { accountId: number; userId: number };
let kit: ReturnType<typeof workflowsOf>;
let ada: number;
let bo: number;

beforeEach(async () => {
  owner = await server.owner();
  kit = workflowsOf(server, owner);
  [ada, bo] = (await addPeople(server.db, owner.accountId, 2)) as [number, number];
  return () => clock.reset();
});

const act = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);

async function insert(table: string, row: Record<string, unknown>): Promise<number> {
  const whole = { account_id: owner.accountId, ...row };
  const names = Object.keys(whole).map((name) => sql.ref(name));
  const { rows } = await sql<{ id: number }>`
    insert into ${sql.table(table)} (${sql.join(names)})
    values (${sql.join(Object.values(whole))}) returning *`.execute(server.db);
  return (rows[0] as { id: number }).id;
}

const dated = () => ({ created_at: clock.now(), modified_at: clock.now() });

async function shop() {
  const store = await insert('stores', {
    ...{ type: 'custom', title: 'Tea', domain: 'tea.example', currency: 'EUR', ...dated() },
  });
  const [cup, pot] = [await product(store, 'Cup'), await product(store, 'Pot')];
  return { store, cup, pot, id: encodeId('store', store) };
}

const product = (store_id: number, title: string) =>
  insert('products', { store_id, remote_id: title, title, ...dated() });

async function order(store: number, person: number, productId: number, more: object = {}) {
  const at = clock.now();
  const id = await insert('orders', {
    ...{ store_id: store, subscriber_id: person, remote_id: `of ${person}`, total: 20 },
    ...{ currency: 'EUR', placed_at: at, ...dated(), ...more },
  });
  await insert('order_products', {
    ...{ order_id: id, position: 0, subscriber_id: person, product_id: productId, title: 'Cup' },
  });
  const fact = { orderId: id, subscriberId: person, productIds: [productId], at };
  return { ...fact, amount: 20, currency: 'EUR' };
}

const cart = (store_id: number, subscriber_id: number) =>
  insert('carts', {
    ...{ store_id, subscriber_id, remote_id: `of ${subscriber_id}`, product_count: 1 },
    ...{ state: 'abandoned', told_at: clock.now(), ...dated() },
  });

async function field(title: string, type: string) {
  const { id } = (await owner.post(`${API}/fields`, { title, type })).body.data;
  return { id: id as string, number: decodeId('field', id) as number };
}

const setField = (id: number, fieldId: number, value: string) =>
  act((tx) =>
    setFieldValue(tx, owner.accountId, [id], { fieldId, value }, { origin: 'form', depth: 0 }),
  );

const dayFromNow = (days: number) =>
  `${new Date(Date.now() + days * DAY).toISOString().slice(0, 10)} 00:00:00`;

const have = (group: string) => ({ type: 'tag', operator: 'have', operand: group });
const whole = (condition: object) => ({
  ...{ operand: '', group: 1, outside_concat: 'and', inside_concat: 'and', key: '', more: [] },
  ...condition,
});

async function segment(condition: object): Promise<string> {
  const conditions = [whole(condition)];
  const answer = await owner.post(`${API}/filters`, { title: 'Those', conditions });
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data.id;
}

type Case = {
  definition: object;
  /** It happens to them; something alike that is not meant may happen to Bo. */
  happens: (tree: Awaited<ReturnType<typeof kit.workflow>>) => Promise<unknown>;
  /** What nobody tells of: so much later it is looked at. */
  after?: number;
  /** So that it lies in the past, for the forecast. */
  before?: () => Promise<unknown>;
};

async function ofDates(triggerType: Trigger, year?: string): Promise<Case> {
  const day = await field('Day', 'datetime');
  const on = (days: number) => {
    const whole = dayFromNow(days);
    return year === undefined ? whole : year + whole.slice(4);
  };
  return {
    definition: { triggerType, field: day.id },
    happens: async () => {
      await setField(ada, day.number, on(1));
      await setField(bo, day.number, on(9));
    },
    after: 2 * DAY,
    before: () => setField(ada, day.number, on(-3)),
  };
}

async function ofOrders(
  triggerType: Trigger,
  event: typeof orderPlaced,
  more: object = {},
): Promise<Case> {
  const { store, cup, id } = await shop();
  return {
    definition: { triggerType, store: id },
    happens: async () => {
      const orders = [await order(store, ada, cup, more)];
      await act((tx) =>
        event.announce(tx, {
          ...{ accountId: owner.accountId, origin: 'store', storeId: store, orders },
        }),
      );
    },
  };
}

const CASES: Record<Trigger, () => Promise<Case>> = {
  LIST_ADD: async () => {
    const [group, other] = [await kit.group('Tea'), await kit.group('Books')];
    return {
      definition: { triggerType: 'LIST_ADD', listId: group.id },
      happens: async () => {
        await kit.join(group.number, [ada]);
        await kit.join(other.number, [bo]);
      },
    };
  },
  LIST_REMOVE: async () => {
    const group = await kit.group('Tea');
    await kit.join(group.number, [ada, bo]);
    const leave = (id: number, origin: 'form' | 'bulk') =>
      act((tx) =>
        removeFromGroups(tx, owner.accountId, {
          ...{ groupIds: [group.number], subscriberIds: [id], origin },
        }),
      );
    return {
      definition: { triggerType: 'LIST_REMOVE', listId: group.id },
      // By hand it starts nothing.
      happens: async () => {
        await leave(ada, 'form');
        await leave(bo, 'bulk');
      },
    };
  },
  FORM_SUBMIT: async () => {
    const form = await insert('forms', {
      ...{ type: 'embed', title: 'Tea', title_key: 'tea', document: '{}', settings: '{}' },
      ...dated(),
    });
    return {
      definition: { triggerType: 'FORM_SUBMIT', form: encodeId('form', form) },
      happens: async () => {
        for (const [key, subscriber_id, formId] of [
          ['one', ada, form],
          ['two', bo, undefined],
        ] as const) {
          const at = clock.now();
          if (formId)
            await insert('form_submissions', {
              ...{ form_id: formId, key, version: 1, answers: '{}', at, settled_at: at },
              ...{ subscriber_id, confirmed_at: at },
            });
          const told = { accountId: owner.accountId, subscriberIds: [subscriber_id], at };
          await act((tx) => formConfirmed.announce(tx, { ...told, formId: formId ?? form + 1000 }));
        }
      },
    };
  },
  SEGMENT_ENTER: async () => {
    const group = await kit.group('Tea');
    const id = await segment(have(group.id));
    return {
      definition: { triggerType: 'SEGMENT_ENTER', segment: id },
      happens: () => kit.join(group.number, [ada]),
    };
  },
  DATE: () => ofDates('DATE'),
  ANNIVERSARY: () => ofDates('ANNIVERSARY', '1990'),
  LINK_CLICK: async () => {
    const message = await insert('messages', {
      ...{ kind: 'campaign', state: 'finished', frozen: '{}', ...dated() },
    });
    await insert('links', { message_id: message, position: 1, url: SALE });
    await insert('links', { message_id: message, position: 2, url: `${SALE}/other` });
    const click = async (subscriberId: number, position: number): Promise<Engagement> => {
      const at = clock.now();
      await insert('events', {
        ...{ at, message_id: message, subscriber_id: subscriberId, kind: 'click' },
        ...{ sequence: position, link_position: position },
      });
      const hit = { messageId: message, subscriberId, at, position };
      return { ...hit, verdict: 'human', kind: 'click' } as Engagement;
    };
    return {
      definition: { triggerType: 'LINK_CLICK', url: SALE },
      happens: async () => {
        const engagement = [await click(ada, 1), await click(bo, 2)];
        await act((tx) =>
          engagementRecorded.announce(tx, { accountId: owner.accountId, engagement }),
        );
      },
    };
  },
  EVENT: async () => {
    const [seen, other] = [
      await insert('custom_events', { name: 'tea_seen', created_at: clock.now() }),
      await insert('custom_events', { name: 'book_seen', created_at: clock.now() }),
    ];
    return {
      definition: { triggerType: 'EVENT', event: encodeId('custom_event', seen) },
      happens: async () => {
        for (const [eventId, subscriber_id] of [
          [seen, ada],
          [other, bo],
        ] as const) {
          await insert('occurrences', { event_id: eventId, subscriber_id, at: clock.now() });
          const told = { accountId: owner.accountId, origin: 'api', eventId } as const;
          await act((tx) =>
            customEventRecorded.announce(tx, { ...told, subscriberIds: [subscriber_id] }),
          );
        }
      },
    };
  },
  CART_ABANDONED: async () => {
    const { store, cup, id } = await shop();
    return {
      definition: { triggerType: 'CART_ABANDONED', store: id },
      happens: async () => {
        const one = { subscriberId: ada, productIds: [cup], at: clock.now() };
        const carts = [{ ...one, cartId: await cart(store, ada) }];
        const told = { accountId: owner.accountId, storeId: store, origin: 'store' } as const;
        await act((tx) => cartAbandoned.announce(tx, { ...told, carts }));
      },
    };
  },
  ORDER_PLACED: () => ofOrders('ORDER_PLACED', orderPlaced),
  PRODUCT_PURCHASED: async () => {
    const { store, cup, pot } = await shop();
    return {
      definition: { triggerType: 'PRODUCT_PURCHASED', product: encodeId('product', cup) },
      happens: async () => {
        const orders = [await order(store, ada, cup), await order(store, bo, pot)];
        const told = { accountId: owner.accountId, storeId: store, origin: 'store' } as const;
        await act((tx) => orderPlaced.announce(tx, { ...told, orders }));
      },
    };
  },
  ORDER_FULFILLED: () => ofOrders('ORDER_FULFILLED', orderFulfilled, { fulfilled_at: clock.now() }),
  ORDER_REFUNDED: () => ofOrders('ORDER_REFUNDED', orderRefunded, { refunded_at: clock.now() }),
  PRODUCT_VIEWED: async () => {
    const { store, cup, pot } = await shop();
    return {
      definition: { triggerType: 'PRODUCT_VIEWED', product: encodeId('product', cup) },
      happens: async () => {
        const at = clock.now();
        const views = [
          { subscriberId: ada, productId: cup, at },
          { subscriberId: bo, productId: pot, at },
        ];
        for (const { subscriberId: subscriber_id, productId: product_id } of views)
          await insert('product_views', { subscriber_id, product_id, at });
        const told = { accountId: owner.accountId, storeId: store, origin: 'person' } as const;
        await act((tx) => productViewed.announce(tx, { ...told, views }));
      },
    };
  },
  FIELD_UPDATE: async () => {
    const [tea, book] = [await field('Tea', 'text'), await field('Book', 'text')];
    return {
      definition: { triggerType: 'FIELD_UPDATE', fields: [tea.id] },
      happens: async () => {
        await setField(ada, tea.number, 'green');
        await setField(bo, book.number, 'green');
      },
    };
  },
  UNSUBSCRIBE: async () => ({
    definition: { triggerType: 'UNSUBSCRIBE' },
    happens: async () => {
      for (const [id, channel] of [
        [ada, 'email'],
        [bo, 'sms'],
      ] as const)
        await act((tx) =>
          unsubscribe(tx, owner.accountId, { subscriberIds: [id] }, {
            channel,
            reason: 'link',
            origin: 'person',
          } as never),
        );
    },
  }),
  API: async () => ({
    definition: { triggerType: 'API' },
    happens: async (tree) => {
      const email = 'person1@gmail.com';
      const answer = await owner.post(`${tree.at}/start`, { email });
      expect(answer.status, answer.text).toBe(200);
    },
  }),
};

test.each(TRIGGERS)('%s starts a workflow, and the forecast knows who it was', async (trigger) => {
  const { definition, happens, after, before } = await CASES[trigger]();
  const tree = await kit.workflow(definition);
  await tree.add(tree.trigger, 'ACTION', { action: 'END' });
  await tree.activate();
  await kit.turns();
  await happens(tree);
  if (after) clock.advance(after);
  await kit.turns();
  clock.reset();
  const people = (await tree.people()).map((one) => [one.subscriber_id, one.outcome]);
  expect(people).toEqual([[encodeId('subscriber', ada), 'action_end']]);
  await before?.();
  const forecast = (await owner.get(`${tree.at}/forecast`)).body.data;
  expect(forecast).toMatchObject({
    ...{ is_known: true, entered: 1, followed: 1, here: [] },
    ended: [{ outcome: 'action_end', people: 1 }],
  });
});

test('a forecast follows a cart until it was bought, and does not guess what nothing tells', async () => {
  const { store, id } = await shop();
  const tree = await kit.workflow({ triggerType: 'CART_ABANDONED', store: id });
  const wait = await tree.add(tree.trigger, 'delay', { delay_type: 'DAYS', amount: 2 });
  const mail = await tree.add(wait, 'EMAIL', EMAIL);
  await kit.write(mail);
  const long = await tree.add(mail, 'delay', { delay_type: 'DAYS', amount: 60 });
  const ago = (days: number) => new Date(clock.now().getTime() - days * DAY);
  const [, late] = [await cart(store, ada), await cart(store, bo)];
  await sql`update carts set told_at = ${ago(9)}, closed_at = case when id = ${late} then ${ago(8)}::timestamptz end,
      state = case when id = ${late} then 'ordered' else state end
    where account_id = ${owner.accountId}`.execute(server.db);
  const { data } = (await owner.get(`${tree.at}/forecast`)).body;
  expect(data).toMatchObject({
    ...{ is_known: true, is_least: false, entered: 2, here: [{ step_id: long, people: 1 }] },
    ...{ ended: [{ outcome: 'cart_closed', people: 1 }], messages: [{ step_id: mail, people: 1 }] },
  });
  const unknown = await kit.workflow({ triggerType: 'FIELD_UPDATE' });
  await unknown.add(unknown.trigger, 'ACTION', { action: 'END' });
  expect((await owner.get(`${unknown.at}/forecast`)).body.data).toMatchObject({
    ...{ is_known: false, entered: 0 },
  });
});

type Asked = () => Promise<object>;
const person = (change: string) => async () => {
  await sql`update subscribers set ${sql.raw(change)}
    where account_id = ${owner.accountId} and id = ${ada}`.execute(server.db);
};
const own =
  (change: string, condition: object): Asked =>
  async () => {
    await person(change)();
    return { kind: 'segment', conditions: [whole(condition)] };
  };
const status = (to: string): Asked =>
  own(`email_status = '${to}'`, { type: 'email_status', operator: 'is', operand: to });

/** What somebody did with a campaign. */
const campaign =
  (column: string, type: string): Asked =>
  async () => {
    const at = clock.now();
    const message = await insert('messages', {
      ...{ kind: 'campaign', state: 'finished', frozen: '{}', ...dated() },
    });
    const id = await insert('campaigns', { title: 'Spring', message_id: message, ...dated() });
    await insert('outcomes', { subscriber_id: ada, message_id: message, [column]: at });
    const condition = { type, operator: 'specific', operand: encodeId('campaign', id) };
    return { kind: 'segment', conditions: [whole(condition)] };
  };

const CONDITIONS: Record<string, Asked> = {
  email: own(`firstname = 'Ada'`, { type: 'email', operator: 'ends', operand: '@gmail.com' }),
  phone: own(`phone = '+4790000001', phone_key = '+4790000001'`, {
    ...{ type: 'phone', operator: 'begins', operand: '+47' },
  }),
  'first name': own(`firstname = 'Adah'`, {
    ...{ type: 'firstname', operator: 'equals', operand: 'Adah' },
  }),
  'last name': own(`lastname = 'Byron'`, {
    ...{ type: 'lastname', operator: 'equals', operand: 'Byron' },
  }),
  birthday: async () => {
    const born = await field('Birthday', 'datetime');
    await setField(ada, born.number, '1990-05-05 00:00:00');
    const condition = { type: 'datetime', operator: 'before', operand: '2000-01-01', key: born.id };
    return { kind: 'segment', conditions: [whole(condition)] };
  },
  'custom field': async () => {
    const size = await field('Size', 'text');
    await setField(ada, size.number, 'large');
    const condition = { type: 'text', operator: 'equals', operand: 'large', key: size.id };
    return { kind: 'segment', conditions: [whole(condition)] };
  },
  active: async () => {
    await sql`update subscribers set email_status = 'bounced'
      where account_id = ${owner.accountId} and id = ${bo}`.execute(server.db);
    return status('active')();
  },
  bounced: status('bounced'),
  unsubscribed: status('unsubscribed'),
  'spam report': status('reported'),
  'campaign opened': campaign('first_human_open_at', 'open'),
  'campaign clicked': campaign('first_human_click_at', 'click'),
  group: async () => {
    const group = await kit.group('Tea lovers');
    await kit.join(group.number, [ada]);
    return { kind: 'segment', conditions: [whole(have(group.id))] };
  },
  segment: async () => {
    const group = await kit.group('Tea lovers');
    await kit.join(group.number, [ada]);
    return { kind: 'saved', segment: await segment(have(group.id)) };
  },
  'abandoned cart': async () => {
    const { store } = await shop();
    await cart(store, ada);
    await act((tx) => refreshShoppers(tx, owner.accountId, [ada]));
    const condition = { type: 'cart_product_count', operator: 'more-than', operand: '0' };
    return { kind: 'segment', conditions: [whole(condition)] };
  },
  'purchased product': async () => {
    const { store, cup } = await shop();
    await order(store, ada, cup);
    const id = encodeId('product', cup);
    const condition = { type: 'specific_product', operator: 'have', operand: id };
    return { kind: 'segment', conditions: [whole(condition)] };
  },
};

test.each(Object.keys(CONDITIONS))(
  'a condition over %s lets through whom it is true of',
  async (name) => {
    const [start, yes] = [await kit.group('Start'), await kit.group('Yes')];
    const data = await (CONDITIONS[name] as Asked)();
    const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
    const asked = await tree.add(tree.trigger, 'CONDITION', data);
    await tree.add(asked, 'ACTION', { action: 'COPY', group: yes.id });
    await tree.activate();
    await kit.join(start.number, [ada, bo]);
    await kit.turns();
    expect(await kit.members(yes.number)).toEqual([ada]);
    expect((await tree.people()).map((one) => one.outcome)).toEqual(['completed', 'completed']);
  },
);

const ACTIVITIES = [
  ['an email that was opened', 'EMAIL', { activity: 'opened' }],
  ['an email with a click', 'EMAIL', { activity: 'clicked' }],
  ['an email with a click on one link', 'EMAIL', { activity: 'clicked', url: SALE }],
  ['an email, measured, with a click on one link', 'EMAIL', { activity: 'clicked', url: SALE }],
  ['an email within a window', 'EMAIL', { activity: 'opened', amount: 1, unit: 'HOURS' }],
  ['a text with a click', 'SMS', { activity: 'clicked' }],
] as const;

test.each(ACTIVITIES)('a condition over %s of this workflow', async (name, type, asked) => {
  const [start, yes] = [await kit.group('Start'), await kit.group('Yes')];
  const { accountId } = owner;
  const tree = await kit.workflow({ triggerType: 'LIST_ADD', listId: start.id });
  const phone = await insert('phones', {
    ...{ kind: 'alphanumeric', value: 'Tea', value_key: 'tea', use_case: 'news' },
    ...{ status: 'active', ...dated() },
  });
  await sql`update subscribers set phone = '+479000000' || id, phone_key = '+479000000' || id,
    sms_status = 'active' where account_id = ${accountId}`.execute(server.db);
  const text = { phone: encodeId('phone', phone), text: `Look: ${SALE}` };
  const email = { ...EMAIL, ...(name.includes('measured') && { utm_campaign: 'tea' }) };
  const sent = await tree.add(tree.trigger, type, type === 'SMS' ? text : email);
  if (type === 'EMAIL') await kit.write(sent);
  const wait = await tree.add(sent, 'delay', { delay_type: 'HOURS', amount: 3 });
  const data = { kind: 'activity', step_id: sent, ...asked };
  const condition = await tree.add(wait, 'CONDITION', data);
  await tree.add(condition, 'ACTION', { action: 'COPY', group: yes.id });
  await tree.activate();
  await kit.join(start.number, [ada, bo]);
  await kit.turns();
  const kind = type === 'SMS' ? 'sms_workflow' : 'workflow';
  const { rows } = await sql<{ id: number }>`update messages set state = 'finished'
    where account_id = ${accountId} and kind = ${kind} returning id`.execute(server.db);
  const message = rows[0]?.id as number;
  const done = async (id: number, after: number, url: string) => {
    const at = new Date(clock.now().getTime() + after);
    const column = asked.activity === 'opened' ? 'first_human_open_at' : 'first_human_click_at';
    await insert('outcomes', { subscriber_id: id, message_id: message, [column]: at });
    const links = await sql<{ position: number }>`select position from links
      where account_id = ${accountId} and message_id = ${message} and starts_with(url, ${url})`.execute(
      server.db,
    );
    if (asked.activity === 'clicked' && links.rows[0])
      await insert('events', {
        ...{ at, message_id: message, subscriber_id: id, kind: 'click', sequence: id },
        link_position: links.rows[0].position,
      });
  };
  await done(ada, 1000, SALE);
  // Bo did something else, or too late.
  if (name.endsWith('one link')) await done(bo, 1000, 'https://tea.example/other');
  if (name.endsWith('window')) await done(bo, 2 * HOUR, SALE);
  clock.advance(3 * HOUR + 1000);
  await kit.turns();
  clock.reset();
  expect(await kit.members(yes.number)).toEqual([ada]);
});
