// Accounts' own relays over HTTP: kept, hidden, tried, and used for what the account sends.
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { relayKinds } from '#main/relays.ts';
import { loadConfig } from '#platform/server/config.ts';
import { inTransaction } from '#platform/server/database.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing-address.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import { checkInvariant } from '#testing/invariant.ts';
import { addPeople, isFinished, startMessage, untilDelivery } from '#testing/mailing.ts';
import { relaySettings } from '#testing/relay-settings.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import {
  type Delivery,
  openPool,
  type RunningSender,
  resume,
  runSenders,
  sendOne,
  soleRelay,
} from '../index.ts';

const URL_ = '/client-api/api/relays';
let server: TestServer;
let relay: TestSmtpServer;
let other: TestSmtpServer;
let instance: TestSmtpServer;
let sender: RunningSender | undefined;

beforeAll(async () => {
  server = await testServer();
});

beforeEach(async () => {
  allowPrivateAddresses(true);
  relay = await startSmtpServer();
  other = await startSmtpServer();
  instance = await startSmtpServer();
  return async () => {
    for (const one of [relay, other, instance]) await one.close();
  };
});

afterEach(async () => {
  await sender?.close();
  sender = undefined;
  // Later tests look only after their own accounts.
  await sql`update messages set state = 'cancelled'`.execute(server.db);
  await sql`delete from single_sends`.execute(server.db);
});

function start(): void {
  const earlier = sender;
  const options = parseSmtpUrl(`${instance.url}?tls=none&connections=2`);
  const sole = soleRelay(`installation ${instance.url}`, (source) =>
    openSmtpRelay(options, source),
  );
  const running = runSenders(server.db, openPool(server.db, [sole]), relayKinds(loadConfig({})));
  sender = {
    async close() {
      await Promise.all([running.close(), earlier?.close()]);
    },
  };
}

type Owner = Awaited<ReturnType<TestServer['owner']>>;

async function add(owner: Owner, port: number, changes: object = {}) {
  const answer = await owner.post(URL_, relaySettings(port, changes));
  expect(answer.status, answer.text).toBe(200);
  return answer.body.data;
}

async function campaign(accountId: number, people: number, domains?: string[]) {
  await addPeople(server.db, accountId, people, domains);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return messageId;
}

function single(accountId: number, recipient: string) {
  const { message_id: _, ...source } = sampleSource({
    kind: 'transactional',
    account_id: accountId,
  });
  const one = {
    accountId,
    kind: 'transactional',
    sourceId: 5,
    source,
    recipient,
    values: {},
  } as const;
  return inTransaction(server.db, (tx) => sendOne(tx, { ...one, idempotencyKey: recipient }));
}

const untilItWaits = (accountId: number, messageId: number, accepted: number) =>
  untilDelivery(
    server.db,
    accountId,
    messageId,
    ({ state, counts }) =>
      state === 'waiting' && counts.accepted === accepted && counts.handing_over === 0,
    15_000,
  );

/** Until the slots of five minutes that its mails left in are an hour old. */
function expectAnHour({ heldUntil }: Delivery): void {
  const inMinutes = ((heldUntil?.getTime() ?? 0) - Date.now()) / 60_000;
  expect(inMinutes).toBeGreaterThan(58);
  expect(inMinutes).toBeLessThan(66);
}

const idsOf = (...relays: TestSmtpServer[]) =>
  relays.flatMap((one) => one.accepted.map(({ messageId }) => messageId));

test('without a relay of one’s own emails stay in the inbox, and who is signed in is told', async () => {
  const owner = await server.owner();
  const stays = async () => (await owner.get('/client-api/api/users')).body.data.test_inbox;
  expect(await stays()).toBe(true);
  const { id } = await add(owner, relay.port);
  expect(await stays()).toBe(false);
  await owner.patch(`${URL_}/${id}`, { enabled: false });
  expect(await stays()).toBe(true);
});

describe('settings', () => {
  test('a relay is added, changed and removed; its password is sealed and never shown', async () => {
    const owner = await server.owner();
    const made = await add(owner, 2525, {
      username: 'ada',
      password: 'sesame open',
      tls: 'required',
    });
    expect(made).toMatchObject({ title: 'Our relay', has_password: true, username: 'ada' });
    expect(made.health.state).toBe('unknown');
    const changed = await owner.patch(`${URL_}/${made.id}`, { title: 'Mail', per_hour: 500 });
    expect(changed.body.data).toMatchObject({ title: 'Mail', per_hour: 500, has_password: true });
    const listed = await owner.get(URL_);
    expect(listed.body.data).toHaveLength(1);
    for (const text of [changed.text, listed.text]) expect(text).not.toContain('sesame');
    const { rows } = await sql<{ row: string }>`select relays::text as row from relays
      where account_id = ${owner.accountId}`.execute(server.db);
    expect(rows[0]?.row).not.toContain('sesame');
    // Whoever may change the host does not get the password sent there.
    const elsewhere = await owner.patch(`${URL_}/${made.id}`, { host: '127.0.0.2' });
    expect(elsewhere.status).toBe(422);
    expect(elsewhere.body.errors.password).toBeTruthy();
    expect((await owner.delete(`${URL_}/${made.id}`)).status).toBe(200);
    expect((await owner.get(`${URL_}/${made.id}`)).status).toBe(404);
  });

  test('nobody reaches another account’s relay', async () => {
    const owner = await server.owner();
    const stranger = await server.owner();
    const made = await add(owner, relay.port);
    const answers = await Promise.all([
      stranger.get(`${URL_}/${made.id}`),
      stranger.patch(`${URL_}/${made.id}`, { title: 'Mine' }),
      stranger.delete(`${URL_}/${made.id}`),
      stranger.post(`${URL_}/${made.id}/test`, { from: 'news@tea.example' }),
    ]);
    expect(answers.map((one) => one.status)).toEqual([404, 404, 404, 404]);
    expect((await stranger.get(URL_)).body.data).toEqual([]);
    expect((await owner.get(`${URL_}/${made.id}`)).body.data.title).toBe('Our relay');
  });

  test('a host of a private network is refused, by address and by name', async () => {
    allowPrivateAddresses(false);
    const owner = await server.owner();
    for (const host of ['127.0.0.1', '10.0.0.5', 'localhost', '169.254.169.254', '::1']) {
      const answer = await owner.post(URL_, relaySettings(25, { host, tls: 'required' }));
      expect([host, answer.status, answer.body.code]).toEqual([host, 422, 'relay_private']);
      expect(answer.body.errors).toEqual({ host: [answer.body.message] });
      expect(answer.body.message.startsWith(host)).toBe(true);
    }
    const unknown = await owner.post(
      URL_,
      relaySettings(25, { host: 'no.such.invalid', tls: 'required' }),
    );
    expect(unknown.body.code).toBe('relay_unknown_host');
    const plain = await owner.post(URL_, relaySettings(25, { host: '192.0.2.1', tls: 'none' }));
    expect(plain.status).toBe(422);
  });

  test('what was allowed once is not connected to once it is not', async () => {
    const owner = await server.owner();
    const made = await add(owner, relay.port);
    allowPrivateAddresses(false);
    const tried = await owner.post(`${URL_}/${made.id}/test`, { from: 'news@tea.example' });
    expect(tried.body.data).toMatchObject({ accepted: false });
    expect(relay.connections.total).toBe(0);
  });
});

describe('limits of domains', () => {
  const limit = (domain: string) => ({ domain, per_minute: 60 });

  test.each([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['Gmail.com', 'googlemail.com'],
    ['tea.example', 'TEA.example'],
  ])('%s and %s are limited by the same, so only one of them may be', async (one, other_) => {
    const owner = await server.owner();
    const domain_limits = [limit(one), limit(other_)];
    const answer = await owner.post(URL_, relaySettings(relay.port, { domain_limits }));
    expect(answer.status).toBe(422);
    expect(answer.body.errors.domain_limits).toHaveLength(1);
    const made = await add(owner, relay.port, { domain_limits: [limit(one)] });
    const changed = await owner.patch(`${URL_}/${made.id}`, { domain_limits });
    expect(changed.status).toBe(422);
  });

  test('two that came to be one provider’s stay editable, never become three, and the stricter holds', async () => {
    const owner = await server.owner();
    const made = await add(owner, relay.port);
    const url = `${URL_}/${made.id}`;
    const domain_limits = [
      { domain: 'gmail.com', per_minute: 6_000 },
      { domain: 'googlemail.com', per_minute: 6 },
    ];
    // As it was kept when these were two.
    await sql`update relays set domain_limits = ${JSON.stringify(domain_limits)}
      where account_id = ${owner.accountId}`.execute(server.db);
    for (const body of [{ enabled: false }, { title: 'Ours', domain_limits }, { enabled: true }]) {
      const { status, text } = await owner.patch(url, body);
      expect(status, text).toBe(200);
    }
    const third = { domain_limits: [...domain_limits, limit('GMAIL.com')] };
    expect((await owner.patch(url, third)).status).toBe(422);
    await campaign(owner.accountId, 60, ['gmail.com', 'home.example']);
    start();
    const sentTo = (domain: string) =>
      relay.accepted.filter((one) => one.to[0]?.endsWith(`@${domain}`)).length;
    await expect.poll(() => sentTo('home.example')).toBe(30);
    expect(sentTo('gmail.com')).toBeLessThan(5);
    expect((await owner.patch(url, { domain_limits: [limit('gmail.com')] })).status).toBe(200);
  });

  test('a domain is limited however it is written', async () => {
    const owner = await server.owner();
    const domain_limits = [{ domain: 'Bücher.example', per_minute: 6 }];
    await add(owner, relay.port, { domain_limits });
    await campaign(owner.accountId, 60, ['xn--bcher-kva.example', 'home.example']);
    start();
    const sentTo = (domain: string) =>
      relay.accepted.filter((one) => one.to[0]?.endsWith(`@${domain}`)).length;
    await expect.poll(() => sentTo('home.example')).toBe(30);
    expect(sentTo('xn--bcher-kva.example')).toBeLessThan(5);
  });
});

describe('a trial', () => {
  test('tells the whole conversation without the password, and mails the user', async () => {
    const auth = { user: 'ada', password: 'sesame open' };
    await relay.close();
    relay = await startSmtpServer({ auth });
    const owner = await server.owner('trial@shop.example');
    const made = await add(owner, relay.port, { username: auth.user, password: auth.password });
    const tried = await owner.post(`${URL_}/${made.id}/test`, { from: 'news@tea.example' });
    expect(tried.body.data.accepted).toBe(true);
    const lines: { who: string; text: string }[] = tried.body.data.lines;
    const said = lines.filter((line) => line.who === 'us').map((line) => line.text);
    expect(said.find((line) => line.startsWith('AUTH'))).toBe('AUTH PLAIN ***');
    expect(said).toContain('RCPT TO:<trial@shop.example>');
    expect(said.at(-1)).toBe('QUIT');
    expect(lines.some((line) => line.who === 'relay' && line.text.startsWith('250'))).toBe(true);
    const secret = Buffer.from(`\0${auth.user}\0${auth.password}`).toString('base64');
    expect(tried.text).not.toContain(secret);
    expect(tried.text).not.toContain('sesame');
    expect(relay.accepted[0]?.to).toEqual(['trial@shop.example']);
  });

  test.each([
    ['busy', { banner: '421 4.3.2 Too many connections' }],
    ['sign_in', { mail: '530 5.7.0 Authentication required' }],
    ['sender', { mail: '550 5.7.1 You may not send from there' }],
    ['relaying', { rcpt: '554 5.7.1 <ada@x.example>: Relay access denied' }],
    ['recipient', { rcpt: '550 5.1.1 No such user' }],
    ['refused', { data: '250 2.0.0 Ok: queued as 77' }],
    ['refused', { dot: '554 5.6.0 Not that' }],
    ['refused', { dot: { hangUp: 'instead' } }],
    ['no_server', { banner: 'HTTP/1.1 400 Bad Request' }],
  ] as const)('what came of it is told: %s', async (code, script) => {
    const owner = await server.owner();
    Object.assign(relay.script, script);
    const made = await add(owner, relay.port);
    const tried = await owner.post(`${URL_}/${made.id}/test`, { from: 'news@tea.example' });
    expect(tried.body.data).toMatchObject({ accepted: false, code });
  });

  test('nobody there, no encryption, a certificate that nobody knows: each is told', async () => {
    const owner = await server.owner();
    const codeOf = async (port: number, changes: object = {}) => {
      const made = await add(owner, port, changes);
      const tried = await owner.post(`${URL_}/${made.id}/test`, { from: 'news@tea.example' });
      return tried.body.data.code;
    };
    expect(await codeOf(relay.port, { tls: 'required' })).toBe('encryption');
    expect(await codeOf(relay.port, { tls: 'implicit' })).toBe('encryption');
    const encrypted = await startSmtpServer({ tls: 'starttls' });
    expect(await codeOf(encrypted.port, { tls: 'required' })).toBe('certificate');
    await encrypted.close();
    expect(await codeOf(encrypted.port)).toBe('unreachable');
  });

  test('a refusal stands where it came', async () => {
    const owner = await server.owner();
    relay.script.mail = '550 5.7.1 You may not send from there';
    const made = await add(owner, relay.port);
    const tried = await owner.post(`${URL_}/${made.id}/test`, { from: 'news@tea.example' });
    expect(tried.body.data).toMatchObject({ accepted: false, code: 'sender' });
    expect(tried.body.data.lines.at(-1)).toEqual({
      who: 'relay',
      text: '550 5.7.1 You may not send from there',
    });
  });
});

describe('sending', () => {
  test('an account’s mails leave through its own relay, others’ and letters through the installation’s', async () => {
    const owner = await server.owner('own@shop.example');
    const neighbour = await server.owner('neighbour@shop.example');
    await add(owner, relay.port);
    const own = await campaign(owner.accountId, 30);
    const foreign = await campaign(neighbour.accountId, 20);
    start();
    await untilDelivery(server.db, owner.accountId, own, isFinished);
    await untilDelivery(server.db, neighbour.accountId, foreign, isFinished);
    // Two letters that greet the two owners.
    await instance.got(22);
    expect(relay.accepted).toHaveLength(30);
    expect(instance.accepted.filter((one) => one.to[0]?.endsWith('@shop.example'))).toHaveLength(2);
    const checked = await checkInvariant(server.db, owner.accountId, own, idsOf(relay));
    expect(checked).toEqual({ states: { accepted: 30 }, problems: [] });
    const shown = (await owner.get(URL_)).body.data[0];
    expect(shown.health).toMatchObject({ state: 'ready' });
  });

  test('where the first is down or refuses the sender, the next takes over', async () => {
    const owner = await server.owner();
    await add(owner, relay.port, { title: 'first', priority: 1 });
    await add(owner, other.port, { title: 'second', priority: 2 });
    relay.script.mail = '550 5.7.1 Sender rejected';
    const refused = await campaign(owner.accountId, 40);
    start();
    await untilDelivery(server.db, owner.accountId, refused, isFinished);
    expect(other.accepted).toHaveLength(40);
    await relay.stop();
    const gone = await startMessage(server.db, owner.accountId);
    await server.runJobs();
    await untilDelivery(server.db, owner.accountId, gone, isFinished);
    expect(other.accepted).toHaveLength(80);
    const states = (await owner.get(URL_)).body.data.map(
      (one: { title: string; health: object }) => [
        one.title,
        (one.health as { state: string }).state,
      ],
    );
    expect(states).toEqual([
      ['first', 'waiting'],
      ['second', 'ready'],
    ]);
    const checked = await checkInvariant(server.db, owner.accountId, gone, idsOf(relay, other));
    expect(checked.problems).toEqual([]);
  });

  test('where all refuse the sender, the message is paused; going on asks each again', async () => {
    const owner = await server.owner();
    await add(owner, relay.port);
    await add(owner, other.port, { priority: 2 });
    relay.script.mail = other.script.mail = '550 5.7.1 Sender rejected';
    const messageId = await campaign(owner.accountId, 25);
    start();
    // Whoever was being asked when the last one refused is answered, too: no refusal is still to come.
    const paused = await untilDelivery(
      server.db,
      owner.accountId,
      messageId,
      (one) => one.state === 'paused' && one.counts.handing_over === 0,
    );
    expect(paused.reason).toBe('sender_refused');
    relay.script.mail = undefined;
    await inTransaction(server.db, (tx) => resume(tx, owner.accountId, messageId));
    await untilDelivery(server.db, owner.accountId, messageId, isFinished);
    expect(relay.accepted).toHaveLength(25);
  });

  test('relays of one priority share by weight', async () => {
    const owner = await server.owner();
    await add(owner, relay.port, { weight: 3 });
    await add(owner, other.port, { weight: 1 });
    for (const one of [relay, other]) one.script.dot = () => ({ after: 2 });
    const messageId = await campaign(owner.accountId, 400);
    start();
    await untilDelivery(server.db, owner.accountId, messageId, isFinished);
    expect(relay.accepted.length + other.accepted.length).toBe(400);
    expect(relay.accepted.length).toBeGreaterThan(280);
    expect(other.accepted.length).toBeGreaterThan(80);
  });

  test('an hour’s limit holds over two processes; the message says what it waits for', async () => {
    const owner = await server.owner();
    await add(owner, relay.port, { per_hour: 30 });
    const messageId = await campaign(owner.accountId, 50);
    start();
    start();
    const delivery = await untilItWaits(owner.accountId, messageId, 30);
    expect(delivery).toMatchObject({
      reason: 'relay_limit',
      details: { until: expect.any(String) },
    });
    expectAnHour(delivery);
    expect(relay.accepted).toHaveLength(30);
    const [listed] = (await owner.get(URL_)).body.data;
    expect(listed.quotas).toMatchObject([{ unit: 'hour', used: 30, most: 30 }]);
    const told = Date.parse(listed.quotas[0].more_at);
    expect(Math.abs(told - (delivery.heldUntil?.getTime() ?? 0))).toBeLessThan(5_000);
  });

  test('a single mail leaves while a campaign waits for its hour, as long as that holds any', async () => {
    const owner = await server.owner();
    await sql`delete from single_sends`.execute(server.db);
    await add(owner, relay.port, { per_hour: 100 });
    const messageId = await campaign(owner.accountId, 200);
    start();
    const delivery = await untilItWaits(owner.accountId, messageId, 98);
    expect(delivery).toMatchObject({ reason: 'relay_limit', counts: { pending: 102 } });
    expectAnHour(delivery);
    const [listed] = (await owner.get(URL_)).body.data;
    expect(listed.quotas).toMatchObject([{ unit: 'hour', used: 98, most: 100 }]);
    const told = Date.parse(listed.quotas[0].more_at);
    expect(Math.abs(told - (delivery.heldUntil?.getTime() ?? 0))).toBeLessThan(5_000);
    const got = () => relay.accepted.slice(98).flatMap((one) => one.to);
    await single(owner.accountId, 'ada@home.example');
    await expect.poll(got, { timeout: 3_000 }).toEqual(['ada@home.example']);
    // Another process finds the hour as it is.
    start();
    await single(owner.accountId, 'eve@home.example');
    await expect.poll(got, { timeout: 3_000 }).toEqual(['ada@home.example', 'eve@home.example']);
    await single(owner.accountId, 'ida@home.example');
    await new Promise((resolve) => setTimeout(resolve, 3_000));
    expect(relay.accepted).toHaveLength(100);
    const later = await untilItWaits(owner.accountId, messageId, 98);
    expect(later).toMatchObject({ reason: 'relay_limit', counts: { deferred: 0, unknown: 0 } });
    await sender?.close();
    const { rows } = await sql<{ state: string }>`select state from single_sends
      where account_id = ${owner.accountId} order by id`.execute(server.db);
    expect(rows.map((row) => row.state)).toEqual(['accepted', 'accepted', 'pending']);
  });

  test('with an hour’s and a day’s limit it waits for the hour, while the day has room', async () => {
    const owner = await server.owner();
    await add(owner, relay.port, { per_hour: 20, per_day: 500 });
    const messageId = await campaign(owner.accountId, 30);
    start();
    const delivery = await untilItWaits(owner.accountId, messageId, 20);
    expect(delivery.reason).toBe('relay_limit');
    expectAnHour(delivery);
  });

  test('a provider’s limit slows its own people only', async () => {
    const owner = await server.owner();
    await add(owner, relay.port, { domain_limits: [{ domain: 'gmail.com', per_minute: 60 }] });
    const messageId = await campaign(owner.accountId, 300, [
      'gmail.com',
      'outlook.com',
      'home.example',
    ]);
    start();
    start();
    const toOthers = () =>
      relay.accepted.filter((one) => !one.to[0]?.endsWith('@gmail.com')).length;
    await expect.poll(toOthers).toBe(200);
    const toGmail = () => relay.accepted.length - toOthers();
    expect(toGmail()).toBeLessThan(12);
    await expect.poll(toGmail).toBeGreaterThan(0);
    // What the relay has and what is written down are one again once nothing is under way.
    await sender?.close();
    const checked = await checkInvariant(server.db, owner.accountId, messageId, idsOf(relay));
    expect(checked.problems).toEqual([]);
  });

  test('where only people of a limited provider are left, they leave at its limit, and none is put off', async () => {
    const owner = await server.owner();
    await add(owner, relay.port, { domain_limits: [{ domain: 'gmail.com', per_minute: 1_200 }] });
    const messageId = await campaign(owner.accountId, 400, ['gmail.com']);
    start();
    await expect.poll(() => relay.accepted.length).toBeGreaterThan(0);
    const begun = performance.now();
    await new Promise((resolve) => setTimeout(resolve, 5_000));
    const seconds = (performance.now() - begun) / 1_000;
    const leftMeanwhile = relay.accepted.length;
    expect(leftMeanwhile).toBeGreaterThan(seconds * 10);
    expect(leftMeanwhile).toBeLessThanOrEqual(seconds * 20 + 5);
    const delivery = await untilDelivery(server.db, owner.accountId, messageId, () => true);
    expect(delivery.counts.deferred).toBeLessThan(leftMeanwhile / 20);
    await sender?.close();
    const checked = await checkInvariant(server.db, owner.accountId, messageId, idsOf(relay));
    expect(checked.problems).toEqual([]);
  });

  test('a provider that wants it slower is remembered, and holds nobody else up', async () => {
    const owner = await server.owner();
    await add(owner, relay.port);
    relay.script.rcpt = ({ line }) =>
      line.includes('@gmail.com') ? '421 4.7.28 Unusual rate of mail' : undefined;
    const messageId = await campaign(owner.accountId, 150, [
      'gmail.com',
      'outlook.com',
      'home.example',
    ]);
    start();
    await expect.poll(() => relay.accepted.length).toBe(100);
    const { rows } = await sql<{ key: string }>`select key from relay_allowances
      where state ? 'learnt' and key like ${`account/${owner.accountId}/%`}`.execute(server.db);
    expect(rows.map((row) => row.key.split('/').at(-1))).toEqual(['1']);
    const [delivery] = [await untilDelivery(server.db, owner.accountId, messageId, () => true)];
    expect(delivery?.state).toBe('sending');
    expect(delivery?.counts.failed).toBe(0);
    expect(relay.count('rcpt')).toBeLessThan(130);
  });
});
