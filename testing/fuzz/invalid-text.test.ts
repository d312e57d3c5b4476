// Sends NUL and lone surrogates to every call of the API description and to other entry points: no
// call fails, and input that other accounts send at the same time is stored.
import { beforeAll, describe, expect, test } from 'vitest';
import { configureAdapters } from '#areas/stores/server/adapter.ts';
import { processInbox } from '#areas/stores/server/inbox.ts';
import { allRoutes } from '#main/wiring.ts';
import { woocommerce } from '#providers/woocommerce/index.ts';
import { publishForm, listSettledSubscribers, signUp } from '../servers/form-site.ts';
import { publicClient } from '../setup/public-client.ts';
import { type TestResponse, type TestClient, testServer } from '../setup/server.ts';
import { startWooShop } from '../servers/woocommerce-shop.ts';
import { sortMakersFirst, type ApiOperation, listOperations } from './operations.ts';
import { buildUrl, isPublic, SeenIds, sampleRequest } from './requests.ts';
import { SOUND_BODIES } from './sound.ts';

const SEED = 11;
const CONCURRENT_CALLS = 6;
const UNCLEAN_CHARACTERS = ['\0', '\ud83d'] as const;
/** Calls that respond with an endless stream. */
const ENDLESS = new Set(['/client-api/api/live']);
/** Calls that end the session, or delete the account, that other calls need. */
const ENDING = /sign-out|\/accounts$|delete-account|\/sessions/;

const server = await testServer({ DNS_SERVERS: '127.0.0.1:1', SIGN_UP: 'open' });

/**
 * Names of fields that accept any text. In other fields a replaced lone surrogate could make the
 * value invalid.
 */
const FREE_TEXT = /title|name|text|subject|value|search|html|message/;

/** Inserts a lone surrogate into each text of a free-text field, and NUL into all other texts. */
function withUncleanText(value: unknown, key = ''): unknown {
  if (typeof value === 'string')
    return value.slice(0, 1) + UNCLEAN_CHARACTERS[FREE_TEXT.test(key) ? 1 : 0] + value.slice(1);
  if (Array.isArray(value)) return value.map((item) => withUncleanText(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, withUncleanText(item, name)]),
  );
}

type FuzzCaller = { client: TestClient; token: string };

async function newCaller(): Promise<FuzzCaller> {
  const client = await server.owner();
  const { token } = await publicClient(server, client);
  return { client, token };
}

async function sendUnclean(
  { client, token }: FuzzCaller,
  operation: ApiOperation,
  seenIds: SeenIds,
): Promise<TestResponse> {
  const { method, path } = operation;
  const sample = sampleRequest(operation, seenIds, { isWild: false, seed: SEED });
  const body = SOUND_BODIES[`${method} ${path}`] ?? sample.body;
  const params = Object.entries(sample.params).map(([name, id]) => [name, `${id}\0`]);
  const query = Object.entries(sample.query ?? {}).map(([name, text]) => [
    name,
    String(withUncleanText(text, name)).toWellFormed(),
  ]);
  const headers = {
    ...(isPublic(path) && { authorization: `Bearer ${token}`, 'x-sendloom': '' }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
  };
  return (isPublic(path) ? server.client() : client).send({
    headers,
    method: method as 'GET',
    url: buildUrl(path, Object.fromEntries(params)),
    query: Object.fromEntries(query),
    ...(body === undefined ? {} : { payload: JSON.stringify(withUncleanText(body)) }),
  });
}

test('text with invalid characters causes no server error, and concurrent valid input is stored', {
  timeout: 120_000,
}, async () => {
  const operations = listOperations(allRoutes(server.config))
    .filter(({ path }) => !ENDLESS.has(path) && !ENDING.test(path))
    .sort(sortMakersFirst);
  const seenIds = new SeenIds();
  const neighbor = await server.owner();
  const failures: string[] = [];
  let storedCount = 0;
  let acceptedCount = 0;
  const caller = await newCaller();
  for (let offset = 0; offset < operations.length; offset += CONCURRENT_CALLS) {
    const [answer] = await Promise.all([
      neighbor.post('/client-api/api/subscribers', { email: `reader${storedCount}@near.example` }),
      ...operations.slice(offset, offset + CONCURRENT_CALLS).map(async (operation) => {
        const { status, text, body } = await sendUnclean(caller, operation, seenIds);
        if (status >= 500) failures.push(`${operation.method} ${operation.path}: ${text}`);
        if (status >= 300) return;
        acceptedCount += 1;
        seenIds.collect(operation.path, body);
        if (text.includes('\\u0000') || /\\ud[89a-f]/i.test(text))
          failures.push(`${operation.method} ${operation.path} returns unclean text`);
      }),
    ]);
    expect(answer.status, answer.text).toBe(200);
    storedCount += 1;
  }
  expect(failures).toEqual([]);
  expect(acceptedCount).toBeGreaterThan(75);
  const { body } = await neighbor.get('/client-api/api/subscribers?limit=1');
  expect(body.meta.total).toBe(storedCount);
});

describe('entry points outside the contracts', () => {
  let owner: Awaited<ReturnType<typeof server.owner>>;
  let otherOwner: typeof owner;
  beforeAll(async () => {
    owner = await server.owner();
    otherOwner = await server.owner();
  });

  test.each(UNCLEAN_CHARACTERS)(
    'a sign-up with %j and concurrent sign-ups are stored',
    async (mark) => {
      const forms = await Promise.all([owner, otherOwner].map((owner) => publishForm(owner, {})));
      const name = `x${mark}y`;
      const responses = await Promise.all([
        signUp(server, forms[0], {
          email: `a${mark.charCodeAt(0)}@form.example`,
          [name]: name,
          firstname: name,
        }),
        ...Array.from({ length: 5 }, (_, i) =>
          signUp(server, forms[1], { email: `b${mark.charCodeAt(0)}-${i}@form.example` }),
        ),
      ]);
      expect(responses.map(({ status }) => status)).toEqual(Array(6).fill(200));
      const subscribers = await listSettledSubscribers(server, owner);
      const subscriber = subscribers.find(({ email }: { email: string }) =>
        email.startsWith(`a${mark.charCodeAt(0)}`),
      );
      expect(subscriber?.firstname).toBe(mark === '\0' ? 'xy' : 'x\ufffdy');
      const otherSubscribers = await listSettledSubscribers(server, otherOwner);

      expect(
        otherSubscribers.filter(({ email }: { email: string }) =>
          email.startsWith(`b${mark.charCodeAt(0)}-`),
        ),
      ).toHaveLength(5);
    },
  );

  test('a webhook with invalid characters and other accounts’ webhooks are stored', async () => {
    configureAdapters([woocommerce({ isLocal: true })]);
    const shops = await Promise.all(
      [owner, otherOwner].map(async (owner) => {
        const shop = await startWooShop(async (url, init) => {
          const response = await server.app.inject({
            method: 'POST',
            url: new URL(url).pathname,
            payload: String(init.body),
            headers: init.headers as Record<string, string>,
          });
          return { status: response.statusCode };
        });
        const { status } = await owner.post('/client-api/api/connected-stores', {
          type: 'woocommerce',
          address: shop.address,
          key: shop.key,
          secret: shop.secret,
        });
        expect(status).toBe(200);
        return shop;
      }),
    );
    await server.runJobs();
    const customer = (id: number, first_name: string) => ({
      id,
      email: `customer${id}@hook.example`,
      first_name,
      date_modified_gmt: '2026-01-05T10:00:00',
    });
    const statuses = await Promise.all([
      ...UNCLEAN_CHARACTERS.map((mark, i) =>
        shops[0]?.sendWebhook('customer.created', customer(i + 1, `A${mark}b`)),
      ),
      shops[1]?.sendWebhook('customer.created', customer(9, 'Near')),
    ]);
    expect(statuses).toEqual([200, 200, 200]);
    await processInbox(server.db);
    await Promise.all(shops.map((shop) => shop.close()));
    const findNamed = async (owner: typeof otherOwner) =>
      (await owner.get('/client-api/api/subscribers?search=hook.example')).body.data
        .map(({ firstname }: { firstname: string }) => firstname)
        .sort();
    expect(await findNamed(owner)).toEqual(['Ab', 'A\ufffdb']);
    expect(await findNamed(otherOwner)).toEqual(['Near']);
  });
});
