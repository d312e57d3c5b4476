// Revenue of email and SMS, exact to the cent. Each expected value was calculated by hand.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import {
  revenueOfMessages,
  type OrderFact,
  orderCanceled,
  orderCorrected,
  orderPlaced,
  orderRefunded,
  readCustomerValue,
} from '#areas/stores/server/index.ts';
import {
  engagementRecorded,
  getInstallationTokens,
  settleTracking,
} from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { CHROME, insertCampaign } from '#testing/worlds/reported-campaign.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { attributeJob } from './attribution.ts';
import { readEarnings } from './index.ts';

const PATH = '/client-api/api/attribution';
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

async function openShop() {
  const owner = await server.owner();
  const { accountId } = owner;
  const subscriberIds = await addPeople(server.db, accountId, 12);
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, title, domain, created_at, modified_at)
    values (${accountId}, 'demo', 'Tea', 'tea.example', ${clock.now()}, ${clock.now()}) returning id`.execute(
    server.db,
  );
  return new Shop(owner, rows[0]?.id as number, subscriberIds);
}

class Shop {
  readonly owner: TestOwner;
  readonly accountId: number;
  readonly storeId: number;
  readonly subscriberIds: number[];
  private number = 0;

  constructor(owner: Shop['owner'], storeId: number, subscriberIds: number[]) {
    this.owner = owner;
    this.accountId = owner.accountId;
    this.storeId = storeId;
    this.subscriberIds = subscriberIds;
  }

  subscriberAt = (index: number) => this.subscriberIds[index] as number;

  async message(kind: string): Promise<number> {
    const channel = kind.startsWith('sms') ? 'sms' : 'email';
    const { rows } = await sql<{ id: number }>`
      insert into messages (account_id, channel, kind, frozen, state, created_at, modified_at)
      values (${this.accountId}, ${channel}, ${kind}, '{}', 'finished', ${clock.now()}, ${clock.now()})
      returning id`.execute(server.db);
    return rows[0]?.id as number;
  }

  async insertTouch(
    message: number,
    subscriber: number,
    at: Date,
    kind: 'open' | 'click',
    flags: { isMachine?: boolean; isSms?: boolean } = {},
  ): Promise<void> {
    await sql`insert into events (account_id, at, message_id, subscriber_id, kind, sequence, verdict, is_sms)
      values (${this.accountId}, ${at}, ${message}, ${this.subscriberAt(subscriber)}, ${kind}::event_kind, 0,
        ${flags.isMachine ? 'machine' : 'human'}::event_verdict, ${flags.isSms ?? false})`.execute(
      server.db,
    );
  }

  async insertDelivery(message: number, subscriber: number, at: Date): Promise<void> {
    const { accountId } = this;
    await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
      values (${accountId}, ${message}, 0, ${subscriber + 1}, ${this.subscriberAt(subscriber)})`.execute(
      server.db,
    );
    await sql`insert into sms_results (account_id, message_id, lane, ordinal, delivered_at)
      values (${accountId}, ${message}, 0, ${subscriber + 1}, ${at})`.execute(server.db);
  }

  async order(subscriber: number, amount: number, currency: string, at: Date): Promise<OrderFact> {
    this.number += 1;
    const subscriberId = this.subscriberAt(subscriber);
    const { rows } = await sql<{ id: number }>`
      insert into orders (account_id, store_id, subscriber_id, remote_id, total, currency, placed_at,
        created_at, modified_at)
      values (${this.accountId}, ${this.storeId}, ${subscriberId}, ${String(this.number)}, ${amount},
        ${currency}, ${at}, ${at}, ${at}) returning id`.execute(server.db);
    const orderId = rows[0]?.id as number;
    return { orderId, subscriberId, productIds: [], amount, currency, at };
  }

  announce = (event: typeof orderPlaced, orders: OrderFact[]): Promise<void> =>
    inTransaction(server.db, (tx) => event.announce(tx, { ...this.facts, orders }));

  /**
   * Publishes the event that a click was recorded. Clicks are recorded once their burst has ended.
   */
  announceClick(messageId: number, subscriber: number, at: Date): Promise<void> {
    const click = { kind: 'click', verdict: 'human', position: 0 } as const;
    const engagement = [{ ...click, messageId, subscriberId: this.subscriberAt(subscriber), at }];
    return inTransaction(server.db, (tx) =>
      engagementRecorded.announce(tx, { accountId: this.accountId, engagement }),
    );
  }

  private get facts() {
    return { accountId: this.accountId, storeId: this.storeId, origin: 'api' as const };
  }

  readRevenue = (...messageIds: number[]) =>
    inTransaction(server.db, (tx: Tx) =>
      revenueOfMessages.collect(tx, { accountId: this.accountId, messageIds }),
    );
}

/** Returns the start of the previous second, all of whose events are recorded. */
const previousSecond = () => new Date(Math.floor(clock.now().getTime() / 1000) * 1000 - 1000);
const subtractMs = (at: Date, ms: number) => new Date(at.getTime() - ms);

test('an order is attributed to the last human click within its window, or else to the last open, or else to the last SMS delivery', async () => {
  const shop = await openShop();
  const at = new Date(previousSecond().getTime() + 500);
  const first = await shop.message('campaign');
  const second = await shop.message('workflow');
  const sms = await shop.message('sms_campaign');
  const receipt = await shop.message('transactional');
  // Person 0 clicks exactly five days before the order, and person 1 a millisecond earlier.
  await shop.insertTouch(first, 0, subtractMs(at, 5 * DAY), 'click');
  await shop.insertTouch(first, 1, subtractMs(at, 5 * DAY + 1), 'click');
  // Person 2 clicks in two messages. Person 3 clicks in one, and later opens the other.
  await shop.insertTouch(first, 2, subtractMs(at, 2 * HOUR), 'click');
  await shop.insertTouch(second, 2, subtractMs(at, HOUR), 'click');
  await shop.insertTouch(first, 3, subtractMs(at, 4 * DAY), 'click');
  await shop.insertTouch(second, 3, subtractMs(at, HOUR), 'open');
  // Person 4 has only automated opens and clicks. Person 5 has an automated open after a human one.
  await shop.insertTouch(first, 4, subtractMs(at, HOUR), 'open', { isMachine: true });
  await shop.insertTouch(first, 4, subtractMs(at, HOUR), 'click', { isMachine: true });
  await shop.insertTouch(first, 5, subtractMs(at, 3 * HOUR), 'open');
  await shop.insertTouch(second, 5, subtractMs(at, HOUR), 'open', { isMachine: true });
  // Person 6 gets an SMS exactly twelve hours before the order, person 7 a millisecond earlier, and
  // person 8 after an open. Person 9 clicks in an SMS.
  await shop.insertDelivery(sms, 6, subtractMs(at, 12 * HOUR));
  await shop.insertDelivery(sms, 7, subtractMs(at, 12 * HOUR + 1));
  await shop.insertTouch(first, 8, subtractMs(at, 2 * DAY), 'open');
  await shop.insertDelivery(sms, 8, subtractMs(at, HOUR));
  await shop.insertTouch(sms, 9, subtractMs(at, 3 * HOUR), 'click', { isSms: true });
  await shop.insertTouch(first, 9, subtractMs(at, 4 * HOUR), 'click');
  // Person 10 clicks in a transactional email, which earns no order. Person 11 clicks after the
  // order.
  await shop.insertTouch(receipt, 10, subtractMs(at, HOUR), 'click');
  await shop.insertTouch(first, 11, new Date(at.getTime() + 1), 'click');
  const amounts = [10.01, 999, 20.2, 0.3, 999, 40.45, 5.05, 999, 7.77, 8.08, 999, 999];
  const orders: OrderFact[] = [];
  for (const [subscriber, amount] of amounts.entries()) {
    orders.push(await shop.order(subscriber, amount, subscriber === 8 ? 'SEK' : 'EUR', at));
  }
  await shop.announce(orderPlaced, orders);
  // Orders that are announced again, as after a kill, do not count twice.
  await shop.announce(orderPlaced, orders.slice(0, 4));
  expect(await shop.readRevenue(first, second, sms, receipt)).toEqual([
    // 10.01 + 0.30 + 40.45
    { messageId: first, currency: 'EUR', orders: 3, revenue: 50.76 },
    { messageId: second, currency: 'EUR', orders: 1, revenue: 20.2 },
    // 5.05 + 8.08
    { messageId: sms, currency: 'EUR', orders: 2, revenue: 13.13 },
    { messageId: first, currency: 'SEK', orders: 1, revenue: 7.77 },
  ]);
  const earnings = await readEarnings(
    server.db,
    shop.accountId,
    subtractMs(at, DAY),
    new Date(at.getTime() + 1),
  );
  expect(earnings).toEqual([
    { channel: null, currency: 'EUR', orders: 5, revenue: 4995 },
    { channel: 'email', currency: 'EUR', orders: 4, revenue: 70.96 },
    { channel: 'sms', currency: 'EUR', orders: 2, revenue: 13.13 },
    { channel: 'email', currency: 'SEK', orders: 1, revenue: 7.77 },
  ]);
  const { data } = (await shop.owner.get('/client-api/api/accounts/dashboard_earned')).body;
  expect(data).toMatchObject({
    has_store: true,
    currencies: [
      // 70.96 + 13.13 + 4995
      { currency: 'EUR', email: 70.96, sms: 13.13, all: 5079.09, orders: 6 },
      { currency: 'SEK', email: 7.77, sms: 0, all: 7.77, orders: 1 },
    ],
  });
  const otherShop = await openShop();
  expect(await otherShop.readRevenue(first, second)).toEqual([]);
  const elsewhere = await otherShop.owner.get('/client-api/api/accounts/dashboard_earned');
  expect(elsewhere.body.data).toMatchObject({ has_store: true, currencies: [] });
});

test('an order is attributed to a click within the same second, because stores report whole seconds', async () => {
  const shop = await openShop();
  const at = previousSecond();
  const message = await shop.message('campaign');
  await shop.insertTouch(message, 0, new Date(at.getTime() + 999), 'click');
  await shop.insertTouch(message, 1, new Date(at.getTime() + 1000), 'click');
  await shop.announce(orderPlaced, [
    await shop.order(0, 13.2, 'EUR', at),
    await shop.order(1, 999, 'EUR', at),
  ]);
  expect(await shop.readRevenue(message)).toEqual([
    { messageId: message, currency: 'EUR', orders: 1, revenue: 13.2 },
  ]);
  // The order is attributed when the click is recorded, not a minute later.
  await shop.announce(orderPlaced, [await shop.order(2, 7.5, 'EUR', at)]);
  const clickedAt = new Date(at.getTime() + 400);
  await shop.insertTouch(message, 2, clickedAt, 'click');
  await shop.announceClick(message, 2, clickedAt);
  expect(await shop.readRevenue(message)).toEqual([
    { messageId: message, currency: 'EUR', orders: 2, revenue: 20.7 },
  ]);
});

test('refunds are subtracted on their own date, and a cancellation subtracts only the remainder', async () => {
  const shop = await openShop();
  const at = clock.now();
  const message = await shop.message('campaign');
  for (const subscriber of [0, 1, 2])
    await shop.insertTouch(message, subscriber, subtractMs(at, HOUR), 'click');
  const orders = [
    await shop.order(0, 100, 'EUR', at),
    await shop.order(1, 59.99, 'EUR', at),
    await shop.order(2, 30, 'USD', at),
  ] as const;
  await shop.announce(orderPlaced, [...orders]);
  const later = new Date(at.getTime() + 40 * DAY);
  const changeOf = (order: OrderFact, amount: number): OrderFact => ({
    ...order,
    amount,
    at: later,
  });
  await shop.announce(orderRefunded, [changeOf(orders[0], 33.33), changeOf(orders[2], 45)]);
  await shop.announce(orderRefunded, [changeOf(orders[0], 0.01), changeOf(orders[2], 1)]);
  await shop.announce(orderCanceled, [changeOf(orders[1], 59.99)]);
  await shop.announce(orderCanceled, [changeOf(orders[1], 59.99)]);
  expect(await shop.readRevenue(message)).toEqual([
    // 100.00 - 33.33 - 0.01; the canceled order does not count.
    { messageId: message, currency: 'EUR', orders: 1, revenue: 66.66 },
    { messageId: message, currency: 'USD', orders: 1, revenue: 0 },
  ]);
  const between = (from: Date, to: Date) => readEarnings(server.db, shop.accountId, from, to);
  expect(await between(subtractMs(at, DAY), new Date(at.getTime() + DAY))).toMatchObject([
    { currency: 'EUR', orders: 2, revenue: 159.99 },
    { currency: 'USD', orders: 1, revenue: 30 },
  ]);
  expect(await between(subtractMs(later, DAY), new Date(later.getTime() + DAY))).toMatchObject([
    { currency: 'USD', orders: 0, revenue: -30 },
    // -33.34 - 59.99
    { currency: 'EUR', orders: -1, revenue: -93.33 },
  ]);
  // An order that no message earned can be refunded as well.
  const unattributed = await shop.order(5, 12, 'EUR', at);
  await shop.announce(orderPlaced, [unattributed]);
  await shop.announce(orderRefunded, [changeOf(unattributed, 2)]);
  expect((await shop.readRevenue(message))[0]?.revenue).toBe(66.66);
  // A corrected total counts, but not for a canceled order.
  await shop.announce(orderCorrected, [changeOf(orders[0], 110.5), changeOf(orders[1], 70)]);
  expect((await shop.readRevenue(message))[0]).toMatchObject({ orders: 1, revenue: 77.16 });
  // The refund of an unknown order has no effect.
  const unknown = { ...unattributed, orderId: unattributed.orderId + 999 };
  await shop.announce(orderRefunded, [changeOf(unknown, 2)]);
});

test('an account can change its attribution windows, which then apply only to later orders', async () => {
  const shop = await openShop();
  const { owner } = shop;
  const message = await shop.message('campaign');
  const defaults = { email_click: 120, email_open: 120, sms_click: 120, sms_delivery: 12 };
  expect((await owner.get(PATH)).body.data).toEqual(defaults);
  const start = clock.now();
  await shop.insertTouch(message, 0, subtractMs(start, 2 * HOUR), 'open');
  await shop.insertTouch(message, 1, subtractMs(start, 2 * HOUR), 'click');
  const oldOrders = [
    await shop.order(0, 1.5, 'EUR', start),
    await shop.order(1, 2.5, 'EUR', start),
  ];
  clock.advance(HOUR);
  await owner.post('/auth/api/refresh');
  const windows = { ...defaults, email_click: 1, email_open: 0 };
  expect((await owner.put(PATH, windows)).body.data).toEqual(windows);
  clock.advance(1000);
  const now = clock.now();
  await shop.insertTouch(message, 2, subtractMs(now, 1), 'open');
  await shop.insertTouch(message, 3, subtractMs(now, HOUR), 'click');
  await shop.insertTouch(message, 4, subtractMs(now, HOUR + 1), 'click');
  const newOrders = [
    await shop.order(2, 100, 'EUR', now),
    await shop.order(3, 7.25, 'EUR', now),
    await shop.order(4, 100, 'EUR', now),
  ];
  // The old orders are reported late; the windows at the time of the order apply.
  await shop.announce(orderPlaced, [...oldOrders, ...newOrders]);
  expect(await shop.readRevenue(message)).toEqual([
    { messageId: message, currency: 'EUR', orders: 3, revenue: 11.25 },
  ]);
  for (const invalid of [
    { ...defaults, email_click: -1 },
    { ...defaults, sms_delivery: 721 },
    { ...defaults, email_open: 1.5 },
    { ...defaults, more: 1 },
    { email_click: 1 },
  ]) {
    expect((await owner.put(PATH, invalid)).status, JSON.stringify(invalid)).toBe(422);
  }
  expect((await (await server.owner()).get(PATH)).body.data).toEqual(defaults);
  expect((await server.client().get(PATH)).status).toBe(401);
});

test("the campaign's report attributes an order to a click that is recorded after the order", async () => {
  const shop = await openShop();
  const { owner, accountId } = shop;
  const message = await shop.message('campaign');
  const report = await insertCampaign(server, accountId, message);
  const overview = async () =>
    (await owner.get(`/client-api/api/campaigns/${report}/report/overview`)).body.data.earned;
  await sql`insert into delivery_counts (account_id, message_id, audience) values
    (${accountId}, ${message}, 12)`.execute(server.db);
  expect(await overview()).toEqual([]);
  const recipient = { account: accountId, message, subscriber: shop.subscriberAt(0), ordinal: 1 };
  await sql`insert into links (account_id, message_id, position, url)
    values (${accountId}, ${message}, 0, 'https://tea.example/')`.execute(server.db);
  await server.client().get(`/t/c/${getInstallationTokens().make(recipient)}/0`, CHROME);
  clock.advance(1);
  const order = await shop.order(0, 19.9, 'EUR', clock.now());
  await shop.announce(orderPlaced, [order]);
  expect(await overview()).toEqual([]);
  await settleTracking(server.db);
  expect(await overview()).toEqual([{ currency: 'EUR', orders: 1, revenue: 19.9 }]);
  // The job finds a click and an order that two concurrent transactions recorded.
  const missedOrder = await shop.order(1, 5, 'EUR', clock.now());
  await shop.announce(orderPlaced, [missedOrder]);
  await shop.insertTouch(message, 1, subtractMs(missedOrder.at, 1), 'click');
  const job = { accountId, orderIds: [missedOrder.orderId] };
  await attributeJob.run(job, { db: server.db, signal: new AbortController().signal });
  expect(await overview()).toEqual([{ currency: 'EUR', orders: 2, revenue: 24.9 }]);
  const campaigns = (await owner.get('/client-api/api/campaigns')).body.data;
  expect(campaigns.map((campaign: { earned: unknown }) => campaign.earned)).toEqual([
    await overview(),
  ]);
});

test('the value of a subscriber is the revenue of their orders after refunds, in each currency', async () => {
  const shop = await openShop();
  const at = clock.now();
  expect(await readCustomerValue(server.db, shop.accountId, shop.subscriberAt(0))).toBeNull();
  const orders = [
    await shop.order(0, 10.1, 'EUR', subtractMs(at, DAY)),
    await shop.order(0, 20.2, 'EUR', subtractMs(at, 2 * DAY)),
    await shop.order(0, 5, 'NOK', at),
    await shop.order(0, 70, 'EUR', at),
    await shop.order(0, 80, 'EUR', at),
  ];
  const change = (index: number, assignments: ReturnType<typeof sql>) =>
    sql`update orders set ${assignments} where account_id = ${shop.accountId} and id = ${orders[index]?.orderId}`.execute(
      server.db,
    );
  await change(1, sql`refunded = 0.15, refunded_at = ${at}`);
  await change(3, sql`cancelled_at = ${at}`);
  await change(4, sql`is_confirmed = false`);
  expect(await readCustomerValue(server.db, shop.accountId, shop.subscriberAt(0))).toEqual({
    currencies: [
      { currency: 'EUR', orders: 2, revenue: 30.15 },
      { currency: 'NOK', orders: 1, revenue: 5 },
    ],
    last_order: at.toISOString(),
  });
});
