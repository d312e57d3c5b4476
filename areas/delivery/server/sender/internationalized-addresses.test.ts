// Internationalized addresses: domains are sent in ASCII. A local part beyond ASCII needs a relay
// with SMTPUTF8; through another relay the copy fails, and the reason is recorded.
import PostalMime from 'postal-mime';
import { expect, onTestFinished, test } from 'vitest';
import { createSubscriber } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { isFinished, startMessage, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServerOptions } from '#testing/servers/smtp-server.ts';

const server = await testServer();
const UNICODE_LOCAL_PARTS = ['Grüße@bücher.example', '用户@例子.example'];
const ASCII_LOCAL_PART = 'ada@straße.example';

async function sendThrough(options: TestSmtpServerOptions) {
  const relay = await startSmtpServer(options);
  onTestFinished(() => relay.close());
  const owner = await server.owner();
  const { accountId } = owner;
  const ids = await inTransaction(server.db, async (tx) => {
    const subscriberIds = [];
    for (const email of [...UNICODE_LOCAL_PARTS, ASCII_LOCAL_PART])
      subscriberIds.push((await createSubscriber(tx, accountId, { email, source: 'manual' })).id);
    return subscriberIds;
  });
  const from = { name: 'Tee', email: 'news@münchen.example' };
  const message = await startMessage(server.db, accountId, { from });
  await server.runJobs();
  startTestSender(server.db, relay.url);
  const { counts } = await waitForDelivery(server.db, accountId, message, isFinished);
  const explain = async (subscriber: number) => {
    const path = `/client-api/api/messages/${encodeId('message', message)}/why`;
    const id = encodeId('subscriber', subscriber);
    return (await owner.get(`${path}?subscriber=${id}`)).body.data;
  };
  // The system email to the owner is sent through the same relay.
  const copies = () => relay.accepted.filter(({ to }) => !to[0]?.startsWith('owner'));
  return { copies, counts, ids, why: explain };
}

test('all copies from a sender with an internationalized domain arrive if the relay supports SMTPUTF8', async () => {
  const { copies, counts } = await sendThrough({});
  expect(counts).toMatchObject({ accepted: 3, failed: 0 });
  const byTo = new Map(copies().map((receivedMessage) => [receivedMessage.to[0], receivedMessage]));
  expect([...byTo.keys()].sort()).toEqual(
    ['Grüße@xn--bcher-kva.example', 'ada@xn--strae-oqa.example', '用户@xn--fsqu00a.example'].sort(),
  );
  for (const [to, email] of byTo) {
    expect(email.parameters.includes('SMTPUTF8'), to).toBe(to?.startsWith('ada') === false);
    const parsedEmail = await PostalMime.parse(email.source);
    expect([parsedEmail.from?.address, parsedEmail.to?.[0]?.address]).toEqual([
      'news@xn--mnchen-3ya.example',
      to,
    ]);
  }
});

test('only a copy to an ASCII local part arrives if the relay lacks SMTPUTF8, and explanations name the reason', async () => {
  const { copies, counts, ids, why } = await sendThrough({ extensions: ['8BITMIME'] });
  expect(counts).toMatchObject({ accepted: 1, failed: 2 });
  expect(copies().map((receivedMessage) => receivedMessage.to[0])).toEqual([
    'ada@xn--strae-oqa.example',
  ]);
  for (const id of ids.slice(0, 2)) {
    const { answer, steps } = await why(id);
    expect(answer).toBe('refused');
    expect(steps.at(-1)).toMatchObject({ kind: 'failed', code: '5.6.7', reason: 'needs_utf8' });
  }
  expect((await why(ids[2] as number)).answer).toBe('got');
});
