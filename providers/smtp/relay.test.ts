// The SMTP relay against a scripted server: what is sent, and what each fault comes to.
import { afterEach, describe, expect, test } from 'vitest';
import { type Answer, WholeMessage } from '#areas/delivery/server/relays/provider.ts';
import { addressCertificate, testCertificate } from '#testing/certificate.ts';
import { letter, letters, QueueSource } from '#testing/queue-source.ts';
import {
  type Script,
  startSmtpServer,
  type TestSmtpServer,
  type TestSmtpServerOptions,
} from '#testing/smtp-server.ts';
import { openSmtpRelay, parseSmtpUrl, type SmtpOptions } from './index.ts';

const endings: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of endings.splice(0).reverse()) {
    await end();
  }
});

const WAYS: [string, TestSmtpServerOptions][] = [
  ['pipelined', { pipelining: true }],
  ['one by one', { pipelining: false }],
  ['in chunks', { chunking: true }],
];

const quick = { firstWait: 40, longestWait: 160 };

async function start(
  server: TestSmtpServerOptions = {},
  options: Partial<SmtpOptions> = {},
  query = '',
) {
  const smtp = await startSmtpServer(server);
  endings.push(() => smtp.close());
  return { smtp, ...connect(smtp.url, options, query) };
}

function connect(url: string, options: Partial<SmtpOptions> = {}, query = '') {
  const source = new QueueSource();
  const parsed = parseSmtpUrl(`${url}${query}`);
  const relay = openSmtpRelay(
    { ...parsed, ...quick, ca: testCertificate.cert, ...options },
    source,
  );
  source.relay = relay;
  endings.push(() => relay.close(100));
  return { source, relay };
}

function limits(changes: Partial<SmtpOptions['limits']>): Partial<SmtpOptions> {
  return { limits: { ...parseSmtpUrl('smtp://127.0.0.1').limits, ...changes } };
}

/** Invariant I as far as a provider can break it. */
function expectTrueBooks(smtp: TestSmtpServer, source: QueueSource, count: number) {
  expect(source.answers).toHaveLength(count);
  expect(new Set(source.answers.map((entry) => entry.handOver)).size).toBe(count);
  const log = smtp.accepted.map((message) => message.messageId);
  expect(new Set(log).size).toBe(log.length);
  for (const { messageId, from } of smtp.accepted) {
    expect(from).toBe(`bounce+${messageId.split('@')[0]}@example.com`);
  }
  const having = (...outcomes: string[]) =>
    source.answers
      .filter((entry) => outcomes.includes(entry.answer.outcome))
      .map((entry) => idOf(entry.handOver));
  const accepted = having('accepted');
  const acceptedOrUnknown = new Set(having('accepted', 'unknown'));
  expect(accepted.every((id) => log.includes(id))).toBe(true);
  expect(log.every((id) => acceptedOrUnknown.has(id))).toBe(true);
}

function idOf(handOver: unknown): string {
  const source = handOver instanceof WholeMessage ? handOver.message.toString() : '';
  return /Message-ID: <([^>]+)>/.exec(source)?.[1] ?? '';
}

/** What so many waits, one after another, take here and now: more than they say on a busy machine. */
async function took(count: number, milliseconds: number): Promise<number> {
  const begun = performance.now();
  for (let i = 0; i < count; i++) await new Promise((go) => setTimeout(go, milliseconds));
  return performance.now() - begun;
}

describe('handing over', () => {
  test.each(WAYS)(
    'hundreds of messages over several connections, each once, %s',
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

  test('one write holds the message, its dot and the next envelope: one round trip each', async () => {
    // Answers come 30 ms late at the dot alone: twenty messages in little more than twenty waits.
    const { source } = await start({ script: { dot: { after: 30 } } }, { connections: 1 });
    const begun = performance.now();
    source.add(...letters(20));
    const waits = took(20, 30);
    await source.gotAnswers(20);
    expect(performance.now() - begun).toBeLessThan((await waits) * 1.7);
  });

  test.each(WAYS)('at most two messages are under way on a connection, %s', async (_, way) => {
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

  test('HELO where EHLO is not known', async () => {
    const { smtp, source } = await start({ script: { ehlo: ['502 5.5.1 What?'] } });
    source.add(letter(1));
    await source.gotAnswers(1);
    expect(smtp.commands.slice(0, 2).map((line) => line.slice(2, 6))).toEqual(['EHLO', 'HELO']);
    expect(smtp.accepted).toHaveLength(1);
  });

  test.each(WAYS)('dots at line starts arrive as they were, %s', async (_, way) => {
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

  test.each(WAYS)(
    'messages of many sizes, one after another, keep their bytes, %s',
    async (_, way) => {
      const { smtp, source } = await start(way, { connections: 2 });
      const sizes = [10, 70_000, 300_000, 5, 1_500_000, 64 * 1024, 20_000, 262_144, 3];
      source.add(...sizes.map((size, at) => letter(at, `${`${at}`.repeat(size)}\r\n`)));
      await source.gotAnswers(sizes.length);
      for (const message of smtp.accepted) {
        const at = Number(message.messageId.split('@')[0]);
        expect(message.source.endsWith(`\r\n\r\n${`${at}`.repeat(sizes[at] ?? 0)}\r\n`)).toBe(true);
      }
      expectTrueBooks(smtp, source, sizes.length);
    },
  );

  test('an answer that comes while a large message leaves is that of the one before', async () => {
    const { smtp, source } = await start(
      { chunking: true, script: { dot: [{ after: 20 }] } },
      { connections: 1 },
    );
    source.add(letter(1), letter(2, 'x'.repeat(30_000_000)), letter(3));
    await source.gotAnswers(3);
    expect(source.answers.every((entry) => entry.answer.outcome === 'accepted')).toBe(true);
    expectTrueBooks(smtp, source, 3);
  });

  test('SIZE, BODY and SMTPUTF8 are said where they belong', async () => {
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

  test('what the relay cannot take fails here, and costs the others nothing', async () => {
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
    'a message that cannot be written fails, the next ones go on, %s',
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

  test('one that writes more than it announced is never sent', async () => {
    const { smtp, source } = await start({}, { connections: 1 });
    const lying = letter(1);
    lying.write = () => lying.size + 1;
    source.add(lying);
    const [answer] = await source.gotAnswers(1);
    expect(answer).toMatchObject({ outcome: 'failed', about: 'message' });
    expect(smtp.accepted).toHaveLength(0);
  });

  test('a connection is left after so many messages', async () => {
    const { smtp, source } = await start({}, { connections: 1 }, '?messages=3');
    source.add(...letters(10));
    await source.gotAnswers(10);
    expect(smtp.accepted.map((message) => message.connection)).toEqual([
      1, 1, 1, 2, 2, 2, 3, 3, 3, 4,
    ]);
    expect(smtp.count('quit')).toBeGreaterThanOrEqual(3);
    expectTrueBooks(smtp, source, 10);
  });

  test('an idle connection says QUIT, and the next message opens another', async () => {
    const { smtp, source, relay } = await start({}, { connections: 1, idle: 50 });
    source.add(letter(1));
    await source.gotAnswers(1);
    await expect.poll(() => relay.figures().connections).toBe(0);
    expect(smtp.count('quit')).toBe(1);
    source.add(letter(2));
    await source.gotAnswers(2);
    expect(smtp.connections.total).toBe(2);
  });

  test('the rate is kept without a pause of a second, over all connections', async () => {
    const { source } = await start({}, { connections: 5 }, '?rate=100');
    source.add(...letters(60));
    const begun = performance.now();
    const waits = took(60, 10);
    await source.gotAnswers(60);
    const milliseconds = performance.now() - begun;
    expect(60_000 / milliseconds).toBeLessThan(125);
    expect(milliseconds).toBeLessThan((await waits) * 2);
  });

  test('closing lets what is under way end and takes nothing more', async () => {
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

  test('closing with a relay that no longer answers ends within its time', async () => {
    const { smtp, source, relay } = await start({ script: { dot: '' } }, { connections: 1 });
    source.add(...letters(5));
    await expect.poll(() => smtp.count('dot')).toBe(1);
    await relay.close(50);
    expect(source.answers.map((entry) => entry.answer.outcome)).toEqual(['unknown', 'deferred']);
    expect(source.waiting).toHaveLength(3);
  });
});

describe('opening', () => {
  const user = { user: 'ada@example.com', password: 'p:ä/ss' };

  test.each([
    ['PLAIN', 'PLAIN LOGIN'],
    ['LOGIN', 'LOGIN'],
  ])('AUTH %s', async (_, ways) => {
    const { smtp, source } = await start({ auth: { ...user, ways } }, user);
    source.add(letter(1));
    await source.gotAnswers(1);
    expect(smtp.accepted).toHaveLength(1);
  });

  test('user and password come out of SMTP_URL', async () => {
    const smtp = await startSmtpServer({ auth: user });
    endings.push(() => smtp.close());
    const address = `smtp://ada%40example.com:${encodeURIComponent('p:ä/ss')}@127.0.0.1:${smtp.port}`;
    const { source } = connect(address);
    source.add(letter(1));
    await source.gotAnswers(1);
    expect(smtp.accepted).toHaveLength(1);
  });

  test.each([
    ['PLAIN', 'auth', '334 Go on'],
    ['LOGIN', 'auth', '334 Go on'],
  ] as const)('a sign-in that is not ended by 235 is none: %s', async (ways, verb, reply) => {
    const auth = { user: 'ada', password: 'a@b:c', ways };
    const { smtp, source } = await start({ auth, script: { [verb]: reply } }, auth);
    source.add(letter(1));
    await source.until(() => source.states.length > 0);
    expect(source.states[0]).toMatchObject({
      is: 'refused',
      answer: { at: 'auth', reply: expect.stringContaining('334 Go on instead of 235') },
    });
    expect(smtp.count('mail')).toBe(0);
  });

  test('STARTTLS is used where it is offered; its certificate is checked where it is required', async () => {
    const { smtp, source } = await start({ tls: 'starttls' });
    source.add(...letters(30));
    await source.gotAnswers(30);
    expect(smtp.count('starttls')).toBeGreaterThan(0);
    expect(smtp.count('ehlo')).toBe(2 * smtp.connections.total);

    const distrustful = connect(smtp.url, { ca: undefined }, '?tls=required');
    distrustful.source.add(letter(99));
    await distrustful.source.until(() => distrustful.source.states.length > 0);
    expect(distrustful.relay.state()).toMatchObject({ is: 'refused', answer: { at: 'starttls' } });
    expect(distrustful.source.waiting).toHaveLength(1);

    const trusting = connect(smtp.url, {}, '?tls=required');
    trusting.source.add(letter(100));
    await trusting.source.gotAnswers(1);
    expect(smtp.accepted).toHaveLength(31);
  });

  test('a host that is an address is found in its certificate by STARTTLS, too', async () => {
    const { smtp, source } = await start(
      { tls: 'starttls', certificate: addressCertificate },
      { ca: addressCertificate.cert },
      '?tls=required',
    );
    source.add(letter(1));
    await source.until(() => source.states.length + source.answers.length > 0);
    expect(source.states).toEqual([]);
    expect((await source.gotAnswers(1))[0]?.outcome).toBe('accepted');
    expectTrueBooks(smtp, source, 1);
  });

  test('TLS from the first byte', async () => {
    const { smtp, source } = await start({ tls: 'implicit' }, { connections: 2 });
    source.add(...letters(30));
    await source.gotAnswers(30);
    expectTrueBooks(smtp, source, 30);
  });

  test('required encryption that is not offered is refused, and nothing is sent', async () => {
    const { smtp, source, relay } = await start({}, user, '?tls=required');
    source.add(letter(1));
    await source.until(() => source.states.length > 0);
    expect(relay.state()).toMatchObject({ is: 'refused', answer: { at: 'starttls' } });
    expect(smtp.commands.join()).not.toContain('AUTH');
  });

  test('a relay that cannot be reached: waiting, tried again with a growing wait, then all goes out', async () => {
    const { smtp, source, relay } = await start({}, { connections: 3 });
    await smtp.stop();
    const begun = performance.now();
    source.add(...letters(20));
    await source.until(() => source.states.length >= 3);
    expect(performance.now() - begun).toBeGreaterThan(20 + 40 - 5);
    expect(relay.state()).toMatchObject({
      is: 'waiting',
      answer: { outcome: 'deferred', about: 'connection', at: 'connect', code: 0 },
    });
    const waits = source.states.map((state) => (state.is === 'waiting' ? state.retryInMs : 0));
    expect(waits[0]).toBeGreaterThanOrEqual(20);
    expect(waits[0]).toBeLessThanOrEqual(40);
    expect(waits[2]).toBeGreaterThanOrEqual(80);
    expect(waits[2]).toBeLessThanOrEqual(160);
    expect(source.answers).toHaveLength(0);
    await smtp.listen();
    await source.gotAnswers(20);
    expect(relay.state()).toEqual({ is: 'ready' });
    expectTrueBooks(smtp, source, 20);
  });

  test('a relay that goes away in the middle: none is lost, none is sent twice', async () => {
    const { smtp, source } = await start({ script: { dot: { after: 2 } } }, { connections: 4 });
    source.add(...letters(300));
    await smtp.got(80);
    await smtp.stop();
    await source.until(() => source.states.some((state) => state.is === 'waiting'));
    await smtp.listen();
    await source.gotAnswers(300);
    expectTrueBooks(smtp, source, 300);
    const outcomes = source.answers.map((entry) => entry.answer);
    expect(outcomes.filter((answer) => answer.outcome === 'unknown').length).toBeLessThanOrEqual(4);
    const given = outcomes.filter((answer) => answer.outcome === 'deferred');
    expect(given.every((answer) => answer.about === 'connection')).toBe(true);
    expect(given.length).toBeLessThanOrEqual(8);
  });

  test('421 to one connection too many: goes on with those it has', async () => {
    const script: Script = {
      banner: ({ connection }) =>
        connection > 2 ? { reply: '421 4.7.0 Too many connections', hangUp: 'behind' } : undefined,
      dot: { after: 5 },
    };
    const { smtp, source, relay } = await start({ script }, { connections: 10 });
    source.add(...letters(100));
    await source.gotAnswers(100);
    expect(smtp.accepted).toHaveLength(100);
    expect(relay.state()).toEqual({ is: 'ready' });
    expect(smtp.connections.total).toBeLessThan(14);
  });
});

// Fault 4: 421, 4xx and 5xx at every verb.
describe('refusals', () => {
  const openings: [Script, 'waiting' | 'refused', Partial<Answer>][] = [
    [{ banner: '421 4.3.2 Closing' }, 'waiting', { at: 'banner', code: 421, about: 'relay' }],
    [{ banner: '451 4.3.0 Later' }, 'waiting', { at: 'banner', code: 451 }],
    [{ banner: '554 5.7.1 Go away' }, 'refused', { at: 'banner', code: 554 }],
    [{ ehlo: '421 4.3.2 Closing' }, 'waiting', { at: 'ehlo', code: 421 }],
    [{ ehlo: '450 4.3.2 Later' }, 'waiting', { at: 'ehlo', code: 450 }],
    [{ ehlo: '550 5.7.1 Bad name' }, 'refused', { at: 'ehlo', code: 550 }],
    [{ auth: '421 4.3.2 Closing' }, 'waiting', { at: 'auth', code: 421 }],
    [{ auth: '454 4.7.0 Temporary' }, 'waiting', { at: 'auth', code: 454 }],
    [{ auth: '535 5.7.8 Wrong' }, 'refused', { at: 'auth', code: 535, enhanced: '5.7.8' }],
    [{ banner: 'HTTP/1.1 400 Bad Request' }, 'waiting', { at: 'banner', code: 0 }],
    [{ banner: { hangUp: 'instead' } }, 'waiting', { at: 'banner', code: 0 }],
    [{ ehlo: { hangUp: 'instead' } }, 'waiting', { at: 'ehlo', code: 0 }],
    [{ auth: { hangUp: 'instead' } }, 'waiting', { at: 'auth', code: 0 }],
  ];

  test.each(openings)('while opening: %j → %s', async (script, is, answer) => {
    const auth = { user: 'u', password: 'p' };
    const { smtp, source, relay } = await start({ script, auth }, { ...auth, connections: 2 });
    source.add(...letters(5));
    await source.until(() => source.states.length >= 2);
    expect(relay.state()).toMatchObject({ is, answer });
    expect(source.answers).toHaveLength(0);
    for (const verb of ['banner', 'ehlo', 'auth'] as const) {
      delete smtp.script[verb];
    }
    await source.gotAnswers(5);
    expect(relay.state()).toEqual({ is: 'ready' });
    expect(smtp.accepted).toHaveLength(5);
  });

  const refusals: [Script, Partial<Answer>][] = [
    [{ mail: ['421 4.3.2 Closing'] }, { outcome: 'deferred', about: 'relay', at: 'mail' }],
    [{ mail: ['451 4.3.0 Later'] }, { outcome: 'deferred', about: 'relay', at: 'mail' }],
    [{ mail: ['454 4.7.0 Rate'] }, { outcome: 'deferred', about: 'relay', at: 'mail' }],
    [{ mail: ['550 5.7.1 Not you'] }, { outcome: 'relay_refused', about: 'sender', at: 'mail' }],
    [{ mail: ['530 5.7.0 Sign in'] }, { outcome: 'relay_refused', about: 'sender', at: 'mail' }],
    [{ mail: ['552 5.3.4 Too big'] }, { outcome: 'failed', about: 'message', at: 'mail' }],
    [{ rcpt: ['421 4.3.2 Closing'] }, { outcome: 'deferred', about: 'relay', at: 'rcpt' }],
    [{ rcpt: ['450 4.2.0 Greylisted'] }, { outcome: 'deferred', about: 'recipient', at: 'rcpt' }],
    [{ rcpt: ['450 Busy'] }, { outcome: 'deferred', about: 'recipient', at: 'rcpt' }],
    [{ rcpt: ['550 5.1.1 No one'] }, { outcome: 'failed', about: 'recipient', enhanced: '5.1.1' }],
    [{ rcpt: ['550 5.7.1 Policy'] }, { outcome: 'failed', about: 'message', at: 'rcpt' }],
    [
      { rcpt: ['554 5.7.1 <a@b>: Relay access denied'] },
      { outcome: 'relay_refused', about: 'relay', at: 'rcpt' },
    ],
    [{ data: ['421 4.3.2 Closing'] }, { outcome: 'deferred', about: 'relay', at: 'data' }],
    [{ data: ['451 4.3.0 Later'] }, { outcome: 'deferred', about: 'relay', at: 'data' }],
    [{ data: ['554 5.7.1 No'] }, { outcome: 'failed', about: 'message', at: 'data' }],
    [{ dot: ['421 4.3.2 Closing'] }, { outcome: 'deferred', about: 'relay', at: 'dot' }],
    [{ dot: ['451 4.6.0 Later'] }, { outcome: 'deferred', about: 'message', at: 'dot' }],
    [{ dot: ['452 4.2.2 Full'] }, { outcome: 'deferred', about: 'recipient', at: 'dot' }],
    [{ dot: ['554 5.7.1 Spam'] }, { outcome: 'failed', about: 'message', at: 'dot' }],
    [{ dot: ['550 5.1.1 No one'] }, { outcome: 'failed', about: 'recipient', at: 'dot' }],
    [
      { dot: ['454 Throttling failure: Daily message quota exceeded.'] },
      { outcome: 'relay_refused', about: 'sender', at: 'dot' },
    ],
  ];

  describe.each(WAYS)('%s', (_, way) => {
    test.each(refusals.filter(([script]) => !way.chunking || !script.data))(
      '%j',
      async (script, answer) => {
        // The scripted answer meets the second message: the first and the following go through.
        const copy = structuredClone(script) as Record<string, (string | undefined)[]>;
        for (const list of Object.values(copy)) {
          list.unshift(undefined);
        }
        const { smtp, source } = await start({ script: copy, ...way }, { connections: 1 });
        source.add(...letters(3));
        await source.gotAnswers(3);
        expect(source.answerFor('p2@example.net')).toMatchObject(answer);
        const others = source.answers.filter((entry) => entry.handOver.to !== 'p2@example.net');
        expect(others.map((entry) => entry.answer.outcome)).toEqual(Array(2).fill('accepted'));
        expectTrueBooks(smtp, source, 3);
      },
    );

    test('every recipient refused: no message is sent, none hangs', async () => {
      const script: Script = { rcpt: '550 5.1.1 No such person' };
      const { smtp, source } = await start({ script, ...way }, { connections: 2 });
      source.add(...letters(40));
      const answers = await source.gotAnswers(40);
      expect(answers.every((answer) => answer.outcome === 'failed')).toBe(true);
      expect(smtp.count('dot')).toBe(0);
      expect(smtp.connections.total).toBeLessThanOrEqual(2);
    });
  });

  test('a 354 although RCPT was refused is answered with an empty dot', async () => {
    const script: Script = { rcpt: ['550 5.1.1 No one'], data: ['354 Go on'], dot: [] };
    const { smtp, source } = await start({ script }, { connections: 1 });
    source.add(...letters(3));
    const answers = await source.gotAnswers(3);
    expect(answers[0]).toMatchObject({ outcome: 'failed', at: 'rcpt', enhanced: '5.1.1' });
    expect(smtp.accepted.map((message) => message.messageId)).toEqual([
      '2@test.example',
      '3@test.example',
    ]);
    expect(smtp.count('rset')).toBe(0);
  });

  test.each(WAYS.slice(0, 2))(
    'DATA that is answered like a message that was taken takes none, %s',
    async (_, way) => {
      const script: Script = { data: ['250 2.0.0 Ok: queued as 77'] };
      const { smtp, source } = await start({ ...way, script }, { connections: 1 });
      source.add(letter(1));
      const [answer] = await source.gotAnswers(1);
      expect(answer).toMatchObject({ outcome: 'deferred', about: 'connection', at: 'data' });
      expect(answer?.reply).toContain('250 2.0.0 Ok: queued as 77');
      // Nobody knows what such a connection would say next: the following one leaves by another.
      source.add(letter(2));
      expect((await source.gotAnswers(2))[1]?.outcome).toBe('accepted');
      expect(smtp.connections.total).toBe(2);
      expectTrueBooks(smtp, source, 2);
    },
  );

  test('the first reason counts, not the 503s behind it', async () => {
    const { source } = await start(
      { script: { mail: ['550 5.1.8 Bad domain'] } },
      { connections: 1 },
    );
    source.add(letter(1));
    const [answer] = await source.gotAnswers(1);
    expect(answer).toMatchObject({ outcome: 'relay_refused', at: 'mail', code: 550 });
  });

  test('a reply of several lines is one answer', async () => {
    const script: Script = { dot: ['550 5.7.1 Blocked.\n550 5.7.1 See https://example.org/'] };
    const { source } = await start({ script });
    source.add(letter(1));
    const [answer] = await source.gotAnswers(1);
    expect(answer).toMatchObject({
      code: 550,
      enhanced: '5.7.1',
      reply: 'Blocked. See https://example.org/',
    });
  });
});

// Faults 5 to 8.
describe('lost connections and slow relays', () => {
  test.each([
    ['after it kept the message', true],
    ['before', false],
  ])('a hang-up behind the dot, %s: unknown, never tried again', async (_, keep) => {
    const script: Script = {
      dot: ({ earlier }) => (earlier === 3 ? { hangUp: 'instead', keep } : undefined),
    };
    const { smtp, source } = await start({ script }, { connections: 1 });
    source.add(...letters(10));
    await source.gotAnswers(10);
    expect(source.answerFor('p4@example.net')).toMatchObject({
      outcome: 'unknown',
      about: 'connection',
      at: 'dot',
    });
    expect(source.answers.filter((entry) => entry.answer.outcome === 'accepted')).toHaveLength(9);
    expectTrueBooks(smtp, source, 10);
  });

  test('a hang-up behind a chunk: unknown for it and the one behind it, never tried again', async () => {
    const script: Script = {
      dot: ({ earlier }) => (earlier === 3 ? { hangUp: 'instead', keep: true } : undefined),
    };
    const { smtp, source } = await start({ script, chunking: true }, { connections: 1 });
    source.add(...letters(10));
    await source.gotAnswers(10);
    const unknown = source.answers.filter((entry) => entry.answer.outcome === 'unknown');
    expect(unknown.map((entry) => entry.handOver.to)).toEqual(['p4@example.net', 'p5@example.net']);
    expect(source.answers.filter((entry) => entry.answer.outcome === 'accepted')).toHaveLength(8);
    expectTrueBooks(smtp, source, 10);
  });

  test('a 421 to a chunk: what was said behind it is tried again', async () => {
    const script: Script = { dot: [undefined, { reply: '421 4.3.2 Closing', hangUp: 'behind' }] };
    const { smtp, source } = await start({ script, chunking: true }, { connections: 1 });
    source.add(...letters(4));
    await source.gotAnswers(4);
    expect(source.answerFor('p2@example.net')).toMatchObject({
      outcome: 'deferred',
      about: 'relay',
    });
    expect(source.answers.filter((entry) => entry.answer.outcome === 'accepted')).toHaveLength(3);
    expectTrueBooks(smtp, source, 4);
  });

  test.each(['mail', 'rcpt', 'data'] as const)(
    'a hang-up at %s: tried once more by itself, on another connection',
    async (verb) => {
      const script: Script = {
        [verb]: ({ earlier }: { earlier: number }) =>
          earlier === 3 ? { hangUp: 'instead' } : undefined,
      };
      const { smtp, source } = await start({ script }, { connections: 1 });
      source.add(...letters(10));
      const answers = await source.gotAnswers(10);
      expect(answers.every((answer) => answer.outcome === 'accepted')).toBe(true);
      expect(smtp.connections.total).toBe(2);
      expectTrueBooks(smtp, source, 10);
    },
  );

  test('a hang-up at MAIL again and again: deferred, with pauses, never a storm', async () => {
    const { smtp, source, relay } = await start({ script: { mail: { hangUp: 'instead' } } });
    source.add(letter(1));
    const [answer] = await source.gotAnswers(1);
    expect(answer).toMatchObject({ outcome: 'deferred', about: 'connection' });
    source.add(letter(2), letter(3));
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(smtp.connections.total).toBeLessThan(15);
    expect(relay.state().is).toBe('waiting');
  });

  test('a late answer to the dot is an answer', async () => {
    const { source } = await start({ script: { dot: [{ after: 300 }] } }, limits({ dot: 2_000 }));
    source.add(letter(1));
    expect((await source.gotAnswers(1))[0]?.outcome).toBe('accepted');
  });

  test('no answer to the dot is unknown, once its time is over', async () => {
    const { smtp, source } = await start(
      { script: { dot: [undefined, ''] } },
      { connections: 1, ...limits({ dot: 1_000 }) },
    );
    source.add(...letters(3));
    await source.gotAnswers(3);
    expect(source.answerFor('p2@example.net')).toMatchObject({ outcome: 'unknown', at: 'dot' });
    expect(smtp.accepted).toHaveLength(2);
  });

  test.each(['banner', 'ehlo', 'auth'] as const)('no answer at %s has its limit', async (verb) => {
    const auth = { user: 'u', password: 'p' };
    const { source, relay } = await start(
      { script: { [verb]: '' }, auth },
      { ...auth, ...limits({ [verb]: 80 }) },
    );
    source.add(letter(1));
    await source.until(() => source.states.length > 0);
    expect(relay.state()).toMatchObject({ is: 'waiting', answer: { at: verb, code: 0 } });
  });

  test.each(['mail', 'rcpt', 'data'] as const)('no answer at %s has its limit', async (verb) => {
    const { smtp, source } = await start(
      { script: { [verb]: [undefined, ''] } },
      { connections: 1, ...limits({ [verb]: 1_000 }) },
    );
    source.add(...letters(3));
    await source.gotAnswers(3);
    expect(smtp.accepted).toHaveLength(3);
    expect(smtp.connections.total).toBe(2);
  });

  test('a relay that reads one byte at a time holds up nobody else', async () => {
    const slow = await start({ slowReading: 20 }, { connections: 1, ...limits({ dot: 3_000 }) });
    const quickOne = await start();
    slow.source.add(letter(1, 'x'.repeat(20_000_000)));
    quickOne.source.add(...letters(200));
    await quickOne.source.gotAnswers(200);
    expect(slow.source.answers).toHaveLength(0);
    // Most of it never left this process, so the relay cannot have it.
    expect((await slow.source.gotAnswers(1))[0]).toMatchObject({ outcome: 'deferred' });
  });

  test.each(WAYS)(
    'a large message cut off in the middle was not handed over, %s',
    async (_, way) => {
      const { smtp, source } = await start({ slowReading: 20, ...way }, { connections: 1 });
      source.add(letter(1, 'x'.repeat(20_000_000)));
      await expect.poll(() => smtp.count('rcpt')).toBe(1);
      await new Promise((resolve) => setTimeout(resolve, 100));
      await smtp.stop();
      await source.until(() => source.states.length > 0);
      await source.gotAnswers(1);
      expect(source.answers[0]?.answer).toMatchObject({ outcome: 'deferred', about: 'connection' });
    },
  );

  test('rate refusals slow it down, nothing fails, and the rate comes back', async () => {
    // The last ten of every thirty are refused, however fast this machine is.
    const script: Script = {
      mail: ({ earlier }) =>
        earlier % 30 >= 20 ? '454 4.7.0 Rate exceeded, slow down' : undefined,
    };
    const { smtp, source, relay } = await start({ script }, { connections: 4 });
    source.add(...letters(600));
    const answered = source.answered.bind(source);
    let refused = 0;
    source.answered = (handOver, answer) => {
      if (answer.outcome === 'deferred') {
        refused++;
        setTimeout(() => source.add(handOver), 50);
      } else {
        answered(handOver, answer);
      }
    };
    let slowest = Number.POSITIVE_INFINITY;
    const timer = setInterval(() => {
      slowest = Math.min(slowest, relay.figures().allowedPerSecond);
    }, 10);
    await expect.poll(() => slowest).toBeLessThan(400);
    delete smtp.script.mail;
    await expect.poll(() => relay.figures().allowedPerSecond).toBeGreaterThan(slowest);
    clearInterval(timer);
    expect(refused).toBeGreaterThan(0);
    expect(source.answers.every((entry) => entry.answer.outcome === 'accepted')).toBe(true);
  });
});
