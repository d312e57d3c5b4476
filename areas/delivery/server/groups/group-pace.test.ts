// The variants of an experiment are compared at the same age: their copies are sent concurrently,
// even with two senders and a provider that limits the rate.
import { expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { computeRanges } from '#areas/experiments/server/index.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { areAllRuns } from '#testing/setup/property-runs.ts';
import { testServer } from '#testing/setup/server.ts';
import { addPeople, ALL_SUBSCRIBERS, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { findFirstAttempts, readDelivery, startGroup } from '../ledger/index.ts';

const server = await testServer();
const { db } = server;

const SUBSCRIBER_COUNT = areAllRuns ? 20_000 : 400;
/** Maximum emails per second of each sender. */
const RATE = areAllRuns ? 100 : 80;
/** Emails per second that one mailbox provider accepts. */
const PROVIDER_RATE = 20;
const MAX_DIFFERENCE_MS = 15_000;
/**
 * Maximum difference of the variants' mean times, as a fraction of the sending time; variants sent
 * one after another would differ by 0.75.
 */
const MAX_DIFFERENCE_SHARE = 0.3;
const SENDING_TIMEOUT_MS = areAllRuns ? 600_000 : 60_000;

/** Creates replies of a provider that accepts a limited number of recipients per second. */
function createLimitedReplies(): (line: string) => string | undefined {
  const counts = new Map<number, number>();
  return (line) => {
    if (!line.includes('@gmail.com')) return undefined;
    const second = Math.floor(performance.now() / 1000);
    const count = (counts.get(second) ?? 0) + 1;
    counts.set(second, count);
    return count > PROVIDER_RATE ? '450 4.7.1 Too many messages from you, slow down' : undefined;
  };
}

test('the mean sending times of four variants are close, with two senders and a limited provider', {
  timeout: SENDING_TIMEOUT_MS + 20_000,
}, async () => {
  const limit = createLimitedReplies();
  const relay = await startSmtpServer({ script: { rcpt: ({ line }) => limit(line) } });
  const { accountId } = await server.owner();
  await addPeople(db, accountId, SUBSCRIBER_COUNT);
  const { message_id: _, ...source } = sampleSource({ account_id: accountId });
  const message = { accountId, kind: 'campaign', sourceId: 1, source } as const;
  const ranges = computeRanges({ variants: 4, testShare: 100, holdoutShare: 0 });
  const variants = ranges.variants.map((range) => ({ message, range }));
  const { messageIds } = await inTransaction(db, (tx) =>
    startGroup(tx, { salt: 'pace', parts: variants, holdout: ranges.holdout }, ALL_SUBSCRIBERS),
  );
  await server.runJobs();
  for (let count = 0; count < 2; count++) startTestSender(db, relay.url, { rate: RATE });
  for (const messageId of messageIds) {
    await waitForDelivery(
      db,
      accountId,
      messageId,
      ({ counts }) => counts.pending + counts.handing_over === 0,
      SENDING_TIMEOUT_MS,
    );
  }
  const attempts = await findFirstAttempts(db, accountId, messageIds);
  expect(attempts).toHaveLength(4);
  const means = attempts.map(({ mean }) => mean.getTime());
  const difference = Math.max(...means) - Math.min(...means);
  const [lead] = await readDelivery(db, accountId, messageIds.slice(0, 1));
  const startedAt = lead?.startedAt?.getTime() ?? 0;
  const duration = Math.max(...attempts.map(({ last }) => last.getTime())) - startedAt;
  expect(difference).toBeLessThan(MAX_DIFFERENCE_MS);
  expect(difference / duration).toBeLessThan(MAX_DIFFERENCE_SHARE);
  await relay.close();
});
