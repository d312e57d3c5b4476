// Tests the SMTP relay against a scripted server: content and speed.
import { describe, expect, test } from 'vitest';
import { WholeMessage } from '#areas/delivery/server/relays/provider.ts';
import { createMessage, createMessages } from '#testing/servers/queue-source.ts';
import {
  expectInvariant,
  setUpRelays,
  measureWaits,
  SMTP_MODES,
} from '#testing/servers/smtp-relay.ts';
import { type SmtpScript } from '#testing/servers/smtp-server.ts';

const { start } = setUpRelays();

describe('delivery to a relay', () => {
  test.each(SMTP_MODES)(
    'each of hundreds of messages over several connections arrives once, %s',
    async (_, mode) => {
      const { smtp, source } = await start(mode, { connections: 4 });
      source.add(...createMessages(400));
      const results = await source.waitForResults(400);
      expect(results.every((result) => result.outcome === 'accepted')).toBe(true);
      expect(results[0]).toMatchObject({
        step: 'dot',
        code: 250,
        enhancedCode: '2.0.0',
        reply: 'Ok: kept',
      });
      expectInvariant(smtp, source, 400);
      expect(smtp.connections.peak).toBe(4);
      if (!mode.chunking) {
        expect(smtp.countCommands('rset')).toBe(0);
      }
    },
  );

  test('one write contains a message, its dot and the next envelope, so that a message takes one round trip', async () => {
    // Only the reply to the dot is delayed, by 30 ms, so twenty messages take little more than
    // twenty delays.
    const { source } = await start({ script: { dot: { delayMs: 30 } } }, { connections: 1 });
    const startedAt = performance.now();
    source.add(...createMessages(20));
    const waits = measureWaits(20, 30);
    await source.waitForResults(20);
    expect(performance.now() - startedAt).toBeLessThan((await waits) * 1.7);
  });

  test.each(SMTP_MODES)(
    'at most two messages are in flight on a connection, %s',
    async (_, mode) => {
      const script: SmtpScript = { dot: { delayMs: 5 } };
      const { source, relay } = await start({ script, ...mode }, { connections: 3 });
      expect(relay.capacity).toBe(6);
      let max = 0;
      const originalAnswered = source.onResult.bind(source);
      source.onResult = (handoff, result) => {
        max = Math.max(max, source.inFlight);
        originalAnswered(handoff, result);
      };
      source.add(...createMessages(60));
      await source.waitForResults(60);
      if (mode.pipelining !== false) {
        expect(max).toBeGreaterThan(3);
      }
      expect(max).toBeLessThanOrEqual(6);
    },
  );

  test('chunking can be switched off', async () => {
    const { smtp, source } = await start({ chunking: true }, { connections: 1 }, '?chunking=no');
    source.add(...createMessages(3));
    await source.waitForResults(3);
    expect(smtp.countCommands('data')).toBe(3);
  });

  test('HELO is used if EHLO is unknown', async () => {
    const { smtp, source } = await start({ script: { ehlo: ['502 5.5.1 What?'] } });
    source.add(createMessage(1));
    await source.waitForResults(1);
    expect(smtp.commands.slice(0, 2).map((line) => line.slice(2, 6))).toEqual(['EHLO', 'HELO']);
    expect(smtp.accepted).toHaveLength(1);
  });

  test.each(SMTP_MODES)('dots at line starts arrive unchanged, %s', async (_, mode) => {
    const { smtp, source } = await start(mode, { connections: 1 });
    const bodies = [
      '.\r\n',
      '..\r\n.a\r\n\r\n.\r\n',
      'a.\r\n.',
      `${'.line\r\n'.repeat(20_000)}`,
      'x',
    ];
    source.add(...bodies.map((body, at) => createMessage(at, body)));
    source.add(new WholeMessage('a@b.example', 'c@d.example', Buffer.from('.first\r\n')));
    await source.waitForResults(6);
    const receivedBodies = smtp.accepted.map((message) =>
      message.source.split('\r\n\r\n').slice(1).join('\r\n\r\n'),
    );
    bodies.forEach((body, at) => {
      expect(receivedBodies[at]).toBe(body.endsWith('\r\n') ? body : `${body}\r\n`);
    });
    expect(smtp.accepted[5]?.source).toBe('.first\r\n');
  });

  test.each(SMTP_MODES)(
    'consecutive messages of many sizes arrive unchanged, %s',
    async (_, mode) => {
      const { smtp, source } = await start(mode, { connections: 2 });
      const sizes = [10, 70_000, 300_000, 5, 1_500_000, 64 * 1024, 20_000, 262_144, 3];
      source.add(...sizes.map((size, at) => createMessage(at, `${`${at}`.repeat(size)}\r\n`)));
      await source.waitForResults(sizes.length);
      for (const message of smtp.accepted) {
        const index = Number(message.messageId.split('@')[0]);
        expect(message.source.endsWith(`\r\n\r\n${`${index}`.repeat(sizes[index] ?? 0)}\r\n`)).toBe(
          true,
        );
      }
      expectInvariant(smtp, source, sizes.length);
    },
  );

  test('a reply during a large message belongs to the previous message', async () => {
    const { smtp, source } = await start(
      { chunking: true, script: { dot: [{ delayMs: 20 }] } },
      { connections: 1 },
    );
    source.add(createMessage(1), createMessage(2, 'x'.repeat(30_000_000)), createMessage(3));
    await source.waitForResults(3);
    expect(source.results.every((entry) => entry.result.outcome === 'accepted')).toBe(true);
    expectInvariant(smtp, source, 3);
  });

  test('the parameters SIZE, BODY and SMTPUTF8 are sent if supported and needed', async () => {
    const { smtp, source } = await start({}, { connections: 1 });
    const plainMessage = createMessage(1);
    const eight = new WholeMessage('a@b.example', 'c@d.example', Buffer.from('Subject: é\r\n\r\n'));
    const umlaut = createMessage(3, 'x', 'grüße@example.net');
    const domain = createMessage(4, 'x', 'info@bücher.example');
    source.add(plainMessage, eight, umlaut, domain);
    await source.waitForResults(4);
    expect(smtp.accepted.map((message) => message.parameters)).toEqual([
      `SIZE=${plainMessage.size}`,
      `SIZE=${eight.size} BODY=8BITMIME`,
      `SIZE=${umlaut.size} SMTPUTF8`,
      `SIZE=${domain.size}`,
    ]);
    expect(smtp.accepted[2]?.to).toEqual(['grüße@example.net']);
    expect(smtp.accepted[3]?.to).toEqual(['info@xn--bcher-kva.example']);
  });

  test('a message that the relay cannot accept does not affect other messages', async () => {
    const { smtp, source } = await start({ extensions: ['SIZE 1000'] }, { connections: 1 });
    source.add(
      createMessage(1, 'x'.repeat(2_000)),
      createMessage(2, 'é'),
      createMessage(3, 'x', 'ü@example.net'),
      createMessage(4, 'x', 'a@b.example>\r\nRCPT TO:<victim@example.net'),
      createMessage(5, 'x', ''),
      createMessage(6),
    );
    const results = await source.waitForResults(6);
    expect(results.map((result) => [result.outcome, result.enhancedCode, result.scope])).toEqual([
      ['failed', '5.3.4', 'message'],
      ['failed', '5.6.3', 'message'],
      ['failed', '5.6.7', 'message'],
      ['failed', '5.1.3', 'recipient'],
      ['failed', '5.1.3', 'recipient'],
      ['accepted', '2.0.0', 'message'],
    ]);
    expect(smtp.commands.join('\n')).not.toContain('victim');
  });

  test.each(SMTP_MODES)(
    'a message that cannot be rendered fails, and the next message is sent, %s',
    async (_, mode) => {
      const { smtp, source } = await start(mode, { connections: 1 });
      const broken = createMessage(2);
      broken.write = () => {
        throw new Error('no such value');
      };
      source.add(createMessage(1), broken, createMessage(3));
      await source.waitForResults(3);
      expect(source.resultFor('p2@example.net')).toMatchObject({
        outcome: 'failed',
        scope: 'message',
      });
      expect(source.resultFor('p3@example.net')?.outcome).toBe('accepted');
      expectInvariant(smtp, source, 3);
    },
  );

  test('a message longer than its announced size is never sent', async () => {
    const { smtp, source } = await start({}, { connections: 1 });
    const lying = createMessage(1);
    lying.write = () => lying.size + 1;
    source.add(lying);
    const [answer] = await source.waitForResults(1);
    expect(answer).toMatchObject({ outcome: 'failed', scope: 'message' });
    expect(smtp.accepted).toHaveLength(0);
  });

  test('a connection closes after its maximum number of messages', async () => {
    const { smtp, source } = await start({}, { connections: 1 }, '?messages=3');
    source.add(...createMessages(10));
    await source.waitForResults(10);
    expect(smtp.accepted.map((message) => message.connection)).toEqual([
      1, 1, 1, 2, 2, 2, 3, 3, 3, 4,
    ]);
    expect(smtp.countCommands('quit')).toBeGreaterThanOrEqual(3);
    expectInvariant(smtp, source, 10);
  });

  test('an idle connection sends QUIT, and the next message opens another connection', async () => {
    const { smtp, source, relay } = await start({}, { connections: 1, idleMs: 50 });
    source.add(createMessage(1));
    await source.waitForResults(1);
    await expect.poll(() => relay.getStatistics().connections).toBe(0);
    expect(smtp.countCommands('quit')).toBe(1);
    source.add(createMessage(2));
    await source.waitForResults(2);
    expect(smtp.connections.total).toBe(2);
  });

  test('all connections share one rate, without one-second pauses', async () => {
    const { source } = await start({}, { connections: 5 }, '?rate=100');
    source.add(...createMessages(60));
    const startedAt = performance.now();
    const waits = measureWaits(60, 10);
    await source.waitForResults(60);
    const milliseconds = performance.now() - startedAt;
    expect(60_000 / milliseconds).toBeLessThan(125);
    expect(milliseconds).toBeLessThan((await waits) * 2);
  });

  test('closing finishes messages in flight and starts no more', async () => {
    const { smtp, source, relay } = await start(
      { script: { dot: { delayMs: 50 } } },
      { connections: 2 },
    );
    source.add(...createMessages(50));
    await smtp.waitForMessages(2);
    await relay.close();
    expect(source.inFlight).toBe(0);
    expect(source.results.every((entry) => entry.result.outcome === 'accepted')).toBe(true);
    expect(source.waiting.length).toBeGreaterThan(40);
    expect(smtp.countCommands('quit')).toBe(2);
    expectInvariant(smtp, source, source.results.length);
  });

  test('closing with an unresponsive relay ends within the given time', async () => {
    const { smtp, source, relay } = await start({ script: { dot: '' } }, { connections: 1 });
    source.add(...createMessages(5));
    await expect.poll(() => smtp.countCommands('dot')).toBe(1);
    await relay.close(50);
    expect(source.results.map((entry) => entry.result.outcome)).toEqual(['unknown', 'deferred']);
    expect(source.waiting).toHaveLength(3);
  });
});
