// Store triggers: an order or a cart starts a workflow once. A trigger can be limited to a store or
// a product. A purchase ends the runs about its cart.
import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import {
  cartAbandoned,
  cartClosed,
  orderFulfilled,
  orderPlaced,
  orderRefunded,
  productViewed,
} from '#areas/stores/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { type TestOwner, testServer } from '#testing/setup/server.ts';
import { workflowBuilder } from '#testing/worlds/workflow-builder.ts';

const server = await testServer();
const DAY = 86_400_000;
let owner: TestOwner;
let kit: ReturnType<typeof workflowBuilder>;

beforeEach(async () => {
  owner = await server.owner();
  kit = workflowBuilder(server, owner);
  return () => clock.reset();
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
const END = { action: 'END' };

async function store(title: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, title, domain, currency, created_at, modified_at)
    values (${owner.accountId}, 'custom', ${title}, ${`${title}.example`}, 'EUR', ${clock.now()}, ${clock.now()})
    returning id`.execute(server.db);
  return (rows[0] as { id: number }).id;
}

async function createProduct(storeId: number, title: string): Promise<number> {
  const { rows } = await sql<{ id: number }>`
    insert into products (account_id, store_id, remote_id, title, created_at, modified_at)
    values (${owner.accountId}, ${storeId}, ${title}, ${title}, ${clock.now()}, ${clock.now()})
    returning id`.execute(server.db);
  return (rows[0] as { id: number }).id;
}

/** Creates an active workflow, with an optional delay before its end. */
async function createActiveWorkflow(trigger: object, wait = false) {
  const tree = await kit.workflow(trigger);
  const above = wait
    ? await tree.add(tree.trigger, 'delay', { delay_type: 'DAYS', amount: 1 })
    : tree.trigger;
  await tree.add(above, 'ACTION', END);
  await tree.activate();
  return tree;
}

const enteredIn = async (tree: Awaited<ReturnType<typeof createActiveWorkflow>>) =>
  (await owner.get(tree.at)).body.data.people.entered as number;

const createOrder = (
  orderId: number,
  subscriberId: number,
  productIds: number[],
  at = clock.now(),
) => ({
  ...{ orderId, subscriberId, productIds, at },
  ...{ amount: 20, currency: 'EUR' },
});

test('an order starts each workflow for its store or product once, unless it precedes the activation', async () => {
  const [tea, books] = [await store('tea'), await store('books')];
  const [cup, pot] = [await createProduct(tea, 'Cup'), await createProduct(tea, 'Pot')];
  const onOrder = await createActiveWorkflow({ triggerType: 'ORDER_PLACED' });
  const onTeaOrder = await createActiveWorkflow({
    triggerType: 'ORDER_PLACED',
    store: encodeId('store', tea),
  });
  const onPurchase = await createActiveWorkflow({
    triggerType: 'PRODUCT_PURCHASED',
    product: encodeId('product', cup),
  });
  const onFulfillment = await createActiveWorkflow({
    triggerType: 'ORDER_FULFILLED',
    store: encodeId('store', tea),
  });
  const onRefund = await createActiveWorkflow({ triggerType: 'ORDER_REFUNDED' });
  const [ada, bo] = (await addPeople(server.db, owner.accountId, 2)) as [number, number];
  const source = { accountId: owner.accountId, origin: 'store' } as const;
  const pastOrder = createOrder(4, bo, [cup], new Date(clock.now().getTime() - DAY));
  for (const _ of [1, 2])
    await inTx(async (tx) => {
      const orders = [createOrder(1, ada, [cup, pot]), createOrder(2, ada, [pot]), pastOrder];
      await orderPlaced.announce(tx, { ...source, storeId: tea, orders });
      await orderPlaced.announce(tx, {
        ...source,
        storeId: books,
        orders: [createOrder(3, bo, [])],
      });
      await orderFulfilled.announce(tx, {
        ...source,
        storeId: tea,
        orders: [createOrder(1, ada, [cup])],
      });
      await orderRefunded.announce(tx, {
        ...source,
        storeId: books,
        orders: [createOrder(3, bo, [])],
      });
    });
  await kit.turns();
  const enteredCounts = await Promise.all(
    [onOrder, onTeaOrder, onPurchase, onFulfillment, onRefund].map(enteredIn),
  );
  expect(enteredCounts).toEqual([3, 2, 1, 1, 1]);
  // A manual change starts no workflow.
  await inTx((tx) =>
    orderPlaced.announce(tx, {
      ...source,
      origin: 'bulk',
      storeId: tea,
      orders: [createOrder(9, bo, [cup])],
    }),
  );
  await kit.turns();
  expect(await enteredIn(onOrder)).toBe(3);
});

test('an abandoned cart starts a run that ends on purchase, and a viewed product starts a run', async () => {
  const tea = await store('tea');
  const cup = await createProduct(tea, 'Cup');
  const cartWorkflow = await createActiveWorkflow(
    { triggerType: 'CART_ABANDONED', store: encodeId('store', tea) },
    true,
  );
  const viewWorkflow = await createActiveWorkflow({
    triggerType: 'PRODUCT_VIEWED',
    product: encodeId('product', cup),
  });
  const [ada, bo] = (await addPeople(server.db, owner.accountId, 2)) as [number, number];
  const source = { accountId: owner.accountId, storeId: tea };
  const at = clock.now();
  await kit.listenForFinished();
  const carts = [
    { cartId: 7, subscriberId: ada, productIds: [cup], at },
    { cartId: 8, subscriberId: bo, productIds: [cup], at },
  ];
  await inTx(async (tx) => {
    await cartAbandoned.announce(tx, { ...source, origin: 'store', carts });
    const views = [{ subscriberId: bo, productId: cup, at }];
    await productViewed.announce(tx, { ...source, origin: 'person', views });
    const otherViews = [{ subscriberId: ada, productId: cup + 1000, at }];
    await productViewed.announce(tx, { ...source, origin: 'person', views: otherViews });
  });
  await kit.turns();
  expect(await enteredIn(cartWorkflow)).toBe(2);
  expect((await viewWorkflow.people()).map((run) => run.subscriber_id)).toEqual([
    encodeId('subscriber', bo),
  ]);
  // Closing another cart of the subscriber ends no run.
  await inTx((tx) =>
    cartClosed.announce(tx, { ...source, carts: [{ cartId: 9, subscriberId: ada }] }),
  );
  await kit.turns();
  expect((await cartWorkflow.people()).map((run) => run.outcome)).toEqual([null, null]);
  await inTx((tx) =>
    cartClosed.announce(tx, { ...source, carts: [{ cartId: 7, subscriberId: ada }] }),
  );
  await kit.turns();
  const runs = await cartWorkflow.people();
  const findOutcome = (id: number) =>
    runs.find((run) => run.subscriber_id === encodeId('subscriber', id))?.outcome;
  expect([findOutcome(ada), findOutcome(bo)]).toEqual(['cart_closed', null]);
  expect(await kit.finished()).toContainEqual([ada, 'cart_closed']);
  clock.advance(2 * DAY);
  await kit.turns();
  clock.reset();
  const { data } = (await owner.get(`${cartWorkflow.at}/report`)).body;
  expect(data.ended).toEqual(
    expect.arrayContaining([
      { outcome: 'cart_closed', people: 1 },
      { outcome: 'action_end', people: 1 },
    ]),
  );
});

test('a store trigger is incomplete if the account has no store, or if its store or product is unknown', async () => {
  const missing = async (definition: object) => {
    const tree = await kit.workflow(definition);
    return (await tree.steps())[0]?.missing;
  };
  expect(await missing({ triggerType: 'CART_ABANDONED' })).toEqual(['store']);
  expect(await missing({ triggerType: 'PRODUCT_VIEWED' })).toEqual(['store']);
  const tea = await store('tea');
  const cup = encodeId('product', await createProduct(tea, 'Cup'));
  expect(await missing({ triggerType: 'CART_ABANDONED' })).toEqual([]);
  expect(await missing({ triggerType: 'PRODUCT_PURCHASED' })).toEqual(['product']);
  expect(await missing({ triggerType: 'PRODUCT_PURCHASED', product: cup })).toEqual([]);
  const otherKit = workflowBuilder(server, await server.owner());
  const otherWorkflow = await otherKit.workflow({ triggerType: 'PRODUCT_PURCHASED', product: cup });
  expect((await otherWorkflow.steps())[0]?.missing).toEqual(['store']);
  const unknownStore = encodeId('store', tea + 1000);
  expect(await missing({ triggerType: 'ORDER_PLACED', store: unknownStore })).toEqual(['store']);
});

test('a store trigger refuses another account’s store or product', async () => {
  const tea = await store('tea');
  const cup = await createProduct(tea, 'Cup');
  const triggers = [
    { triggerType: 'ORDER_PLACED', store: encodeId('store', tea) },
    { triggerType: 'PRODUCT_PURCHASED', product: encodeId('product', cup) },
  ];
  owner = await server.owner();
  const otherKit = workflowBuilder(server, owner);
  await store('books');
  const missing = [];
  for (const trigger of triggers)
    missing.push((await (await otherKit.workflow(trigger)).steps())[0]?.missing);
  expect(missing).toEqual([['store'], ['product']]);
});

test('a store trigger is incomplete while its store is disconnected', async () => {
  const tea = await store('tea');
  const trigger = { triggerType: 'ORDER_PLACED', store: encodeId('store', tea) };
  const tree = await kit.workflow(trigger);
  const missing = async () => (await tree.steps())[0]?.missing;
  expect(await missing()).toEqual([]);
  await sql`update stores set state = 'disconnected' where id = ${tea}`.execute(server.db);
  expect(await missing()).toEqual(['store']);
  await store('books');
  expect(await missing()).toEqual(['store']);
});
