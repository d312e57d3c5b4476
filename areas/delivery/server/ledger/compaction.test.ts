// Compaction of old ledgers preserves counts, recipients, failures and reasons, even between two of
// its slices.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { getInstallationTokens, readEngagement } from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { checkInvariant } from '#testing/oracles/invariants.ts';
import {
  addPeople,
  ALL_SUBSCRIBERS,
  startMessage,
  waitForDelivery,
} from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { applyFeedback } from '../feedback/effects.ts';
import type { FeedbackEvent } from '../feedback/hook-provider.ts';
import { acceptedCopies, isCompacted } from './accepted.sql.ts';
import { compactSlice } from './compaction.sql.ts';
import { compactionPoller } from './compaction.ts';
import { cancelMessage } from './control.ts';
import { countAudience } from './messages.ts';
import { readDelivery } from './read-delivery.ts';

let server: TestServer;
let owner: TestOwner;
let accountId: number;
let subscriberIds: number[];
let messageId: number;
const neverAborted = new AbortController().signal;

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  accountId = owner.accountId;
  subscriberIds = await addPeople(server.db, accountId, 60);
  messageId = await startMessage(server.db, accountId);
  await server.runJobs();
  await sql`update subscribers set email_status = 'unsubscribed' where account_id = ${accountId}
    and id = any(${subscriberIds.slice(0, 3)}::bigint[])`.execute(server.db);
  const refusedAddresses = new Set(['person11@outlook.com', 'person12@home.example']);
  let deferralsLeft = 4;
  const relay = await startSmtpServer({
    script: {
      rcpt: ({ line }) => {
        const address = /<(.*)>/.exec(line)?.[1] ?? '';
        if (refusedAddresses.has(address)) return '550 5.7.1 Not from you';
        return deferralsLeft-- > 0 ? '450 4.2.1 Later' : undefined;
      },
    },
  });
  startTestSender(server.db, relay.url);
  await waitForDelivery(
    server.db,
    accountId,
    messageId,
    ({ counts }) => counts.accepted + counts.failed + counts.skipped + counts.deferred === 60,
  );
  // The deferred recipients are retried and accepted.
  await sql`update deferrals set next_attempt_at = ${clock.now()}
    where account_id = ${accountId}`.execute(server.db);
  await waitForDelivery(server.db, accountId, messageId, ({ state }) => state === 'finished');
  await relay.close();
});

const applyEvent = (
  account: number,
  event: Partial<FeedbackEvent> & Pick<FeedbackEvent, 'tokenCandidates' | 'at'>,
) =>
  inTransaction(server.db, (tx) => {
    const bounce = { kind: 'bounce', isPermanent: true, code: '', diagnostic: '' } as const;
    return applyFeedback(tx, account, 'test', [
      { ...bounce, eventId: String(Math.random()), ...event },
    ]);
  });

async function readAcceptedIds(): Promise<number[]> {
  const isPast = await isCompacted(server.db, accountId, [messageId]);
  const { rows } = await sql<{ subscriber_id: number }>`
    select subscriber_id from (${acceptedCopies(accountId, [messageId], isPast)}) c
    order by 1`.execute(server.db);
  return rows.map((row) => row.subscriber_id);
}
const countRows = async (table: string) => {
  const { rows } = await sql<{ count: number }>`select count(*) as count
    from ${sql.table(table)} where account_id = ${accountId}`.execute(server.db);
  return rows[0]?.count;
};
const explainDelivery = async (id: number) => {
  const path = `/client-api/api/campaigns/${encodeId('campaign', 1)}/why`;
  return (await owner.get(`${path}?subscriber=${encodeId('subscriber', id)}`)).body.data;
};
async function readFacts() {
  const [delivery] = await readDelivery(server.db, accountId, [messageId]);
  const unopenedAudience = { all: false, groups: [], excluded: [], unopened: messageId };
  const answers = await Promise.all(
    subscriberIds.slice(0, 20).map(async (id) => (await explainDelivery(id)).answer),
  );
  const history = await owner.get(
    `/client-api/api/subscribers/${encodeId('subscriber', subscriberIds[30] as number)}/events`,
  );
  return {
    delivery,
    acceptedIds: await readAcceptedIds(),
    resend: (await countAudience(server.db, accountId, unopenedAudience)).count,
    total: (await countAudience(server.db, accountId, ALL_SUBSCRIBERS)).count,
    answers,
    history: history.status,
  };
}

describe('compaction', () => {
  test('compaction skips messages younger than 90 days', async () => {
    await compactionPoller(90).run(server.db, neverAborted);
    expect(await countRows('compacted_ranges')).toBe(0);
  });

  test('compaction preserves counts and outcomes after one slice and at the end', async () => {
    const factsBefore = await readFacts();
    expect(factsBefore.acceptedIds).toHaveLength(55);
    expect(factsBefore.answers.filter((answer) => answer === 'skipped')).toHaveLength(3);
    expect(factsBefore.answers.filter((answer) => answer === 'refused')).toHaveLength(2);
    const results = await countRows('results');
    const { rows } = await sql<{ lane: number; leased: number }>`select lane, leased from lanes
      where account_id = ${accountId} and message_id = ${messageId}`.execute(server.db);
    const [lane] = rows;
    // Compacts the first slice only, as if the process was killed after it.
    await inTransaction(server.db, (tx) =>
      compactSlice(tx, accountId, messageId, { lane: lane?.lane as number, from: 1, to: 7 }),
    );
    expect(await readFacts()).toEqual(factsBefore);
    clock.advance(91 * 86_400_000);
    await compactionPoller(90).run(server.db, neverAborted);
    await compactionPoller(90).run(server.db, neverAborted);
    // The session of the test's user would be expired at the advanced time.
    clock.reset();
    expect(await readFacts()).toEqual(factsBefore);
    expect(results).toBeGreaterThan(60);
    expect(await countRows('results')).toBe(5);
    expect(await countRows('leases')).toBe(0);
  });

  test('the delivery explanation shows the data that remains after compaction', async () => {
    const explanation = await explainDelivery(subscriberIds[40] as number);
    expect(explanation).toMatchObject({ answer: 'got', is_compacted: true });
    expect(explanation.steps).toMatchObject([
      { kind: 'matched', reason: 'all' },
      { kind: 'accepted', at: expect.any(String), until: expect.any(String) },
    ]);
    const refusedExplanation = await explainDelivery(subscriberIds[10] as number);
    expect(refusedExplanation.steps.at(-1)).toMatchObject({
      kind: 'failed',
      code: '5.7.1',
      reply: 'Not from you',
    });
    expect((await explainDelivery(subscriberIds[0] as number)).steps.at(-1)).toMatchObject({
      kind: 'skipped',
      reason: 'unsubscribed',
    });
  });

  test('compaction of a canceled message keeps accepted and skipped recipients distinct', async () => {
    const otherOwner = await server.owner();
    await addPeople(server.db, otherOwner.accountId, 200);
    const id = await startMessage(server.db, otherOwner.accountId);
    await server.runJobs();
    const relay = await startSmtpServer();
    const sender = startTestSender(server.db, relay.url, { rate: 100 });
    await relay.waitForMessages(20);
    const { hasHandoffs } = await inTransaction(server.db, (tx) =>
      cancelMessage(tx, otherOwner.accountId, id),
    );
    expect(hasHandoffs).toBe(true);
    await sender.close();
    await relay.close();
    const log = relay.accepted.map((email) => email.messageId);
    const { states, problems } = await checkInvariant(server.db, otherOwner.accountId, id, log);
    expect(problems).toEqual([]);
    const acceptedCount = states.accepted as number;
    const readOutcomes = async () => {
      const [delivery] = await readDelivery(server.db, otherOwner.accountId, [id]);
      const isPast = await isCompacted(server.db, otherOwner.accountId, [id]);
      const { rows } = await sql`select subscriber_id from
        (${acceptedCopies(otherOwner.accountId, [id], isPast)}) c order by 1`.execute(server.db);
      return { delivery, accepted: rows };
    };
    const outcomesBefore = await readOutcomes();
    expect(outcomesBefore.delivery?.counts).toMatchObject({
      accepted: acceptedCount,
      skipped: 200 - acceptedCount,
    });
    expect(outcomesBefore.accepted).toHaveLength(acceptedCount);
    const { rows: released } =
      await sql`select 1 from leases where account_id = ${otherOwner.accountId}
      and owner = '' and not is_done`.execute(server.db);
    expect(released.length).toBeGreaterThan(0);
    clock.advance(91 * 86_400_000);
    await compactionPoller(90).run(server.db, neverAborted);
    clock.reset();
    expect(await readOutcomes()).toEqual(outcomesBefore);
    const { rows } = await sql<{ state: string }>`
      select distinct r.state from results r join messages m on m.account_id = r.account_id
        and m.id = r.message_id and m.compacted_at is not null
      where r.account_id = ${otherOwner.accountId}`.execute(server.db);
    expect(rows).toEqual([{ state: 'skipped' }]);
  });

  test('compacted copies still interrupt a series of full-mailbox bounces, and complaints about them are still recorded', async () => {
    const otherOwner = await server.owner();
    const [reader] = (await addPeople(server.db, otherOwner.accountId, 1, ['r.example'])) as [
      number,
    ];
    const relay = await startSmtpServer();
    const sender = startTestSender(server.db, relay.url);
    const send = async () => {
      const id = await startMessage(server.db, otherOwner.accountId);
      await server.runJobs();
      await waitForDelivery(
        server.db,
        otherOwner.accountId,
        id,
        ({ state }) => state === 'finished',
      );
      return id;
    };
    const oldMessageId = await send();
    await sender.close();
    await relay.close();
    const startTime = clock.now().getTime();
    clock.advance(20 * 86_400_000);
    await compactionPoller(10).run(server.db, neverAborted);
    expect(await isCompacted(server.db, otherOwner.accountId, [oldMessageId])).toBe(true);
    for (const day of [-2, 2, 5, 8, 11]) {
      const message = await startMessage(server.db, otherOwner.accountId);
      const payload = { account: otherOwner.accountId, message, subscriber: reader, ordinal: 1 };
      const tokenCandidates = [getInstallationTokens().make(payload, 'bounce')];
      await applyEvent(otherOwner.accountId, {
        tokenCandidates,
        at: new Date(startTime + day * 86_400_000),
        code: '5.2.2',
      });
    }
    const status = async () =>
      (await readSubscriber(server.db, otherOwner.accountId, reader)).email_status;
    expect(await status()).toBe('active');
    const complaint = {
      tokenCandidates: [],
      recipient: 'person1@r.example',
      kind: 'complaint',
    } as const;
    expect(await applyEvent(otherOwner.accountId, { ...complaint, at: clock.now() })).toBe(1);
    clock.reset();
    expect(await status()).toBe('reported');
    const figures = await readEngagement(server.db, otherOwner.accountId, [oldMessageId]);
    expect(figures.get(oldMessageId)).toMatchObject({ complaints: 1 });
  });

  test('a backlog of accounts and messages that exceeds one page is compacted in one round', async () => {
    const owners = [await server.owner(), await server.owner(), await server.owner()];
    for (const { accountId: id } of owners) {
      for (let messages = 0; messages < 3; messages++) await startMessage(server.db, id);
    }
    await server.runJobs();
    clock.advance(91 * 86_400_000);
    await compactionPoller(90, 2).run(server.db, neverAborted);
    clock.reset();
    const ids = owners.map((owner) => owner.accountId);
    const { rows } = await sql`select count(*) filter (where compacted_at is not null) as small
      from messages where account_id = any(${ids}::bigint[])
        and frozen_hash is null`.execute(server.db);
    expect(rows).toEqual([{ small: 9 }]);
  });
});
