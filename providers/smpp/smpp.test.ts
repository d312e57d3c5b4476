// Tests the SMPP provider against an independent SMSC: responses, unknown results, receipts with
// decimal and hexadecimal IDs, joined parts, the window, reconnection.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { measure, splitText } from '#areas/content/text-parts.ts';
import type { SmsEvent, SmsHandoff } from '#areas/delivery/server/sender/index.ts';
import type {
  HandoffResult,
  RelayConnection,
  RelayState,
} from '#areas/delivery/server/relays/provider.ts';
import { type SmppServer, startSmppServer } from '#testing/servers/smpp-server.ts';
import { decodeText, encodeText, fromGsm, toGsm } from './alphabet.ts';
import { openSmpp } from './index.ts';
import { PduReader } from './pdu.ts';
import { alternativeIds } from './delivery-receipts.ts';

let center: SmppServer;
let relay: RelayConnection | undefined;
const events: SmsEvent[] = [];
const states: RelayState[] = [];
let isFailing = false;

beforeEach(async () => {
  center = await startSmppServer();
});
afterEach(async () => {
  await relay?.close(100);
  relay = undefined;
  await center.close();
  events.length = 0;
  states.length = 0;
  isFailing = false;
});

const smsTo = (n: number, changes: Partial<SmsHandoff> = {}): SmsHandoff => ({
  ...{ accountId: 1, to: `+1512555${1000 + n}`, from: '+15125550177', text: `Tulips ${n}` },
  ...{ encoding: 'gsm7', parts: 1, reference: `copy ${n}`, callbackUrl: '', expiresAt: undefined },
  ...changes,
});

/** Opens the relay and delivers the SMS; `done` resolves to all results, in order. */
function deliverSms(
  handoffs: SmsHandoff[],
  overrides: { port?: number; window?: number; secret?: string } = {},
) {
  const waiting = [...handoffs];
  const results = new Map<SmsHandoff, HandoffResult>();
  const { port = center.port, window = 10, secret = 'secret' } = overrides;
  const account = { host: '127.0.0.1', port, isTls: false, user: 'me', secret, systemType: '' };
  const openRelay = openSmpp({
    ...{ account, window, alphabet: 'gsm7' },
    listener: {
      onEvent: async (event) => {
        if (isFailing) throw new Error('No database');
        events.push(event);
      },
      findReference: async ({ ids }) =>
        ids.some((id) => id.endsWith('/77')) ? { reference: 'stored', partCount: 1 } : undefined,
    },
  });
  relay = openRelay<SmsHandoff>({
    countReady: () => waiting.length,
    next: () => waiting.shift() ?? null,
    onResult: (text, result) => results.set(text, result),
    onStateChange: (state) => states.push(state),
  });
  const waitForResults = async () => {
    await expect.poll(() => results.size, { timeout: 20_000 }).toBe(handoffs.length);
    return handoffs.map((text) => results.get(text) as HandoffResult);
  };
  return { done: waitForResults, answers: results };
}

test('SMS are submitted as specified, and responses are classified', async () => {
  const statuses: Record<string, number> = {
    ...{ '15125551001': 0x0b, '15125551002': 0x45, '15125551003': 0x0a },
  };
  center.script.submit = ({ to }) => statuses[to] ?? '00A1';
  const expiresAt = new Date('2031-05-06T07:08:09Z');
  const results = await deliverSms([
    ...[smsTo(0, { expiresAt }), smsTo(1), smsTo(2), smsTo(3)],
    smsTo(4, { from: 'Bloom', text: 'Žydi tulpės 🌷' }),
  ]).done();
  expect(results).toMatchObject([
    { outcome: 'accepted', sms: { remoteId: `smpp:127.0.0.1:${center.port}/00A1`, parts: 1 } },
    { outcome: 'failed', scope: 'recipient', sms: { isUnknownRecipient: true } },
    { outcome: 'failed', reply: '0x45 Submit failed' },
    { outcome: 'relay_refused', scope: 'sender' },
    { outcome: 'accepted' },
  ]);
  expect(center.submitted).toMatchObject([
    { from: '15125550177', to: '15125551000', text: 'Tulips 0', validity: expiresAt.toISOString() },
    { from: 'Bloom', text: 'Žydi tulpės 🌷' },
  ]);
});

test('a long SMS is split into the counted number of parts, each with the same reference', async () => {
  const bodies = ['{'.repeat(200), `${'x'.repeat(69)}🌷${'y'.repeat(80)}`, 'z'.repeat(459)];
  const results = await deliverSms(bodies.map((text, n) => smsTo(n, { text }))).done();
  bodies.forEach((text, n) => {
    const submittedParts = center.submitted.filter((submittedSms) =>
      submittedSms.to.endsWith(String(1000 + n)),
    );
    expect(submittedParts).toHaveLength(measure(text).parts);
    expect(new Set(submittedParts.map((submittedPart) => submittedPart.reference)).size).toBe(1);
    const orderedParts = submittedParts.toSorted((part, otherPart) => part.part - otherPart.part);
    expect(orderedParts.map((submitted) => submitted.text).join('')).toBe(text);
    expect(results[n]).toMatchObject({
      outcome: 'accepted',
      sms: { parts: submittedParts.length },
    });
    expect(splitText(text).parts.join('')).toBe(text);
  });
  const allCharacters = '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&()^{}\\[~]|€ÄÖÑÜ§¿äöñüà';
  expect(fromGsm(toGsm(allCharacters))).toBe(allCharacters);
});

test('with alphabet=latin1, texts inside and outside Latin-1 arrive unchanged in parts of at most 140 bytes', () => {
  for (const text of ['Grüße', 'Only 5 €', `Ω${'a'.repeat(100)}`]) {
    const { coding, pieces } = encodeText(text, 1, 'latin1');
    const bytes = pieces.map(({ message, hasHeader }) => message.subarray(hasHeader ? 6 : 0));
    expect(bytes.map((submittedPart) => decodeText(submittedPart, coding, 'latin1')).join('')).toBe(
      text,
    );
    expect(bytes.every((part) => part.length <= 140)).toBe(true);
  }
});

test('a throttled relay waits, and only the deferred part of an SMS is retried', async () => {
  let isBusy = true;
  center.script.submit = ({ part, to }) => {
    if (to.endsWith('1001')) return isBusy ? 0x58 : 'b1';
    if (part === 2 && isBusy) return 0x14;
    return `a${part}`;
  };
  setTimeout(() => {
    isBusy = false;
  }, 1_500);
  const results = await deliverSms([smsTo(0, { text: 'x'.repeat(300) }), smsTo(1)]).done();
  expect(results[0]).toMatchObject({ outcome: 'accepted' });
  expect(results[1]).toMatchObject({ outcome: 'deferred', scope: 'relay' });
  expect(center.submitted.map(({ to, part }) => `${to.slice(-4)}/${part}`).toSorted()).toEqual([
    '1000/1',
    '1000/2',
  ]);
});

test('a submitted SMS without a response has the result unknown; an unsent SMS stays in the source', async () => {
  center.script.submit = () => 'hang up';
  const lostResults = await deliverSms([smsTo(0), smsTo(1)], { window: 1 }).done();
  // The second SMS was submitted only after the connection was restored.
  expect(lostResults[0]).toMatchObject({ outcome: 'unknown', scope: 'connection' });
  expect(center.counts.binds).toBeGreaterThan(1);
  await relay?.close(100);
  // No server listens: the relay takes no SMS from the source and reports that it is waiting.
  states.length = 0;
  const { answers } = deliverSms([smsTo(2)], { port: 49_998 });
  await expect.poll(() => states.at(-1)?.kind, { timeout: 10_000 }).toBe('waiting');
  expect(answers.size).toBe(0);
  await relay?.close(100);
  deliverSms([smsTo(3)], { secret: 'wrong' });
  await expect.poll(() => states.at(-1)?.kind, { timeout: 10_000 }).toBe('refused');
});

test('concurrent parts never exceed the window', async () => {
  const handoffs = Array.from({ length: 60 }, (_, n) => smsTo(n));
  await deliverSms(handoffs, { window: 7 }).done();
  expect(center.counts.peak).toBeLessThanOrEqual(7);
  expect(center.submitted).toHaveLength(60);
});

test('the parts of long SMS never exceed the window', async () => {
  const longSms = [0, 1, 2].map((n) => smsTo(n, { text: 'x'.repeat(459) }));
  const results = await deliverSms(longSms, { window: 2 }).done();
  expect(results).toMatchObject(longSms.map(() => ({ outcome: 'accepted', sms: { parts: 3 } })));
  expect(center.counts.peak).toBeLessThanOrEqual(2);
});

test('a receipt finds its SMS by a decimal or hexadecimal ID, in memory or stored; a receipt that cannot be stored is refused', async () => {
  let id = 254;
  center.script.submit = () => (++id).toString(16);
  await deliverSms([smsTo(0), smsTo(1)]).done();
  // The IDs are ff and 100 in responses, and decimal in receipts.
  expect(await center.receipt('255', 'DELIVRD', '15125551000')).toBe(0);
  expect(await center.receipt('0000000256', 'UNDELIV', '5125551001')).toBe(0);
  expect(await center.receipt('77', 'DELIVRD')).toBe(0);
  expect(await center.receipt('ff', 'ENROUTE')).toBe(0);
  expect(events).toMatchObject([
    { kind: 'delivered', reference: 'copy 0' },
    { kind: 'undelivered', reference: 'copy 1', error: 'UNDELIV 000' },
    { kind: 'delivered', reference: 'stored' },
  ]);
  expect(alternativeIds('00FF')).toEqual(['00FF', 'ff', '255']);
  isFailing = true;
  expect(await center.receipt('255', 'DELIVRD', '15125551000')).toBe(0x64);
  expect(await center.inbound('Stop')).toBe(0x64);
});

test('an inbound SMS is decoded in any alphabet and from parts, and the relay reconnects after a hang-up', async () => {
  await deliverSms([]).done();
  await expect.poll(() => center.sessions.size).toBe(1);
  expect(await center.inbound('Stop')).toBe(0);
  expect(await center.inbound('Ačiū 🌷')).toBe(0);
  const createPart = (n: number, message: string) => ({
    esm_class: 0x40,
    short_message: { udh: Buffer.from([5, 0, 3, 9, 2, n]), message },
  });
  await center.inbound('', createPart(2, 'of colour?'));
  expect(events).toHaveLength(2);
  await center.inbound('', createPart(1, 'Which kinds '));
  expect(events).toMatchObject([
    { kind: 'inbound', from: '+15125550101', to: '+15125550177', text: 'Stop' },
    { kind: 'inbound', text: 'Ačiū 🌷' },
    { kind: 'inbound', text: 'Which kinds of colour?' },
  ]);
  center.hangUp();
  await expect.poll(() => center.counts.binds, { timeout: 10_000 }).toBe(2);
});

test('bytes from another protocol are refused', () => {
  const reader = new PduReader();
  expect(() => reader.read(Buffer.from('<html>It works!</html>'))).toThrow('Not SMPP');
});

const receiptText = (id: string, stat: string) =>
  `id:${id} sub:001 dlvrd:001 submit date:2611281900 done date:2611281901 stat:${stat} err:000 text:`;

test('the receipts of all known SMSC dialects are parsed', async () => {
  center.script.submit = () => 'c0ffee';
  await deliverSms([smsTo(0)]).done();
  const forms: [object, 'delivered' | 'undelivered'][] = [
    [{ esm_class: 0, receipted_message_id: 'c0ffee', message_state: 2 }, 'delivered'],
    [{ esm_class: 8 }, 'delivered'],
    [{ data_coding: 8, short_message: receiptText('c0ffee', 'DELIVRD') }, 'delivered'],
    [{ short_message: receiptText('c0ffee', 'DELIVERED') }, 'delivered'],
    [{ short_message: receiptText('c0ffee', 'UNDELIVERABLE') }, 'undelivered'],
    [{ short_message: receiptText('c0ffee', 'FAILED') }, 'undelivered'],
    [{ short_message: 'id: c0ffee sub: 001 stat: DELIVRD err: 000' }, 'delivered'],
    [{ short_message: 'id:c0ffee,sub:001,stat:DELIVRD,err:000' }, 'delivered'],
  ];
  for (const [more, kind] of forms) {
    events.length = 0;
    expect(await center.receipt('c0ffee', 'DELIVRD', '15125551000', more)).toBe(0);
    expect(events, JSON.stringify(more)).toMatchObject([{ kind, reference: 'copy 0' }]);
  }
});

test('a receipt changes the SMS with its exact ID; an alias of the ID matches only for the same number', async () => {
  const ids = ['10', '16', 'aB', 'Ab'];
  center.script.submit = ({ to }) => ids[Number(to.slice(-1))];
  await deliverSms([0, 1, 2, 3].map((n) => smsTo(n))).done();
  // 16 is the decimal form of the hexadecimal ID 10.
  await center.receipt('16', 'DELIVRD', '15125551001');
  await center.receipt('10', 'UNDELIV', '15125551000');
  await center.receipt('aB', 'DELIVRD', '15125551002');
  await center.receipt('AB', 'UNDELIV', '15125551003');
  expect(events.map((event) => 'reference' in event && [event.reference, event.kind])).toEqual([
    ['copy 1', 'delivered'],
    ['copy 0', 'undelivered'],
    ['copy 2', 'delivered'],
    ['copy 3', 'undelivered'],
  ]);
  events.length = 0;
  await center.receipt('AB', 'DELIVRD', '15125559999');
  expect(events).toEqual([]);
}, 30_000);

test('receipts for the parts of a long SMS are reported for each part', async () => {
  center.script.submit = ({ part }) => `p${part}`;
  const [answer] = await deliverSms([smsTo(0, { text: 'x'.repeat(200) })]).done();
  const prefix = `smpp:127.0.0.1:${center.port}/`;
  expect(answer?.sms).toMatchObject({ parts: 2, partIds: [`${prefix}p1`, `${prefix}p2`] });
  await center.receipt('p1', 'DELIVRD', '15125551000');
  await center.receipt('p2', 'UNDELIV', '15125551000');
  expect(events).toMatchObject([
    { kind: 'delivered', reference: 'copy 0', part: { id: `${prefix}p1`, partCount: 2 } },
    { kind: 'undelivered', reference: 'copy 0', part: { id: `${prefix}p2`, partCount: 2 } },
  ]);
});

test('identical inbound SMS are separate events', async () => {
  await deliverSms([]).done();
  await expect.poll(() => center.sessions.size).toBe(1);
  for (const text of ['STOP', 'START', 'STOP']) expect(await center.inbound(text)).toBe(0);
  const ids = events.map((event) => event.kind === 'inbound' && event.remoteId);
  expect(new Set(ids).size).toBe(3);
});

test('STOP is decoded with a message class, in parts that parameters describe, and from a national number', async () => {
  await deliverSms([]).done();
  await expect.poll(() => center.sessions.size).toBe(1);
  const wide = Buffer.from('STOP', 'utf16le').swap16();
  for (const coding of [0x18, 0x19, 0x1b, 0xe0]) {
    await center.inbound('', { data_coding: coding, short_message: { message: wide } });
  }
  const createPart = (n: number, message: string) => ({
    ...{ sar_msg_ref_num: 7, sar_total_segments: 2, sar_segment_seqnum: n },
    short_message: message,
  });
  await center.inbound('', createPart(2, 'OP'));
  await center.inbound('', createPart(1, 'ST'));
  expect(events.map((event) => event.kind === 'inbound' && event.text)).toEqual(
    Array.from({ length: 5 }, () => 'STOP'),
  );
  events.length = 0;
  await center.inbound('STOP', { source_addr_ton: 2, source_addr: '07911129001' });
  expect(events).toMatchObject([{ kind: 'inbound', from: '07911129001', text: 'STOP' }]);
});
