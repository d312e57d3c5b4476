// A sender in the test's process with a scripted relay. It is closed after the test.
import { afterEach } from 'vitest';
import {
  openPool,
  runSender,
  type RunningSender,
  type SenderLimits,
  soleRelay,
} from '#areas/delivery/server/sender/index.ts';
import type { Db } from '#platform/server/database/database.ts';
import { openSmtpRelay, parseSmtpUrl, type SmtpOptions } from '#providers/smtp/index.ts';

const running = new Set<RunningSender>();

/** Starts a sender with short waits after failures. */
export function startTestSender(
  db: Db,
  url: string,
  options: Partial<SmtpOptions> = {},
  limits: Partial<SenderLimits> = {},
): RunningSender {
  const relay = parseSmtpUrl(`${url}?tls=none&connections=4`, {
    firstWaitMs: 50,
    maxWaitMs: 200,
    ...options,
  });
  const onlyRelay = soleRelay(`test ${url}`, (source) => openSmtpRelay(relay, source));
  const sender = runSender(db, openPool(db, [onlyRelay]), { channel: 'email' }, limits);
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
});
