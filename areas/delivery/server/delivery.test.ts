// From the start of a message to the last answer: audience, ledger, relay, counts.
import { beforeAll, describe, expect, test } from 'vitest';
import { checkInvariant, recipientsOf } from '#testing/invariant.ts';
import { addPeople, isFinished, startMessage, untilDelivery } from '#testing/mailing.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/smtp-server.ts';
import { startTestSender } from '#testing/sender.ts';
import { type TestServer, testServer } from '#testing/server.ts';

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

const idsOf = (server: TestSmtpServer) => server.accepted.map((one) => one.messageId);

describe('a message to everybody', () => {
  test('reaches each person once, with a copy of their own', async () => {
    const { accountId } = await server.owner();
    await addPeople(server.db, accountId, 250);
    const messageId = await startMessage(server.db, accountId);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    const delivery = await untilDelivery(server.db, accountId, messageId, isFinished);
    expect(delivery.counts).toMatchObject({ accepted: 250, pending: 0, handing_over: 0 });
    const checked = await checkInvariant(server.db, accountId, messageId, idsOf(relay));
    expect(checked).toEqual({ states: { accepted: 250 }, problems: [] });
    const copy = relay.accepted.find((one) => one.to[0] === 'person7@gmail.com');
    expect(copy?.source).toMatch(/^Subject: Hello Name 7\r$/m);
    expect(copy?.source).toMatch(/^List-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m);
    const lanes = new Set((await recipientsOf(server.db, accountId, messageId)).map((r) => r.lane));
    expect(lanes.size).toBe(3);
  });
});
