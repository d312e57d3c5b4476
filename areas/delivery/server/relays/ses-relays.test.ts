// Amazon SES as a relay of an account or the installation: the effects of invalid keys, outages and
// unusual replies on campaigns.
import { sql } from 'kysely';
import { afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { relayKinds } from '#main/relays.ts';
import { loadConfig } from '#platform/server/config.ts';
import { log } from '#platform/server/log.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { openSesRelay, parseSesUrl, type SesOptions } from '#providers/ses/index.ts';
import { openSmtpRelay, parseSmtpUrl } from '#providers/smtp/index.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { relaySettings } from '#testing/worlds/relay-settings.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSesServer, type TestSesServer } from '#testing/servers/ses-server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { messageChanged } from '../index.ts';
import { openPool, runSender, runSenders, type RunningSender, soleRelay } from '../sender/index.ts';

const URL_ = '/client-api/api/relays';
let server: TestServer;
let ses: TestSesServer;
let instance: TestSmtpServer;
let sender: RunningSender | undefined;

beforeAll(async () => {
  server = await testServer();
});

beforeEach(async () => {
  allowPrivateAddresses(true);
  ses = await startSesServer();
  instance = await startSmtpServer();
  return async () => {
    await ses.close();
    await instance.close();
  };
});

afterEach(async () => {
  await sender?.close();
  sender = undefined;
  // Later tests use only their own accounts.
  await sql`update messages set state = 'cancelled'`.execute(server.db);
  await sql`delete from single_sends`.execute(server.db);
});

const settings = (changes: object = {}) =>
  relaySettings(ses.port, {
    title: 'Our SES',
    kind: 'ses',
    tls: 'required',
    username: 'AKIDEXAMPLE',
    password: 'secret',
    ...changes,
  });

function start(): void {
  const options = parseSmtpUrl(`${instance.url}?tls=none&connections=2`);
  const sole = soleRelay(`installation ${instance.url}`, (source) =>
    openSmtpRelay(options, source),
  );
  sender = runSenders(server.db, openPool(server.db, [sole]), relayKinds(loadConfig({})));
}

/** Returns SES as a relay of the installation, with short waits. */
function sesRelay(waits: Partial<SesOptions> = { firstWaitMs: 30, maxWaitMs: 120 }) {
  const options = parseSesUrl(`ses://AKID:secret@127.0.0.1:${ses.port}?connections=4`, waits);
  return soleRelay(`ses ${ses.port}`, (source) => openSesRelay(options, source));
}

async function campaign(accountId: number, recipientCount: number) {
  await addPeople(server.db, accountId, recipientCount);
  const messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  return messageId;
}

test('a key that cannot be sent in a request stops only the campaigns of its account', async () => {
  const owner = await server.owner();
  const neighbor = await server.owner();
  const response = await owner.post(URL_, settings());
  expect(response.status, response.text).toBe(200);
  // An earlier release stored the key with a zero-width space.
  await sql`update relays set username = ${'AKID\u200BEXAMPLE'}
    where account_id = ${owner.accountId}`.execute(server.db);
  const ownMessage = await campaign(owner.accountId, 5);
  const foreignMessage = await campaign(neighbor.accountId, 20);
  start();
  const delivery = await waitForDelivery(
    server.db,
    owner.accountId,
    ownMessage,
    (delivery) => delivery.state === 'paused',
  );
  expect(delivery).toMatchObject({ reason: 'sender_refused', counts: { accepted: 0 } });
  await waitForDelivery(server.db, neighbor.accountId, foreignMessage, isFinished);
  const health = async () => (await owner.get(URL_)).body.data[0].health;
  await expect.poll(health).toMatchObject({
    state: 'refused',
    reply: expect.stringContaining('Invalid character in header'),
  });
  expect(ses.requestCount).toBe(0);
  const trial = await owner.post(`${URL_}/${response.body.data.id}/test`, {
    from: 'news@tea.example',
  });
  expect(trial.body.data).toMatchObject({ accepted: false, code: 'sign_in' });
});

test('an invalid key is refused when it is saved, with an error for its field', async () => {
  const owner = await server.owner();
  for (const username of ['AKID\u200BEXAMPLE', 'АKIDEXAMPLE', 'AKID EXAMPLE']) {
    const response = await owner.post(URL_, settings({ username }));
    expect([username, response.status]).toEqual([username, 422]);
    expect(response.body.errors.username[0]).toMatch(/character that no key has/);
  }
  const response = await owner.post(URL_, settings());
  const changeResponse = await owner.patch(`${URL_}/${response.body.data.id}`, {
    username: 'АKID',
  });
  expect(changeResponse.status).toBe(422);
  // Usernames of SMTP servers are not restricted.
  const smtp = settings({ kind: 'smtp', tls: 'none', username: 'ådne' });
  expect((await owner.post(URL_, smtp)).status).toBe(200);
});

test('a campaign continues automatically after an SES outage', async () => {
  const owner = await server.owner();
  const messageId = await campaign(owner.accountId, 20);
  ses.script = (original) => (original < 6 ? 'hang up' : undefined);
  sender = runSender(server.db, openPool(server.db, [sesRelay()]));
  const { counts } = await waitForDelivery(server.db, owner.accountId, messageId, isFinished);
  // Four handoffs are in flight at first, including the owner's verification email, then one at a
  // time.
  expect(counts.accepted + counts.unknown).toBe(20);
  expect(counts.unknown).toBeLessThanOrEqual(6);
  await expect.poll(() => ses.requestCount).toBe(21);
});

test('a campaign waits while trials fail during an SES outage, and continues once a trial is accepted', async () => {
  const owner = await server.owner();
  const messageId = await campaign(owner.accountId, 60);
  const reportedStates: string[] = [];
  const unsubscribe = messageChanged.on(async (_tx, event) => {
    if (event.messageId === messageId) reportedStates.push(event.state);
  });
  onTestFinished(unsubscribe);
  const info = vi.spyOn(log, 'info');
  onTestFinished(() => info.mockRestore());
  const recoveries = () => info.mock.calls.filter(([message]) => message === 'Relay recovered');
  // Each trial outlasts a poll of the ledger.
  ses.script = (original) => (original < 4 ? 'hang up' : 'say nothing');
  const slowOptions = { firstWaitMs: 300, maxWaitMs: 300, timeoutMs: 1_500, rate: 20 };
  sender = runSender(server.db, openPool(server.db, [sesRelay(slowOptions)]));
  const isWaiting = (delivery: { state: string }) => delivery.state === 'waiting';
  await waitForDelivery(server.db, owner.accountId, messageId, isWaiting);
  const requestsBefore = ses.requestCount;
  // When the third request is sent, two have failed.
  await expect
    .poll(() => ses.requestCount, { timeout: 15_000 })
    .toBeGreaterThanOrEqual(requestsBefore + 3);
  expect(reportedStates).toEqual(['waiting']);
  expect(recoveries()).toEqual([]);
  ses.script = () => undefined;
  await expect.poll(() => reportedStates, { timeout: 10_000 }).toEqual(['waiting', 'sending']);
  expect(recoveries()).toHaveLength(1);
  await waitForDelivery(server.db, owner.accountId, messageId, isFinished);
  expect(reportedStates).toEqual(['waiting', 'sending']);
});

test('SES recovers after a refused key is corrected', async () => {
  const owner = await server.owner();
  const refusal = { status: 403, type: 'InvalidSignatureException', body: '{"message":"No"}' };
  ses.script = () => refusal;
  const firstMessage = await campaign(owner.accountId, 10);
  sender = runSender(server.db, openPool(server.db, [sesRelay()]));
  const isPaused = (delivery: { state: string }) => delivery.state === 'paused';
  await waitForDelivery(server.db, owner.accountId, firstMessage, isPaused);
  ses.script = () => undefined;
  const second = await startMessage(server.db, owner.accountId);
  await server.runJobs();
  const { counts } = await waitForDelivery(server.db, owner.accountId, second, isFinished);
  expect(counts.accepted).toBe(10);
});

test('the next relay sends most emails during an SES outage, and SES sends all new emails afterwards', async () => {
  const owner = await server.owner();
  const options = parseSmtpUrl(`${instance.url}?tls=none&connections=2`);
  const backup = soleRelay(`backup ${instance.url}`, (source) => openSmtpRelay(options, source));
  ses.script = () => 'hang up';
  const pool = openPool(server.db, [sesRelay(), { ...backup, priority: 2 }]);
  const unsent = await campaign(owner.accountId, 60);
  sender = runSender(server.db, pool);
  const { counts } = await waitForDelivery(server.db, owner.accountId, unsent, isFinished);
  expect(counts.accepted).toBeGreaterThan(40);
  ses.script = () => undefined;
  const send = async () => {
    const messageId = await startMessage(server.db, owner.accountId);
    await server.runJobs();
    await waitForDelivery(server.db, owner.accountId, messageId, isFinished);
  };
  await send();
  await expect.poll(() => ses.accepted.length).toBeGreaterThan(0);
  const acceptedBefore = instance.accepted.length;
  await send();
  expect(instance.accepted).toHaveLength(acceptedBefore);
});

test('a hanging relay does not delay emails that another relay can send', async () => {
  const owner = await server.owner();
  const options = parseSmtpUrl(`${instance.url}?tls=none&connections=2`);
  const backup = soleRelay(`backup ${instance.url}`, (source) => openSmtpRelay(options, source));
  ses.script = (original) => (original < 4 ? 'hang up' : 'say nothing');
  const pool = openPool(server.db, [sesRelay(), { ...backup, priority: 2 }]);
  const messageId = await campaign(owner.accountId, 200);
  sender = runSender(server.db, pool);
  const isNearlyAll = (delivery: { counts: { accepted: number } }) =>
    delivery.counts.accepted >= 190;
  await waitForDelivery(server.db, owner.accountId, messageId, isNearlyAll);
  expect(instance.accepted.length).toBeGreaterThanOrEqual(190);
  // The simulated SES closes first, so that the sender does not wait for pending requests.
  await ses.close();
});

test.each([
  [200, '<html>Welcome</html>'],
  [200, '{"MessageId":""}'],
  [204, ''],
  [302, ''],
  [404, '<html>Not found</html>'],
])('no copy counts as accepted by a server that is not SES: %s %s', async (status, body) => {
  const owner = await server.owner();
  const response = await owner.post(URL_, settings());
  ses.script = () => ({ status, body });
  const messageId = await campaign(owner.accountId, 5);
  start();
  const isPaused = (delivery: { state: string }) => delivery.state === 'paused';
  const delivery = await waitForDelivery(server.db, owner.accountId, messageId, isPaused);
  expect(delivery.counts.accepted).toBe(0);
  const health = async () => (await owner.get(URL_)).body.data[0].health;
  await expect.poll(health).toMatchObject({ state: 'refused' });
  const trial = await owner.post(`${URL_}/${response.body.data.id}/test`, {
    from: 'news@tea.example',
  });
  expect(trial.body.data).toMatchObject({ accepted: false, code: 'no_server' });
});

test('a key without permission for one identity stops only campaigns from that sender', async () => {
  const owner = await server.owner();
  const response = await owner.post(URL_, settings());
  const reason = 'User is not authorized to perform ses:SendEmail on resource identity/odd.example';
  const type = 'AccessDeniedException';
  const refusal = { status: 403, type, body: JSON.stringify({ message: reason }) };
  ses.script = (_, raw) => (raw.includes('@odd.example') ? refusal : undefined);
  await addPeople(server.db, owner.accountId, 40);
  const odd = await startMessage(server.db, owner.accountId, {
    from: { name: 'Odd', email: 'news@odd.example' },
  });
  const fine = await startMessage(server.db, owner.accountId);
  await server.runJobs();
  start();
  const isPaused = (delivery: { state: string }) => delivery.state === 'paused';
  const delivery = await waitForDelivery(server.db, owner.accountId, odd, isPaused);
  expect(delivery).toMatchObject({ reason: 'sender_refused', counts: { accepted: 0 } });
  const { counts } = await waitForDelivery(server.db, owner.accountId, fine, isFinished);
  expect(counts.accepted).toBe(40);
  expect((await owner.get(URL_)).body.data[0].health).toMatchObject({ state: 'ready' });
  const path = `${URL_}/${response.body.data.id}/test`;
  const trial = await owner.post(path, { from: 'news@odd.example' });
  expect(trial.body.data).toMatchObject({ accepted: false, code: 'sender' });
});
