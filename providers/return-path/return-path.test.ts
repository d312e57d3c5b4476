// Tests the SMTP server of the return path with arbitrary clients, and the effect of bounces on
// subscribers.
import { connect } from 'node:net';
import nodemailer from 'nodemailer';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { processReturnedEmail, acceptsEmailFor } from '#areas/delivery/server/feedback/index.ts';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { addPeople, startMessage } from '#testing/worlds/sending-helpers.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import type { SmtpPort } from '../smtp-port.ts';
import { startReturnPath } from './index.ts';

const DOMAIN = 'bounce.example';
let server: TestServer;
let path: SmtpPort;
let accountId: number;
let isDatabaseDown = false;
const errors: unknown[] = [];

beforeAll(async () => {
  server = await testServer({ BOUNCE_DOMAIN: DOMAIN });
  accountId = (await server.owner()).accountId;
  path = await startReturnPath({
    host: '127.0.0.1',
    port: 0,
    handlers: [
      {
        accepts: (address) => acceptsEmailFor(address, DOMAIN),
        handle: async (email) => {
          if (isDatabaseDown) throw new Error('the database is unavailable');
          await processReturnedEmail(server.db, email);
        },
        maxBytes: 512 * 1024,
      },
    ],
    onError: (error) => errors.push(error),
  });
});
afterAll(() => path.close());

async function returnPathOf(subscriber: number) {
  const message = await startMessage(server.db, accountId);
  const copy = { account: accountId, message, subscriber, ordinal: 1 };
  return `b+${getInstallationTokens().make(copy, 'bounce')}@${DOMAIN}`;
}

const qmail = `From: MAILER-DAEMON@q.example
Subject: failure notice

Hi. This is the qmail-send program at q.example.
I'm afraid I wasn't able to deliver your message to the following addresses.

<somebody@x.example>:
Sorry, no mailbox here by that name. (#5.1.1)
`;

function sendRaw(to: string, raw: string | Buffer) {
  const transport = nodemailer.createTransport({ host: '127.0.0.1', port: path.port });
  return transport.sendMail({ envelope: { from: '', to }, raw });
}

/** Sends each line after the reply to the previous line; resolves to all replies. */
function sendLines(lines: string[]): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(path.port, '127.0.0.1');
    let transcript = '';
    const unsent = [...lines];
    socket.on('data', (bytes) => {
      transcript += bytes.toString();
      if (transcript.endsWith('\r\n')) socket.write(`${unsent.shift() ?? 'QUIT'}\r\n`);
    });
    socket.on('close', () => resolve(transcript));
    socket.on('error', () => resolve(transcript));
  });
}

describe('the return path', () => {
  test('accepts a bounce for our address with several megabytes of the original message', async () => {
    const [small, big] = await addPeople(server.db, accountId, 2, ['p.example']);
    await sendRaw(await returnPathOf(small as number), qmail);
    expect((await readSubscriber(server.db, accountId, small as number)).email_status).toBe(
      'bounced',
    );
    const copy = `--- Below this line is a copy of the message.\n\n${'text '.repeat(15)}\n`;
    await sendRaw(await returnPathOf(big as number), qmail + copy.repeat(60_000));
    expect((await readSubscriber(server.db, accountId, big as number)).email_status).toBe(
      'bounced',
    );
  });

  test('refuses to relay and to authenticate', async () => {
    const replies = await sendLines([
      'EHLO x',
      'MAIL FROM:<a@b.example>',
      'RCPT TO:<victim@elsewhere.example>',
      `RCPT TO:<b+${'A'.repeat(40)}@${DOMAIN}>`,
      `RCPT TO:<somebody@${DOMAIN}>`,
      'DATA',
      'AUTH PLAIN AGEAYg==',
      'STARTTLS',
    ]);
    expect(replies.match(/^550 5\.1\.1/gm)).toHaveLength(3);
    expect(replies).not.toMatch(/^354/m);
    expect(replies).not.toMatch(/^235|^220 2|AUTH/m);
  });

  test('replies with a temporary error during a database outage and accepts the email afterwards', async () => {
    const [id] = await addPeople(server.db, accountId, 1, ['again.example']);
    const returnPath = await returnPathOf(id as number);
    isDatabaseDown = true;
    await expect(sendRaw(returnPath, qmail)).rejects.toMatchObject({ responseCode: 451 });
    isDatabaseDown = false;
    await sendRaw(returnPath, qmail);
    expect((await readSubscriber(server.db, accountId, id as number)).email_status).toBe('bounced');
    expect(errors).toHaveLength(1);
  });

  test('refuses messages with an excessive announced size and excess clients', async () => {
    const replies = await sendLines(['EHLO x', 'MAIL FROM:<> SIZE=99999999']);
    expect(replies).toMatch(/^552/m);
    const sockets = Array.from({ length: 60 }, () => connect(path.port, '127.0.0.1'));
    const greetings = await Promise.all(
      sockets.map(
        (socket) =>
          new Promise<string>((resolve) => socket.once('data', (b) => resolve(b.toString()))),
      ),
    );
    for (const socket of sockets) socket.destroy();
    expect(greetings.filter((line) => line.startsWith('421'))).toHaveLength(10);
  });

  test('each handler gets the email for its recipients, and the number of whole emails in memory is limited', async () => {
    const handledEmails: { to: readonly string[]; size: number }[] = [];
    const gate = Promise.withResolvers<void>();
    const sharedPort = await startReturnPath({
      host: '127.0.0.1',
      port: 0,
      handlers: [
        {
          accepts: (address) => address.startsWith('bounce'),
          handle: async ({ to, bytes }) => void handledEmails.push({ to, size: bytes.length }),
          maxBytes: 100,
        },
        {
          accepts: (address) => address.startsWith('report'),
          handle: async ({ to, bytes }) => {
            if (to.includes('report-slow@x.example')) await gate.promise;
            handledEmails.push({ to, size: bytes.length });
          },
          maxBytes: 10_000,
          maxInMemory: 1,
        },
      ],
      onError: (error) => errors.push(error),
    });
    const send = (to: string[], size: number) =>
      nodemailer
        .createTransport({ host: '127.0.0.1', port: sharedPort.port })
        .sendMail({ envelope: { from: '', to }, raw: `Subject: x\r\n\r\n${'y'.repeat(size)}` });
    const recipients = ['report@x.example', 'bounce-1@x.example', 'bounce-2@x.example'];
    await send(recipients, 5000);
    expect(handledEmails).toEqual([
      { to: ['report@x.example'], size: expect.any(Number) },
      { to: ['bounce-1@x.example', 'bounce-2@x.example'], size: 100 },
    ]);
    expect(handledEmails[0]?.size).toBeGreaterThan(5000);
    await expect(send(['report@x.example'], 20_000)).rejects.toMatchObject({ responseCode: 552 });
    const slowSend = send(['report-slow@x.example'], 10);
    await expect
      .poll(() => send(['report@x.example'], 10).catch((error) => error.responseCode))
      .toBe(452);
    // Emails that need no slot are accepted concurrently.
    await send(['bounce-1@x.example'], 10);
    gate.resolve();
    await slowSend;
    await send(['report@x.example'], 10);
    await sharedPort.close();
  });

  test('closes an active connection that sends no email within the time limit', async () => {
    const shortPort = await startReturnPath({
      host: '127.0.0.1',
      port: 0,
      handlers: [],
      onError: () => undefined,
      maxDurationMs: 1500,
    });
    const socket = connect(shortPort.port, '127.0.0.1');
    let transcript = '';
    socket.on('data', (bytes) => {
      transcript += bytes.toString();
      setTimeout(() => socket.writable && socket.write('NOOP\r\n'), 50);
    });
    socket.on('error', () => undefined);
    await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    expect(transcript).toMatch(/^220 /);
    expect(transcript).toMatch(/^250 /m);
    await shortPort.close();
  });
});
