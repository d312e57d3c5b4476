// The SMTP relay against a scripted server: content and speed.
import { describe, expect, test } from 'vitest';
import { WholeMessage } from '#areas/delivery/server/relays/provider.ts';
import { letter, letters } from '#testing/servers/queue-source.ts';
import { expectTrueBooks, relayStage, took, WAYS } from '#testing/servers/smtp-relay.ts';
import { type Script } from '#testing/servers/smtp-server.ts';

const { start } = relayStage();

describe('delivery to a relay', () => {
  test.each(WAYS)(
    'hundreds of messages over several connections arrive once each, %s',
    async (_, way) => {
      const { smtp, source } = await start(way, { connections: 4 });
      source.add(...letters(400));
      const answers = await source.gotAnswers(400);
      expect(answers.every((answer) => answer.outcome === 'accepted')).toBe(true);
      expect(answers[0]).toMatchObject({
        at: 'dot',
        code: 250,
        enhanced: '2.0.0',
        reply: 'Ok: kept',
      });
      expectTrueBooks(smtp, source, 400);
      expect(smtp.connections.most).toBe(4);
      if (!way.chunking) {
        expect(smtp.count('rset')).toBe(0);
      }
    },
  );

  test('one write contains the message, its dot and the next envelope: one round trip each', async () => {
    // Only the reply to the dot is 30 ms late: twenty messages take little more than twenty waits.
    const { source } = await start({ script: { dot: { after: 30 } } }, { connections: 1 });
    const begun = performance.now();
    source.add(...letters(20));
    const waits = took(20, 30);
    await source.gotAnswers(20);
    expect(performance.now() - begun).toBeLessThan((await waits) * 1.7);
  });

  test.each(WAYS)('at most two messages are in flight on a connection, %s', async (_, way) => {
    const script: Script = { dot: { after: 5 } };
    const { source, relay } = await start({ script, ...way }, { connections: 3 });
    expect(relay.capacity).toBe(6);
    let most = 0;
    const answered = source.answered.bind(source);
    source.answered = (handOver, answer) => {
      most = Math.max(most, source.underWay);
      answered(handOver, answer);
    };
    source.add(...letters(60));
    await source.gotAnswers(60);
    if (way.pipelining !== false) {
      expect(most).toBeGreaterThan(3);
    }
    expect(most).toBeLessThanOrEqual(6);
  });

  test('chunks can be switched off', async () => {
    const { smtp, source } = await start({ chunking: true }, { connections: 1 }, '?chunking=no');
    source.add(...letters(3));
    await source.gotAnswers(3);
    expect(smtp.count('data')).toBe(3);
  });

  test('HELO is used where EHLO is unknown', async () => {
    const { smtp, source } = await start({ script: { ehlo: ['502 5.5.1 What?'] } });
    source.add(letter(1));
    await source.gotAnswers(1);
    expect(smtp.commands.slice(0, 2).map((line) => line.slice(2, 6))).toEqual(['EHLO', 'HELO']);
    expect(smtp.accepted).toHaveLength(1);
  });

  test.each(WAYS)('dots at line starts arrive unchanged, %s', async (_, way) => {
    const { smtp, source } = await start(way, { connections: 1 });
    const bodies = [
      '.\r\n',
      '..\r\n.a\r\n\r\n.\r\n',
      'a.\r\n.',
      `${'.line\r\n'.repeat(20_000)}`,
      'x',
    ];
    source.add(...bodies.map((body, at) => letter(at, body)));
    source.add(new WholeMessage('a@b.example', 'c@d.example', Buffer.from('.first\r\n')));
    await source.gotAnswers(6);
    const got = smtp.accepted.map((message) =>
      message.source.split('\r\n\r\n').slice(1).join('\r\n\r\n'),
    );
    bodies.forEach((body, at) => {
      expect(got[at]).toBe(body.endsWith('\r\n') ? body : `${body}\r\n`);
    });
    expect(smtp.accepted[5]?.source).toBe('.first\r\n');
  });

  test.each(WAYS)('consecutive messages of many sizes keep their bytes, %s', async (_, way) => {
    const { smtp, source } = await start(way, { connections: 2 });
    const sizes = [10, 70_000, 300_000, 5, 1_500_000, 64 * 1024, 20_000, 262_144, 3];
    source.add(...sizes.map((size, at) => letter(at, `${`${at}`.repeat(size)}\r\n`)));
    await source.gotAnswers(sizes.length);
    for (const message of smtp.accepted) {
      const at = Number(message.messageId.split('@')[0]);
      expect(message.source.endsWith(`\r\n\r\n${`${at}`.repeat(sizes[at] ?? 0)}\r\n`)).toBe(true);
    }
    expectTrueBooks(smtp, source, sizes.length);
  });

  test('a reply during a large message belongs to the previous message', async () => {
    const { smtp, source } = await start(
      { chunking: true, script: { dot: [{ after: 20 }] } },
      { connections: 1 },
    );
    source.add(letter(1), letter(2, 'x'.repeat(30_000_000)), letter(3));
    await source.gotAnswers(3);
    expect(source.answers.every((entry) => entry.answer.outcome === 'accepted')).toBe(true);
    expectTrueBooks(smtp, source, 3);
  });

  test('SIZE, BODY and SMTPUTF8 are sent where supported and needed', async () => {
    const { smtp, source } = await start({}, { connections: 1 });
    const plain = letter(1);
    const eight = new WholeMessage('a@b.example', 'c@d.example', Buffer.from('Subject: é\r\n\r\n'));
    const umlaut = letter(3, 'x', 'grüße@example.net');
    const domain = letter(4, 'x', 'info@bücher.example');
    source.add(plain, eight, umlaut, domain);
    await source.gotAnswers(4);
    expect(smtp.accepted.map((message) => message.parameters)).toEqual([
      `SIZE=${plain.size}`,
      `SIZE=${eight.size} BODY=8BITMIME`,
      `SIZE=${umlaut.size} SMTPUTF8`,
      `SIZE=${domain.size}`,
    ]);
    expect(smtp.accepted[2]?.to).toEqual(['grüße@example.net']);
    expect(smtp.accepted[3]?.to).toEqual(['info@xn--bcher-kva.example']);
  });

  test('a message that the relay cannot accept fails alone', async () => {
    const { smtp, source } = await start({ extensions: ['SIZE 1000'] }, { connections: 1 });
    source.add(
      letter(1, 'x'.repeat(2_000)),
      letter(2, 'é'),
      letter(3, 'x', 'ü@example.net'),
      letter(4, 'x', 'a@b.example>\r\nRCPT TO:<victim@example.net'),
      letter(5, 'x', ''),
      letter(6),
    );
    const answers = await source.gotAnswers(6);
    expect(answers.map((answer) => [answer.outcome, answer.enhanced, answer.about])).toEqual([
      ['failed', '5.3.4', 'message'],
      ['failed', '5.6.3', 'message'],
      ['failed', '5.6.7', 'message'],
      ['failed', '5.1.3', 'recipient'],
      ['failed', '5.1.3', 'recipient'],
      ['accepted', '2.0.0', 'message'],
    ]);
    expect(smtp.commands.join('\n')).not.toContain('victim');
  });

  test.each(WAYS)(
    'a message that cannot be rendered fails, the next ones continue, %s',
    async (_, way) => {
      const { smtp, source } = await start(way, { connections: 1 });
      const broken = letter(2);
      broken.write = () => {
        throw new Error('no such value');
      };
      source.add(letter(1), broken, letter(3));
      await source.gotAnswers(3);
      expect(source.answerFor('p2@example.net')).toMatchObject({
        outcome: 'failed',
        about: 'message',
      });
      expect(source.answerFor('p3@example.net')?.outcome).toBe('accepted');
      expectTrueBooks(smtp, source, 3);
    },
  );

  test('a message longer than announced is never sent', async () => {
    const { smtp, source } = await start({}, { connections: 1 });
    const lying = letter(1);
    lying.write = () => lying.size + 1;
    source.add(lying);
    const [answer] = await source.gotAnswers(1);
    expect(answer).toMatchObject({ outcome: 'failed', about: 'message' });
    expect(smtp.accepted).toHaveLength(0);
  });

  test('a connection closes after its maximum of messages', async () => {
    const { smtp, source } = await start({}, { connections: 1 }, '?messages=3');
    source.add(...letters(10));
    await source.gotAnswers(10);
    expect(smtp.accepted.map((message) => message.connection)).toEqual([
      1, 1, 1, 2, 2, 2, 3, 3, 3, 4,
    ]);
    expect(smtp.count('quit')).toBeGreaterThanOrEqual(3);
    expectTrueBooks(smtp, source, 10);
  });

  test('an idle connection sends QUIT, and the next message opens another', async () => {
    const { smtp, source, relay } = await start({}, { connections: 1, idle: 50 });
    source.add(letter(1));
    await source.gotAnswers(1);
    await expect.poll(() => relay.figures().connections).toBe(0);
    expect(smtp.count('quit')).toBe(1);
    source.add(letter(2));
    await source.gotAnswers(2);
    expect(smtp.connections.total).toBe(2);
  });

  test('the rate applies over all connections, without pauses of a second', async () => {
    const { source } = await start({}, { connections: 5 }, '?rate=100');
    source.add(...letters(60));
    const begun = performance.now();
    const waits = took(60, 10);
    await source.gotAnswers(60);
    const milliseconds = performance.now() - begun;
    expect(60_000 / milliseconds).toBeLessThan(125);
    expect(milliseconds).toBeLessThan((await waits) * 2);
  });

  test('closing finishes messages in flight and takes no more', async () => {
    const { smtp, source, relay } = await start(
      { script: { dot: { after: 50 } } },
      { connections: 2 },
    );
    source.add(...letters(50));
    await smtp.got(2);
    await relay.close();
    expect(source.underWay).toBe(0);
    expect(source.answers.every((entry) => entry.answer.outcome === 'accepted')).toBe(true);
    expect(source.waiting.length).toBeGreaterThan(40);
    expect(smtp.count('quit')).toBe(2);
    expectTrueBooks(smtp, source, source.answers.length);
  });

  test('closing with an unresponsive relay ends within its time', async () => {
    const { smtp, source, relay } = await start({ script: { dot: '' } }, { connections: 1 });
    source.add(...letters(5));
    await expect.poll(() => smtp.count('dot')).toBe(1);
    await relay.close(50);
    expect(source.answers.map((entry) => entry.answer.outcome)).toEqual(['unknown', 'deferred']);
    expect(source.waiting).toHaveLength(3);
  });
});
