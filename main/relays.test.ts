// The relays in SMTP_URL form one pool with quotas and limits; invalid addresses are refused.
import { sql } from 'kysely';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import { readCopyFields } from '#areas/delivery/server/feedback/index.ts';
import { isAmazonSes, runSender, type RunningSender } from '#areas/delivery/server/sender/index.ts';
import { loadConfig } from '#platform/server/config.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { createMessage, createMessages, QueueSource } from '#testing/servers/queue-source.ts';
import {
  addPeople,
  isFinished,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSesServer } from '#testing/servers/ses-server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { instancePool, relayKinds } from './relays.ts';

const server = await testServer();
let sender: RunningSender | undefined;

afterEach(async () => {
  await sender?.close();
  sender = undefined;
});

test('messages go to the relay with the next priority once a relay’s hourly quota is used up', async () => {
  const firstServer = await startSmtpServer();
  const second = await startSmtpServer();
  try {
    const { accountId } = await server.owner();
    await addPeople(server.db, accountId, 30);
    const options = 'tls=none&connections=2';
    const config = loadConfig({
      SMTP_URL: `${firstServer.url}?${options}&hour=12  ${second.url}?${options}&priority=2`,
    });
    sender = runSender(server.db, instancePool(server.db, config));
    const messageId = await startMessage(server.db, accountId);
    await server.runJobs();
    await waitForDelivery(server.db, accountId, messageId, isFinished);
    // 31 emails: one for each of the 30 recipients, and the owner's welcome email.
    await second.waitForMessages(19);
    expect(firstServer.accepted).toHaveLength(12);
    expect(second.accepted).toHaveLength(19);
  } finally {
    await firstServer.close();
    await second.close();
  }
});

test("EHLO sends the public host name to the installation's relays and to accounts’ own relays", async () => {
  const relay = await startSmtpServer();
  allowPrivateAddresses(true);
  try {
    const config = loadConfig({
      SMTP_URL: `${relay.url}?tls=none&connections=1`,
      PUBLIC_URL: 'https://mail.shop.example',
      SECRET: 'x'.repeat(32),
    });
    const source = new QueueSource();
    const pool = instancePool(server.db, config)(source);
    source.relay = pool;
    source.add(createMessage(1));
    await source.waitForResults(1);
    await pool.close();
    const tls = 'none' as const;
    const ownRelay = { host: '127.0.0.1', port: relay.port, tls, username: '', password: '' };
    const { smtp } = relayKinds(config);
    const settings = { ...ownRelay, connections: 1, messages: 0, hasChunking: true };
    await smtp.attempt(settings, createMessage(2), AbortSignal.timeout(10_000));
    const greetings = relay.commands.filter((line) => line.includes('EHLO'));
    expect(greetings).toEqual(['1 EHLO mail.shop.example', '2 EHLO mail.shop.example']);
  } finally {
    await relay.close();
  }
});

/** Opens a pool on the relays in SMTP_URL until the test ends, and queues the messages in it. */
function sendMessages(SMTP_URL: string, messages: ReturnType<typeof createMessages>) {
  const source = new QueueSource();
  source.relay = instancePool(server.db, loadConfig({ SMTP_URL }))(source);
  onTestFinished(() => source.relay?.close(100));
  source.add(...messages);
  return source;
}

test('all sender processes share one rate limit', async () => {
  const relay = await startSmtpServer();
  onTestFinished(() => relay.close());
  const url = `${relay.url}?tls=none&connections=2&rate=20`;
  const startedAt = performance.now();
  const sources = [createMessages(30), createMessages(30, 31)].map((list) =>
    sendMessages(url, list),
  );
  await Promise.all(sources.map((source) => source.waitForResults(30)));
  expect(relay.accepted).toHaveLength(60);
  // With 20 a second per process, sending would take half as long.
  expect(performance.now() - startedAt).toBeGreaterThan(2_500);
}, 30_000);

test('a domain limit delays only recipients of that domain', async () => {
  const relay = await startSmtpServer();
  onTestFinished(() => relay.close());
  const url = `${relay.url}?tls=none&domain=gmail.com:60&domain=home.example:6`;
  const messagesTo = (domain: string) =>
    Array.from({ length: 10 }, (_, i) => createMessage(i, 'Hello.\r\n', `p${i}@${domain}`));
  const source = sendMessages(url, [
    ...messagesTo('gmail.com'),
    ...messagesTo('home.example'),
    ...messagesTo('tea.example'),
  ]);
  const acceptedBy = (domain: string) =>
    relay.accepted.filter((receivedMessage) => receivedMessage.to[0]?.endsWith(`@${domain}`))
      .length;
  await expect.poll(() => acceptedBy('tea.example')).toBe(10);
  await expect.poll(() => acceptedBy('gmail.com')).toBeGreaterThan(0);
  expect(acceptedBy('gmail.com')).toBeLessThan(6);
  expect(acceptedBy('home.example')).toBeLessThan(3);
  expect(source.results.every(({ result }) => result.outcome !== 'failed')).toBe(true);
});

test('a domain limit applies in any spelling of the domain', async () => {
  const relay = await startSmtpServer();
  onTestFinished(() => relay.close());
  const url = `${relay.url}?tls=none&domain=bücher.example:6`;
  const domains = ['bücher.example', 'xn--bcher-kva.example', 'BÜCHER.example'];
  const limitedMessages = domains.map((domain, i) =>
    createMessage(i, 'Hello.\r\n', `p${i}@${domain}`),
  );
  sendMessages(url, [...limitedMessages, ...createMessages(5, 10)]);
  await expect.poll(() => relay.accepted.length).toBe(6);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(relay.accepted).toHaveLength(6);
});

test("SES receives the configuration set that the relay's URL names", async () => {
  const ses = await startSesServer();
  onTestFinished(() => ses.close());
  for (const query of ['', '?set=marketing-1&hour=1000']) {
    const source = sendMessages(
      `ses://AKID:secret@127.0.0.1:${ses.port}${query}`,
      createMessages(1),
    );
    await source.waitForResults(1);
  }
  expect(ses.accepted.map((email) => email.configurationSet)).toEqual([undefined, 'marketing-1']);
});

test('a relay pool without rate limits does not store allowances', async () => {
  const relay = await startSmtpServer();
  onTestFinished(() => relay.close());
  const source = sendMessages(`${relay.url}?tls=none&rate=0`, createMessages(20));
  await source.waitForResults(20);
  const { rows } = await sql<{ key: string }>`select key from relay_allowances
    where key like ${`%:${relay.port}%`}`.execute(server.db);
  expect(rows).toEqual([]);
});

test.each([
  ['http://relay.example', 'SMTP_URL'],
  ['smtp://a.example imap://b.example', 'SMTP_URL'],
])('%s is refused at startup', (SMTP_URL, message) => {
  expect(() => loadConfig({ SMTP_URL })).toThrow(message);
});

test.each([
  ['smtp://a.example?priority=0', /priority=/],
  ['smtp://a.example?hour=many', /hour=/],
  ['smtp://a.example?rate=-1', /rate=/],
  ['smtp://a.example?domain=gmail.com', /domain=gmail.com:600/],
  ['smtp://a.example?domain=gmail.com:0', /domain=gmail.com:600/],
  ['smtp://a.example?domain=gmail.com:5&domain=GMAIL.com:6', /once per domain/],
  ['smtp://a.example?domain=gmail.com:5&domain=googlemail.com:6', /once per domain/],
  ['smtp://a.example?domain=bücher.example:5&domain=xn--bcher-kva.example:6', /once per domain/],
  [
    'smtp://a.example?speed=9',
    /'speed' is not an option; the options are tls, .*, name, priority, .*, dkim\./,
  ],
  ['ses://email.eu-north-1.amazonaws.com', /address of SES is/],
  ['ses://AK:s@email.eu-north-1.amazonaws.com?tls=none', /'tls' is not an option of SES/],
  ['ses://AK:50%off@email.eu-north-1.amazonaws.com', /write % in .* as %25/],
  ['ses://A%E2%80%8BK:s@email.eu-north-1.amazonaws.com', /invalid character/],
  ['ses://AK:s@email.eu-north-1.amazonaws.com?set=a%20b', /set= must be/],
])('%s is refused with an explanation', (SMTP_URL, explanation) => {
  expect(() => instancePool(server.db, loadConfig({ SMTP_URL }))).toThrow(explanation);
});

test.each([
  ['email-smtp.eu-north-1.amazonaws.com', true],
  ['email-smtp-fips.us-east-1.amazonaws.com', true],
  ['EMAIL-SMTP.cn-north-1.amazonaws.com.cn', true],
  ['email-smtp.eu-north-1.amazonaws.com.evil.example', false],
  ['mail.tea.example', false],
])('%s is a host of Amazon SES: %s', (host, isSes) => {
  expect(isAmazonSes(host)).toBe(isSes);
});

test.each([
  ['smtp.sendgrid.net', 'X-SMTPAPI'],
  ['SMTP.EU.SENDGRID.NET', 'X-SMTPAPI'],
  ['smtp.postmarkapp.com', 'X-PM-Metadata-sendloom'],
  ['smtp-broadcasts.postmarkapp.com', 'X-PM-Metadata-sendloom'],
  ['sendgrid.net.evil.example', undefined],
  ['notsendgrid.net', undefined],
  ['smtp.mailgun.org', undefined],
  ['mail.tea.example', undefined],
])('the header field for the token of a copy through %s is %s', (host, name) => {
  const fields = readCopyFields(host)?.('token');
  if (name === undefined) expect(fields).toBeUndefined();
  else expect(fields).toContain(`${name}: `);
});

test('a relay’s dkim parameter accepts only yes or no', () => {
  const config = loadConfig({ SMTP_URL: 'smtp://mail.tea.example?dkim=perhaps' });
  expect(() => instancePool(server.db, config)).toThrow('dkim= must be yes or no');
});
