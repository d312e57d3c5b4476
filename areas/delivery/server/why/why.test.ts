// Delivery explanations: why a subscriber got a message or did not.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { addToGroups } from '#areas/groups/server/index.ts';
import { pauseSubscriber, suppress, unsubscribe } from '#areas/subscribers/server/index.ts';
import { getInstallationTokens, settleTracking } from '#areas/tracking/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { sampleSource } from '#areas/content/server/sample-source.ts';
import { addPeople, startMessage, waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import {
  type TestClient,
  type TestOwner,
  type TestServer,
  testServer,
} from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { cancelMessage, pauseMessage } from '../ledger/control.ts';
import { sendOne } from '../ledger/messages.ts';
import { applyFeedback } from '../feedback/effects.ts';

let server: TestServer;
let owner: TestOwner;
let accountId: number;
let subscriberIds: number[];
let messageId: number;

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
const subscriberAt = (index: number) => subscriberIds[index] as number;
const CAMPAIGN = encodeId('campaign', 1);
const explain = (subscriber: number, path = `campaigns/${CAMPAIGN}`, client: TestClient = owner) =>
  client.get(`/client-api/api/${path}/why?subscriber=${encodeId('subscriber', subscriber)}`);
const readExplanation = async (subscriber: number, path?: string) =>
  (await explain(subscriber, path)).body.data;
async function group(title: string, members: number[]): Promise<number> {
  const { body } = await owner.post('/client-api/api/tags', { title });
  const id = decodeId('group', body.data.id) as number;
  await inTx((tx) =>
    addToGroups(tx, accountId, {
      groupIds: [id],
      subscriberIds: members,
      origin: 'bulk' as const,
    }),
  );
  return id;
}

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  accountId = owner.accountId;
  subscriberIds = await addPeople(server.db, accountId, 12, ['x.example']);
  const chosenGroup = await group('Readers', subscriberIds.slice(0, 9));
  const excludedGroup = await group('Staff', [subscriberAt(1)]);
  const leave = (id: number) => ({ subscriberIds: [id] });
  await inTx((tx) =>
    unsubscribe(tx, accountId, leave(subscriberAt(2)), { channel: 'email', reason: 'owner' }),
  );
  await inTx((tx) =>
    suppress(tx, accountId, ['person4@x.example'], { channel: 'email', reason: 'manual' }),
  );
  await inTx((tx) =>
    pauseSubscriber(tx, accountId, subscriberAt(4), new Date(clock.now().getTime() + 86_400_000)),
  );
  const audience = { all: false, groups: [chosenGroup], excluded: [excludedGroup] };
  messageId = await startMessage(server.db, accountId, {}, audience);
  await server.runJobs();
  await group('Readers later', []);
  await inTx((tx) =>
    addToGroups(tx, accountId, {
      groupIds: [chosenGroup],
      subscriberIds: [subscriberAt(10)],
      origin: 'bulk' as const,
    }),
  );
  await inTx((tx) =>
    unsubscribe(tx, accountId, leave(subscriberAt(5)), { channel: 'email', reason: 'link' }),
  );
  const relay = await startSmtpServer({
    script: {
      rcpt: ({ line }) =>
        line.includes('person7@')
          ? '550 5.1.1 No such user'
          : line.includes('person8@')
            ? '450 4.2.1 Later'
            : undefined,
    },
  });
  startTestSender(server.db, relay.url);
  await waitForDelivery(
    server.db,
    accountId,
    messageId,
    ({ counts }) => counts.accepted + counts.failed + counts.skipped + counts.deferred === 5,
  );
  await relay.close();
});

describe('why', () => {
  test('the explanation shows a copy that was accepted and opened', async () => {
    const payload = {
      account: accountId,
      message: messageId,
      subscriber: subscriberAt(0),
      ordinal: 1,
    };
    const token = getInstallationTokens().make(payload);
    await server.client().get(`/t/o/${token}.gif`, { 'user-agent': 'Mozilla/5.0 Chrome/126' });
    await settleTracking(server.db);
    const explanation = await readExplanation(subscriberAt(0));
    expect(explanation).toMatchObject({
      answer: 'got',
      email: 'person1@x.example',
      subject: 'Hello Name 1',
      is_compacted: false,
    });
    expect(explanation.steps).toMatchObject([
      { kind: 'matched', names: ['Readers'], reason: 'groups' },
      { kind: 'accepted', reply: expect.any(String), relay: null },
      { kind: 'opened' },
    ]);
  });

  test('the explanation shows excluded, unsubscribed, suppressed and paused subscribers', async () => {
    expect(await readExplanation(subscriberAt(1))).toMatchObject({
      answer: 'left_out',
      steps: [{ kind: 'matched' }, { kind: 'excluded', names: ['Staff'] }],
    });
    expect(await readExplanation(subscriberAt(2))).toMatchObject({
      answer: 'left_out',
      steps: [
        { kind: 'matched' },
        { kind: 'status', reason: 'unsubscribed', at: expect.any(String) },
      ],
    });
    expect(await readExplanation(subscriberAt(3))).toMatchObject({
      answer: 'left_out',
      steps: [
        { kind: 'matched' },
        { kind: 'suppressed', reason: 'manual', at: expect.any(String) },
      ],
    });
    expect(await readExplanation(subscriberAt(4))).toMatchObject({
      answer: 'left_out',
      steps: [{ kind: 'matched' }, { kind: 'paused', until: expect.any(String) }],
    });
  });

  test('the explanation shows skipped, refused and delayed copies', async () => {
    expect(await readExplanation(subscriberAt(5))).toMatchObject({
      answer: 'skipped',
      steps: [{ kind: 'matched' }, { kind: 'skipped', reason: 'unsubscribed' }],
    });
    expect(await readExplanation(subscriberAt(6))).toMatchObject({
      answer: 'refused',
      steps: [{ kind: 'matched' }, { kind: 'failed', code: '5.1.1', reply: 'No such user' }],
    });
    const explanation = await readExplanation(subscriberAt(7));
    expect(explanation.answer).toBe('waits');
    expect(explanation.steps.at(-1)).toMatchObject({ kind: 'held', reason: 'recipient' });
  });

  test('the explanation shows a later bounce', async () => {
    const payload = {
      account: accountId,
      message: messageId,
      subscriber: subscriberAt(8),
      ordinal: 1,
    };
    const event = {
      eventId: 'one',
      kind: 'bounce' as const,
      at: clock.now(),
      isPermanent: true,
      code: '5.2.2',
      diagnostic: 'Mailbox full',
      tokenCandidates: [getInstallationTokens().make(payload, 'bounce')],
    };
    await inTx((tx) => applyFeedback(tx, accountId, 'test', [event]));
    const explanation = await readExplanation(subscriberAt(8));
    expect(explanation.answer).toBe('came_back');
    expect(explanation.steps.at(-1)).toMatchObject({
      kind: 'soft_bounce',
      code: '5.2.2',
      reply: 'Mailbox full',
    });
  });

  test('the explanation distinguishes subscribers outside the audience from later members', async () => {
    expect((await readExplanation(subscriberAt(9))).answer).toBe('not_chosen');
    expect(await readExplanation(subscriberAt(10))).toMatchObject({
      answer: 'joined_later',
      steps: [{ names: ['Readers'] }],
    });
    const [late] = await addPeople(server.db, accountId, 1, ['late.example']);
    expect((await readExplanation(late as number)).answer).toBe('joined_later');
  });

  test('a single send has an explanation and is listed with the messages of its subscriber', async () => {
    const { message_id: _, ...source } = sampleSource({
      account_id: accountId,
      kind: 'transactional',
      subject: 'Your receipt',
    });
    const single = await inTx((tx) =>
      sendOne(tx, {
        accountId,
        kind: 'transactional',
        sourceId: null,
        source,
        recipient: 'person1@x.example',
        subscriberId: subscriberAt(0),
        values: {},
        idempotencyKey: 'receipt',
      }),
    );
    const path = `messages/${encodeId('message', single.messageId)}`;
    expect((await readExplanation(subscriberAt(0), path)).answer).toBe('waits');
    const relay = await startSmtpServer();
    startTestSender(server.db, relay.url);
    await expect
      .poll(async () => (await readExplanation(subscriberAt(0), path)).answer)
      .toBe('got');
    await relay.close();
    const id = encodeId('subscriber', subscriberAt(0));
    const { body } = await owner.get(`/client-api/api/subscribers/${id}/single_messages`);
    expect(body.data).toMatchObject([
      { kind: 'transactional', subject: 'Your receipt', state: 'accepted' },
    ]);
    const { rows } = await sql<{ count: number }>`select count(*) as count from single_sends
      where account_id = ${accountId} and subscriber_id = ${subscriberAt(0)}`.execute(server.db);
    expect(rows[0]?.count).toBe(1);
  });

  test('the explanation shows a copy that waits for the next day of a warm-up', async () => {
    const warm = await server.owner();
    const [first, second] = await addPeople(server.db, warm.accountId, 2, ['warm.example']);
    const now = clock.now();
    await sql`insert into warm_ups (account_id, domain, caps, created_at, modified_at)
      values (${warm.accountId}, 'tea.example', '{1,1,1}', ${now}, ${now})`.execute(server.db);
    const message = await startMessage(server.db, warm.accountId);
    await server.runJobs();
    const relay = await startSmtpServer();
    startTestSender(server.db, relay.url);
    await waitForDelivery(
      server.db,
      warm.accountId,
      message,
      ({ held: delayed, counts }) => delayed === 1 && counts.accepted === 1,
    );
    await relay.close();
    const explanations = [];
    for (const subscriberId of [first, second] as number[]) {
      const path = `messages/${encodeId('message', message)}`;
      explanations.push((await explain(subscriberId, path, warm)).body.data);
    }
    const delayedExplanation = explanations.find(({ answer }) => answer === 'waits');
    expect(explanations.map(({ answer }) => answer).sort()).toEqual(['got', 'waits']);
    expect(delayedExplanation.steps).toMatchObject([
      { kind: 'matched', reason: 'all' },
      { kind: 'queued', reason: 'warm_up', at: expect.any(String) },
    ]);
    expect(Date.parse(delayedExplanation.steps[1].at)).toBeGreaterThan(now.getTime());
  });

  test('the explanation shows that a campaign was stopped by the circuit breaker or canceled', async () => {
    const otherOwner = await server.owner();
    const [person] = (await addPeople(server.db, otherOwner.accountId, 1)) as [number];
    const message = await startMessage(server.db, otherOwner.accountId);
    await server.runJobs();
    const explanation = async () =>
      (await explain(person, `messages/${encodeId('message', message)}`, otherOwner)).body.data;
    const { accountId: account } = otherOwner;
    await inTx((tx) => pauseMessage(tx, account, message, 'complaints_high'));
    expect(await explanation()).toMatchObject({
      answer: 'waits',
      steps: [{}, { kind: 'queued', reason: 'complaints_high', at: null }],
    });
    await inTx((tx) => cancelMessage(tx, account, message));
    expect(await explanation()).toMatchObject({
      answer: 'skipped',
      steps: [{}, { kind: 'skipped', reason: 'cancelled', at: expect.any(String) }],
    });
  });

  test("another account's campaign, message and subscribers are not found", async () => {
    const otherOwner = await server.owner();
    expect((await explain(subscriberAt(0), `campaigns/${CAMPAIGN}`, otherOwner)).status).toBe(404);
    expect(
      (await explain(subscriberAt(0), `messages/${encodeId('message', messageId)}`, otherOwner))
        .status,
    ).toBe(404);
    const [theirs] = await addPeople(server.db, otherOwner.accountId, 1, ['theirs.example']);
    expect((await explain(theirs as number)).status).toBe(404);
  });
});
