// Tests the SMTP relay against a scripted server: lost connections and slow relays.
import { describe, expect, test } from 'vitest';
import { createMessage, createMessages } from '#testing/servers/queue-source.ts';
import { expectInvariant, limits, setUpRelays, SMTP_MODES } from '#testing/servers/smtp-relay.ts';
import { type SmtpScript } from '#testing/servers/smtp-server.ts';

const { start } = setUpRelays();

// Faults 5 to 8 of docs/reliability.md.
describe('lost connections and slow relays', () => {
  test.each([
    ['after the relay stored the message', true],
    ['before the relay stored the message', false],
  ])(
    'if the connection is lost after the dot, %s, the result is unknown and the message is never retried',
    async (_, isAccepted) => {
      const script: SmtpScript = {
        dot: ({ previousCount }) =>
          previousCount === 3 ? { hangUp: 'instead', isStored: isAccepted } : undefined,
      };
      const { smtp, source } = await start({ script }, { connections: 1 });
      source.add(...createMessages(10));
      await source.waitForResults(10);
      expect(source.resultFor('p4@example.net')).toMatchObject({
        outcome: 'unknown',
        scope: 'connection',
        step: 'dot',
      });
      expect(source.results.filter((entry) => entry.result.outcome === 'accepted')).toHaveLength(9);
      expectInvariant(smtp, source, 10);
    },
  );

  test('a connection lost after a chunk leaves its message and the next one with unknown results, and neither is retried', async () => {
    const script: SmtpScript = {
      dot: ({ previousCount }) =>
        previousCount === 3 ? { hangUp: 'instead', isStored: true } : undefined,
    };
    const { smtp, source } = await start({ script, chunking: true }, { connections: 1 });
    source.add(...createMessages(10));
    await source.waitForResults(10);
    const unknown = source.results.filter((entry) => entry.result.outcome === 'unknown');
    expect(unknown.map((entry) => entry.handoff.to)).toEqual(['p4@example.net', 'p5@example.net']);
    expect(source.results.filter((entry) => entry.result.outcome === 'accepted')).toHaveLength(8);
    expectInvariant(smtp, source, 10);
  });

  test('messages behind a chunk that got a 421 reply are retried', async () => {
    const script: SmtpScript = {
      dot: [undefined, { reply: '421 4.3.2 Closing', hangUp: 'behind' }],
    };
    const { smtp, source } = await start({ script, chunking: true }, { connections: 1 });
    source.add(...createMessages(4));
    await source.waitForResults(4);
    expect(source.resultFor('p2@example.net')).toMatchObject({
      outcome: 'deferred',
      scope: 'relay',
    });
    expect(source.results.filter((entry) => entry.result.outcome === 'accepted')).toHaveLength(3);
    expectInvariant(smtp, source, 4);
  });

  test.each(['mail', 'rcpt', 'data'] as const)(
    'a message whose connection is lost at %s is retried once on another connection',
    async (verb) => {
      const script: SmtpScript = {
        [verb]: ({ previousCount }: { previousCount: number }) =>
          previousCount === 3 ? { hangUp: 'instead' } : undefined,
      };
      const { smtp, source } = await start({ script }, { connections: 1 });
      source.add(...createMessages(10));
      const results = await source.waitForResults(10);
      expect(results.every((result) => result.outcome === 'accepted')).toBe(true);
      expect(smtp.connections.total).toBe(2);
      expectInvariant(smtp, source, 10);
    },
  );

  test('messages with repeated connection losses at MAIL are deferred, with pauses', async () => {
    const { smtp, source, relay } = await start({ script: { mail: { hangUp: 'instead' } } });
    source.add(createMessage(1));
    const [answer] = await source.waitForResults(1);
    expect(answer).toMatchObject({ outcome: 'deferred', scope: 'connection' });
    source.add(createMessage(2), createMessage(3));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(smtp.connections.total).toBeLessThan(15);
    expect(relay.state().kind).toBe('waiting');
  });

  test('a late reply to the dot is accepted', async () => {
    const { source } = await start({ script: { dot: [{ delayMs: 300 }] } }, limits({ dot: 2_000 }));
    source.add(createMessage(1));
    expect((await source.waitForResults(1))[0]?.outcome).toBe('accepted');
  });

  test('the result is unknown if no reply to the dot arrives within the time limit', async () => {
    const { smtp, source } = await start(
      { script: { dot: [undefined, ''] } },
      { connections: 1, ...limits({ dot: 1_000 }) },
    );
    source.add(...createMessages(3));
    await source.waitForResults(3);
    expect(source.resultFor('p2@example.net')).toMatchObject({ outcome: 'unknown', step: 'dot' });
    expect(smtp.accepted).toHaveLength(2);
  });

  test.each(['banner', 'ehlo', 'auth'] as const)(
    'if no reply to %s arrives within the time limit, the relay waits before it connects again',
    async (verb) => {
      const auth = { user: 'u', password: 'p' };
      const { source, relay } = await start(
        { script: { [verb]: '' }, auth },
        { ...auth, ...limits({ [verb]: 80 }) },
      );
      source.add(createMessage(1));
      await source.until(() => source.states.length > 0);
      expect(relay.state()).toMatchObject({ kind: 'waiting', result: { step: verb, code: 0 } });
    },
  );

  test.each(['mail', 'rcpt', 'data'] as const)(
    'if no reply to %s arrives within the time limit, the message is sent on another connection',
    async (verb) => {
      const { smtp, source } = await start(
        { script: { [verb]: [undefined, ''] } },
        { connections: 1, ...limits({ [verb]: 1_000 }) },
      );
      source.add(...createMessages(3));
      await source.waitForResults(3);
      expect(smtp.accepted).toHaveLength(3);
      expect(smtp.connections.total).toBe(2);
    },
  );

  test('a relay that reads slowly does not delay other relays', async () => {
    const slowRelay = await start(
      { slowReading: 20 },
      { connections: 1, ...limits({ dot: 3_000 }) },
    );
    const quickRelay = await start();
    slowRelay.source.add(createMessage(1, 'x'.repeat(20_000_000)));
    quickRelay.source.add(...createMessages(200));
    await quickRelay.source.waitForResults(200);
    expect(slowRelay.source.results).toHaveLength(0);
    // Most of the message never left this process, so the relay cannot have accepted it.
    expect((await slowRelay.source.waitForResults(1))[0]).toMatchObject({ outcome: 'deferred' });
  });

  test.each(SMTP_MODES)(
    'a large message interrupted in the middle is deferred, %s',
    async (_, mode) => {
      const { smtp, source } = await start({ slowReading: 20, ...mode }, { connections: 1 });
      source.add(createMessage(1, 'x'.repeat(20_000_000)));
      await expect.poll(() => smtp.countCommands('rcpt')).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await smtp.stop();
      await source.until(() => source.states.length > 0);
      await source.waitForResults(1);
      expect(source.results[0]?.result).toMatchObject({ outcome: 'deferred', scope: 'connection' });
    },
  );

  test('rate refusals slow the relay down without failing messages, and the rate recovers', async () => {
    // The last ten of every thirty messages are refused, regardless of the machine's speed.
    const script: SmtpScript = {
      mail: ({ previousCount }) =>
        previousCount % 30 >= 20 ? '454 4.7.0 Rate exceeded, slow down' : undefined,
    };
    const { smtp, source, relay } = await start({ script }, { connections: 4 });
    source.add(...createMessages(600));
    const originalOnResult = source.onResult.bind(source);
    let refusedCount = 0;
    source.onResult = (handoff, result) => {
      if (result.outcome === 'deferred') {
        refusedCount++;
        setTimeout(() => source.add(handoff), 50);
      } else {
        originalOnResult(handoff, result);
      }
    };
    let slowest = Number.POSITIVE_INFINITY;
    const timer = setInterval(() => {
      slowest = Math.min(slowest, relay.getStatistics().allowedPerSecond);
    }, 10);
    await expect.poll(() => slowest).toBeLessThan(400);
    delete smtp.script.mail;
    await expect.poll(() => relay.getStatistics().allowedPerSecond).toBeGreaterThan(slowest);
    clearInterval(timer);
    expect(refusedCount).toBeGreaterThan(0);
    expect(source.results.every((entry) => entry.result.outcome === 'accepted')).toBe(true);
  });
});
