// Opens, clicks and unsubscribes, from requests to the public URLs to the resulting counts.
import type { AddressInfo } from 'node:net';
import { sql } from 'kysely';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import {
  createSubscriber,
  deleteSubscribers,
  isSuppressed,
  readSubscriber,
} from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { type TestResponse, type TestServer, testServer } from '#testing/setup/server.ts';
import { acceptedAt, linkTarget, messageSender } from './events.ts';
import { getInstallationTokens, saveLinks, settleTracking } from './index.ts';
import { recordHits } from './recorder.ts';
import type { TokenPayload } from './token.ts';

const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0';
const BROWSER = { 'user-agent': CHROME };
const APPLE = { 'user-agent': 'Mozilla/5.0' };
let server: TestServer;
let accountId: number;
let messages = 0;
let messageId: number;
let subscriberCount = 0;

beforeAll(async () => {
  server = await testServer();
  accountId = (await server.owner()).accountId;
});

beforeEach(async () => {
  clock.reset();
  messageId = ++messages;
  await inTransaction(server.db, (tx) =>
    saveLinks(tx, accountId, messageId, [
      { position: 0, url: 'https://shop.example/tea?a=1&b=2', label: 'Tea' },
      { position: 1, url: 'https://shop.example/{{ firstname }}', label: 'You' },
      { position: 2, url: 'https://shop.example/çay', label: 'Turkish' },
      { position: 3, url: 'javascript:alert(1)', label: 'Never' },
      { position: 4, url: 'http://[nowhere', label: 'Broken' },
      { position: 5, url: 'https://shop.example/a b\r\nx: y', label: 'Odd' },
    ]),
  );
});

async function subscriber(email = `person${++subscriberCount}@mail.example`): Promise<number> {
  const input = { email, firstname: 'Åse', source: 'manual' };
  return (await inTransaction(server.db, (tx) => createSubscriber(tx, accountId, input))).id;
}

const tokenOf = (change: Partial<TokenPayload> & { subscriber: number }) =>
  getInstallationTokens().make({ account: accountId, message: messageId, ordinal: 1, ...change });

const get = (url: string, headers: Record<string, string> = BROWSER): Promise<TestResponse> =>
  server.client().get(url, headers);

async function countsOf(id = messageId) {
  const { rows } = await sql<Record<string, number>>`
    select * from engagement_counts where account_id = ${accountId} and message_id = ${id}`.execute(
    server.db,
  );
  return rows[0] ?? {};
}

async function outcomeOf(subscriberId: number) {
  const { rows } = await sql<Record<string, Date | number | null>>`
    select * from outcomes where account_id = ${accountId} and subscriber_id = ${subscriberId}
      and message_id = ${messageId}`.execute(server.db);
  return rows[0];
}

test('the pixel is an uncacheable image, and repeated opens of a subscriber count as one unique open', async () => {
  const token = tokenOf({ subscriber: await subscriber() });
  const response = await get(`/t/o/${token}.gif`);
  expect(response).toMatchObject({ status: 200 });
  expect(response.headers['content-type']).toBe('image/gif');
  expect(response.headers['cache-control']).toContain('no-store');
  for (let i = 0; i < 99; i++) await get(`/t/o/${token}.gif`);
  await settleTracking(server.db);
  expect(await countsOf()).toMatchObject({
    opens: 100,
    human_opens: 100,
    unique_opens: 1,
    unique_human_opens: 1,
    clicks: 0,
  });
});

test('an open with any prefetch header is classified as automated', async () => {
  const prefetchHeaders: Record<string, string>[] = [
    { 'sec-purpose': 'prefetch;prerender' },
    { purpose: 'prefetch' },
    { 'x-purpose': 'preview' },
    { 'x-moz': 'prefetch' },
  ];
  for (const header of prefetchHeaders) {
    const token = tokenOf({ subscriber: await subscriber() });
    await get(`/t/o/${token}.gif`, { ...BROWSER, ...header });
  }
  await get(`/t/o/${tokenOf({ subscriber: await subscriber() })}.gif`, {
    ...BROWSER,
    'x-moz': 'no',
  });
  await settleTracking(server.db);
  expect(await countsOf()).toMatchObject({ opens: 5, unique_opens: 5, unique_human_opens: 1 });
});

test('a link redirects to its stored target, and its click counts as a unique open', async () => {
  const id = await subscriber();
  const token = tokenOf({ subscriber: id });
  for (const clicks of [1, 2]) {
    const response = await get(`/t/c/${token}/0`);
    expect(response.status).toBe(302);
    expect(response.headers.location).toBe('https://shop.example/tea?a=1&b=2');
    expect(response.headers['cache-control']).toContain('no-store');
    await settleTracking(server.db);
    expect(await countsOf()).toMatchObject({
      opens: 0,
      unique_opens: 1,
      unique_human_opens: 1,
      clicks,
      human_clicks: clicks,
      unique_clicks: 1,
      unique_human_clicks: 1,
    });
  }
  expect(await outcomeOf(id)).toMatchObject({
    opens: 0,
    clicks: 2,
    first_open_at: expect.any(Date),
    first_human_click_at: expect.any(Date),
  });
  expect((await get(`/t/c/${token}/2`)).headers.location).toBe('https://shop.example/%C3%A7ay');
  expect((await get(`/t/c/${token}/5`)).headers.location).toBe('https://shop.example/a%20bx:%20y');
});

test("a link with merge tags redirects to a target with the subscriber's values", async () => {
  const id = await subscriber();
  const end = linkTarget.handle(async (_, question) =>
    question.payload.subscriber === id ? [question.url.replace('{{ firstname }}', '%C3%85se')] : [],
  );
  expect((await get(`/t/c/${tokenOf({ subscriber: id })}/1`)).headers.location).toBe(
    'https://shop.example/%C3%85se',
  );
  expect((await get(`/t/c/${tokenOf({ subscriber: id + 1 })}/1`)).status).toBe(404);
  end();
});

test('forged and malformed links and links of another account get an error page, never a redirect', async () => {
  const token = tokenOf({ subscriber: await subscriber() });
  const forgedToken = `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`;
  const urls = [
    `/t/c/${forgedToken}/0`,
    `/t/c/${token}/3`,
    `/t/c/${token}/4`,
    `/t/c/${token}/99`,
    `/t/c/${token}/-1`,
    `/t/c/${token}/0x0`,
    `/t/c/${token}/https:%2f%2fevil.example`,
    `/t/c/${tokenOf({ subscriber: 1, account: 4_000_000 })}/0`,
    `/t/c/${getInstallationTokens().make({ account: accountId, message: messageId, subscriber: 1, ordinal: 1 }, 'messageId')}/0`,
    '/t/c/nonsense/0?url=https://evil.example',
  ];
  for (const url of urls) {
    const response = await get(url, { ...BROWSER, 'accept-language': 'sv' });
    expect(response, url).toMatchObject({ status: 404 });
    expect(response.headers.location).toBeUndefined();
    expect(response.text).toContain('Länken fungerar inte');
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
  }
  expect((await get(`/t/o/${forgedToken}.gif`)).headers['content-type']).toBe('image/gif');
  await settleTracking(server.db);
  expect(await countsOf()).toEqual({});
});

test('opens by addresses without a subscriber are counted per copy', async () => {
  for (const ordinal of [71, 72, 72]) await get(`/t/o/${tokenOf({ subscriber: 0, ordinal })}.gif`);
  await settleTracking(server.db);
  expect(await countsOf()).toMatchObject({ opens: 3, unique_opens: 2 });
  const { rows } = await sql`select 1 from activity
    where account_id = ${accountId} and subscriber_id <= 0`.execute(server.db);
  expect(rows).toEqual([]);
});

test('automated opens and clicks are stored and do not count as human', async () => {
  const id = await subscriber();
  const token = tokenOf({ subscriber: id });
  await get(`/t/o/${token}.gif`, APPLE);
  await server.client().send({ method: 'HEAD', url: `/t/c/${token}/0`, headers: BROWSER });
  await settleTracking(server.db);
  expect(await countsOf()).toMatchObject({
    opens: 1,
    human_opens: 0,
    unique_opens: 1,
    unique_human_opens: 0,
    clicks: 1,
    unique_human_clicks: 0,
  });
  await get(`/t/o/${token}.gif`);
  await settleTracking(server.db);
  expect(await countsOf()).toMatchObject({
    unique_opens: 1,
    unique_human_opens: 1,
    human_opens: 1,
  });
  expect(await outcomeOf(id)).toMatchObject({ opens: 2, human_opens: 1, human_clicks: 0 });
});

test('simultaneous clicks on two links count as automated only shortly after delivery', async () => {
  const token = tokenOf({ subscriber: await subscriber() });
  for (const position of [0, 2]) await get(`/t/c/${token}/${position}`);
  await settleTracking(server.db);
  expect(await countsOf()).toMatchObject({ clicks: 2, human_clicks: 2 });
  const end = acceptedAt.handle(async (_, { pairs }) =>
    pairs.map((pair) => ({ ...pair, at: new Date(clock.now().getTime() - 60_000) })),
  );
  const scannedToken = tokenOf({ subscriber: await subscriber() });
  for (const position of [0, 2]) await get(`/t/c/${scannedToken}/${position}`);
  await settleTracking(server.db);
  end();
  expect(await countsOf()).toMatchObject({ clicks: 4, human_clicks: 2, unique_human_clicks: 1 });
});

test('an open is recorded immediately, and a click once its burst window has passed', async () => {
  const token = tokenOf({ subscriber: await subscriber() });
  const { drainBuffers } = await import('./plugin.ts');
  await get(`/t/o/${token}.gif`);
  await get(`/t/c/${token}/0`);
  await drainBuffers();
  expect(await recordHits(server.db, accountId)).toEqual({ recordedCount: 1, waitingCount: 1 });
  expect(await countsOf()).toMatchObject({ opens: 1, clicks: 0 });
  clock.advance(2100);
  expect(await recordHits(server.db, accountId)).toEqual({ recordedCount: 1, waitingCount: 0 });
  expect(await countsOf()).toMatchObject({ opens: 1, clicks: 1 });
});

test('concurrent recorders count each hit once', async () => {
  const tokens = await Promise.all(
    Array.from({ length: 30 }, async () => tokenOf({ subscriber: await subscriber() })),
  );
  const { drainBuffers } = await import('./plugin.ts');
  for (let round = 0; round < 3; round++) {
    await Promise.all(tokens.map((token) => get(`/t/o/${token}.gif`)));
    await drainBuffers();
    await Promise.all([1, 2, 3].map(() => recordHits(server.db, accountId)));
  }
  await settleTracking(server.db);
  expect(await countsOf()).toMatchObject({ opens: 90, unique_opens: 30, unique_human_opens: 30 });
});

test('total counts, counts by time and activity equal the recorded events', async () => {
  const ids = await Promise.all(Array.from({ length: 12 }, () => subscriber()));
  for (let i = 0; i < 60; i++) {
    const token = tokenOf({ subscriber: ids[i % 7] as number });
    const agent = i % 5 === 0 ? APPLE : BROWSER;
    await get(i % 3 === 0 ? `/t/c/${token}/${i % 2 === 0 ? 0 : 2}` : `/t/o/${token}.gif`, agent);
    if (i % 10 === 9) await settleTracking(server.db);
  }
  await settleTracking(server.db);
  const { rows } = await sql<Record<string, number>>`
    select count(*) filter (where kind = 'open') as opens,
      count(*) filter (where kind = 'open' and verdict = 'human') as human_opens,
      count(distinct subscriber_id) as unique_opens,
      count(distinct subscriber_id) filter (where verdict = 'human') as unique_human_opens,
      count(*) filter (where kind = 'click') as clicks,
      count(*) filter (where kind = 'click' and verdict = 'human') as human_clicks,
      count(distinct subscriber_id) filter (where kind = 'click') as unique_clicks,
      count(distinct subscriber_id) filter (where kind = 'click' and verdict = 'human') as unique_human_clicks
    from events where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  expect(await countsOf()).toMatchObject(rows[0] as object);
  const times = await sql<Record<string, number>>`
    select sum(opens) as opens, sum(human_opens) as human_opens, sum(clicks) as clicks,
      sum(human_clicks) as human_clicks from engagement_times
    where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
  expect(await countsOf()).toMatchObject(times.rows[0] as object);
  const mismatches = await sql<{ wrong: number }>`
    select count(*) as wrong from activity a join (
      select account_id, subscriber_id, max(at) as any_at, max(at) filter (where kind = 'click') as click_at,
        min(at) as first_at, min(at) filter (where verdict = 'human') as human_at,
        min(at) filter (where kind = 'click' and verdict = 'human') as human_click_at
      from events where account_id = ${accountId} group by 1, 2) e
    on e.account_id = a.account_id and e.subscriber_id = a.subscriber_id
    where a.account_id = ${accountId}
      and (a.last_open_at <> e.any_at or a.last_click_at is distinct from e.click_at
        or a.first_open_at <> e.first_at or a.first_human_open_at is distinct from e.human_at
        or a.first_human_click_at is distinct from e.human_click_at)`.execute(server.db);
  expect(mismatches.rows[0]).toEqual({ wrong: 0 });
});

test('viewing the unsubscribe page changes nothing, and its button unsubscribes once', async () => {
  const id = await subscriber('mona@mail.example');
  const url = `/u/${tokenOf({ subscriber: id })}`;
  const page = await get(url);
  expect(page.status).toBe(200);
  expect(page.text).toContain('m•••@mail.example');
  expect(page.text).not.toContain('mona@');
  expect(page.text.match(/<button/g)).toHaveLength(1);
  expect((await readSubscriber(server.db, accountId, id)).email_status).toBe('active');
  for (let i = 0; i < 5; i++) {
    const response = await server.client().send({
      method: 'POST',
      url,
      payload: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-sendloom': '' },
    });
    expect(response.status).toBe(200);
    expect(response.text).toContain('You are unsubscribed');
  }
  expect((await readSubscriber(server.db, accountId, id)).email_status).toBe('unsubscribed');
  expect(await countsOf()).toMatchObject({ unsubscribes: 1 });
  expect(await outcomeOf(id)).toMatchObject({ unsubscribed_at: expect.any(Date) });
  expect((await get(url)).text).toContain('You are unsubscribed');
});

test.each([
  ['application/x-www-form-urlencoded', 'List-Unsubscribe=One-Click'],
  [
    'multipart/form-data; boundary=x',
    '--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n',
  ],
])('an email client unsubscribes with one click (%s)', async (type, payload) => {
  const id = await subscriber();
  const url = `/u/${tokenOf({ subscriber: id })}`;
  const headers = { 'content-type': type, 'x-sendloom': '', cookie: '' };
  const responses = await Promise.all(
    Array.from({ length: 20 }, () =>
      server.client().send({ method: 'POST', url, payload, headers }),
    ),
  );
  expect(new Set(responses.map((response) => response.status))).toEqual(new Set([200]));
  const { rows } = await sql<{ reason: string; message_id: number }>`
    select reason, message_id from status_changes
    where account_id = ${accountId} and subscriber_id = ${id}`.execute(server.db);
  expect(rows).toEqual([{ reason: 'one_click', message_id: messageId }]);
  expect(await countsOf()).toMatchObject({ unsubscribes: 1 });
});

test('an accidental unsubscribe is undone with a recorded consent', async () => {
  const id = await subscriber();
  const url = `/u/${tokenOf({ subscriber: id })}`;
  await server.client().post(url);
  const response = await server.client().post(`${url}/resubscribe`);
  expect(response.text).toContain('Welcome back');
  expect((await readSubscriber(server.db, accountId, id)).email_status).toBe('active');
  const { rows } = await sql<{ kind: string; source: string; wording: string }>`
    select kind, source, wording from consents where account_id = ${accountId}
      and subscriber_id = ${id} and kind = 'given'`.execute(server.db);
  expect(rows).toEqual([
    { kind: 'given', source: 'unsubscribe_page', wording: expect.stringContaining('again') },
  ]);
  await server.client().post(url);
  expect(await countsOf()).toMatchObject({ unsubscribes: 1 });
});

test('a deleted subscriber can still unsubscribe and is unsubscribed when added again', async () => {
  const email = 'deleted@mail.example';
  const id = await subscriber(email);
  const remove = (subscriberIds: number[]) =>
    inTransaction(server.db, (tx) => deleteSubscribers(tx, accountId, { subscriberIds }));
  await remove([id]);
  const url = `/u/${tokenOf({ subscriber: id })}`;
  const question = await get(url);
  expect(question.text).toContain('Unsubscribe?');
  expect(question.text).not.toContain('/preferences');
  const unsubscribed = await server.client().post(url);
  expect(unsubscribed).toMatchObject({
    status: 200,
    text: expect.stringContaining('You are unsubscribed'),
  });
  expect(await isSuppressed(server.db, accountId, 'email', email)).toBe(true);
  expect((await get(url)).text).toContain('You are unsubscribed');
  const resubscription = await server.client().post(`${url}/resubscribe`);
  expect(resubscription.text).not.toContain('Welcome back');
  expect(resubscription.text).toContain('This cannot be undone here');
  const newId = await subscriber(email);
  expect((await readSubscriber(server.db, accountId, newId)).email_status).toBe('unsubscribed');
});

test('the unsubscribe and preference pages report that the subscriber’s data was deleted', async () => {
  const url = `/u/${tokenOf({ subscriber: 9_000_000 })}`;
  for (const path of ['', '/resubscribe', '/preferences']) {
    const response = await server.client().post(`${url}${path}`);
    expect(response.status, path).toBe(410);
    expect(response.text, path).toContain('Your data was deleted');
  }
  expect((await get(url)).text).toContain('Your data was deleted');
});

test("the unsubscribe page has the message's language and direction, and a forged token gets an error page", async () => {
  const end = messageSender.handle(async () => [{ language: 'fas', name: 'باغ چای' }]);
  const url = `/u/${tokenOf({ subscriber: await subscriber() })}`;
  const page = await get(url, { ...BROWSER, 'accept-language': 'en' });
  end();
  expect(page.text).toContain('<html lang="fa" dir="rtl">');
  expect(page.text).toContain('لغو اشتراک');
  // The account has no name yet, so the name of the sender is used.
  expect(page.text).toContain('باغ چای');
  const response = await server.client().post('/u/forged', undefined, { 'accept-language': 'nb' });
  expect(response).toMatchObject({ status: 404 });
  expect(response.text).toContain('Denne lenken virker ikke');
});

test.each([
  [500, new Error('unexpected')],
  [503, new AppError('unavailable')],
])(
  "a failure behind an email link (%i) shows a page in the visitor's language",
  async (status, error) => {
    const fail = async () => {
      throw error;
    };
    onTestFinished(messageSender.handle(fail));
    onTestFinished(linkTarget.handle(fail));
    const token = tokenOf({ subscriber: await subscriber() });
    const headers = { ...BROWSER, 'accept-language': 'nb' };
    const client = server.client();
    for (const response of [
      await client.get(`/u/${token}`, headers),
      await client.get(`/u/${token}/preferences`, headers),
      await client.post(`/u/${token}`, undefined, headers),
      await client.get(`/t/c/${token}/1`, headers),
    ]) {
      expect(response.status).toBe(status);
      expect(response.headers['content-type']).toBe('text/html; charset=utf-8');
      expect(response.text).toContain('Dette virket ikke akkurat nå');
    }
  },
);

test('requests for the pixel and fixed links bypass the framework', async () => {
  await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  const token = tokenOf({ subscriber: await subscriber() });
  const request = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers: BROWSER, ...init });
  for (let round = 0; round < 2; round++) {
    const pixel = await request(`/t/o/${token}.gif?x=1`);
    expect((await pixel.arrayBuffer()).byteLength).toBe(42);
    expect(pixel.headers.get('x-request-id')).toBeNull();
    const click = await request(`/t/c/${token}/0`);
    expect([click.status, click.headers.get('location')]).toEqual([
      302,
      'https://shop.example/tea?a=1&b=2',
    ]);
    // The first click of a process loads the message's links, through the framework.
    expect(click.headers.get('x-request-id') === null).toBe(round === 1);
  }
  expect((await request(`/t/o/${token}.gif`, { method: 'HEAD' })).status).toBe(200);
  expect((await request(`/t/c/${token}/99`)).status).toBe(404);
  expect((await request(`/t/c/${token}/0`, { method: 'POST' })).status).toBe(404);
  expect((await request('/t/c/')).status).toBe(404);
  await settleTracking(server.db);
  expect(await countsOf()).toMatchObject({ opens: 3, human_opens: 2, clicks: 2 });
});

test.each([
  ')',
  '.',
  ').',
  ',',
  ';',
  ':',
  '!',
  '"',
  "'",
  ']',
  '}',
  '>',
  '*',
  '_',
  '/',
  '%22',
  '%29.',
  '%C2%BB',
  '%E2%80%9D',
  '\u201d',
])('a link still works with %s of the surrounding text at its end', async (end) => {
  if (!server.app.server.listening) await server.app.listen({ port: 0, host: '127.0.0.1' });
  const { port } = server.app.server.address() as AddressInfo;
  const token = tokenOf({ subscriber: await subscriber() });
  const request = (path: string) =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: 'manual', headers: BROWSER });
  const targetUrl = 'https://shop.example/tea?a=1&b=2';
  for (const path of [`/t/c/${token}/0${end}`, `/t/c/${token}/0${end}?x=1`]) {
    const click = await request(path);
    expect([click.status, click.headers.get('location')], path).toEqual([302, targetUrl]);
  }
  for (const path of [
    `/u/${token}${end}`,
    `/u/${token}${end}?lang=en`,
    `/u/${token}/preferences${end}`,
  ]) {
    expect((await request(path)).status, path).toBe(200);
  }
  // Other trailing text makes the link invalid.
  for (const path of [`/t/c/${token}/0x`, `/t/c/${token}/0/1`, `/u/${token}x`, `/u/${token}/x`]) {
    expect((await request(path)).status, path).toBe(404);
  }
});
