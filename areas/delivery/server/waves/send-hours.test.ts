// Best hours are calculated from human opens and clicks, and used by campaigns.
import { sql } from 'kysely';
import { afterEach, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople, ALL_SUBSCRIBERS, startMessage } from '#testing/worlds/sending-helpers.ts';
import { testServer } from '#testing/setup/server.ts';
import { readActionsByHour, findBestHour, planWaves, type WavePlan } from '../ledger/index.ts';
import { deleteSendHours } from './send-hours.sql.ts';
import { findSendHours } from './send-hours.ts';

const server = await testServer();
const { db } = server;
afterEach(() => clock.reset());

let sequence = 0;
type TestAction = {
  id: number;
  at: string;
  kind?: 'open' | 'click';
  verdict?: string;
  sms?: boolean;
};
const recordActions = async (accountId: number, actions: readonly TestAction[]) => {
  for (const { id, at, kind = 'open', verdict = 'human', sms = false } of actions) {
    await sql`insert into events (account_id, at, message_id, subscriber_id, kind, sequence, verdict, is_sms)
      values (${accountId}, ${at}, 1, ${id}, ${kind}, ${sequence++}, ${verdict}, ${sms})`.execute(
      db,
    );
  }
};
const hoursOf = async (accountId: number) =>
  (
    await sql<{ subscriber_id: number; hour: number; actions: number }>`
      select subscriber_id, hour, actions from send_hours where account_id = ${accountId}
      order by subscriber_id`.execute(db)
  ).rows;

const days = (hour: string, count: number) =>
  Array.from({ length: count }, (_, day) => `2029-03-${String(day + 1).padStart(2, '0')}T${hour}`);

test('best hours are calculated in local time, from human actions on emails of the last half year', async () => {
  clock.advance(new Date('2029-03-20T12:00:00Z').getTime() - clock.now().getTime());
  const { accountId } = await server.owner();
  const [oslo, tokyo, few, machine] = (await addPeople(db, accountId, 4)) as [
    number,
    number,
    number,
    number,
  ];
  await sql`update subscribers set timezone = case when id = ${tokyo} then 'Asia/Tokyo'
    else 'Europe/Oslo' end where account_id = ${accountId}`.execute(db);
  await recordActions(accountId, [
    ...days('19:10:00Z', 12).map((at) => ({ id: oslo, at })),
    ...days('06:10:00Z', 12).map((at) => ({ id: tokyo, at, kind: 'click' as const })),
    ...days('12:10:00Z', 2).map((at) => ({ id: few, at })),
    ...days('12:10:00Z', 9).map((at) => ({ id: machine, at, verdict: 'machine' })),
    ...days('12:10:00Z', 9).map((at) => ({ id: machine, at, sms: true })),
    ...days('12:10:00Z', 9).map((at) => ({ id: machine, at: at.replace('2029', '2028') })),
  ]);
  await findSendHours(db, accountId);
  const sendHours = await hoursOf(accountId);
  expect(sendHours.map((row) => row.subscriber_id)).toEqual([0, oslo, tokyo]);
  // The best hour is the first of three hours that contain 20:10, the time of the actions in Oslo.
  expect(sendHours[1]).toMatchObject({ actions: 12 });
  expect([18, 19, 20]).toContain(sendHours[1]?.hour);
  expect([13, 14, 15]).toContain(sendHours[2]?.hour);
  expect(await findBestHour(db, accountId)).toMatchObject({ actions: 26 });

  // Best hours are calculated again after a day at the earliest, for subscribers with new actions.
  await recordActions(
    accountId,
    days('12:20:00Z', 1).map((at) => ({ id: few, at })),
  );
  await findSendHours(db, accountId);
  expect(await hoursOf(accountId)).toEqual(sendHours);
  clock.advance(25 * 3_600_000);
  await recordActions(accountId, [{ id: few, at: '2029-03-20T13:00:00Z' }]);
  await findSendHours(db, accountId);
  expect((await hoursOf(accountId)).map((row) => row.subscriber_id)).toContain(few);
  await inTransaction(db, (tx) => deleteSendHours(tx, accountId, [oslo, few]));
  expect((await hoursOf(accountId)).map((row) => row.subscriber_id)).toEqual([0, tokyo]);
});

test('an open within an hour of the handoff does not count', async () => {
  const { accountId } = await server.owner();
  const subscriberIds = await addPeople(db, accountId, 1);
  const messageId = await startMessage(db, accountId);
  await server.runJobs();
  const now = clock.now();
  await sql`insert into results (account_id, message_id, lane, ordinal, state, at)
    select account_id, message_id, lane, ordinal, 'accepted', ${now} from recipients
    where account_id = ${accountId} and message_id = ${messageId}`.execute(db);
  for (const minutes of [5, 20, 59, 61, 200, 300]) {
    const at = new Date(now.getTime() + minutes * 60_000);
    await sql`insert into events (account_id, at, message_id, subscriber_id, kind, sequence)
      values (${accountId}, ${at}, ${messageId}, ${subscriberIds[0]}, 'open', ${sequence++})`.execute(
      db,
    );
  }
  clock.advance(10 * 3_600_000);
  await findSendHours(db, accountId);
  expect((await hoursOf(accountId)).map((row) => row.actions)).toEqual([3, 3]);
});

test('a best-hour campaign reaches each subscriber outside the control group at the subscriber’s best hour', async () => {
  clock.advance(new Date('2029-06-01T00:30:00Z').getTime() - clock.now().getTime());
  const { accountId } = await server.owner();
  const subscriberIds = await addPeople(db, accountId, 300);
  await sql`insert into send_hours (account_id, subscriber_id, hour, actions, modified_at)
    select ${accountId}::bigint, id, 20, 9, ${clock.now()}
    from unnest(${subscriberIds}::bigint[]) id`.execute(db);
  const waves = planWaves({
    when: { by: 'hour', date: '2029-06-02', hour: 8 },
    ...{ zone: 'UTC', startedAt: clock.now().toISOString(), past: 'next_day' },
    ...{ window: null, spreadHours: null, salt: 'campaigns/1' },
  }) as WavePlan;
  const messageId = await startMessage(db, accountId, {}, { ...ALL_SUBSCRIBERS, waves });
  await server.runJobs();
  const { rows } = await sql<{ opens_at: Date; count: number }>`
    select opens_at, sum(written)::int as count from lanes where account_id = ${accountId}
    group by opens_at order by opens_at`.execute(db);
  expect(rows.map((row) => row.opens_at.toISOString())).toEqual([
    '2029-06-02T08:00:00.000Z',
    '2029-06-02T20:00:00.000Z',
  ]);
  expect(rows[0]?.count).toBeGreaterThan(12);
  expect(rows[0]?.count).toBeLessThan(50);

  // All recipients outside the control group open the email, and no recipient of the control group
  // does.
  await sql`insert into results (account_id, message_id, lane, ordinal, state, at)
    select account_id, message_id, lane, ordinal, 'accepted', ${clock.now()} from recipients
    where account_id = ${accountId}`.execute(db);
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_human_open_at)
    select r.account_id, r.subscriber_id, r.message_id, ${clock.now()} from recipients r
    join lanes l using (account_id, message_id, lane)
    where r.account_id = ${accountId} and l.opens_at = ${rows[1]?.opens_at}`.execute(db);
  const control = rows[0]?.count ?? 0;
  expect(await readActionsByHour(db, accountId, [messageId], 'campaigns/1')).toEqual({
    own: { accepted: 300 - control, acted: 300 - control },
    control: { accepted: control, acted: 0 },
  });
});
