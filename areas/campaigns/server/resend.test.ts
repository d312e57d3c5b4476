// A resend to non-openers: its time, its recipients, its cancellation.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Delivery } from '#areas/delivery/server/ledger/index.ts';
import { addToGroups } from '#areas/groups/server/index.ts';
import { settleTracking } from '#areas/tracking/server/index.ts';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { untilDelivery } from '#testing/worlds/sending-helpers.ts';
import { CAMPAIGNS } from '#testing/worlds/campaign-shop.ts';
import {
  deliver,
  due,
  readNotifications,
  messageOf,
  NOT_AGAIN,
  open,
  OPTIONS,
  PEOPLE,
  read,
  relay,
  sendFirst,
  server,
  shop,
} from '#testing/worlds/resending.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startDueResends } from './resend.ts';

test('a resend goes to non-openers, with another subject and its own report', async () => {
  const one = await shop();
  const set = await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, {
    subject: 'Still fresh',
    hours: 24,
  });
  expect(set.body.data.resend).toMatchObject({ state: 'waiting', hours: 24, due_at: null });
  await sendFirst(one);
  expect((await read(one)).resend.due_at).not.toBeNull();
  await open(one, 0);
  await open(one, 1, 'Mozilla/5.0'); // a machine open may hide a reader
  await settleTracking(server.db);
  const left = { subscriberIds: [one.ids[2] as number] };
  await inTransaction(server.db, (tx) =>
    unsubscribe(tx, one.owner.accountId, left, { channel: 'email', reason: 'owner' }),
  );
  due(23);
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  due(1.5);
  await one.owner.post('/auth/api/refresh');
  const started = await Promise.all([1, 2, 3].map(() => startDueResends(server.db, OPTIONS)));
  expect(started.reduce((sum, count) => sum + count)).toBe(1);
  const { resend } = await read(one);
  expect(resend).toMatchObject({ state: 'started' });
  const before = relay.accepted.length;
  const done = await deliver(one, resend.campaign);
  // Eight subscribers minus openers (2), unsubscribed (1), and nonexistent (1).
  expect(done).toMatchObject({ audience: 4, counts: { accepted: 4 } });
  expect(relay.accepted.length - before).toBe(4);
  expect(relay.accepted.at(-1)?.source).toContain('Subject: Still fresh');
  const child = (await one.owner.get(`${CAMPAIGNS}/${resend.campaign}`)).body.data;
  expect(child).toMatchObject({ status: 'SENT', title: 'Spring', resend_of: one.id });
  expect((await one.owner.get(`${CAMPAIGNS}/${child.id}/report/overview`)).status).toBe(200);
});

test('a resend is canceled until it starts, and set up again', async () => {
  const one = await shop();
  const path = `${CAMPAIGNS}/${one.id}/resend`;
  expect((await one.owner.delete(path)).status).toBe(404);
  await one.owner.put(path, { subject: 'Again', hours: 12 });
  await sendFirst(one);
  expect((await one.owner.delete(path)).body.data.resend.state).toBe('cancelled');
  expect((await one.owner.delete(path)).status).toBe(200);
  due(12.5);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  await one.owner.put(path, { subject: 'Once more', hours: 12 });
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  for (const answer of [
    await one.owner.delete(path),
    await one.owner.put(path, { subject: 'x', hours: 12 }),
  ]) {
    expect([answer.status, answer.body.code]).toEqual([409, 'resend_started']);
  }
  const child = (await read(one)).resend.campaign;
  const again = await one.owner.put(`${CAMPAIGNS}/${child}/resend`, { subject: 'x', hours: 12 });
  expect([again.status, again.body.code]).toEqual([409, 'resend_of_resend']);
});

test('a resend refuses hours outside 12 to 168, an empty subject and another account', async () => {
  const one = await shop();
  const path = `${CAMPAIGNS}/${one.id}/resend`;
  for (const body of [
    { subject: 'x', hours: 11 },
    { subject: 'x', hours: 169 },
    { subject: 'x', hours: 12.5 },
    { subject: '  ', hours: 12 },
    { hours: 12 },
  ]) {
    expect((await one.owner.put(path, body)).status, JSON.stringify(body)).toBe(422);
  }
  const other = await server.owner();
  expect((await other.put(path, { subject: 'x', hours: 12 })).status).toBe(404);
  expect((await other.delete(path)).status).toBe(404);
  expect(
    (
      await one.owner.put(`${CAMPAIGNS}/${encodeId('campaign', 9_999_999)}/resend`, {
        subject: 'x',
        hours: 12,
      })
    ).status,
  ).toBe(404);
});

test('failed copies of a resend are retried by their owner only', async () => {
  const one = await shop();
  const path = `${CAMPAIGNS}/${one.id}/retry`;
  const early = await one.owner.post(path, { which: 'failed' });
  expect([early.status, early.body.code]).toEqual([409, 'campaign_not_sending']);
  // One of these refusals may answer a message whose only recipient was already refused.
  relay.script.dot = ({ earlier }) => (earlier % 3 === 0 ? '554 5.7.1 Not today' : undefined);
  await sendFirst(one);
  delete relay.script.dot;
  const { delivery } = await read(one);
  expect(delivery.failed).toBeGreaterThan(1);
  expect((await (await server.owner()).post(path, { which: 'failed' })).status).toBe(404);
  const done = await one.owner.post(path, { which: 'failed' });
  // All but the recipient whose address does not exist.
  expect(done.body.data.retried).toBe(delivery.failed - 1);
  await deliver(one, one.id);
  expect((await read(one)).delivery.failed).toBe(1);
  expect((await one.owner.post(path, { which: 'unknown' })).body.data.retried).toBe(0);
  expect((await one.owner.post(path, { which: 'all' })).status).toBe(422);
});

test('a resend waits while the first campaign is in progress or stopped, and until its last recipients had the full delay', async () => {
  const one = await shop();
  await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, { subject: 'Again', hours: 12 });
  // Two are deferred: recipients are still waiting at the pause.
  const { rcpt } = relay.script;
  relay.script.rcpt = ({ line }) => {
    if (/<person[12]@/.test(line)) return '451 4.2.0 Later';
    return line.includes('<person8@') ? '550 5.1.1 No such user' : undefined;
  };
  const sent = await one.owner.post(`${CAMPAIGNS}/${one.id}/schedule`, { schedule_time: null });
  expect(sent.status).toBe(200);
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  const message = await messageOf(one, one.id);
  const isTried = ({ counts }: Delivery) => counts.accepted === PEOPLE - 3 && counts.deferred === 2;
  await untilDelivery(server.db, one.owner.accountId, message, isTried);
  await sender.close();
  if (rcpt) relay.script.rcpt = rcpt;
  expect((await one.owner.post(`${CAMPAIGNS}/${one.id}/pause`)).status).toBe(200);
  due(12.5);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  expect((await read(one)).resend).toMatchObject({ state: 'waiting', campaign: null });
  expect((await one.owner.post(`${CAMPAIGNS}/${one.id}/resume`)).status).toBe(200);
  await deliver(one, one.id);
  due(1);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  const done = await deliver(one, (await read(one)).resend.campaign);
  // Two got the first email an hour ago, one does not exist.
  expect(done).toMatchObject({ audience: PEOPLE - 3, counts: { accepted: PEOPLE - 3 } });
});

test('each recipient of a slow first campaign gets the full delay', async () => {
  const one = await shop();
  await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, { subject: 'Again', hours: 12 });
  await sendFirst(one);
  await sql`update campaigns set sent_at = (sent_at at time zone 'UTC' - interval '10 hours') at time zone 'UTC'
    where account_id = ${one.owner.accountId}`.execute(server.db);
  await sql`update campaign_resends set due_at = (due_at at time zone 'UTC' - interval '10 hours') at time zone 'UTC'
    where account_id = ${one.owner.accountId}`.execute(server.db);
  due(3);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  const { resend } = await read(one);
  expect(new Date(resend.due_at).getTime() - clock.now().getTime()).toBeGreaterThan(8 * 3_600_000);
  due(9.5);
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
});

test('a canceled first campaign gets no resend', async () => {
  const one = await shop();
  const path = `${CAMPAIGNS}/${one.id}/resend`;
  await one.owner.put(path, { subject: 'Again', hours: 12 });
  relay.script.dot = () => '451 4.2.0 Later';
  await one.owner.post(`${CAMPAIGNS}/${one.id}/schedule`, { schedule_time: null });
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  const message = await messageOf(one, one.id);
  const isTried = ({ counts }: Delivery) => counts.deferred === PEOPLE - 1;
  await untilDelivery(server.db, one.owner.accountId, message, isTried);
  await sender.close();
  delete relay.script.dot;
  expect((await read(one)).resend).toMatchObject({ state: 'waiting' });
  const cancelled = await one.owner.post(`${CAMPAIGNS}/${one.id}/cancel`);
  expect(cancelled.body.data).toMatchObject({ status: 'SENT', resend: { state: 'cancelled' } });
  const again = await one.owner.put(path, { subject: 'Again', hours: 12 });
  expect([again.status, again.body.code]).toEqual([409, 'campaign_cancelled']);
  // A resend set up by an earlier release ends when it is due.
  await sql`update campaign_resends set state = 'waiting'
    where account_id = ${one.owner.accountId}`.execute(server.db);
  due(12.5);
  await one.owner.post('/auth/api/refresh');
  await startDueResends(server.db, OPTIONS);
  const ended = { state: 'cancelled', reason: 'campaign_cancelled', campaign: null };
  expect((await read(one)).resend).toMatchObject(ended);
});

test('an unscheduled campaign keeps its resend', async () => {
  const one = await shop();
  await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, { subject: 'Again', hours: 12 });
  await one.owner.post(`${CAMPAIGNS}/${one.id}/schedule`, { schedule_time: null });
  const back = await one.owner.post(`${CAMPAIGNS}/${one.id}/cancel`);
  expect(back.body.data).toMatchObject({ status: 'DRAFT', resend: { state: 'waiting' } });
});

test('a resend stopped before its start goes to the non-openers at the time it is sent', async () => {
  const one = await shop();
  await sendFirst(one);
  await open(one, 0);
  await settleTracking(server.db);
  await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, { subject: 'Again', hours: 12 });
  due(12.5);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  const child = (await read(one)).resend.campaign as string;
  const back = await one.owner.post(`${CAMPAIGNS}/${child}/cancel`);
  expect(back.body.data).toMatchObject({ status: 'DRAFT', resend_of: one.id });
  const count = await one.owner.get(`${CAMPAIGNS}/${child}/subscribers`);
  expect(count.body.data).toMatchObject({ count: PEOPLE - 2 });
  const sent = await one.owner.post(`${CAMPAIGNS}/${child}/schedule`, { schedule_time: null });
  expect(sent.status).toBe(200);
  const done = await deliver(one, child);
  // One opened the first email, one does not exist.
  expect(done).toMatchObject({ audience: PEOPLE - 2, counts: { accepted: PEOPLE - 2 } });
});

test('a resend whose hour passed during downtime waits for its owner, and is sent immediately on confirmation', async () => {
  const one = await shop();
  const path = `${CAMPAIGNS}/${one.id}/resend`;
  await one.owner.put(path, { subject: 'Until Sunday', hours: 12 });
  await sendFirst(one);
  due(14);
  await one.owner.post('/auth/api/refresh');
  await startDueResends(server.db, OPTIONS);
  const late = { state: 'failed', reason: 'late', campaign: null };
  expect((await read(one)).resend).toMatchObject(late);
  expect(await readNotifications(one)).toEqual([NOT_AGAIN]);
  await one.owner.put(path, { subject: 'Until Sunday', hours: 12 });
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  expect((await read(one)).resend).toMatchObject({ state: 'started' });
});

test('no resend starts while all sending is paused after a restore', async () => {
  const one = await shop();
  await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, { subject: 'Again', hours: 12 });
  await sendFirst(one);
  await sql`insert into instance_settings (key, value, modified_at)
    values ('sending_paused', '{"reason": "restored"}', ${clock.now()})`.execute(server.db);
  due(12.5);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  expect((await read(one)).resend).toMatchObject({ state: 'waiting', campaign: null });
  await sql`delete from instance_settings where key = 'sending_paused'`.execute(server.db);
  due(0.25);
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
});

test('a resend that is a draft again skips excluded subscribers, and reaches no others', async () => {
  const one = await shop();
  await sendFirst(one);
  await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, { subject: 'Again', hours: 12 });
  due(12.5);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  const child = (await read(one)).resend.campaign as string;
  await one.owner.post(`${CAMPAIGNS}/${child}/cancel`);
  const not = (await one.owner.post('/client-api/api/tags', { title: 'Not these' })).body.data.id;
  await inTransaction(server.db, (tx) =>
    addToGroups(tx, one.owner.accountId, {
      groupIds: [decodeId('group', not) as number],
      subscriberIds: one.ids.slice(0, 5),
      origin: 'bulk' as const,
    }),
  );
  const excluded = await one.owner.post(`${CAMPAIGNS}/${child}/exclude_tags/set`, {
    tags_arr: [not],
  });
  expect(excluded.status).toBe(200);
  const segment = await one.owner.post('/client-api/api/filters', {
    title: 'Customers',
    conditions: [{ type: 'firstname', operator: 'in', operand: 'Name 6', more: [] }],
  });
  const past = await one.owner.post(`${CAMPAIGNS}/${child}/exclude_filters/set`, {
    filters_arr: [segment.body.data.id],
  });
  expect(past.status).toBe(200);
  const recipients = (await one.owner.get(`${CAMPAIGNS}/${child}/subscribers`)).body.data;
  // Seven got the first email; five of them are in the group, one in the segment.
  expect(recipients.count).toBe(1);
  for (const [path, body] of [
    ['tags/set', { tags_arr: [not] }],
    ['tags/set', { tags_arr: [], send_to_all: true }],
    ['filters/set', { filters_arr: [segment.body.data.id] }],
  ] as const) {
    const answer = await one.owner.post(`${CAMPAIGNS}/${child}/${path}`, body);
    expect([answer.status, answer.body.code]).toEqual([409, 'resend_recipients']);
  }
  const sent = await one.owner.post(`${CAMPAIGNS}/${child}/schedule`, { schedule_time: null });
  expect(sent.status, sent.text).toBe(200);
  expect(await deliver(one, child)).toMatchObject({ audience: 1, counts: { accepted: 1 } });
});

test('a resend without non-openers ends immediately, and no longer blocks deleting a group', async () => {
  const one = await shop();
  await sendFirst(one);
  for (let person = 0; person < PEOPLE; person++) await open(one, person);
  await settleTracking(server.db);
  await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, { subject: 'Again', hours: 12 });
  due(12.5);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  const first = await read(one);
  await server.runJobs();
  const child = (await one.owner.get(`${CAMPAIGNS}/${first.resend.campaign}`)).body.data;
  expect(child).toMatchObject({ status: 'SENT', delivery: { state: 'finished', audience: 0 } });
  expect(child.sent_at).not.toBeNull();
  due(25);
  await one.owner.post('/auth/api/refresh');
  const removed = await one.owner.delete(`/client-api/api/tags/${first.tags[0].id}`);
  expect(removed.status, removed.text).toBe(200);
});
