// Accounts' own relays over HTTP: stored, hidden, tested, and used for the account's email.
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { relaySettings } from '#testing/worlds/relay-settings.ts';
import {
  addRelay,
  createCampaign,
  relay,
  server,
  startSender,
  URL_,
} from '#testing/worlds/relays-setup.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';

test('`test_inbox` is true while the account has no enabled relay', async () => {
  const owner = await server.owner();
  const staysInInbox = async () => (await owner.get('/client-api/api/users')).body.data.test_inbox;
  expect(await staysInInbox()).toBe(true);
  const { id } = await addRelay(owner, relay.port);
  expect(await staysInInbox()).toBe(false);
  await owner.patch(`${URL_}/${id}`, { enabled: false });
  expect(await staysInInbox()).toBe(true);
});

describe('settings', () => {
  test('a relay is added, changed and removed, and its password is sealed and never shown', async () => {
    const owner = await server.owner();
    const created = await addRelay(owner, 2525, {
      username: 'ada',
      password: 'sesame open',
      tls: 'required',
    });
    expect(created).toMatchObject({ title: 'Our relay', has_password: true, username: 'ada' });
    expect(created.health.state).toBe('unknown');
    const response = await owner.patch(`${URL_}/${created.id}`, { title: 'Mail', per_hour: 500 });
    expect(response.body.data).toMatchObject({ title: 'Mail', per_hour: 500, has_password: true });
    const list = await owner.get(URL_);
    expect(list.body.data).toHaveLength(1);
    for (const text of [response.text, list.text]) expect(text).not.toContain('sesame');
    const { rows } = await sql<{ row: string }>`select relays::text as row from relays
      where account_id = ${owner.accountId}`.execute(server.db);
    expect(rows[0]?.row).not.toContain('sesame');
    // A user who may change the host must not be able to have the password sent there.
    const elsewhere = await owner.patch(`${URL_}/${created.id}`, { host: '127.0.0.2' });
    expect(elsewhere.status).toBe(422);
    expect(elsewhere.body.errors.password).toBeTruthy();
    expect((await owner.delete(`${URL_}/${created.id}`)).status).toBe(200);
    expect((await owner.get(`${URL_}/${created.id}`)).status).toBe(404);
  });

  test("another account's relay is not accessible", async () => {
    const owner = await server.owner();
    const outsider = await server.owner();
    const created = await addRelay(owner, relay.port);
    const responses = await Promise.all([
      outsider.get(`${URL_}/${created.id}`),
      outsider.patch(`${URL_}/${created.id}`, { title: 'Mine' }),
      outsider.delete(`${URL_}/${created.id}`),
      outsider.post(`${URL_}/${created.id}/test`, { from: 'news@tea.example' }),
    ]);
    expect(responses.map((response) => response.status)).toEqual([404, 404, 404, 404]);
    expect((await outsider.get(URL_)).body.data).toEqual([]);
    expect((await owner.get(`${URL_}/${created.id}`)).body.data.title).toBe('Our relay');
  });

  test('a private or unknown host is refused, and so is a public host without encryption', async () => {
    allowPrivateAddresses(false);
    const owner = await server.owner();
    for (const host of ['127.0.0.1', '10.0.0.5', 'localhost', '169.254.169.254', '::1']) {
      const response = await owner.post(URL_, relaySettings(25, { host, tls: 'required' }));
      expect([host, response.status, response.body.code]).toEqual([host, 422, 'relay_private']);
      expect(response.body.errors).toEqual({ host: [response.body.message] });
      expect(response.body.message.startsWith(host)).toBe(true);
    }
    const unknown = await owner.post(
      URL_,
      relaySettings(25, { host: 'no.such.invalid', tls: 'required' }),
    );
    expect(unknown.body.code).toBe('relay_unknown_host');
    const response = await owner.post(URL_, relaySettings(25, { host: '192.0.2.1', tls: 'none' }));
    expect(response.status).toBe(422);
  });

  test('no connection is opened to a host that is no longer permitted', async () => {
    const owner = await server.owner();
    const created = await addRelay(owner, relay.port);
    allowPrivateAddresses(false);
    const trial = await owner.post(`${URL_}/${created.id}/test`, { from: 'news@tea.example' });
    expect(trial.body.data).toMatchObject({ accepted: false });
    expect(relay.connections.total).toBe(0);
  });
});

describe('domain limits', () => {
  const limit = (domain: string) => ({ domain, per_minute: 60 });

  test.each([
    ['bücher.example', 'xn--bcher-kva.example'],
    ['Gmail.com', 'googlemail.com'],
    ['tea.example', 'TEA.example'],
  ])('%s and %s share one limit, so only one of them may be set', async (name, otherName) => {
    const owner = await server.owner();
    const domain_limits = [limit(name), limit(otherName)];
    const response = await owner.post(URL_, relaySettings(relay.port, { domain_limits }));
    expect(response.status).toBe(422);
    expect(response.body.errors.domain_limits).toHaveLength(1);
    const created = await addRelay(owner, relay.port, { domain_limits: [limit(name)] });
    const changeResponse = await owner.patch(`${URL_}/${created.id}`, { domain_limits });
    expect(changeResponse.status).toBe(422);
  });

  test('a third limit for one provider is refused, and the stricter of two stored limits applies', async () => {
    const owner = await server.owner();
    const created = await addRelay(owner, relay.port);
    const url = `${URL_}/${created.id}`;
    const domain_limits = [
      { domain: 'gmail.com', per_minute: 6_000 },
      { domain: 'googlemail.com', per_minute: 6 },
    ];
    // As stored by an earlier release that treated these as separate providers.
    await sql`update relays set domain_limits = ${JSON.stringify(domain_limits)}
      where account_id = ${owner.accountId}`.execute(server.db);
    for (const body of [{ enabled: false }, { title: 'Ours', domain_limits }, { enabled: true }]) {
      const { status, text } = await owner.patch(url, body);
      expect(status, text).toBe(200);
    }
    const third = { domain_limits: [...domain_limits, limit('GMAIL.com')] };
    expect((await owner.patch(url, third)).status).toBe(422);
    await createCampaign(owner.accountId, 60, ['gmail.com', 'home.example']);
    startSender();
    const sentTo = (domain: string) =>
      relay.accepted.filter((receivedMessage) => receivedMessage.to[0]?.endsWith(`@${domain}`))
        .length;
    await expect.poll(() => sentTo('home.example')).toBe(30);
    expect(sentTo('gmail.com')).toBeLessThan(5);
    expect((await owner.patch(url, { domain_limits: [limit('gmail.com')] })).status).toBe(200);
  });

  test('a domain limit applies to every spelling', async () => {
    const owner = await server.owner();
    const domain_limits = [{ domain: 'Bücher.example', per_minute: 6 }];
    await addRelay(owner, relay.port, { domain_limits });
    await createCampaign(owner.accountId, 60, ['xn--bcher-kva.example', 'home.example']);
    startSender();
    const sentTo = (domain: string) =>
      relay.accepted.filter((receivedMessage) => receivedMessage.to[0]?.endsWith(`@${domain}`))
        .length;
    await expect.poll(() => sentTo('home.example')).toBe(30);
    expect(sentTo('xn--bcher-kva.example')).toBeLessThan(5);
  });
});

describe('a relay test', () => {
  test('shows the whole conversation without the password and sends the user an email', async () => {
    const auth = { user: 'ada', password: 'sesame open' };
    const authServer = await startSmtpServer({ auth });
    onTestFinished(() => authServer.close());
    const owner = await server.owner('trial@shop.example');
    const created = await addRelay(owner, authServer.port, {
      username: auth.user,
      password: auth.password,
    });
    const trial = await owner.post(`${URL_}/${created.id}/test`, { from: 'news@tea.example' });
    expect(trial.body.data.accepted).toBe(true);
    const lines: { who: string; text: string }[] = trial.body.data.lines;
    const sentLines = lines.filter((line) => line.who === 'us').map((line) => line.text);
    expect(sentLines.find((line) => line.startsWith('AUTH'))).toBe('AUTH PLAIN ***');
    expect(sentLines).toContain('RCPT TO:<trial@shop.example>');
    expect(sentLines.at(-1)).toBe('QUIT');
    expect(lines.some((line) => line.who === 'relay' && line.text.startsWith('250'))).toBe(true);
    const secret = Buffer.from(`\0${auth.user}\0${auth.password}`).toString('base64');
    expect(trial.text).not.toContain(secret);
    expect(trial.text).not.toContain('sesame');
    expect(authServer.accepted[0]?.to).toEqual(['trial@shop.example']);
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
  ] as const)('reports the result %s', async (code, script) => {
    const owner = await server.owner();
    Object.assign(relay.script, script);
    const created = await addRelay(owner, relay.port);
    const trial = await owner.post(`${URL_}/${created.id}/test`, { from: 'news@tea.example' });
    expect(trial.body.data).toMatchObject({ accepted: false, code });
  });

  test('reports a missing server, missing encryption and an unknown certificate', async () => {
    const owner = await server.owner();
    const codeOf = async (port: number, changes: object = {}) => {
      const created = await addRelay(owner, port, changes);
      const trial = await owner.post(`${URL_}/${created.id}/test`, { from: 'news@tea.example' });
      return trial.body.data.code;
    };
    expect(await codeOf(relay.port, { tls: 'required' })).toBe('encryption');
    expect(await codeOf(relay.port, { tls: 'implicit' })).toBe('encryption');
    const tlsServer = await startSmtpServer({ tls: 'starttls' });
    expect(await codeOf(tlsServer.port, { tls: 'required' })).toBe('certificate');
    await tlsServer.close();
    expect(await codeOf(tlsServer.port)).toBe('unreachable');
  });

  test('shows a refusal as the last line of the conversation', async () => {
    const owner = await server.owner();
    relay.script.mail = '550 5.7.1 You may not send from there';
    const created = await addRelay(owner, relay.port);
    const trial = await owner.post(`${URL_}/${created.id}/test`, { from: 'news@tea.example' });
    expect(trial.body.data).toMatchObject({ accepted: false, code: 'sender' });
    expect(trial.body.data.lines.at(-1)).toEqual({
      who: 'relay',
      text: '550 5.7.1 You may not send from there',
    });
  });
});
