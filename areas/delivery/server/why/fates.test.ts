// 'Why' while nobody knows yet: before the audience is written, on the way, and without an answer.
import { beforeEach, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { addPeople, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startTestSender } from '#testing/sender.ts';
import { testServer } from '#testing/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';

const server = await testServer();
let relay: TestSmtpServer;

beforeEach(async () => {
  relay = await startSmtpServer();
  return () => relay.close();
});

test('not ready, on its way, unknown', async () => {
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
  await untilDelivery(server.db, accountId, message, ({ counts }) => counts.handing_over === 1);
  await expect.poll(() => relay.count('dot')).toBeGreaterThan(0);
  expect(await answerOf()).toBe('on_its_way');
  await relay.close();
  await untilDelivery(server.db, accountId, message, ({ counts }) => counts.unknown === 1);
  expect(await answerOf()).toBe('unknown');
});
