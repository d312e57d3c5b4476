// Feedback end to end on a real database: statuses, suppressions, counts and events, each applied
// once, in any order. Fault numbers refer to docs/reliability.md.
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { bounce, findSuppressionReasons } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import {
  accountId,
  campaign,
  DAY,
  DOMAIN,
  renderDsn,
  readFigures,
  receiveEmail,
  nextSubscriber,
  readSubscriberRow,
  server,
  applyEvents,
  createFeedbackToken,
  feedbackEvent,
} from '#testing/worlds/feedback-setup.ts';
import { messageReturned } from '../events.ts';

describe('full mailboxes', () => {
  test('a full mailbox hard-bounces after five bounces that span at least a week, unless the subscriber opened an email in that time', async () => {
    const [inactive, reader, quick] = [nextSubscriber(), nextSubscriber(), nextSubscriber()];
    const start = clock.now().getTime();
    for (let i = 0; i < 5; i++) {
      const messageId = await campaign();
      const timeOf = (step: number) => new Date(start - (5 - i) * step);
      const fullMailbox = (id: number, step: number) =>
        feedbackEvent({
          tokenCandidates: [createFeedbackToken(messageId, id, 'bounce')],
          at: timeOf(step),
          code: '5.2.2',
          diagnostic: 'Mailbox full',
        });
      if (i === 4) expect((await readSubscriberRow(inactive)).email_status).toBe('active');
      await applyEvents([
        fullMailbox(inactive, 2 * DAY),
        fullMailbox(reader, 2 * DAY),
        fullMailbox(quick, DAY),
      ]);
      if (i === 2) {
        await sql`insert into activity (account_id, subscriber_id, last_open_at)
          values (${accountId}, ${reader}, ${new Date(start - 5 * DAY)})`.execute(server.db);
      }
    }
    expect((await readSubscriberRow(inactive)).email_status).toBe('bounced');
    expect((await readSubscriberRow(reader)).email_status).toBe('active');
    expect((await readSubscriberRow(quick)).email_status).toBe('active');
  });

  test.each(['before', 'after'])(
    'a full mailbox hard-bounces even if a forged report arrives %s each genuine bounce',
    async (order) => {
      const id = nextSubscriber();
      for (let i = 0; i < 6; i++) {
        const messageId = await campaign();
        const forge = () =>
          receiveEmail(
            `postmaster@${DOMAIN}`,
            renderDsn('5.2.2', createFeedbackToken(messageId, id, 'messageId')),
          );
        clock.advance(2 * DAY);
        if (order === 'before') await forge();
        clock.advance(1_000);
        const tokenCandidates = [createFeedbackToken(messageId, id, 'bounce')];
        await applyEvents([
          feedbackEvent({ tokenCandidates, code: '5.2.2', diagnostic: 'Mailbox full' }),
        ]);
        clock.advance(1_000);
        if (order === 'after') await forge();
      }
      clock.reset();
      expect((await readSubscriberRow(id)).email_status).toBe('bounced');
    },
  );

  test('a full-mailbox report identified only by a Message-ID is not counted as a bounce, and the reported email still counts as accepted', async () => {
    const [forged, reached] = [nextSubscriber(), nextSubscriber()];
    const start = clock.now().getTime();
    const forge = (messageId: number, id: number) =>
      receiveEmail(
        `postmaster@${DOMAIN}`,
        renderDsn('5.2.2', createFeedbackToken(messageId, id, 'messageId')),
      );
    for (let i = 0; i < 5; i++) {
      const messageId = await campaign();
      expect(await forge(messageId, forged)).toBe('bounces');
      // A copy was accepted between bounces, so the series is interrupted.
      const at = new Date(clock.now().getTime() + DAY);
      const between = await campaign();
      await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
        values (${accountId}, ${between}, 1, 1, ${reached})`.execute(server.db);
      await sql`insert into results (account_id, message_id, lane, ordinal, state, at)
        values (${accountId}, ${between}, 1, 1, 'accepted', ${at})`.execute(server.db);
      clock.advance(2 * DAY);
      await forge(between, reached);
      const tokenCandidates = [createFeedbackToken(messageId, reached, 'bounce')];
      await applyEvents([
        feedbackEvent({ tokenCandidates, code: '5.2.2', diagnostic: 'Mailbox full' }),
      ]);
    }
    expect(clock.now().getTime() - start).toBeGreaterThan(8 * DAY);
    expect((await readSubscriberRow(forged)).email_status).toBe('active');
    expect((await readSubscriberRow(reached)).email_status).toBe('active');
    clock.reset();
  });
});

describe('provider events', () => {
  test('an event that arrives a hundred times, twenty concurrently, has one effect (fault 15)', async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const events = [
      feedbackEvent({
        eventId: 'same-1',
        tokenCandidates: [createFeedbackToken(messageId, id, 'messageId')],
      }),
      feedbackEvent({
        eventId: 'same-2',
        kind: 'complaint',
        tokenCandidates: [createFeedbackToken(messageId, id, 'messageId')],
      }),
    ];
    const announced: unknown[] = [];
    const stop = messageReturned.on(async (_, event) => void announced.push(...event.returns));
    for (let attempt = 0; attempt < 5; attempt++) {
      await Promise.all(Array.from({ length: 20 }, () => applyEvents(events)));
    }
    stop();
    expect(announced).toHaveLength(2);
    expect(await readFigures(messageId)).toMatchObject({
      hard_bounces: 1,
      complaints: 1,
      returned: 1,
    });
    const { rows } = await sql`select 1 from events where account_id = ${accountId}
      and message_id = ${messageId}`.execute(server.db);
    expect(rows).toHaveLength(2);
  });

  test('feedback about an email that another account sent has no effect', async () => {
    const [id, messageId] = [nextSubscriber(), await campaign()];
    const { accountId: otherAccount } = await server.owner();
    expect(
      await applyEvents(
        [feedbackEvent({ tokenCandidates: [createFeedbackToken(messageId, id, 'bounce')] })],
        otherAccount,
      ),
    ).toBe(0);
    expect((await readSubscriberRow(id)).email_status).toBe('active');
  });

  test('events have the same result in any order (fault 16)', async () => {
    type FeedbackEventStep = 'hard' | 'soft' | 'complaint' | 'unsubscribe' | 'gone';
    const apply = async (
      id: number,
      messageIds: number[],
      steps: readonly [FeedbackEventStep, number, Date][],
    ) => {
      for (const [step, which, at] of steps) {
        const messageId = messageIds[which] as number;
        const tokenCandidates = [createFeedbackToken(messageId, id, 'bounce')];
        const eventId = `${step} ${which} ${id}`;
        if (step === 'gone') {
          await inTransaction(server.db, (tx) =>
            bounce(tx, accountId, { subscriberIds: [id] }, { channel: 'email', messageId }),
          );
        } else if (step === 'hard')
          await applyEvents([feedbackEvent({ eventId, tokenCandidates, at })]);
        else if (step === 'soft')
          await applyEvents([feedbackEvent({ eventId, tokenCandidates, at, code: '4.2.1' })]);
        else await applyEvents([feedbackEvent({ eventId, tokenCandidates, at, kind: step })]);
      }
      const row = await readSubscriberRow(id);
      const { rows } = await sql`select o.hard_bounced_at,
          o.soft_bounced_at, o.returned_at, o.complained_at, o.unsubscribed_at
        from outcomes o where o.account_id = ${accountId} and o.subscriber_id = ${id}
        order by message_id = ${messageIds[0]} desc`.execute(server.db);
      const keys = { emailKey: row.email_key, phoneKey: null };
      const events = await sql`select kind, at, details from events where account_id = ${accountId}
        and subscriber_id = ${id} and kind <> 'unsubscribe' order by kind, at`.execute(server.db);
      return {
        email: row.email_status,
        temail: row.temail_status,
        suppressed: await findSuppressionReasons(server.db, accountId, keys),
        outcomes: rows,
        events: events.rows,
      };
    };
    const now = clock.now().getTime();
    const step = fc.tuple(
      fc.constantFrom<FeedbackEventStep>('hard', 'soft', 'complaint', 'unsubscribe', 'gone'),
      fc.nat(1),
    );
    const messageIds = [await campaign(), await campaign()];
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(step, { minLength: 2, maxLength: 6, selector: String }).chain((steps) => {
          const timedSteps = steps.map(([name, which], i): [FeedbackEventStep, number, Date] => [
            name,
            which,
            new Date(now - (10 - i) * 60_000),
          ]);
          return fc.tuple(
            fc.constant(timedSteps),
            fc.shuffledSubarray(timedSteps, { minLength: timedSteps.length }),
          );
        }),
        async ([ordered, shuffled]) => {
          const [a, b] = await addPeople(server.db, accountId, 2, [`r${Math.random()}.example`]);
          const expected = await apply(a as number, messageIds, ordered);
          expect(await apply(b as number, messageIds, shuffled)).toEqual(expected);
        },
      ),
      { numRuns: 25 },
    );
  });
});
