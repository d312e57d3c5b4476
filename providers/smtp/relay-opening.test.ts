// Tests the SMTP relay against a scripted server: connections, authentication, encryption.
import { describe, expect, test } from 'vitest';
import { addressCertificate } from '#testing/servers/certificate.ts';
import { createMessage, createMessages } from '#testing/servers/queue-source.ts';
import { expectInvariant, setUpRelays } from '#testing/servers/smtp-relay.ts';
import { type SmtpScript, startSmtpServer } from '#testing/servers/smtp-server.ts';

const { start, connect, endWith } = setUpRelays();

describe('opening a connection', () => {
  const user = { user: 'ada@example.com', password: 'p:ä/ss' };

  test.each([
    ['PLAIN', 'PLAIN LOGIN'],
    ['LOGIN', 'LOGIN'],
  ])('authentication succeeds at a relay that offers %s', async (_, mechanisms) => {
    const { smtp, source } = await start({ auth: { ...user, mechanisms } }, user);
    source.add(createMessage(1));
    await source.waitForResults(1);
    expect(smtp.accepted).toHaveLength(1);
  });

  test('user and password are taken from SMTP_URL', async () => {
    const smtp = await startSmtpServer({ auth: user });
    endWith(() => smtp.close());
    const address = `smtp://ada%40example.com:${encodeURIComponent('p:ä/ss')}@127.0.0.1:${smtp.port}`;
    const { source } = connect(address);
    source.add(createMessage(1));
    await source.waitForResults(1);
    expect(smtp.accepted).toHaveLength(1);
  });

  test.each([
    ['PLAIN', 'auth', '334 Go on'],
    ['LOGIN', 'auth', '334 Go on'],
  ] as const)('authentication with %s fails without a 235', async (mechanisms, verb, reply) => {
    const auth = { user: 'ada', password: 'a@b:c', mechanisms };
    const { smtp, source } = await start({ auth, script: { [verb]: reply } }, auth);
    source.add(createMessage(1));
    await source.until(() => source.states.length > 0);
    expect(source.states[0]).toMatchObject({
      kind: 'refused',
      result: { step: 'auth', reply: expect.stringContaining('334 Go on instead of 235') },
    });
    expect(smtp.countCommands('mail')).toBe(0);
  });

  test('STARTTLS is used if offered; if encryption is required, the certificate is verified', async () => {
    const { smtp, source } = await start({ tls: 'starttls' });
    source.add(...createMessages(30));
    await source.waitForResults(30);
    expect(smtp.countCommands('starttls')).toBeGreaterThan(0);
    expect(smtp.countCommands('ehlo')).toBe(2 * smtp.connections.total);

    const distrustful = connect(smtp.url, { ca: undefined }, '?tls=required');
    distrustful.source.add(createMessage(99));
    await distrustful.source.until(() => distrustful.source.states.length > 0);
    expect(distrustful.relay.state()).toMatchObject({
      kind: 'refused',
      result: { step: 'starttls' },
    });
    expect(distrustful.source.waiting).toHaveLength(1);

    const trusting = connect(smtp.url, {}, '?tls=required');
    trusting.source.add(createMessage(100));
    await trusting.source.waitForResults(1);
    expect(smtp.accepted).toHaveLength(31);
  });

  test('STARTTLS also verifies the certificate of an IP address', async () => {
    const { smtp, source } = await start(
      { tls: 'starttls', certificate: addressCertificate },
      { ca: addressCertificate.cert },
      '?tls=required',
    );
    source.add(createMessage(1));
    await source.until(() => source.states.length + source.results.length > 0);
    expect(source.states).toEqual([]);
    expect((await source.waitForResults(1))[0]?.outcome).toBe('accepted');
    expectInvariant(smtp, source, 1);
  });

  test('implicit TLS encrypts from the first byte', async () => {
    const { smtp, source } = await start({ tls: 'implicit' }, { connections: 2 });
    source.add(...createMessages(30));
    await source.waitForResults(30);
    expectInvariant(smtp, source, 30);
  });

  test('a relay without the required encryption is refused, and no credentials are sent', async () => {
    const { smtp, source, relay } = await start({}, user, '?tls=required');
    source.add(createMessage(1));
    await source.until(() => source.states.length > 0);
    expect(relay.state()).toMatchObject({ kind: 'refused', result: { step: 'starttls' } });
    expect(smtp.commands.join()).not.toContain('AUTH');
  });

  test('an unreachable relay is retried with a growing wait, then all messages are sent', async () => {
    const { smtp, source, relay } = await start({}, { connections: 3 });
    await smtp.stop();
    const startedAt = performance.now();
    source.add(...createMessages(20));
    await source.until(() => source.states.length >= 3);
    expect(performance.now() - startedAt).toBeGreaterThan(20 + 40 - 5);
    expect(relay.state()).toMatchObject({
      kind: 'waiting',
      result: { outcome: 'deferred', scope: 'connection', step: 'connect', code: 0 },
    });
    const waits = source.states.map((state) => (state.kind === 'waiting' ? state.retryInMs : 0));
    expect(waits[0]).toBeGreaterThanOrEqual(20);
    expect(waits[0]).toBeLessThanOrEqual(40);
    expect(waits[2]).toBeGreaterThanOrEqual(80);
    expect(waits[2]).toBeLessThanOrEqual(160);
    expect(source.results).toHaveLength(0);
    await smtp.listen();
    await source.waitForResults(20);
    expect(relay.state()).toEqual({ kind: 'ready' });
    expectInvariant(smtp, source, 20);
  });

  test('a relay restart neither loses nor duplicates messages', async () => {
    const { smtp, source } = await start({ script: { dot: { delayMs: 2 } } }, { connections: 4 });
    source.add(...createMessages(300));
    await smtp.waitForMessages(80);
    await smtp.stop();
    await source.until(() => source.states.some((state) => state.kind === 'waiting'));
    await smtp.listen();
    await source.waitForResults(300);
    expectInvariant(smtp, source, 300);
    const outcomes = source.results.map((entry) => entry.result);
    expect(outcomes.filter((result) => result.outcome === 'unknown').length).toBeLessThanOrEqual(4);
    const deferredResults = outcomes.filter((result) => result.outcome === 'deferred');
    expect(deferredResults.every((result) => result.scope === 'connection')).toBe(true);
    expect(deferredResults.length).toBeLessThanOrEqual(8);
  });

  test('sending continues on the open connections after an excess connection gets a 421 reply', async () => {
    const script: SmtpScript = {
      banner: ({ connection }) =>
        connection > 2 ? { reply: '421 4.7.0 Too many connections', hangUp: 'behind' } : undefined,
      dot: { delayMs: 5 },
    };
    const { smtp, source, relay } = await start({ script }, { connections: 10 });
    source.add(...createMessages(100));
    await source.waitForResults(100);
    expect(smtp.accepted).toHaveLength(100);
    expect(relay.state()).toEqual({ kind: 'ready' });
    expect(smtp.connections.total).toBeLessThan(14);
  });
});
