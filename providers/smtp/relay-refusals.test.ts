// Tests the SMTP relay against a scripted server: the outcome of each refusal.
import { describe, expect, test } from 'vitest';
import { type HandoffResult } from '#areas/delivery/server/relays/provider.ts';
import { createMessage, createMessages } from '#testing/servers/queue-source.ts';
import { expectInvariant, setUpRelays, SMTP_MODES } from '#testing/servers/smtp-relay.ts';
import { type SmtpScript } from '#testing/servers/smtp-server.ts';

const { start } = setUpRelays();

// Fault 4 of docs/reliability.md: replies 421, 4xx and 5xx to every verb.
describe('refusals', () => {
  const openings: [SmtpScript, 'waiting' | 'refused', Partial<HandoffResult>][] = [
    [{ banner: '421 4.3.2 Closing' }, 'waiting', { step: 'banner', code: 421, scope: 'relay' }],
    [{ banner: '451 4.3.0 Later' }, 'waiting', { step: 'banner', code: 451 }],
    [{ banner: '554 5.7.1 Go away' }, 'refused', { step: 'banner', code: 554 }],
    [{ ehlo: '421 4.3.2 Closing' }, 'waiting', { step: 'ehlo', code: 421 }],
    [{ ehlo: '450 4.3.2 Later' }, 'waiting', { step: 'ehlo', code: 450 }],
    [{ ehlo: '550 5.7.1 Bad name' }, 'refused', { step: 'ehlo', code: 550 }],
    [{ auth: '421 4.3.2 Closing' }, 'waiting', { step: 'auth', code: 421 }],
    [{ auth: '454 4.7.0 Temporary' }, 'waiting', { step: 'auth', code: 454 }],
    [{ auth: '535 5.7.8 Wrong' }, 'refused', { step: 'auth', code: 535, enhancedCode: '5.7.8' }],
    [{ banner: 'HTTP/1.1 400 Bad Request' }, 'waiting', { step: 'banner', code: 0 }],
    [{ banner: { hangUp: 'instead' } }, 'waiting', { step: 'banner', code: 0 }],
    [{ ehlo: { hangUp: 'instead' } }, 'waiting', { step: 'ehlo', code: 0 }],
    [{ auth: { hangUp: 'instead' } }, 'waiting', { step: 'auth', code: 0 }],
  ];

  test.each(openings)(
    'with the replies %j to the opening of connections, the relay is %s',
    async (script, expectedState, result) => {
      const auth = { user: 'u', password: 'p' };
      const { smtp, source, relay } = await start({ script, auth }, { ...auth, connections: 2 });
      source.add(...createMessages(5));
      await source.until(() => source.states.length >= 2);
      expect(relay.state()).toMatchObject({ kind: expectedState, result });
      expect(source.results).toHaveLength(0);
      for (const verb of ['banner', 'ehlo', 'auth'] as const) {
        delete smtp.script[verb];
      }
      await source.waitForResults(5);
      expect(relay.state()).toEqual({ kind: 'ready' });
      expect(smtp.accepted).toHaveLength(5);
    },
  );

  const refusals: [SmtpScript, Partial<HandoffResult>][] = [
    [{ mail: ['421 4.3.2 Closing'] }, { outcome: 'deferred', scope: 'relay', step: 'mail' }],
    [{ mail: ['451 4.3.0 Later'] }, { outcome: 'deferred', scope: 'relay', step: 'mail' }],
    [{ mail: ['454 4.7.0 Rate'] }, { outcome: 'deferred', scope: 'relay', step: 'mail' }],
    [{ mail: ['550 5.7.1 Not you'] }, { outcome: 'relay_refused', scope: 'sender', step: 'mail' }],
    [{ mail: ['530 5.7.0 Sign in'] }, { outcome: 'relay_refused', scope: 'sender', step: 'mail' }],
    [{ mail: ['552 5.3.4 Too big'] }, { outcome: 'failed', scope: 'message', step: 'mail' }],
    [{ rcpt: ['421 4.3.2 Closing'] }, { outcome: 'deferred', scope: 'relay', step: 'rcpt' }],
    [{ rcpt: ['450 4.2.0 Greylisted'] }, { outcome: 'deferred', scope: 'recipient', step: 'rcpt' }],
    [{ rcpt: ['450 Busy'] }, { outcome: 'deferred', scope: 'recipient', step: 'rcpt' }],
    [
      { rcpt: ['550 5.1.1 No one'] },
      { outcome: 'failed', scope: 'recipient', enhancedCode: '5.1.1' },
    ],
    [{ rcpt: ['550 5.7.1 Policy'] }, { outcome: 'failed', scope: 'message', step: 'rcpt' }],
    [
      { rcpt: ['554 5.7.1 <a@b>: Relay access denied'] },
      { outcome: 'relay_refused', scope: 'relay', step: 'rcpt' },
    ],
    [{ data: ['421 4.3.2 Closing'] }, { outcome: 'deferred', scope: 'relay', step: 'data' }],
    [{ data: ['451 4.3.0 Later'] }, { outcome: 'deferred', scope: 'relay', step: 'data' }],
    [{ data: ['554 5.7.1 No'] }, { outcome: 'failed', scope: 'message', step: 'data' }],
    [{ dot: ['421 4.3.2 Closing'] }, { outcome: 'deferred', scope: 'relay', step: 'dot' }],
    [{ dot: ['451 4.6.0 Later'] }, { outcome: 'deferred', scope: 'message', step: 'dot' }],
    [{ dot: ['452 4.2.2 Full'] }, { outcome: 'deferred', scope: 'recipient', step: 'dot' }],
    [{ dot: ['554 5.7.1 Spam'] }, { outcome: 'failed', scope: 'message', step: 'dot' }],
    [{ dot: ['550 5.1.1 No one'] }, { outcome: 'failed', scope: 'recipient', step: 'dot' }],
    [
      { dot: ['454 Throttling failure: Daily message quota exceeded.'] },
      { outcome: 'relay_refused', scope: 'sender', step: 'dot' },
    ],
  ];

  describe.each(SMTP_MODES)('%s', (_, mode) => {
    test.each(refusals.filter(([script]) => !mode.chunking || !script.data))(
      '%j',
      async (script, result) => {
        // The scripted reply applies to the second message; the other messages succeed.
        const copy = structuredClone(script) as Record<string, (string | undefined)[]>;
        for (const list of Object.values(copy)) {
          list.unshift(undefined);
        }
        const { smtp, source } = await start({ script: copy, ...mode }, { connections: 1 });
        source.add(...createMessages(3));
        await source.waitForResults(3);
        expect(source.resultFor('p2@example.net')).toMatchObject(result);
        const otherEntries = source.results.filter(
          (entry) => entry.handoff.to !== 'p2@example.net',
        );
        expect(otherEntries.map((entry) => entry.result.outcome)).toEqual(
          Array(2).fill('accepted'),
        );
        expectInvariant(smtp, source, 3);
      },
    );

    test('messages whose recipients are all refused are not sent, and each gets a result', async () => {
      const script: SmtpScript = { rcpt: '550 5.1.1 No such person' };
      const { smtp, source } = await start({ script, ...mode }, { connections: 2 });
      source.add(...createMessages(40));
      const results = await source.waitForResults(40);
      expect(results.every((result) => result.outcome === 'failed')).toBe(true);
      expect(smtp.countCommands('dot')).toBe(0);
      expect(smtp.connections.total).toBeLessThanOrEqual(2);
    });
  });

  test('an empty dot follows a 354 after a refused RCPT', async () => {
    const script: SmtpScript = { rcpt: ['550 5.1.1 No one'], data: ['354 Go on'], dot: [] };
    const { smtp, source } = await start({ script }, { connections: 1 });
    source.add(...createMessages(3));
    const results = await source.waitForResults(3);
    expect(results[0]).toMatchObject({ outcome: 'failed', step: 'rcpt', enhancedCode: '5.1.1' });
    expect(smtp.accepted.map((message) => message.messageId)).toEqual([
      '2@test.example',
      '3@test.example',
    ]);
    expect(smtp.countCommands('rset')).toBe(0);
  });

  test.each(SMTP_MODES.slice(0, 2))(
    'DATA answered with an acceptance code delivers nothing, %s',
    async (_, mode) => {
      const script: SmtpScript = { data: ['250 2.0.0 Ok: queued as 77'] };
      const { smtp, source } = await start({ ...mode, script }, { connections: 1 });
      source.add(createMessage(1));
      const [answer] = await source.waitForResults(1);
      expect(answer).toMatchObject({ outcome: 'deferred', scope: 'connection', step: 'data' });
      expect(answer?.reply).toContain('250 2.0.0 Ok: queued as 77');
      // Replies on such a connection are unreliable, so the next message uses another connection.
      source.add(createMessage(2));
      expect((await source.waitForResults(2))[1]?.outcome).toBe('accepted');
      expect(smtp.connections.total).toBe(2);
      expectInvariant(smtp, source, 2);
    },
  );

  test('the result is the first refusal, not the 503s after it', async () => {
    const { source } = await start(
      { script: { mail: ['550 5.1.8 Bad domain'] } },
      { connections: 1 },
    );
    source.add(createMessage(1));
    const [answer] = await source.waitForResults(1);
    expect(answer).toMatchObject({ outcome: 'relay_refused', step: 'mail', code: 550 });
  });

  test('a multiline reply is one result', async () => {
    const script: SmtpScript = { dot: ['550 5.7.1 Blocked.\n550 5.7.1 See https://example.org/'] };
    const { source } = await start({ script });
    source.add(createMessage(1));
    const [answer] = await source.waitForResults(1);
    expect(answer).toMatchObject({
      code: 550,
      enhancedCode: '5.7.1',
      reply: 'Blocked. See https://example.org/',
    });
  });
});
