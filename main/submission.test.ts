// A real client submits emails over SMTP: it authenticates over TLS, each recipient gets a separate
// email, and errors are sentences.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { sql } from 'kysely';
import nodemailer from 'nodemailer';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { SUBMITTED } from '#areas/content/server/index.ts';
import { readSingleValues } from '#areas/delivery/server/ledger/index.ts';
import { decodeId } from '#platform/ids.ts';
import type { Right } from '#platform/rights.ts';
import type { Config } from '#platform/server/config.ts';
import type { SubmissionServer } from '#providers/submission/index.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { createColleague } from '#testing/worlds/colleagues.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startSubmissionServer } from './submission.ts';

const run = promisify(execFile);
/** The port in the documented program; the server of these tests listens on free ports. */
const SHOWN_PORT = '41465';
let server: TestServer;
let smtp: SubmissionServer;
let owner: TestOwner;
let auth: { user: string; pass: string };

beforeAll(async () => {
  server = await testServer({ SUBMISSION_TLS_PORT: SHOWN_PORT });
  owner = await server.owner();
  const submission = { host: '127.0.0.1', port: 0, tlsPort: 0, certificate: undefined };
  const config = { ...server.config, submission } as Config;
  smtp = (await startSubmissionServer(config, server.db)) as SubmissionServer;
  const smtpUser = (await owner.post('/client-api/api/smtp_users', { title: 'Shop' })).body.data;
  auth = { user: smtpUser.username, pass: smtpUser.password };
});
afterAll(() => smtp.close());
beforeEach(async () => {
  await sql`delete from single_sends`.execute(server.db);
});

const client = (changes: object = {}) =>
  nodemailer.createTransport({
    host: '127.0.0.1',
    port: smtp.port ?? 0,
    requireTLS: true,
    tls: { rejectUnauthorized: false },
    auth,
    ...changes,
  });
const buildEmail = (changes: object = {}) => ({
  from: '"Shop" <shop@shop.example>',
  to: 'Ada <ada@home.example>',
  subject: 'Order {{ 7 }}',
  html: '<p>Dear {{ you }}, <a href="https://shop.example/o">order</a></p>',
  ...changes,
});
const singles = async () =>
  (
    await sql<{ email: string }>`select recipient as email from single_sends order by id`.execute(
      server.db,
    )
  ).rows;
const plainOf = (source: string) =>
  source
    .replace(/=\r?\n/g, '')
    .replaceAll('=20', ' ')
    .replaceAll('=3D', '=')
    .replaceAll('=7B', '{');

describe('accepted messages', () => {
  test('emails are accepted over STARTTLS and TLS; a repeated Message-ID is sent once; braces are unchanged', async () => {
    const bytes = Buffer.from('terms');
    const attachments = [{ filename: 'terms.txt', content: bytes }];
    const email = buildEmail({
      messageId: '<1@shop.example>',
      attachments,
      headers: { 'X-Order': '7' },
    });
    await client().sendMail(email);
    await client({ port: smtp.tlsPort, secure: true }).sendMail(email);
    await client().sendMail(
      buildEmail({ to: 'a@x.example', cc: 'b@x.example', bcc: 'c@x.example' }),
    );
    expect((await singles()).map((single) => single.email)).toEqual([
      'ada@home.example',
      'a@x.example',
      'b@x.example',
      'c@x.example',
    ]);
    const relay = await startSmtpServer();
    startTestSender(server.db, relay.url);
    await expect.poll(() => relay.accepted.length, { timeout: 10_000 }).toBe(4);
    const sources = relay.accepted.map(({ source }) => plainOf(source));
    const firstSource = sources.find((source) => source.includes('X-Order: 7')) ?? '';
    expect(firstSource).toContain('Dear {{ you }}');
    expect(firstSource).toContain('Subject: Order {{ 7 }}');
    expect(firstSource).toContain('filename="terms.txt"');
    expect(firstSource).not.toContain('https://shop.example/o"');
    expect(sources.some((source) => /c@x\.example/.test(source) && /^Bcc:/m.test(source))).toBe(
      false,
    );
    await relay.close();
    const { data, server: shownServer } = (await owner.get('/client-api/api/smtp_users')).body;
    expect(data).toMatchObject([{ title: 'Shop', last_used: expect.any(String) }]);
    expect(JSON.stringify(data)).not.toContain(auth.pass);
    expect(shownServer).toMatchObject({ port: null });
  });

  test('identical emails without a Message-ID are all sent, with braces unchanged', async () => {
    const raw =
      'From: shop@shop.example\r\nTo: ada@home.example\r\nSubject: Undefined variable {$user}\r\n\r\nNotice: {$firstname} and {$order} not set in $a{$b}; {{ email }} {% if %}\r\n';
    const envelope = { from: 'shop@shop.example', to: ['ada@home.example', 'a@x.example'] };
    for (let i = 0; i < 3; i++) await client().sendMail({ raw, envelope });
    expect(await singles()).toHaveLength(6);
    const relay = await startSmtpServer();
    startTestSender(server.db, relay.url);
    await expect.poll(() => relay.accepted.length, { timeout: 20_000 }).toBe(6);
    for (const { source } of relay.accepted) {
      expect(source).toContain('Subject: Undefined variable {$user}');
      expect(plainOf(source)).toContain(
        'Notice: {$firstname} and {$order} not set in $a{$b}; {{ email }} {% if %}',
      );
    }
    await relay.close();
  });

  test('emails with the same content share one message; each has its own name and Message-ID', async () => {
    const recipients = [
      { name: 'Ada L', address: 'ada@equal.example', id: '<equal-1@shop.example>' },
      { name: 'Bo "B" M', address: 'bo@equal.example', id: '<equal-2@shop.example>' },
    ];
    const relay = await startSmtpServer();
    startTestSender(server.db, relay.url);
    for (const { name, address, id } of recipients) {
      const email = { from: 'shop@shop.example', to: { name, address }, messageId: id };
      await client().sendMail({ ...email, subject: 'Equal', html: '<p>Equal</p>' });
    }
    await expect.poll(() => relay.accepted.length, { timeout: 20_000 }).toBe(2);
    const parsedEmails = await Promise.all(
      relay.accepted.map(({ source }) => PostalMime.parse(source)),
    );
    const parsedRecipients = parsedEmails.map(({ to, headers }) => ({
      name: to?.[0]?.name ?? '',
      address: to?.[0]?.address,
      id: headers.find(({ key }) => key === 'x-original-message-id')?.value,
    }));
    parsedRecipients.sort((a, b) => a.name.localeCompare(b.name));
    expect(parsedRecipients).toEqual(recipients);
    const sends = await server.db
      .selectFrom('single_sends')
      .select(['id', 'message_id', 'account_id'])
      .where('recipient', 'like', '%@equal.example')
      .orderBy('id')
      .execute();
    expect(new Set(sends.map(({ message_id }) => message_id)).size).toBe(1);
    const ids = sends.map(({ id }) => id);
    const accountId = sends[0]?.account_id ?? 0;
    const messageIds = await readSingleValues(server.db, accountId, ids, SUBMITTED.messageId);
    expect([...messageIds.values()].sort()).toEqual(recipients.map(({ id }) => id));
    await relay.close();
  });

  test('inline parts, invitations, AMP and attached emails keep their position and type; names stay with their addresses', async () => {
    const png = Buffer.from('89504e470d0a1a0a', 'hex').toString('base64');
    const boundary = (name: string, type: string) =>
      `Content-Type: multipart/${type}; boundary=${name}\r\n\r\n`;
    const raw = [
      'From: Shop <shop@shop.example>\r\nReply-To: Help Desk <help@shop.example>\r\nTo: "Ada L" <ada@home.example>\r\nCc: Bo <bo@x.example>\r\nSubject: Meet\r\nMessage-ID: <meet@shop.example>\r\nMIME-Version: 1.0\r\n',
      `${boundary('M', 'mixed')}--M\r\n${boundary('A', 'alternative')}`,
      '--A\r\nContent-Type: text/plain\r\n\r\nMeet\r\n',
      '--A\r\nContent-Type: text/x-amp-html; charset=utf-8\r\n\r\n<html amp4email></html>\r\n',
      `--A\r\n${boundary('R', 'related')}`,
      '--R\r\nContent-Type: text/html\r\n\r\n<p>Meet <img src="cid:logo@tea" alt="logo"></p>\r\n',
      `--R\r\nContent-Type: image/png\r\nContent-Transfer-Encoding: base64\r\nContent-ID: <logo@tea>\r\nContent-Disposition: inline; filename=logo.png\r\n\r\n${png}\r\n--R--\r\n`,
      '--A\r\nContent-Type: text/calendar; method=REQUEST; charset=utf-8\r\n\r\nBEGIN:VCALENDAR\r\nMETHOD:REQUEST\r\nEND:VCALENDAR\r\n--A--\r\n',
      '--M\r\nContent-Type: message/rfc822\r\n\r\nFrom: x@y.example\r\nSubject: Inner\r\n\r\nInner words\r\n--M--\r\n',
    ].join('');
    const envelope = { from: 'shop@shop.example', to: ['ada@home.example', 'bo@x.example'] };
    await client().sendMail({ raw, envelope });
    await client().sendMail({
      raw: raw.replace('<meet@', '<one@'),
      envelope: { ...envelope, to: ['bo@x.example'] },
    });
    const relay = await startSmtpServer();
    startTestSender(server.db, relay.url);
    await expect.poll(() => relay.accepted.length, { timeout: 20_000 }).toBe(3);
    const sources = relay.accepted.map(({ source }) => source);
    const sentToBoth = sources.filter((source) =>
      source.includes('X-Original-Message-ID: <meet@shop.example>'),
    );
    expect(sentToBoth).toHaveLength(2);
    for (const source of sentToBoth) {
      expect(source).toContain('To: Ada L <ada@home.example>');
      expect(source).toContain('Cc: Bo <bo@x.example>');
      expect(source).toContain('Reply-To: Help Desk <help@shop.example>');
      const parsedEmail = await PostalMime.parse(source, { forceRfc822Attachments: true });
      expect(
        parsedEmail.attachments.map(({ mimeType, method, contentId, related, disposition }) =>
          [mimeType, method, contentId, related, disposition].filter(Boolean),
        ),
      ).toEqual([
        ['text/x-amp-html'],
        ['image/png', '<logo@tea>', true, 'inline'],
        ['text/calendar', 'REQUEST'],
        ['message/rfc822', 'attachment'],
      ]);
      expect(parsedEmail.html).toContain('src="cid:logo@tea"');
    }
    const alone = sources.find((source) => source.includes('X-Original-Message-ID: <one@')) ?? '';
    expect(alone).toContain('To: <bo@x.example>');
    expect(alone).not.toContain('ada@home.example');
    await relay.close();
  });

  test('headers assign a submitted email to a transactional email and turn its tracking off', async () => {
    const email = await owner.post('/client-api/api/transactional', {
      title: 'Receipt',
      subject: 'Receipt',
      from_email: 'shop@shop.example',
    });
    const { id } = email.body.data;
    const headers = { 'X-Sendloom-Email': id, 'X-Sendloom-Track': 'no' };
    await client().sendMail(buildEmail({ headers }));
    const { rows } = await sql<{ source_id: number; tracked: boolean }>`
      select m.source_id, (m.frozen #>> '{source,is_tracked}')::boolean as tracked
      from single_sends s join messages m on m.account_id = s.account_id and m.id = s.message_id`.execute(
      server.db,
    );
    expect(rows).toMatchObject([{ source_id: expect.any(Number), tracked: false }]);
  });
});

test('the sample program on the setup page submits an email', async () => {
  const email = await owner.post('/client-api/api/transactional', {
    ...{ title: 'Receipt', subject: 'Receipt', from_email: 'shop@shop.example' },
  });
  const { id } = email.body.data;
  const snippets = (await owner.get(`/client-api/api/transactional/${id}/setup`)).body.data;
  const { code } = snippets.find(({ way: method }: { way: string }) => method === 'smtp');
  expect(code).toContain(`port: ${SHOWN_PORT}`);
  const pastedCode = code.replace(SHOWN_PORT, smtp.tlsPort);
  const env = { ...process.env, SMTP_USER: auth.user, SMTP_PASSWORD: auth.pass };
  await run(process.execPath, ['--input-type=module', '-e', pastedCode], { env });
  const { rows } = await sql<{ source_id: number }>`
    select m.source_id from single_sends s
    join messages m on m.account_id = s.account_id and m.id = s.message_id`.execute(server.db);
  expect(rows).toMatchObject([{ source_id: decodeId('transactional', id) }]);
});

describe('refused messages', () => {
  const refusal = (promise: Promise<unknown>) =>
    promise.then(
      () => 'accepted',
      (error: { response?: string; code?: string }) => error.response ?? error.code,
    );

  test('wrong passwords, connections without TLS and deleted SMTP users are refused', async () => {
    const wrongClient = client({ auth: { ...auth, pass: 'nonsense' } });
    expect(await refusal(wrongClient.sendMail(buildEmail()))).toContain('535');
    const plainClient = client({ requireTLS: false, ignoreTLS: true });
    expect(await refusal(plainClient.sendMail(buildEmail()))).not.toBe('accepted');
    const oldUser = (await owner.post('/client-api/api/smtp_users', { title: 'Old' })).body.data;
    await owner.delete(`/client-api/api/smtp_users/${oldUser.id}`);
    const deletedUser = client({ auth: { user: oldUser.username, pass: oldUser.password } });
    expect(await refusal(deletedUser.sendMail(buildEmail()))).toContain('535');
    expect(await singles()).toEqual([]);
  });

  test('a message without From is refused with that reason', async () => {
    const raw = 'To: ada@home.example\r\nSubject: x\r\n\r\nHello\r\n';
    const envelope = { from: 'shop@shop.example', to: ['ada@home.example'] };
    const sending = client().sendMail({ raw, envelope });
    await expect(sending).rejects.toThrow('The From header is missing');
  });

  test('parallel password guesses for one SMTP user are delayed; another SMTP user’s correct password is not', async () => {
    const guessedUser = (await owner.post('/client-api/api/smtp_users', { title: 'Guessed' })).body
      .data;
    const startedAt = performance.now();
    const guess = async (n: number) => {
      const wrongClient = client({ auth: { user: guessedUser.username, pass: `guess ${n}` } });
      const refusalText = await refusal(wrongClient.sendMail(buildEmail()));
      return { answer: refusalText, ms: performance.now() - startedAt };
    };
    const guesses = Array.from({ length: 7 }, (_, n) => guess(n));
    // The first five attempts have no delay; the other attempts are still delayed.
    await Promise.race(guesses);
    const rightAt = performance.now();
    await client().sendMail(buildEmail());
    const rightMs = performance.now() - rightAt;
    const attempts = (await Promise.all(guesses)).toSorted((x, y) => x.ms - y.ms);
    for (const { answer } of attempts) expect(answer).toContain('535');
    const [fifth, sixth, seventh] = attempts.slice(4).map(({ ms }) => ms) as [
      number,
      number,
      number,
    ];
    // Delays of 1 s and 2 s, one after the other.
    expect(sixth - fifth).toBeGreaterThanOrEqual(950);
    expect(seventh - sixth).toBeGreaterThanOrEqual(1950);
    expect(rightAt - startedAt + rightMs).toBeLessThan(seventh);
    const lateClient = client({ auth: { user: guessedUser.username, pass: guessedUser.password } });
    const lateAt = performance.now();
    await lateClient.sendMail(buildEmail({ to: 'late@x.example' }));
    expect(performance.now() - lateAt).toBeGreaterThanOrEqual(3_950);
    expect(await singles()).toHaveLength(2);
  }, 30_000);

  test('an SMTP user sends only while its creator has the right to send transactional messages', async () => {
    const deny = (deniedRights: string[]) =>
      server.db
        .updateTable('memberships')
        .set({ denied: deniedRights })
        .where('account_id', '=', owner.accountId)
        .execute();
    await deny(['transactional']);
    expect(await refusal(client().sendMail(buildEmail()))).toContain('may not send');
    expect(await singles()).toEqual([]);
    await deny(['send']);
    await client().sendMail(buildEmail());
    expect(await singles()).toHaveLength(1);
    await deny([]);
  });

  test('an SMTP user is refused once its creator loses the right to send, even on an open connection', async () => {
    const colleague = await createColleague(server, owner);
    const smtpUser = (await colleague.post('/client-api/api/smtp_users', { title: 'Till' })).body
      .data;
    const openClient = client({
      auth: { user: smtpUser.username, pass: smtpUser.password },
      pool: true,
    });
    await openClient.sendMail(buildEmail());
    const deny = (right: Right) =>
      server.db
        .updateTable('memberships')
        .set({ denied: [right] })
        .where('account_id', '=', owner.accountId)
        .where('user_id', '=', colleague.userId)
        .execute();
    await deny('transactional');
    expect(await refusal(openClient.sendMail(buildEmail({ to: 'a@x.example' })))).toContain(
      '550 5.7.1 The creator',
    );
    openClient.close();
    await client().sendMail(buildEmail({ to: 'b@x.example' }));
    const reachedEmails = (await singles()).map(({ email }) => email);
    expect(reachedEmails).toEqual(expect.arrayContaining(['ada@home.example', 'b@x.example']));
    expect(reachedEmails).not.toContain('a@x.example');
    await deny('admin');
    const rejection = await colleague.post('/client-api/api/smtp_users', { title: 'Second' });
    expect(rejection).toMatchObject({
      status: 403,
      body: { code: 'missing_right', right: 'admin' },
    });
  });

  test('recipients after the 100th, a message of 25 MB, executables and emails of other accounts are refused; forged headers are removed', async () => {
    const recipients = Array.from({ length: 1000 }, (_, n) => `p${n}@x.example`);
    const delivery = (await client().sendMail(buildEmail({ to: recipients }))) as {
      accepted: string[];
      rejected: string[];
    };
    expect([delivery.accepted.length, delivery.rejected.length]).toEqual([100, 900]);
    expect(await singles()).toHaveLength(100);
    await sql`delete from single_sends`.execute(server.db);
    const attachments = [{ filename: 'a.txt', content: Buffer.alloc(25 * 1024 * 1024, 65) }];
    expect(await refusal(client().sendMail(buildEmail({ attachments: attachments })))).toMatch(
      /^55\d/,
    );
    const executable = [{ filename: 'a.exe', content: Buffer.from('MZ') }];
    expect(await refusal(client().sendMail(buildEmail({ attachments: executable })))).toContain(
      'attachment',
    );
    const outsider = await server.owner();
    const email = await outsider.post('/client-api/api/transactional', {
      title: 'x',
      subject: 'x',
      from_email: 'x@x.example',
    });
    const headers = { 'X-Sendloom-Email': email.body.data.id };
    expect(await refusal(client().sendMail(buildEmail({ headers })))).toContain('550');
    // Headers that the product reserves are removed, and a line break adds no header.
    const forgedSource =
      'From: shop@shop.example\r\nTo: ada@home.example\r\nReturn-Path: <x@evil.example>\r\nReceived: forged\r\nSubject: =?utf-8?q?a=0D=0ABcc=3A_x=40evil.example?=\r\n\r\nHello';
    await client().sendMail({
      envelope: { from: 'shop@shop.example', to: 'ada@home.example' },
      raw: forgedSource,
    });
    const relay = await startSmtpServer();
    startTestSender(server.db, relay.url);
    const findHelloMessage = () =>
      relay.accepted.find((receivedMessage) => receivedMessage.source.includes('Hello'));
    await expect.poll(findHelloMessage, { timeout: 10_000 }).toBeDefined();
    const source = findHelloMessage()?.source ?? '';
    expect(source).not.toMatch(/^Bcc:/im);
    expect(source).not.toContain('forged');
    await relay.close();
  });
});
