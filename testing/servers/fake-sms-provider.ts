// Replaces the SMS channel and its provider in tests: the text of an SMS is a body with one kind of
// merge tag, and the test controls the responses of the provider.
import { afterEach } from 'vitest';
import {
  type OpenSmsRelay,
  openSmsPool,
  type PooledSms,
  type RunningSender,
  runSmsSender,
  setSmsChannel,
  type SmsHandoff,
  type WrittenSms,
} from '#areas/delivery/server/sender/index.ts';
import type { HandoffResult, HandoffSource } from '#areas/delivery/server/relays/provider.ts';
import type { Db } from '#platform/server/database/database.ts';

export const ACCEPTED: HandoffResult = {
  outcome: 'accepted',
  scope: 'recipient',
  step: 'request',
  code: 200,
  enhancedCode: '',
  reply: '',
};

/** Properties of a copy besides its text; a test may use them to delay or skip copies. */
export const scriptedTexts: { write?: (to: string, now: Date) => Partial<WrittenSms> } = {};

/** Registers the test SMS as the SMS channel. Must be called before any SMS is frozen. */
export function writeTestSms(): void {
  setSmsChannel({
    compile: ({ body }) => ({
      names: ['firstname'],
      links: [],
      write: ({ to, values, now }) => {
        const text = String(body).replace('{{ firstname }}', String(values.firstname ?? ''));
        return { text, encoding: 'gsm7', parts: 1, ...scriptedTexts.write?.(to, now) };
      },
    }),
    maySendFrom: async () => true,
    callbackUrl: (reference) => `https://text.example/told/${reference}`,
  });
}

export type FakeSmsProvider = ReturnType<typeof fakeSmsProvider>;

/**
 * Creates a provider that accepts every SMS by default. `script.respond` returns the result of an
 * SMS, or undefined if the provider never responds.
 */
export function fakeSmsProvider() {
  const acceptedSms: SmsHandoff[] = [];
  const receivedSms: SmsHandoff[] = [];
  const script = {
    respond: (_handoff: SmsHandoff): HandoffResult | undefined => ({
      ...ACCEPTED,
      sms: { remoteId: `remote ${acceptedSms.length + 1}`, costMicros: 7_000 },
    }),
  };
  const open: OpenSmsRelay = <H extends SmsHandoff>(source: HandoffSource<H>) => {
    const inFlight = new Set<H>();
    let isClosed = false;
    const takeAll = () => {
      if (isClosed) return;
      for (let next = source.next(); next; next = source.next()) {
        const handoff = next;
        receivedSms.push(handoff);
        inFlight.add(handoff);
        const result = script.respond(handoff);
        if (!result) continue;
        setImmediate(() => {
          if (!inFlight.delete(handoff)) return;
          if (result.outcome === 'accepted') acceptedSms.push(handoff);
          source.onResult(handoff, result);
        });
      }
    };
    const timer = setInterval(takeAll, 20);
    return {
      name: 'test SMS',
      capacity: 20,
      state: () => ({ kind: 'ready' }),
      getStatistics: () => ({
        ...{ connections: 1, inFlight: inFlight.size, acceptedPerSecond: 0 },
        allowedPerSecond: Number.POSITIVE_INFINITY,
      }),
      wake: takeAll,
      async close() {
        isClosed = true;
        clearInterval(timer);
        for (const handoff of inFlight) {
          const lostResult = {
            ...ACCEPTED,
            outcome: 'unknown',
            scope: 'connection',
            code: 0,
          } as const;
          source.onResult(handoff, lostResult);
        }
        inFlight.clear();
      },
    };
  };
  return { open, accepted: acceptedSms, received: receivedSms, script };
}

const running = new Set<RunningSender>();

/** Starts an SMS sender in the test's process with a pool of one; closed after the test. */
export function startSmsSender(
  db: Db,
  open: OpenSmsRelay,
  changes: Partial<PooledSms> = {},
): RunningSender {
  const pooledSms: PooledSms = {
    ...{ key: `test SMS ${running.size}`, priority: 1, weight: 1, limits: {} },
    ...{ numberLimits: new Map(), open, ...changes },
  };
  const sender = runSmsSender(db, openSmsPool(db, [pooledSms]));
  running.add(sender);
  return {
    async close() {
      if (running.delete(sender)) await sender.close();
    },
  };
}

afterEach(async () => {
  for (const sender of running) await sender.close();
  running.clear();
  delete scriptedTexts.write;
});
