// The global search finds every kind of object, in one account only, with the best matches first.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { FOUND_KINDS } from '#platform/search-shared.ts';
import { type TestOwner, type TestServer, testServer } from './setup/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

interface SearchMatch {
  kind: string;
  id: string;
  title: string;
  detail: string | null;
  parameter: string | null;
}

async function search(owner: TestOwner, text: string): Promise<SearchMatch[]> {
  const { status, body } = await owner.get(
    `/client-api/api/search?search=${encodeURIComponent(text)}`,
  );
  expect(status).toBe(200);
  return body.data;
}

const titles = (matches: readonly SearchMatch[]) => matches.map(({ title }) => title);

/** Inserts one object of each kind, all with the same title. */
async function insertObjects({ accountId }: TestOwner, title: string): Promise<void> {
  const now = new Date();
  const insert = async (table: string, extraValues: Record<string, unknown>) => {
    const row = { account_id: accountId, created_at: now, modified_at: now, ...extraValues };
    const { rows } = await sql<{ id: number }>`
      insert into ${sql.table(table)} (${sql.join(Object.keys(row).map((name) => sql.ref(name)))})
      values (${sql.join(Object.values(row))}) returning id`.execute(server.db);
    return rows[0]?.id as number;
  };
  const key = title.toLowerCase();
  await insert('campaigns', { title });
  await insert('sms_campaigns', { title });
  await insert('workflows', { title });
  await insert('segments', { title, conditions: '[]' });
  await insert('groups', { title, title_key: key });
  await insert('fields', { title, name: 'a_name', type: 'text' });
  await insert('forms', {
    ...{ title, title_key: key, type: 'embed', document: '{}', settings: '{}' },
  });
  await insert('saved_templates', { title, document: '{}' });
  await insert('transactional_emails', { title });
  await insert('transactional_sms', { title });
  const email = `${key.replaceAll(' ', '')}@x.example`;
  const subscriber = await insert('subscribers', { email, email_key: email, firstname: title });
  const store = await insert('stores', {
    type: 'own',
    title: 'Shop',
    domain: 'x.example',
    state: 'live',
  });
  await insert('orders', {
    ...{ store_id: store, subscriber_id: subscriber, remote_id: '77', number: `#${title}` },
    ...{ placed_at: now, source: 'import' },
  });
}

test("the search finds every kind of object by its title, only in the caller's account", async () => {
  const owner = await server.owner();
  await insertObjects(owner, 'Spring Tea');
  const otherOwner = await server.owner();
  const matches = await search(owner, 'spring tea');
  expect(matches.map(({ kind }) => kind).sort()).toEqual([...FOUND_KINDS].sort());
  expect(matches.find(({ kind }) => kind === 'subscriber')).toMatchObject({
    title: 'springtea@x.example',
    detail: 'Spring Tea',
  });
  const order = matches.find(({ kind }) => kind === 'order');
  expect(order).toMatchObject({ title: '#Spring Tea', detail: 'springtea@x.example' });
  expect(order?.parameter).toBe(matches.find(({ kind }) => kind === 'subscriber')?.id);
  expect(await search(otherOwner, 'spring tea')).toEqual([]);
  expect(await search(owner, ' \0 ')).toEqual([]);
  expect(await search(owner, '%_\\')).toEqual([]);
  expect((await owner.get('/client-api/api/search')).status).toBe(422);
});

test('the search ranks exact titles before prefixes and other matches, and ignores case and accents', async () => {
  const owner = await server.owner();
  const group = (title: string) => owner.post('/client-api/api/tags', { title });
  for (const title of ['Offspring', 'New-spring', 'Springtime', 'Įrašas', 'Spring', 'Autumn'])
    await group(title);
  const add = (n: number) => group(`A spring of ${n}`);
  await Promise.all([1, 2, 3, 4].map(add));
  const matchTitles = titles(await search(owner, 'SPRING'));
  expect(matchTitles.slice(0, 2)).toEqual(['Spring', 'Springtime']);
  // The search returns five results of each kind; newer matches never displace the exact title.
  expect(matchTitles).toHaveLength(5);
  expect(titles(await search(owner, 'spring new'))).toEqual(['New-spring']);
  expect(titles(await search(owner, 'irasas'))).toEqual(['Įrašas']);
  expect(titles(await search(owner, 'offs'))).toEqual(['Offspring']);
});

test('the search finds subscribers by a part of an address, number or name', async () => {
  const owner = await server.owner();
  const createSubscriber = (body: object) => owner.post('/client-api/api/subscribers', body);
  await createSubscriber({
    email: 'Kari.Nordmann@tea.example',
    firstname: 'Kari',
    lastname: 'Nordmann',
  });
  await createSubscriber({ email: 'ola@tea.example', firstname: 'Ola', phone: '+47 912 34 567' });
  expect(titles(await search(owner, 'KARI.N'))).toEqual(['Kari.Nordmann@tea.example']);
  expect(titles(await search(owner, 'kari nord'))).toEqual(['Kari.Nordmann@tea.example']);
  expect(titles(await search(owner, '+47 912'))).toEqual(['ola@tea.example']);
  expect(titles(await search(owner, '004791234'))).toEqual(['ola@tea.example']);
  expect(titles(await search(owner, '12345'))).toEqual(['ola@tea.example']);
  expect(titles(await search(owner, 'tea.ex')).sort()).toEqual([
    'Kari.Nordmann@tea.example',
    'ola@tea.example',
  ]);
});

/** In a list of this size, a scan of all subscribers would be noticeable. */
const SUBSCRIBER_COUNT = 120_000;

test('a search without results in a large list takes less than 2 s', async () => {
  const owner = await server.owner();
  await sql`
    insert into subscribers (account_id, email, email_key, firstname, created_at, modified_at)
    select ${owner.accountId}, e, e, 'Name ' || n, now() - make_interval(secs => n), now()
    from (select n, 'p' || n || '@big.example' as e from generate_series(1, ${SUBSCRIBER_COUNT}::int) n) x
  `.execute(server.db);
  await sql`analyze subscribers`.execute(server.db);
  expect(titles(await search(owner, `p${SUBSCRIBER_COUNT}@`))).toEqual([
    `p${SUBSCRIBER_COUNT}@big.example`,
  ]);
  const startedAt = performance.now();
  await search(owner, 'no such person');
  expect(performance.now() - startedAt).toBeLessThan(2000);
});
