// Erasure over HTTP: afterwards no table and no stored file identifies the subscriber, and other
// subscribers are unchanged.
import { beforeAll, expect, test } from 'vitest';
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { condition } from '#areas/segments/filter-grammar.ts';
import { insertEvents } from '#areas/tracking/server/engagement.sql.ts';
import { decodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { clock } from '#platform/server/clock.ts';
import { files } from '#platform/server/files/files.ts';
import { deleteExpiredRowIssues } from '#areas/imports/server/rejected-rows.ts';
import { closeUndos } from '#areas/imports/server/undo.ts';
import { eraseSubscribers } from '#areas/subscribers/server/index.ts';
import { purgeJob } from '#areas/subscribers/server/remove.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { findTablesContaining } from '#testing/setup/tables-containing.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';

const API = '/client-api/api';
const LIST_PATH = `${API}/subscribers`;
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

/** Adds two subscribers and imports rows about them; some rows are rejected. */
async function importSubscribers(owner: TestOwner) {
  const fields = [];
  for (const title of ['City', 'Visits'])
    fields.push(
      (await owner.post(`${API}/fields`, { title, type: title === 'City' ? 'text' : 'number' }))
        .body.data.id,
    );
  const ids: string[] = [];
  for (const [name, phone] of [
    ['Quillon', '+37061234567'],
    ['Neighbour', '+37069876543'],
  ]) {
    const profile = { email: `${name}.secret@x.example`, phone, firstname: name };
    ids.push((await owner.post(LIST_PATH, profile)).body.data.id);
  }
  const rows = [
    'email,phone,firstname,City,Visits',
    'quillon.secret@x.example,+370 612 34567,Quillonas,Quillonville,many',
    'QUILLON.SECRET@x.example,,Quillon again,,',
    ',8 (612) 34567,By number,,',
    'neighbour.secret@x.example,,Neighbouras,Town,several',
  ];
  const importPreview = (
    await owner.post(`${LIST_PATH}/text_import`, { subscribers: rows.join('\n') })
  ).body.data;
  const order = {
    columns: [
      { column: 0, target: 'email' },
      { column: 1, target: 'phone' },
      { column: 2, target: 'firstname' },
      { column: 3, target: fields[0] },
      { column: 4, target: fields[1] },
    ],
  };
  expect((await owner.post(`${API}/imports/${importPreview.id}/forecast`, order)).status).toBe(200);
  await server.runJobs();
  const start = { source: importPreview.id, ...order, consent: { attested: true } };
  expect((await owner.post(`${LIST_PATH}/start_import`, start)).status).toBe(200);
  await server.runJobs();
  return { ids, importId: importPreview.id as string };
}

/** Stores a message that bounced, with the address in its reply, its variables and its event. */
async function addBounce(owner: TestOwner, id: string, address: string): Promise<void> {
  const { accountId } = owner;
  const subscriberId = decodeId('subscriber', id) as number;
  const at = clock.now();
  const reply = `550 5.1.1 <${address}> is unknown`;
  const { rows } = await sql<{ id: number }>`
    insert into messages (account_id, kind, channel, state, frozen, created_at, modified_at)
    values (${accountId}, 'campaign', 'email', 'finished', '{}', ${at}, ${at})
    returning id`.execute(server.db);
  const messageId = rows[0]?.id;
  await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    values (${accountId}, ${messageId}, 1, 1, ${subscriberId})`.execute(server.db);
  await sql`insert into results (account_id, message_id, lane, ordinal, state, at, code, reply)
    values (${accountId}, ${messageId}, 1, 1, 'failed', ${at}, '5.1.1', ${reply})`.execute(
    server.db,
  );
  await sql`
    insert into single_sends (account_id, message_id, idempotency_key, subscriber_id, recipient,
      variables, state, next_attempt_at, reply, created_at)
    values (${accountId}, ${messageId}, 'one', ${subscriberId}, ${address},
      ${JSON.stringify({ who: address })}::jsonb, 'failed', ${at}, ${reply}, ${at})`.execute(
    server.db,
  );
  await sql`
    insert into events (account_id, at, message_id, subscriber_id, kind, sequence, details, ip)
    values (${accountId}, ${at}, ${messageId}, ${subscriberId}, 'hard_bounce', 1,
      ${JSON.stringify({ reply })}::jsonb, '198.51.100.7')`.execute(server.db);
}

const tablesWith = (text: string) => findTablesContaining(server.db, text);

test('no table or file identifies the subscriber after an erasure, and other subscribers remain', async () => {
  const owner = await server.owner();
  const { ids, importId } = await importSubscribers(owner);
  const [erased = '', neighbor = ''] = ids;
  await addBounce(owner, erased, 'quillon.secret@x.example');
  await addBounce(owner, neighbor, 'neighbour.secret@x.example');
  for (const body of [
    { all: true },
    { subscribers: [erased] },
    { subscribers: [neighbor] },
    { search: 'Quillon.Secret@x.example' },
    { conditions: 'email,equals,quillon.secret%40x.example,1,and,and,' },
  ]) {
    expect((await owner.post(`${API}/exports`, body)).status).toBe(200);
    await server.runJobs();
  }
  expect(await tablesWith('quillon')).toEqual(
    expect.arrayContaining([
      'exports',
      'import_forecasts',
      'import_images',
      'import_rejections',
      'results',
      'single_sends',
      'subscribers',
    ]),
  );
  expect((await owner.post(`${LIST_PATH}/${erased}/erase`)).status).toBe(200);

  expect(await tablesWith('quillon')).toEqual([]);
  expect(await tablesWith('61234567')).toEqual([]);
  expect(await tablesWith('612) 34567')).toEqual([]);
  const exports = (await owner.get(`${API}/exports?order=created&direction=asc`)).body.data;
  expect(exports.map((job: { state: string }) => job.state)).toEqual([
    'expired',
    'expired',
    'finished',
    'expired',
    'expired',
  ]);
  const storedValues: string[] = [];
  for await (const key of files.list()) if (key.startsWith('exports/')) storedValues.push(key);
  expect(storedValues).toHaveLength(1);
  expect((await owner.get(`${LIST_PATH}/${neighbor}`)).body.data.firstname).toBe('Neighbouras');
  expect(await tablesWith('neighbour.secret@x.example')).toEqual(
    expect.arrayContaining(['import_rejections', 'results', 'single_sends', 'subscribers']),
  );
  const rejectedCsv = (await owner.get(`${API}/imports/${importId}/rejected.csv`)).text;
  expect(rejectedCsv).toContain('neighbour.secret@x.example');
  expect(rejectedCsv.split('\r\n').filter((line) => /^[234],/.test(line))).toHaveLength(3);
  // Undoing the import restores nothing of the erased subscriber.
  expect((await owner.post(`${API}/imports/${importId}/undo`)).status).toBe(200);
  await server.runJobs();
  expect(await tablesWith('quillon')).toEqual([]);
});

test('erasing includes deleted subscribers who had the same address or number', async () => {
  const owner = await server.owner();
  const add = async (body: object) => (await owner.post(LIST_PATH, body)).body.data.id as string;
  const count = async () =>
    (await owner.get(`${API}/users`)).body.data.account.subscriber_count as number;
  const email = 'wren.twice@x.example';
  const phone = '+37061234999';
  for (const original of [
    { email, firstname: 'Wrenella' },
    { email: 'other.wren@x.example', phone, firstname: 'Wrenna' },
  ]) {
    const id = await add(original);
    await addBounce(owner, id, original.email);
    await owner.delete(LIST_PATH, { subscribers: [id] });
  }
  const deletedId = await add({ email: 'else@x.example', firstname: 'Kestrel' });
  await owner.delete(LIST_PATH, { subscribers: [deletedId] });
  const readdedId = await add({ email, phone, firstname: 'Wren' });
  expect(await count()).toBe(1);
  expect((await owner.post(`${LIST_PATH}/${readdedId}/erase`)).status).toBe(200);
  expect(await count()).toBe(0);
  for (const term of ['wren', '61234999']) expect(await tablesWith(term), term).toEqual([]);
  // The other address stays suppressed when a list contains it again.
  const search = `${API}/suppressions?channel=email&search=other.wren@x.example`;
  expect((await owner.get(search)).body.data).toMatchObject([{ reason: 'erased' }]);
  expect(await tablesWith('kestrel')).toEqual(['subscribers']);
});

test('a running export stops with an error when a subscriber in it is erased', async () => {
  const owner = await server.owner();
  const { ids } = await importSubscribers(owner);
  const { id } = (await owner.post(`${API}/exports`, { all: true })).body.data;
  await sql`update exports set state = 'running' where account_id = ${owner.accountId}`.execute(
    server.db,
  );
  expect((await owner.post(`${LIST_PATH}/${ids[0]}/erase`)).status).toBe(200);
  await server.runJobs();
  const { state, error } = (await owner.get(`${API}/exports/${id}`)).body.data;
  expect([state, error.code]).toEqual(['failed', 'person_erased']);
  expect(error.message).toContain('erased');
});

test('a waiting export starts only after the erasure and fails if it searches for the erased subscriber', async () => {
  const owner = await server.owner();
  const { ids } = await importSubscribers(owner);
  const startExport = async (choice: object) =>
    (await owner.post(`${API}/exports`, choice)).body.data.id as string;
  const fullExport = await startExport({ all: true });
  const searchedExport = await startExport({ search: 'quillon.secret@x.example' });
  const states = async () =>
    Promise.all(
      [fullExport, searchedExport].map(
        async (id) => (await owner.get(`${API}/exports/${id}`)).body.data,
      ),
    );
  const isLocked = await inTransaction(server.db, async (tx) => {
    await eraseSubscribers(tx, owner.accountId, {
      subscriberIds: [decodeId('subscriber', ids[0] as string) as number],
    });
    const { rows } = await sql`select 1 from exports where account_id = ${owner.accountId}
      and id = ${decodeId('export', fullExport) as number} for update skip locked`.execute(
      server.db,
    );
    return rows.length === 0;
  });
  expect(isLocked).toBe(true);
  await server.runJobs();
  const [full, filtered] = await states();
  expect([full.state, full.search]).toEqual(['finished', null]);
  expect([filtered.state, filtered.error.code, filtered.search]).toEqual([
    'failed',
    'person_erased',
    null,
  ]);
});

test('an export requested during an erasure waits until the erasure is finished', async () => {
  const owner = await server.owner();
  const { ids } = await importSubscribers(owner);
  const subscriberIds = [decodeId('subscriber', ids[0] as string) as number];
  const { request: requested, first } = await inTransaction(server.db, async (tx) => {
    await eraseSubscribers(tx, owner.accountId, { subscriberIds });
    const exportRequest = owner.post(`${API}/exports`, { all: true });
    const moment = new Promise<string>((resolve) => setTimeout(() => resolve('waits'), 500));
    return {
      request: { answer: exportRequest },
      first: await Promise.race([exportRequest.then(() => 'answers'), moment]),
    };
  });
  expect(first).toBe('waits');
  const { status, body } = await requested.answer;
  expect(status).toBe(200);
  await server.runJobs();
  const { state } = (await owner.get(`${API}/exports/${body.data.id}`)).body.data;
  expect(state).toBe('finished');
});

async function addOrder(owner: TestOwner, id: string): Promise<void> {
  const { accountId } = owner;
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into stores (account_id, type, domain, title, currency, created_at, modified_at)
    values (${accountId}, 'own', 'shop.example', 'Shop', 'EUR', ${at}, ${at}) returning id`.execute(
    server.db,
  );
  await sql`
    insert into orders (account_id, store_id, subscriber_id, remote_id, number, placed_at, created_at,
      modified_at)
    values (${accountId}, ${rows[0]?.id}, ${decodeId('subscriber', id)}, 'quillons-order', '1', ${at},
      ${at}, ${at})`.execute(server.db);
}

/** Counts the subscriber's orders and events with personal data. */
async function storedFiguresOf(owner: TestOwner, id: string) {
  const { rows } = await sql<{ events: number; orders: number }>`
    select (select count(*) from events where account_id = ${owner.accountId}
        and subscriber_id = ${decodeId('subscriber', id)}
        and (ip is not null or user_agent is not null or details is not null)) as events,
      (select count(*) from orders where account_id = ${owner.accountId}
        and subscriber_id = ${decodeId('subscriber', id)}) as orders`.execute(server.db);
  return rows[0];
}

test('no data identifies the subscriber thirty days after a deletion, and other subscribers remain', async () => {
  const owner = await server.owner();
  const { ids } = await importSubscribers(owner);
  const [deleted = '', neighbor = ''] = ids;
  for (const [id, name] of [
    [deleted, 'quillon'],
    [neighbor, 'neighbour'],
  ] as const) {
    await addBounce(owner, id, `${name}.secret@x.example`);
  }
  await addOrder(owner, deleted);
  expect((await owner.delete(LIST_PATH, { subscribers: [deleted] })).body.count).toBe(1);
  expect(await storedFiguresOf(owner, deleted)).toEqual({ events: 1, orders: 1 });
  clock.advance(31 * 86_400_000);
  try {
    await closeUndos(server.db, owner.accountId);
    await deleteExpiredRowIssues(server.db, owner.accountId);
    const signal = new AbortController().signal;
    await purgeJob.run({ after: 0 }, { db: server.db, signal });
  } finally {
    clock.reset();
  }
  expect(await storedFiguresOf(owner, deleted)).toEqual({ events: 0, orders: 0 });
  expect(await storedFiguresOf(owner, neighbor)).toEqual({ events: 1, orders: 0 });
  // Rejected rows of a file expire with their import.
  expect(await tablesWith('quillon')).toEqual([]);
  expect(await tablesWith('neighbour.secret@x.example')).toEqual(
    expect.arrayContaining(['results', 'single_sends', 'subscribers']),
  );
});

test('an erasure removes the address from segments and sent messages without changing the recipients of campaigns', async () => {
  const owner = await server.owner();
  const { ids } = await importSubscribers(owner);
  const save = async (conditions: string, title?: string) =>
    (await owner.post(`${API}/filters`, { conditions, ...(title ? { title } : {}) })).body.data.id;
  const savedSegments = [
    await save('email,not-equal,Quillon.Secret%40x.example,1,and,and,'),
    await save('email,in,quillon.secret%40x.example,1,and,and,,neighbour.secret%40x.example'),
    await save('phone,not-include,%2B370%20612%2034567,1,and,and,', 'Not quillon.secret@x.example'),
    // Another address with the same ending.
    await save('email,equals,my.quillon.secret%40x.example,1,and,and,'),
  ];
  const draftCampaign = async (segment: string) => {
    const settings = { title: 'Tea', subject: 'Tea', from_email: 'tea@x.example' };
    const { id } = (await owner.post(`${API}/campaigns`, settings)).body.data;
    await owner.post(`${API}/campaigns/${id}/filters/set`, { filters_arr: [segment] });
    return id;
  };
  const campaign = await draftCampaign(savedSegments[0]);
  const { accountId } = owner;
  const audience = {
    all: false,
    groups: [],
    excluded: [],
    segments: [[condition('email', 'equals', 'quillon.secret@x.example')]],
  };
  await sql`insert into messages
      (account_id, kind, channel, state, frozen, audience, created_at, modified_at)
    values (${accountId}, 'campaign', 'email', 'finished', '{}', ${JSON.stringify(audience)}::jsonb,
      ${clock.now()}, ${clock.now()})`.execute(server.db);
  const listFoundNames = async () => {
    const { body } = await owner.get(`${API}/campaigns/${campaign}/subscribers`);
    return body.data.total;
  };
  expect(await listFoundNames()).toBe(1);
  expect((await owner.post(`${LIST_PATH}/${ids[0]}/erase`)).status).toBe(200);
  expect(await tablesWith(' quillon.secret@x.example')).toEqual([]);
  expect(await tablesWith('"quillon.secret@x.example')).toEqual([]);
  expect(await tablesWith('612 34567')).toEqual([]);
  expect(await tablesWith('my.quillon.secret@x.example')).toEqual(['segments']);
  expect(await listFoundNames()).toBe(1);
  const { data } = (await owner.get(`${API}/filters?no_paginate=1`)).body;
  const rowsById = new Map(data.map((row: { id: string }) => [row.id, JSON.stringify(row)]));
  expect(rowsById.get(savedSegments[1])).toContain('neighbour.secret@x.example');
  expect(rowsById.get(savedSegments[1])).toContain('erased@invalid');
  expect(rowsById.get(savedSegments[2])).toContain('Not erased@invalid');
});

test('an erasure removes the address and number of the subscriber from titles and filters of saved views', async () => {
  const owner = await server.owner();
  const { ids } = await importSubscribers(owner);
  const save = async (title: string, filter: string) => {
    const columns = ['created'];
    const view = { title, filter, sort: 'created', direction: 'desc', columns };
    const response = await owner.post(`${API}/subscriber_views`, view);
    expect(response.status, response.text).toBe(200);
  };
  const filter = 'email,not-equal,Quillon.Secret%40x.example,1,and,and,';
  await save('quillon.secret@x.example', filter);
  await save('+37061234567', 'email,not-equal,neighbour.secret%40x.example,1,and,and,');
  await save('Erased@invalid', '');
  expect((await owner.post(`${LIST_PATH}/${ids[0]}/erase`)).status).toBe(200);
  for (const text of ['quillon.secret', '61234567'])
    expect(await tablesWith(text)).not.toContain('subscriber_views');
  const views = (await owner.get(`${API}/subscriber_views`)).body.data;
  expect(views).toMatchObject([
    { title: '+000000000000000', filter: expect.stringContaining('neighbour.secret%40x.example') },
    { title: 'Erased@invalid', filter: '' },
    {
      title: expect.stringMatching(/^erased@invalid \d+$/),
      filter: 'email,not-equal,erased%40invalid,1,and,and,',
    },
  ]);
});

test('saved views whose titles contain addresses of an erased subscriber get different titles', async () => {
  const owner = await server.owner();
  const { ids } = await importSubscribers(owner);
  const columns = ['created'];
  const save = async (title: string, filter = '') => {
    const view = { title, filter, sort: 'created', direction: 'desc', columns };
    expect((await owner.post(`${API}/subscriber_views`, view)).status).toBe(200);
  };
  const email = 'quillon.secret@x.example';
  // An earlier, deleted row of the same subscriber has another address.
  const previousProfile = { email: 'quillon.before@x.example', phone: '+37061234567' };
  await owner.delete(LIST_PATH, { subscribers: [ids[0]] });
  const firstId = (await owner.post(LIST_PATH, previousProfile)).body.data.id;
  await owner.delete(LIST_PATH, { subscribers: [firstId] });
  const response = await owner.post(LIST_PATH, { email, phone: '+37061234567' });
  await save(email);
  await save('quillon.before@x.example');
  await save('+37061234567');
  const eraseResponse = await owner.post(`${LIST_PATH}/${response.body.data.id}/erase`);
  expect(eraseResponse.status, eraseResponse.text).toBe(200);
  const titles = (await owner.get(`${API}/subscriber_views`)).body.data.map(
    ({ title }: { title: string }) => title,
  );
  expect(titles).toEqual([
    '+000000000000000',
    'erased@invalid',
    expect.stringMatching(/^erased@invalid \d+$/),
  ]);
});

test('saved views with malformed or too long conditions do not name an erased subscriber', async () => {
  const owner = await server.owner();
  const { ids } = await importSubscribers(owner);
  const address = 'Quillon.Secret@x.example';
  const stays = 'email,equals,my.quillon%40x.example,1,and,and,';
  const filters = [
    `email,equals,${encodeURIComponent(address)},1__next__${stays}`,
    `nonsense,equals,${address},1,and,and,`,
    `email,equals,%zz ${encodeURIComponent(address)},1,and,and,`,
    `phone,like,%2B370%20612%2034567,1,and,and,`,
    `firstname,equals,${'x'.repeat(9_000)},1,and,and,__next__email,equals,${address},1,and,and,`,
  ];
  for (const [i, filter] of filters.entries()) {
    const view = { title: `View ${i}`, filter, sort: 'created', direction: 'desc' };
    const response = await owner.post(`${API}/subscriber_views`, { ...view, columns: ['created'] });
    expect(response.status, response.text).toBe(200);
  }
  expect((await owner.post(`${LIST_PATH}/${ids[0]}/erase`)).status).toBe(200);
  for (const term of ['quillon.secret', '34567'])
    expect(await tablesWith(term)).not.toContain('subscriber_views');
  const views = (await owner.get(`${API}/subscriber_views`)).body.data;
  const [first, second, , , long] = views.map(({ filter }: { filter: string }) => filter);
  expect(first).toBe(`email,equals,erased%40invalid,1__next__${stays}`);
  expect(second).toBe('nonsense,equals,erased%40invalid,1,and,and,');
  expect(long).toContain(`,${'x'.repeat(9_000)},`);
});

test('opening a message after the erasure stores neither the IP address nor the user agent', async () => {
  const owner = await server.owner();
  const { ids } = await importSubscribers(owner);
  const [erased = '', neighbor = ''] = ids;
  await addBounce(owner, erased, 'quillon.secret@x.example');
  await owner.post(`${LIST_PATH}/${erased}/erase`);
  const { rows } = await sql<{ id: number }>`
    select id from messages where account_id = ${owner.accountId}`.execute(server.db);
  const buildOpen = (id: string, sequence: number) => ({
    at: clock.now(),
    messageId: rows[0]?.id ?? 0,
    subscriberId: decodeId('subscriber', id) as number,
    kind: 'open' as const,
    sequence,
    ip: '198.51.100.9',
    userAgent: 'Mozilla/5.0',
    device: 'phone',
  });
  const events = [buildOpen(erased, 1), buildOpen(neighbor, 2)];
  await inTransaction(server.db, (tx) => insertEvents(tx, owner.accountId, events));
  const storedEvents = await sql<{ ip: string | null; user_agent: string | null; device: string }>`
    select ip, user_agent, device from events
    where account_id = ${owner.accountId} and kind = 'open' order by sequence`.execute(server.db);
  expect(storedEvents.rows).toEqual([
    { ip: null, user_agent: null, device: 'phone' },
    { ip: '198.51.100.9', user_agent: 'Mozilla/5.0', device: 'phone' },
  ]);
});

test('erasing includes test emails with the subscriber’s values, sent or pending', async () => {
  const relay = await startSmtpServer();
  const owner = await server.owner();
  const profile = { email: 'shown@x.example', firstname: 'Tessalonika' };
  const subscriber = (await owner.post(LIST_PATH, profile)).body.data.id as string;
  const campaign = (
    await owner.post(`${API}/campaigns`, {
      title: 'Spring',
      subject: 'Fresh tea',
      from_name: 'Tea Shop',
      from_email: 'tea@shop.example',
    })
  ).body.data;
  const contentResponse = await owner.put(`${API}/campaigns/${campaign.id}/content`, {
    revision: campaign.revision,
    editor: 'html',
    html: '<p>Dear {{firstname | default: "friend"}}, fresh tea has come in.</p><a href="{{browser_preview}}">Look</a>',
  });
  expect(contentResponse.status).toBe(200);
  const sendTest = async (emails: string[]) => {
    const testResponse = await owner.post(`${API}/campaigns/${campaign.id}/test`, {
      emails,
      subscriber,
    });
    expect(testResponse.status, testResponse.text).toBe(200);
  };
  const emailTo = async (email: string) => {
    const findMessage = () =>
      relay.accepted.find((receivedMessage) => receivedMessage.to[0] === email);
    await expect.poll(findMessage).toBeDefined();
    return (await PostalMime.parse(findMessage()?.source ?? '')).html ?? '';
  };
  const inBrowser = async (html: string) =>
    (await server.client().get(`/v/${/\/v\/([\w-]+)/.exec(html)?.[1]}`)).text;

  await sendTest(['boss@shop.example']);
  const sender = startTestSender(server.db, relay.url);
  const html = await emailTo('boss@shop.example');
  expect(html).toContain('Dear Tessalonika,');
  expect(await inBrowser(html)).toContain('Dear Tessalonika,');
  await sender.close();
  await sendTest(['later@shop.example']);
  expect(await tablesWith('tessalonika')).toEqual(['subscribers']);

  expect((await owner.post(`${LIST_PATH}/${subscriber}/erase`)).status).toBe(200);
  expect(await tablesWith('tessalonika')).toEqual([]);
  expect(await inBrowser(html)).toContain('Dear friend,');
  startTestSender(server.db, relay.url);
  expect(await emailTo('later@shop.example')).toContain('Dear friend,');
  await relay.close();
});
