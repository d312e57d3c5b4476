// The inbox's store lists messages in order, recovers after a restart or an incomplete write, and
// removes the oldest messages.
import { appendFileSync, mkdtempSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Incoming, SEGMENT_MESSAGES } from './segment.ts';
import { InboxStore } from './store.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'inbox-'));
});

afterEach(() => {
  rmSync(folder, { recursive: true });
});

function incoming(number: number, changes: Partial<Incoming> = {}): Incoming {
  return {
    bytes: Buffer.from(
      `Subject: Letter ${number}\r\n\r\n${'Hello '.repeat(number % 50)}${number}\r\n`,
    ),
    from: 'Shop <shop@example.com>',
    to: `p${number}@example.net`,
    subject: `Letter ${number}`,
    receivedAt: 1_700_000_000_000 + number,
    ...changes,
  };
}

function createMessages(count: number, firstNumber = 1): Incoming[] {
  return Array.from({ length: count }, (_, i) => incoming(firstNumber + i));
}

test('messages are listed newest first, in pages, with the total', () => {
  const store = new InboxStore(folder);
  store.append(createMessages(25));
  store.append(createMessages(5, 26));
  const page = store.list({ limit: 4, offset: 3 });
  expect(page.total).toBe(30);
  expect(page.messages.map((message) => message.subject)).toEqual(
    [27, 26, 25, 24].map((number) => `Letter ${number}`),
  );
  expect(page.messages[0]).toMatchObject({
    id: 27,
    to: 'p27@example.net',
    receivedAt: 1_700_000_000_027,
  });
  expect(store.list({ limit: 10, offset: 29 }).messages).toHaveLength(1);
  expect(store.list({ limit: 10, offset: 30 }).messages).toHaveLength(0);
  store.close();
});

test('each message is returned byte for byte, regardless of the other messages in its block', () => {
  const store = new InboxStore(folder);
  const binary = Buffer.from(Array.from({ length: 70_000 }, (_, i) => (i * 31) % 256));
  const messages = [
    incoming(1),
    incoming(2, { bytes: binary }),
    incoming(3, { bytes: Buffer.alloc(0) }),
  ];
  const largeMessages = Array.from({ length: 5 }, (_, i) =>
    incoming(10 + i, { bytes: Buffer.alloc(400_000, `${i}`) }),
  );
  store.append([...messages, ...largeMessages]);
  [...messages, ...largeMessages].forEach((message, at) => {
    expect(store.source(at + 1)?.equals(message.bytes)).toBe(true);
  });
  expect(store.source(9)).toBeUndefined();
  expect(store.source(0)).toBeUndefined();
  store.close();
});

test('search finds whole addresses, parts of addresses, and subjects in any script and case', () => {
  const store = new InboxStore(folder);
  store.append([
    incoming(1, { to: 'ann@example.com', subject: 'Hello Ann' }),
    incoming(2, { to: 'joann@example.com', subject: 'Hello Jo' }),
    incoming(3, { to: 'bo@example.org, ann@example.com', subject: 'ČIA Žalgiris' }),
    incoming(4, { to: 'x@example.org', subject: 'سلام دنیا', from: 'Ann <ann@shop.example>' }),
  ]);
  const ids = (query: { to?: string; subject?: string; text?: string }) =>
    store.list({ ...query, limit: 10, offset: 0 }).messages.map((message) => message.id);
  expect(ids({ to: 'Ann@example.com' })).toEqual([3, 1]);
  expect(ids({ to: 'ann@' })).toEqual([3, 2, 1]);
  expect(ids({ to: 'example.org' })).toEqual([4, 3]);
  expect(ids({ subject: 'hello' })).toEqual([2, 1]);
  expect(ids({ subject: 'čia žALgiris' })).toEqual([3]);
  expect(ids({ subject: 'دنیا' })).toEqual([4]);
  expect(ids({ text: 'ANN' })).toEqual([4, 3, 2, 1]);
  expect(ids({ to: 'ann@example.com', subject: 'hello' })).toEqual([1]);
  expect(ids({ text: '1700000000001' })).toEqual([]);
  expect(store.list({ text: 'ann', limit: 1, offset: 2 })).toMatchObject({
    total: 4,
    messages: [{ id: 2 }],
  });
  store.close();
});

test('after a restart all messages are listed, and IDs continue', () => {
  const firstStore = new InboxStore(folder);
  firstStore.append(createMessages(120));
  firstStore.close();
  const second = new InboxStore(folder);
  expect(second.total).toBe(120);
  second.append([incoming(121)]);
  expect(second.entry(121)?.subject).toBe('Letter 121');
  expect(second.source(7)?.toString()).toContain('Letter 7');
  second.close();
});

test('an incomplete write is cut off, and the messages before it remain', () => {
  const firstStore = new InboxStore(folder);
  firstStore.append(createMessages(10));
  firstStore.append([incoming(11)]);
  firstStore.close();
  const name = (ending: string) =>
    join(folder, readdirSync(folder).find((file) => file.endsWith(ending)) ?? '');
  // The index ends with the line of a message with an incomplete block, and half a line.
  truncateSync(name('.mail'), 5_000_000);
  appendFileSync(name('.index'), '4990000\t20000\t0\t5\t17000\ta@b\tx\ty\n4990000\t20');
  const second = new InboxStore(folder);
  expect(second.total).toBe(11);
  second.append([incoming(12)]);
  second.close();
  const third = new InboxStore(folder);
  expect(third.total).toBe(12);
  for (let id = 1; id <= 12; id++) {
    expect(third.source(id)?.toString()).toContain(`Letter ${id}\r\n`);
  }
  third.close();
});

test('only the newest messages are retained, and the oldest segments are deleted', () => {
  const store = new InboxStore(folder, 12_000);
  store.append(createMessages(SEGMENT_MESSAGES * 3 - 1));
  expect(store.total).toBe(12_000);
  const oldest = SEGMENT_MESSAGES * 3 - 12_000;
  expect(store.entry(oldest)?.id).toBe(oldest);
  expect(store.entry(oldest - 1)).toBeUndefined();
  expect(store.source(oldest - 1)).toBeUndefined();
  expect(store.list({ to: `p${oldest}@example.net`, limit: 5, offset: 0 }).total).toBe(1);
  expect(store.list({ to: `p${oldest - 1}@example.net`, limit: 5, offset: 0 }).total).toBe(0);
  expect(store.list({ text: 'letter', limit: 5, offset: 0 }).total).toBe(12_000);
  expect(store.list({ limit: 5, offset: 11_998 }).messages).toHaveLength(2);
  expect(readdirSync(folder)).toHaveLength(4);
  store.close();
});

test('field values cannot corrupt the index', () => {
  const store = new InboxStore(folder);
  store.append([incoming(1, { subject: 'a\tb\nc\u0000d', to: 'x\t@y' }), incoming(2)]);
  store.close();
  const reopenedStore = new InboxStore(folder);
  expect(reopenedStore.total).toBe(2);
  expect(reopenedStore.entry(1)).toMatchObject({ subject: 'a b c d', to: 'x @y' });
  reopenedStore.close();
});
