// Helpers for tests of the SMTP relay with a scripted server.
import { afterEach, expect } from 'vitest';
import { WholeMessage } from '#areas/delivery/server/relays/provider.ts';
import { openSmtpRelay, parseSmtpUrl, type SmtpOptions } from '#providers/smtp/index.ts';
import { testCertificate } from './certificate.ts';
import { QueueSource } from './queue-source.ts';
import { startSmtpServer, type TestSmtpServer, type TestSmtpServerOptions } from './smtp-server.ts';

export const SMTP_MODES: [string, TestSmtpServerOptions][] = [
  ['pipelined', { pipelining: true }],
  ['one by one', { pipelining: false }],
  ['in chunks', { chunking: true }],
];

export const QUICK_WAITS = { firstWaitMs: 40, maxWaitMs: 160 };

/** Opens servers and relays that are closed after their test. */
export function setUpRelays() {
  const endings: (() => Promise<void>)[] = [];
  afterEach(async () => {
    for (const end of endings.splice(0).reverse()) {
      await end();
    }
  });
  const endWith = (end: () => Promise<void>) => void endings.push(end);
  const connect = (url: string, options: Partial<SmtpOptions> = {}, query = '') => {
    const source = new QueueSource();
    const parsedOptions = parseSmtpUrl(`${url}${query}`);
    const relay = openSmtpRelay(
      { ...parsedOptions, ...QUICK_WAITS, ca: testCertificate.cert, ...options },
      source,
    );
    source.relay = relay;
    endWith(() => relay.close(100));
    return { source, relay };
  };
  const start = async (
    server: TestSmtpServerOptions = {},
    options: Partial<SmtpOptions> = {},
    query = '',
  ) => {
    const smtp = await startSmtpServer(server);
    endWith(() => smtp.close());
    return { smtp, ...connect(smtp.url, options, query) };
  };
  return { start, connect, endWith };
}

export function limits(changes: Partial<SmtpOptions['limits']>): Partial<SmtpOptions> {
  return { limits: { ...parseSmtpUrl('smtp://127.0.0.1').limits, ...changes } };
}

/** Checks the part of invariant I that a relay can violate. */
export function expectInvariant(smtp: TestSmtpServer, source: QueueSource, count: number) {
  expect(source.results).toHaveLength(count);
  expect(new Set(source.results.map((entry) => entry.handoff)).size).toBe(count);
  const log = smtp.accepted.map((message) => message.messageId);
  expect(new Set(log).size).toBe(log.length);
  for (const { messageId, from } of smtp.accepted) {
    expect(from).toBe(`bounce+${messageId.split('@')[0]}@example.com`);
  }
  const idsWith = (...outcomes: string[]) =>
    source.results
      .filter((entry) => outcomes.includes(entry.result.outcome))
      .map((entry) => getMessageId(entry.handoff));
  const acceptedIds = idsWith('accepted');
  const acceptedOrUnknown = new Set(idsWith('accepted', 'unknown'));
  expect(acceptedIds.every((id) => log.includes(id))).toBe(true);
  expect(log.every((id) => acceptedOrUnknown.has(id))).toBe(true);
}

export function getMessageId(handoff: unknown): string {
  const source = handoff instanceof WholeMessage ? handoff.message.toString() : '';
  return /Message-ID: <([^>]+)>/.exec(source)?.[1] ?? '';
}

/**
 * Measures how long consecutive timers really take, which is longer than nominal on a busy machine.
 */
export async function measureWaits(count: number, milliseconds: number): Promise<number> {
  const startedAt = performance.now();
  for (let i = 0; i < count; i++) await new Promise((resolve) => setTimeout(resolve, milliseconds));
  return performance.now() - startedAt;
}
