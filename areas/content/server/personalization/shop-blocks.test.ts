// Coupon pools and store products in emails: each code is used once, a preview draws none,
// recipients see their own products, and fallbacks apply.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { encodeId, encodePublicId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { listAcceptedValues } from '#testing/oracles/closed-sets.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import type { Block, EmailDocument } from '../../document.ts';
import { OWN_PICKS } from '../../shop-names.ts';
import { copyValues } from './copy-values.ts';
import { assignCodes } from './coupons.ts';
import { picksPoller } from './delete-picks.ts';
import { SAMPLE_CODE } from './shop-values.ts';

const POOLS = '/client-api/api/coupon_pools';
const RENDER = '/client-api/api/content/preview';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

async function newPool(owner: TestOwner, codes: string): Promise<{ id: string; number: number }> {
  const { id } = (await owner.post(POOLS, { title: 'Spring' })).body.data;
  if (codes) expect((await owner.post(`${POOLS}/${id}/codes`, { codes })).status).toBe(200);
  const { rows } = await sql<{ id: number }>`select max(id) as id from coupon_pools
    where account_id = ${owner.accountId}`.execute(server.db);
  return { id, number: rows[0]?.id as number };
}

test('a coupon pool imports and generates codes, ignores repeated ones, and is limited to its account', async () => {
  const owner = await server.owner();
  const { id } = await newPool(owner, '');
  const add = (codes: string) => owner.post(`${POOLS}/${id}/codes`, { codes });
  expect((await add('\ufeffcode,note\r\nA1,x\r\n"B,2",y\r\n\r\nA1,z\nC3')).body.data).toMatchObject(
    {
      added: 3,
      doubled: 0,
      pool: { title: 'Spring', total: 3, left: 3 },
    },
  );
  expect((await add('C3\nD4')).body.data).toMatchObject({ added: 1, doubled: 1 });
  const generation = await owner.post(`${POOLS}/${id}/generate`, { count: 500, prefix: 'SALE-' });
  expect(generation.body.data).toMatchObject({ added: 500, pool: { total: 504, left: 504 } });
  const { rows } = await sql<{ code: string }>`select code from coupon_codes
    where account_id = ${owner.accountId} and code like 'SALE-%'`.execute(server.db);
  expect(rows.every(({ code }) => /^SALE-[A-HJKMNP-Z2-9]{8}$/.test(code))).toBe(true);
  for (const invalid of ['', '\n\n', 'x'.repeat(101)]) {
    expect((await add(invalid)).status, JSON.stringify(invalid)).toBe(422);
  }
  const generate = (body: object) => owner.post(`${POOLS}/${id}/generate`, body);
  expect((await generate({ count: 0, prefix: '' })).status).toBe(422);
  expect((await generate({ count: 1, prefix: 'a b' })).status).toBe(422);
  const otherOwner = await server.owner();
  expect((await otherOwner.post(`${POOLS}/${id}/codes`, { codes: 'X' })).status).toBe(404);
  expect((await otherOwner.put(`${POOLS}/${id}`, { title: 'Mine' })).status).toBe(404);
  expect((await otherOwner.delete(`${POOLS}/${id}`)).status).toBe(404);
  expect((await otherOwner.get(POOLS)).body.data).toEqual([]);
  expect((await owner.put(`${POOLS}/${id}`, { title: 'Summer' })).body.data.title).toBe('Summer');
  expect((await owner.delete(`${POOLS}/${id}`)).status).toBe(200);
  expect((await owner.get(POOLS)).body.data).toEqual([]);
  expect((await add('Z')).status).toBe(404);
});

test('concurrent draws never use a code twice, and each copy keeps its code', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const codes = Array.from({ length: 90 }, (_, i) => `C${i}`);
  const pool = await newPool(owner, codes.join('\n'));
  const batches = Array.from({ length: 10 }, (_, b) =>
    Array.from({ length: 10 }, (_, i) => b * 10 + i + 1),
  );
  const draw = (subscriberIds: number[]) =>
    inTransaction(server.db, (tx) => assignCodes(tx, accountId, pool.number, 7, subscriberIds));
  const drawnBatches = await Promise.all(batches.map(draw));
  const drawnCodes = drawnBatches.flatMap((codes) => [...codes]);
  // Some draws skipped locked codes; a second draw gets the remaining ones, and no copy gets two.
  const repeatedCodes = [];
  for (const subscriberIds of batches) repeatedCodes.push(...(await draw(subscriberIds)));
  const allCodes = new Map(repeatedCodes);
  expect(allCodes.size).toBe(90);
  expect(new Set(allCodes.values()).size).toBe(90);
  for (const [person, code] of drawnCodes) expect(allCodes.get(person)).toBe(code);
  expect((await owner.get(POOLS)).body.data[0]).toMatchObject({ total: 90, left: 0 });
  const otherMessage = await inTransaction(server.db, (tx) =>
    assignCodes(tx, accountId, pool.number, 8, [1]),
  );
  expect(otherMessage.size).toBe(0);
});

/** Creates a document with these blocks in one section. */
const documentOf = (...blocks: Block[]): EmailDocument =>
  createEmailDocument([createSection([blocks])]);

async function openShop() {
  const owner = await server.owner();
  const { accountId } = owner;
  const subscriberIds = await addPeople(server.db, accountId, 3);
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, title, domain, currency, created_at, modified_at)
    values (${accountId}, 'demo', 'Tea', 'tea.example', 'EUR', ${at}, ${at}) returning id`.execute(
    server.db,
  );
  const store = rows[0]?.id as number;
  const product = async (n: number, price: number | null) => {
    const insertedRows = await sql<{ id: number }>`
      insert into products (account_id, store_id, remote_id, title, price, image_url, url, created_at, modified_at)
      values (${accountId}, ${store}, ${String(n)}, ${`Tea "${n}" {{email}}`}, ${price},
        ${`https://tea.example/${n}.png`}, ${`https://tea.example/tea/${n}`},
        ${new Date(at.getTime() + n * 1000)}, ${at}) returning id`.execute(server.db);
    return insertedRows.rows[0]?.id as number;
  };
  const products = [await product(1, 10), await product(2, 20.5), await product(3, null)] as const;
  const order = async (subscriberId: number, ids: number[]) => {
    const insertedRows = await sql<{ id: number }>`
      insert into orders (account_id, store_id, subscriber_id, remote_id, placed_at, created_at,
        modified_at)
      values (${accountId}, ${store}, ${subscriberId}, ${`${subscriberId}-${ids}`}, ${at}, ${at}, ${at})
      returning id`.execute(server.db);
    for (const [position, id] of ids.entries()) {
      await sql`insert into order_products (account_id, order_id, position, subscriber_id, product_id, title)
        values (${accountId}, ${insertedRows.rows[0]?.id}, ${position}, ${subscriberId}, ${id}, 'Tea')`.execute(
        server.db,
      );
    }
  };
  // The second product sells best and is bought together with the third.
  await order(subscriberIds[1] as number, [products[1], products[2]]);
  await order(subscriberIds[2] as number, [products[1]]);
  return { owner, accountId, people: subscriberIds, products, order, store, at };
}

test('an email shows the newest or best-selling products of the store', async () => {
  const { owner } = await openShop();
  const render = async (pick: 'newest' | 'best_selling') => {
    const block = { pick, label: 'Buy' } as const;
    const document = documentOf(createBlock('product', block), createBlock('product', block));
    const { data } = (await owner.post(RENDER, { document })).body;
    return data as { html: string; text: string; findings: { code: string }[] };
  };
  const newest = await render('newest');
  const findingCodes = newest.findings.map(({ code }) => code);
  expect(findingCodes.filter((code) => /image_|link|tag/.test(code))).toEqual([]);
  expect(newest.html).toContain('https://tea.example/3.png');
  expect(newest.html).toContain('https://tea.example/tea/2');
  expect(newest.html).toContain('€20.50');
  // Text from a store is not parsed as merge tags.
  expect(newest.text).toContain('email}}');
  expect(newest.text).not.toContain('person');
  const bestSelling = await render('best_selling');
  expect(bestSelling.html.indexOf('/tea/2')).toBeGreaterThan(-1);
  expect(bestSelling.html.indexOf('/tea/2')).toBeLessThan(bestSelling.html.indexOf('/tea/3'));
});

test('a product block shows products of all stores or of one, but none of a disconnected store or of another account’s store', async () => {
  const { owner, accountId, store, at } = await openShop();
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, title, domain, currency, created_at, modified_at)
    values (${accountId}, 'demo', 'South', 'south.example', 'EUR', ${at}, ${at})
    returning id`.execute(server.db);
  const south = rows[0]?.id as number;
  await sql`insert into products
      (account_id, store_id, remote_id, title, price, image_url, url, created_at, modified_at)
    values (${accountId}, ${south}, '9', 'Cup', 9, 'https://south.example/9.png',
      'https://south.example/cup', ${new Date(at.getTime() + 60_000)}, ${at})`.execute(server.db);
  const renderStores = async (...stores: string[]) => {
    const blocks = stores.map((store) => createBlock('product', { pick: 'newest', store: store }));
    const { html } = (await owner.post(RENDER, { document: documentOf(...blocks) })).body.data;
    const imageUrls = [...String(html).matchAll(/(?:tea|south)\.example\/(\d)\.png/g)];
    return [...new Set(imageUrls.map(([, n]) => n))].sort();
  };
  const [north, other] = [encodeId('store', store), encodeId('store', south)];
  expect(await renderStores('', '')).toEqual(['3', '9']);
  expect(await renderStores(north, north)).toEqual(['2', '3']);
  expect(await renderStores(other, other)).toEqual(['9']);
  expect(await renderStores(north, other, other, north)).toEqual(['2', '3', '9']);
  await sql`update stores set state = 'disconnected' where id = ${south}`.execute(server.db);
  expect(await renderStores('', other)).toEqual(['3']);
  const foreignOwner = await server.owner();
  const { body } = await foreignOwner.post(RENDER, {
    document: documentOf(createBlock('product', { pick: 'newest', store: north })),
  });
  expect(body.data.html).not.toContain('tea.example/3.png');
});

test('recipients get products of their own carts and orders, and copies store them for 400 days', async () => {
  const { owner, accountId, people, products, order, store, at } = await openShop();
  const [first, second, third] = people as [number, number, number];
  const cart = await sql<{ id: number }>`
    insert into carts (account_id, store_id, subscriber_id, remote_id, product_count, created_at, modified_at)
    values (${accountId}, ${store}, ${first}, 'c', 1, ${at}, ${at}) returning id`.execute(
    server.db,
  );
  await sql`insert into cart_products (account_id, cart_id, position, product_id, title, quantity)
    values (${accountId}, ${cart.rows[0]?.id}, 0, ${products[0]}, 'Tea', 2),
      (${accountId}, ${cart.rows[0]?.id}, 1, ${products[0]}, 'Tea', 1)`.execute(server.db);
  await order(first, [products[1]]);
  const idOf = (product: number) => encodePublicId('product', accountId, product);
  const names = ['cart', 'recommended'].flatMap((pick) =>
    ['name', 'price', 'id'].map((part) => `pick-${pick}-1-${part}`),
  );
  const copies = { accountId, messageId: 99, names, locale: 'en' };
  const drawValues = (mode: 'send' | 'sent' | 'preview') =>
    inTransaction(server.db, (tx) => copyValues(tx, copies, people, mode));
  const shown = await drawValues('preview');
  expect((await drawValues('sent')).size).toBe(0);
  const drawnValues = await drawValues('send');
  expect(drawnValues).toEqual(shown);
  expect(drawnValues.get(first)).toMatchObject({
    'pick-cart-1-id': idOf(products[0]),
    // Three items in two lines of the cart: the name has the quantity, the price is the total.
    'pick-cart-1-name': expect.stringMatching(/ × 3$/),
    'pick-cart-1-price': '€30.00',
    // The second product was bought with the third.
    'pick-recommended-1-id': idOf(products[2]),
    'pick-recommended-1-price': '\u00a0',
  });
  expect(drawnValues.get(third)).toMatchObject({ 'pick-recommended-1-id': idOf(products[2]) });
  expect(drawnValues.get(second)?.['pick-cart-1-id']).toBeUndefined();
  // A copy keeps the products it showed, regardless of later cart changes.
  await sql`update carts set closed_at = ${at} where account_id = ${accountId}`.execute(server.db);
  expect((await drawValues('sent')).get(first)).toEqual(drawnValues.get(first));
  const page = await owner.get(`/shop-product/${idOf(products[0])}`);
  expect([page.status, page.headers.location]).toEqual([302, 'https://tea.example/tea/1']);
  const imageResponse = await owner.get(`/shop-picture/${idOf(products[0])}`);
  expect(imageResponse.headers.location).toBe('https://tea.example/1.png');
  expect((await owner.get('/shop-product/nonsense')).status).toBe(404);
  // Picks are stored for 400 days and then deleted.
  const advanceDays = async (days: number) => {
    clock.advance(days * 86_400_000);
    await picksPoller.run(server.db, new AbortController().signal);
    return drawValues('sent');
  };
  expect((await advanceDays(399)).get(first)).toEqual(drawnValues.get(first));
  expect((await advanceDays(2)).size).toBe(0);
});

test('a cart link opens the recipient’s cart, and copies show products that the recipient put in the cart, viewed or ordered', async () => {
  const { owner, accountId, people, products, order, store, at } = await openShop();
  const [first, second] = people as [number, number];
  const addCart = async (remoteId: string, state: string, url: string, product: number) => {
    const { rows } = await sql<{ id: number }>`
      insert into carts (account_id, store_id, subscriber_id, remote_id, product_count, url, state,
        created_at, modified_at)
      values (${accountId}, ${store}, ${first}, ${remoteId}, 1, ${url}, ${state}, ${at},
        ${new Date(at.getTime() + (state === 'open' ? 60_000 : 0))}) returning id`.execute(
      server.db,
    );
    const id = rows[0]?.id as number;
    await sql`insert into cart_products (account_id, cart_id, position, product_id, title, quantity)
      values (${accountId}, ${id}, 0, ${product}, 'Tea', 1)`.execute(server.db);
    return id;
  };
  const leftCart = await addCart('left', 'abandoned', 'https://tea.example/cart/left', products[0]);
  await addCart('open', 'open', 'https://tea.example/cart/open', products[1]);
  await order(first, [products[2]]);
  for (const [minute, product] of [products[0], products[1]].entries())
    await sql`insert into product_views (account_id, subscriber_id, at, product_id)
      values (${accountId}, ${first}, ${new Date(at.getTime() + minute * 60_000)}, ${product})`.execute(
      server.db,
    );
  const picks = ['cart', 'viewed', 'ordered'];
  const names = ['cart-id', ...picks.map((pick) => `pick-${pick}-1-id`), 'pick-cart-2-id'];
  const copies = { accountId, messageId: 7, names, locale: 'en' };
  const values = await inTransaction(server.db, (tx) => copyValues(tx, copies, people, 'send'));
  const idOf = (product: number) => encodePublicId('product', accountId, product);
  const cartId = encodePublicId('cart', accountId, leftCart);
  // The abandoned cart takes precedence over the newer open cart, and only its products are shown.
  expect(values.get(first)).toMatchObject({
    'cart-id': cartId,
    'pick-cart-1-id': idOf(products[0]),
    'pick-viewed-1-id': idOf(products[1]),
    'pick-ordered-1-id': idOf(products[2]),
  });
  expect(values.get(first)?.['pick-cart-2-id']).toBeUndefined();
  expect(values.get(second)?.['cart-id']).toBeUndefined();
  const openCart = async (id: string) => (await owner.get(`/shop-cart/${id}`)).headers.location;
  expect(await openCart(cartId)).toBe('https://tea.example/cart/left');
  // A cart URL outside the store's domain is replaced by the store's URL.
  await sql`update stores set type = 'woocommerce' where id = ${store}`.execute(server.db);
  expect(await openCart(cartId)).toBe('https://tea.example/cart/left');
  await sql`update carts set url = 'https://evil.example/' where id = ${leftCart}`.execute(
    server.db,
  );
  expect(await openCart(cartId)).toBe('https://tea.example/');
  expect((await owner.get('/shop-cart/nonsense')).status).toBe(404);
  const noCart = encodePublicId('account', accountId, accountId);
  expect((await owner.get(`/shop-cart/${noCart}`)).status).toBe(404);
  await owner.patch('/client-api/api/accounts', { website: 'https://tea.example' });
  expect(await openCart(noCart)).toBe('https://tea.example');
  const link = documentOf(createBlock('button', { label: 'Return', href: '{{cart_link}}' }));
  const { html } = (await owner.post(RENDER, { document: link })).body.data;
  expect(html).toContain('/shop-cart/');
  expect(html).not.toContain('cart_link');
});

test('a preview draws no code and omits a section that has neither products nor a fallback', async () => {
  const { owner, people } = await openShop();
  const pool = await newPool(owner, 'ONLY-ONE');
  const preview = async (document: EmailDocument, subscriber?: string) =>
    (await owner.post(RENDER, { document, subscriber })).body.data as {
      html: string;
      findings: { code: string }[];
    };
  const coupon = documentOf(createBlock('coupon', { title: 'For you', pool: pool.id, code: '' }));
  const previewed = await preview(coupon);
  expect(previewed.findings.filter(({ code }) => /tag/.test(code))).toEqual([]);
  expect(previewed.html).toContain(SAMPLE_CODE);
  expect((await owner.get(POOLS)).body.data[0]).toMatchObject({ total: 1, left: 1 });
  // For a subscriber without a cart, `hide` omits the section.
  const hidden = documentOf(
    createBlock('heading', { html: 'You left this' }),
    createBlock('product', { pick: 'cart', if_none: 'hide', label: 'Buy' }),
  );
  expect((await preview(hidden, encodeId('subscriber', people[1] as number))).html).not.toContain(
    'You left this',
  );
  // Without a chosen subscriber the preview shows sample products, so the owner sees the email.
  const samplePreview = await preview(hidden);
  expect(samplePreview.html).toContain('You left this');
  expect(samplePreview.html).toContain('€20.50');
  const cartDocument = documentOf(
    createBlock('heading', { html: 'You left this' }),
    createBlock('product', { pick: 'cart', if_none: 'best_selling', label: 'Buy' }),
  );
  const { html } = await preview(cartDocument);
  expect(html).toContain('You left this');
  expect(html).toContain('€20.50');
  const invalidDocument = documentOf(createBlock('product', { pick: 'all' as 'cart' }));
  const rejection = await owner.post(RENDER, { document: invalidDocument });
  expect(rejection.body.data?.findings?.[0]?.code ?? rejection.body.code).toMatch(/document_/);
});

test('a section whose product is the second of its kind is hidden from recipients with only one such product', async () => {
  const { owner, people } = await openShop();
  const createOrderedSection = (title: string) =>
    createSection([
      [
        createBlock('heading', { html: title }),
        createBlock('product', { pick: 'ordered', if_none: 'hide', label: 'Rate' }),
      ],
    ]);
  const document = createEmailDocument([
    createOrderedSection('First'),
    createOrderedSection('Second'),
  ]);
  const titlesFor = async (subscriberId: number | undefined) => {
    const subscriber = encodeId('subscriber', subscriberId as number);
    const { html } = (await owner.post(RENDER, { document, subscriber })).body.data;
    return ['First', 'Second'].filter((title) => html.includes(title));
  };
  expect(await titlesFor(people[1])).toEqual(['First', 'Second']);
  expect(await titlesFor(people[2])).toEqual(['First']);
  expect(await titlesFor(people[0])).toEqual([]);
});

test('the database accepts exactly the kinds of product picks that the code defines', async () => {
  const picks = [...OWN_PICKS, 'cart_link'].sort();
  expect(await listAcceptedValues(server.db, 'product_picks_kind_check')).toEqual(picks);
});
