// Delivery explanations before the result is known (before the audience is written, in progress,
// without a reply), and for a suppression before the handoff.
import { beforeEach, expect, test } from 'vitest';
import { suppress } from '#areas/subscribers/server/index.ts';
import {
  getInstallationTokens,
  recordSoftBounces,
  settleTracking,
} from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople, startMessage, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';

const server = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

test('the explanation changes with the state of the copy, from not ready to unknown, opened and bounced', async () => {
  const owner = await server.owner();
  const [person] = (await addPeople(server.db, owner.accountId, 1)) as [number];
  const message = await startMessage(server.db, owner.accountId);
  const path = `/client-api/api/messages/${encodeId('message', message)}/why`;
  const answerOf = async () => {
    const { body } = await owner.get(`${path}?subscriber=${encodeId('subscriber', person)}`);
    return body.data.answer;
  };
  expect(await answerOf()).toBe('not_ready');
  await server.runJobs();
  expect(await answerOf()).toBe('waits');
  relay.script.dot = ({ to }) => (to[0]?.startsWith('person1@') ? '' : undefined);
  startTestSender(server.db, relay.url);
  const { accountId } = owner;
  await waitForDelivery(server.db, accountId, message, ({ counts }) => counts.handing_over === 1);
  await expect.poll(() => relay.countCommands('dot')).toBeGreaterThan(0);
  expect(await answerOf()).toBe('on_its_way');
  await relay.close();
  await waitForDelivery(server.db, accountId, message, ({ counts }) => counts.unknown === 1);
  expect(await answerOf()).toBe('unknown');
  // Later events replace the unknown result: an open proves that the copy arrived, and a bounce
  // that it was returned.
  const payload = { account: accountId, message, subscriber: person, ordinal: 1 };
  const token = getInstallationTokens().make(payload);
  await server.client().get(`/t/o/${token}.gif`, { 'user-agent': 'Mozilla/5.0 Chrome/126' });
  await settleTracking(server.db);
  expect(await answerOf()).toBe('got');
  const bounce = { messageId: message, subscriberId: person, details: { code: '5.2.2' } };
  await inTransaction(server.db, (tx) => recordSoftBounces(tx, accountId, [bounce]));
  expect(await answerOf()).toBe('came_back');
});

test('the explanation shows the time and reason of a suppression between the audience and the handoff', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const [person] = (await addPeople(server.db, accountId, 1, ['s.example'])) as [number];
  const message = await startMessage(server.db, accountId);
  await server.runJobs();
  await inTransaction(server.db, (tx) =>
    suppress(tx, accountId, ['person1@s.example'], { channel: 'email', reason: 'manual' }),
  );
  const suppressedAt = clock.now().getTime();
  startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, message, ({ counts }) => counts.skipped === 1);
  const path = `/client-api/api/messages/${encodeId('message', message)}/why`;
  const { body } = await owner.get(`${path}?subscriber=${encodeId('subscriber', person)}`);
  expect(body.data).toMatchObject({
    answer: 'skipped',
    steps: [
      { kind: 'matched' },
      { kind: 'suppressed', reason: 'manual' },
      { kind: 'skipped', reason: 'suppressed' },
    ],
  });
  const [, suppressed, skipped] = body.data.steps;
  expect(Math.abs(Date.parse(suppressed.at) - suppressedAt)).toBeLessThan(1_000);
  expect(Date.parse(skipped.at)).toBeGreaterThanOrEqual(Date.parse(suppressed.at));
});
