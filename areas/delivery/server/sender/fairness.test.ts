// No account waits for the campaign of another account, even with several senders: single sends go
// first, accounts take turns, and pauses take effect.
import { describe, expect, test } from 'vitest';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { isFinished, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { prepareCampaign, relay, server } from '#testing/worlds/sending-setup.ts';
import {
  cancelMessage,
  type MessageDelivery,
  pauseMessage,
  readDelivery,
  sendOne,
} from '../ledger/index.ts';

/** Emails per second that each of the two senders may send. */
const RATE = 150;
/** Delays are measured in emails sent, not in time, because a busy machine is slow overall. */
const PER_SECOND = 2 * RATE;

const indexOf = (address: string) =>
  relay.accepted.findIndex((receivedMessage) => receivedMessage.to[0] === address);

describe('while large campaigns run through two senders', () => {
  test('a single email is sent within a second', async () => {
    const campaigns = [
      await prepareCampaign(3_000),
      await prepareCampaign(3_000),
      await prepareCampaign(3_000),
    ];
    for (let i = 0; i < 2; i++) startTestSender(server.db, relay.url, { rate: RATE });
    await relay.waitForMessages(200);
    const { accountId } = campaigns[0] as { accountId: number };
    for (let i = 0; i < 3; i++) {
      const { message_id: _, ...source } = sampleSource({
        kind: 'transactional',
        account_id: accountId,
      });
      const recipient = `urgent${i}@home.example`;
      const acceptedBefore = relay.accepted.length;
      await inTransaction(server.db, (tx) =>
        sendOne(tx, {
          accountId,
          kind: 'transactional',
          sourceId: 1,
          source,
          recipient,
          values: {},
          idempotencyKey: recipient,
        }),
      );
      await expect.poll(() => indexOf(recipient), { interval: 5 }).toBeGreaterThan(0);
      expect(indexOf(recipient) - acceptedBefore).toBeLessThan(PER_SECOND);
    }
    for (const { accountId: account, messageId } of campaigns) {
      const [delivery] = await readDelivery(server.db, account, [messageId]);
      expect(delivery?.counts.accepted).toBeGreaterThan(20);
    }
  });

  test('a small campaign does not wait for huge campaigns of other accounts', async () => {
    const huge = [await prepareCampaign(3_000), await prepareCampaign(3_000)];
    for (let i = 0; i < 2; i++) startTestSender(server.db, relay.url, { rate: RATE });
    await relay.waitForMessages(100);
    const smallMessage = await prepareCampaign(40);
    const acceptedBefore = relay.accepted.length;
    await waitForDelivery(server.db, smallMessage.accountId, smallMessage.messageId, isFinished);
    expect(relay.accepted.length - acceptedBefore).toBeLessThan(5 * PER_SECOND);
    for (const message of huge) {
      const [delivery] = await readDelivery(server.db, message.accountId, [message.messageId]);
      expect(delivery?.state).toBe('sending');
    }
  });

  test('pause and cancel take effect within two seconds', async () => {
    const [first, second] = [await prepareCampaign(3_000), await prepareCampaign(3_000)];
    for (let i = 0; i < 2; i++) startTestSender(server.db, relay.url, { rate: RATE });
    await relay.waitForMessages(100);
    await inTransaction(server.db, async (tx) => {
      await pauseMessage(tx, first.accountId, first.messageId);
      await cancelMessage(tx, second.accountId, second.messageId);
    });
    const before = relay.accepted.length;
    for (const { accountId, messageId } of [first, second]) {
      const isIdle = (delivery: MessageDelivery) => delivery.counts.handing_over === 0;
      await waitForDelivery(server.db, accountId, messageId, isIdle);
    }
    const acceptedBefore = relay.accepted.length;
    expect(acceptedBefore - before).toBeLessThan(2 * PER_SECOND);
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    expect(relay.accepted.length).toBe(acceptedBefore);
  });
});
