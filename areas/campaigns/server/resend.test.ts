// A resend to non-openers: its time, its recipients, its cancellation. Also the retry of failed
// copies.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { MessageDelivery } from '#areas/delivery/server/ledger/index.ts';
import { addToGroups } from '#areas/groups/server/index.ts';
import { settleTracking } from '#areas/tracking/server/index.ts';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { waitForDelivery } from '#testing/worlds/sending-helpers.ts';
import { CAMPAIGNS } from '#testing/worlds/campaign-shop.ts';
import {
  deliver,
  advanceHours,
  readNotifications,
  findMessageId,
  RESEND_FAILED_SUBJECT,
  openEmail,
  OPTIONS,
  SUBSCRIBERS,
  readCampaign,
  relay,
  sendFirst,
  server,
  resendShop,
} from '#testing/worlds/resending.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startDueResends } from './resend.ts';

test('a resend goes to non-openers, with another subject and its own report', async () => {
  const campaign = await resendShop();
  const response = await campaign.owner.put(`${CAMPAIGNS}/${campaign.id}/resend`, {
    subject: 'Still fresh',
    hours: 24,
  });
  expect(response.body.data.resend).toMatchObject({ state: 'waiting', hours: 24, due_at: null });
  await sendFirst(campaign);
  expect((await readCampaign(campaign)).resend.due_at).not.toBeNull();
  await openEmail(campaign, 0);
  // An automated open counts as an open, because the recipient may have read the email.
  await openEmail(campaign, 1, 'Mozilla/5.0');
  await settleTracking(server.db);
  const recipient = { subscriberIds: [campaign.ids[2] as number] };
  await inTransaction(server.db, (tx) =>
    unsubscribe(tx, campaign.owner.accountId, recipient, { channel: 'email', reason: 'owner' }),
  );
  advanceHours(23);
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  advanceHours(1.5);
  await campaign.owner.post('/auth/api/refresh');
  const startedCounts = await Promise.all([1, 2, 3].map(() => startDueResends(server.db, OPTIONS)));
  expect(startedCounts.reduce((total, count) => total + count)).toBe(1);
  const { resend } = await readCampaign(campaign);
  expect(resend).toMatchObject({ state: 'started' });
  const acceptedBefore = relay.accepted.length;
  const finishedResend = await deliver(campaign, resend.campaign);
  // Eight subscribers minus two openers, one unsubscribed and one nonexistent address.
  expect(finishedResend).toMatchObject({ audience: 4, counts: { accepted: 4 } });
  expect(relay.accepted.length - acceptedBefore).toBe(4);
  expect(relay.accepted.at(-1)?.source).toContain('Subject: Still fresh');
  const child = (await campaign.owner.get(`${CAMPAIGNS}/${resend.campaign}`)).body.data;
  expect(child).toMatchObject({ status: 'SENT', title: 'Spring', resend_of: campaign.id });
  expect((await campaign.owner.get(`${CAMPAIGNS}/${child.id}/report/overview`)).status).toBe(200);
});

test('a resend can be canceled and set up again until it starts', async () => {
  const campaign = await resendShop();
  const path = `${CAMPAIGNS}/${campaign.id}/resend`;
  expect((await campaign.owner.delete(path)).status).toBe(404);
  await campaign.owner.put(path, { subject: 'Again', hours: 12 });
  await sendFirst(campaign);
  expect((await campaign.owner.delete(path)).body.data.resend.state).toBe('cancelled');
  expect((await campaign.owner.delete(path)).status).toBe(200);
  advanceHours(12.5);
  await campaign.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  await campaign.owner.put(path, { subject: 'Once more', hours: 12 });
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  for (const response of [
    await campaign.owner.delete(path),
    await campaign.owner.put(path, { subject: 'x', hours: 12 }),
  ]) {
    expect([response.status, response.body.code]).toEqual([409, 'resend_started']);
  }
  const child = (await readCampaign(campaign)).resend.campaign;
  const secondResponse = await campaign.owner.put(`${CAMPAIGNS}/${child}/resend`, {
    subject: 'x',
    hours: 12,
  });
  expect([secondResponse.status, secondResponse.body.code]).toEqual([409, 'resend_of_resend']);
});

test('a resend refuses a delay outside 12 to 168 hours, an empty subject and another account', async () => {
  const campaign = await resendShop();
  const path = `${CAMPAIGNS}/${campaign.id}/resend`;
  for (const body of [
    { subject: 'x', hours: 11 },
    { subject: 'x', hours: 169 },
    { subject: 'x', hours: 12.5 },
    { subject: '  ', hours: 12 },
    { hours: 12 },
  ]) {
    expect((await campaign.owner.put(path, body)).status, JSON.stringify(body)).toBe(422);
  }
  const otherOwner = await server.owner();
  expect((await otherOwner.put(path, { subject: 'x', hours: 12 })).status).toBe(404);
  expect((await otherOwner.delete(path)).status).toBe(404);
  expect(
    (
      await campaign.owner.put(`${CAMPAIGNS}/${encodeId('campaign', 9_999_999)}/resend`, {
        subject: 'x',
        hours: 12,
      })
    ).status,
  ).toBe(404);
});

test('failed copies are retried unless the address does not exist, and only by the campaign’s account', async () => {
  const campaign = await resendShop();
  const path = `${CAMPAIGNS}/${campaign.id}/retry`;
  const response = await campaign.owner.post(path, { which: 'failed' });
  expect([response.status, response.body.code]).toEqual([409, 'campaign_not_sending']);
  // The relay refuses every third message.
  relay.script.dot = ({ previousCount }) =>
    previousCount % 3 === 0 ? '554 5.7.1 Not today' : undefined;
  await sendFirst(campaign);
  delete relay.script.dot;
  const { delivery } = await readCampaign(campaign);
  expect(delivery.failed).toBeGreaterThan(1);
  expect((await (await server.owner()).post(path, { which: 'failed' })).status).toBe(404);
  const retryResponse = await campaign.owner.post(path, { which: 'failed' });
  // All except the recipient whose address does not exist.
  expect(retryResponse.body.data.retried).toBe(delivery.failed - 1);
  await deliver(campaign, campaign.id);
  expect((await readCampaign(campaign)).delivery.failed).toBe(1);
  expect((await campaign.owner.post(path, { which: 'unknown' })).body.data.retried).toBe(0);
  expect((await campaign.owner.post(path, { which: 'all' })).status).toBe(422);
});

test('a resend waits while the first campaign is paused and skips recipients who got their copy too recently', async () => {
  const campaign = await resendShop();
  await campaign.owner.put(`${CAMPAIGNS}/${campaign.id}/resend`, { subject: 'Again', hours: 12 });
  // Two recipients are deferred, so they still wait when the campaign is paused.
  const { rcpt } = relay.script;
  relay.script.rcpt = ({ line }) => {
    if (/<person[12]@/.test(line)) return '451 4.2.0 Later';
    return line.includes('<person8@') ? '550 5.1.1 No such user' : undefined;
  };
  const response = await campaign.owner.post(`${CAMPAIGNS}/${campaign.id}/schedule`, {
    schedule_time: null,
  });
  expect(response.status).toBe(200);
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  const message = await findMessageId(campaign, campaign.id);
  const isTried = ({ counts }: MessageDelivery) =>
    counts.accepted === SUBSCRIBERS - 3 && counts.deferred === 2;
  await waitForDelivery(server.db, campaign.owner.accountId, message, isTried);
  await sender.close();
  if (rcpt) relay.script.rcpt = rcpt;
  expect((await campaign.owner.post(`${CAMPAIGNS}/${campaign.id}/pause`)).status).toBe(200);
  advanceHours(12.5);
  await campaign.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  expect((await readCampaign(campaign)).resend).toMatchObject({ state: 'waiting', campaign: null });
  expect((await campaign.owner.post(`${CAMPAIGNS}/${campaign.id}/resume`)).status).toBe(200);
  await deliver(campaign, campaign.id);
  advanceHours(1);
  await campaign.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  const finishedResend = await deliver(campaign, (await readCampaign(campaign)).resend.campaign);
  // Two got the first email an hour ago, one does not exist.
  expect(finishedResend).toMatchObject({
    audience: SUBSCRIBERS - 3,
    counts: { accepted: SUBSCRIBERS - 3 },
  });
});

test('the resend of a slow campaign starts only after the full delay since its last copies', async () => {
  const campaign = await resendShop();
  await campaign.owner.put(`${CAMPAIGNS}/${campaign.id}/resend`, { subject: 'Again', hours: 12 });
  await sendFirst(campaign);
  await sql`update campaigns set sent_at = (sent_at at time zone 'UTC' - interval '10 hours') at time zone 'UTC'
    where account_id = ${campaign.owner.accountId}`.execute(server.db);
  await sql`update campaign_resends set due_at = (due_at at time zone 'UTC' - interval '10 hours') at time zone 'UTC'
    where account_id = ${campaign.owner.accountId}`.execute(server.db);
  advanceHours(3);
  await campaign.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  const { resend } = await readCampaign(campaign);
  expect(new Date(resend.due_at).getTime() - clock.now().getTime()).toBeGreaterThan(8 * 3_600_000);
  advanceHours(9.5);
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
});

test('a campaign canceled while it is being sent gets no resend', async () => {
  const campaign = await resendShop();
  const path = `${CAMPAIGNS}/${campaign.id}/resend`;
  await campaign.owner.put(path, { subject: 'Again', hours: 12 });
  relay.script.dot = () => '451 4.2.0 Later';
  await campaign.owner.post(`${CAMPAIGNS}/${campaign.id}/schedule`, { schedule_time: null });
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  const message = await findMessageId(campaign, campaign.id);
  const isTried = ({ counts }: MessageDelivery) => counts.deferred === SUBSCRIBERS - 1;
  await waitForDelivery(server.db, campaign.owner.accountId, message, isTried);
  await sender.close();
  delete relay.script.dot;
  expect((await readCampaign(campaign)).resend).toMatchObject({ state: 'waiting' });
  const response = await campaign.owner.post(`${CAMPAIGNS}/${campaign.id}/cancel`);
  expect(response.body.data).toMatchObject({ status: 'SENT', resend: { state: 'cancelled' } });
  const resendResponse = await campaign.owner.put(path, { subject: 'Again', hours: 12 });
  expect([resendResponse.status, resendResponse.body.code]).toEqual([409, 'campaign_cancelled']);
  // A resend set up by an earlier release ends when it is due.
  await sql`update campaign_resends set state = 'waiting'
    where account_id = ${campaign.owner.accountId}`.execute(server.db);
  advanceHours(12.5);
  await campaign.owner.post('/auth/api/refresh');
  await startDueResends(server.db, OPTIONS);
  const endedResend = { state: 'cancelled', reason: 'campaign_cancelled', campaign: null };
  expect((await readCampaign(campaign)).resend).toMatchObject(endedResend);
});

test('a campaign canceled before its first copy keeps its resend', async () => {
  const campaign = await resendShop();
  await campaign.owner.put(`${CAMPAIGNS}/${campaign.id}/resend`, { subject: 'Again', hours: 12 });
  await campaign.owner.post(`${CAMPAIGNS}/${campaign.id}/schedule`, { schedule_time: null });
  const response = await campaign.owner.post(`${CAMPAIGNS}/${campaign.id}/cancel`);
  expect(response.body.data).toMatchObject({ status: 'DRAFT', resend: { state: 'waiting' } });
});

test('a resend that is canceled before its first copy becomes a draft, which is sent to the non-openers', async () => {
  const campaign = await resendShop();
  await sendFirst(campaign);
  await openEmail(campaign, 0);
  await settleTracking(server.db);
  await campaign.owner.put(`${CAMPAIGNS}/${campaign.id}/resend`, { subject: 'Again', hours: 12 });
  advanceHours(12.5);
  await campaign.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  const child = (await readCampaign(campaign)).resend.campaign as string;
  const response = await campaign.owner.post(`${CAMPAIGNS}/${child}/cancel`);
  expect(response.body.data).toMatchObject({ status: 'DRAFT', resend_of: campaign.id });
  const count = await campaign.owner.get(`${CAMPAIGNS}/${child}/subscribers`);
  expect(count.body.data).toMatchObject({ count: SUBSCRIBERS - 2 });
  const sendResponse = await campaign.owner.post(`${CAMPAIGNS}/${child}/schedule`, {
    schedule_time: null,
  });
  expect(sendResponse.status).toBe(200);
  const finishedResend = await deliver(campaign, child);
  // One opened the first email, one does not exist.
  expect(finishedResend).toMatchObject({
    audience: SUBSCRIBERS - 2,
    counts: { accepted: SUBSCRIBERS - 2 },
  });
});

test('a resend whose time passed during downtime ends as failed and starts immediately when it is set up again', async () => {
  const campaign = await resendShop();
  const path = `${CAMPAIGNS}/${campaign.id}/resend`;
  await campaign.owner.put(path, { subject: 'Until Sunday', hours: 12 });
  await sendFirst(campaign);
  advanceHours(14);
  await campaign.owner.post('/auth/api/refresh');
  await startDueResends(server.db, OPTIONS);
  const lateResend = { state: 'failed', reason: 'late', campaign: null };
  expect((await readCampaign(campaign)).resend).toMatchObject(lateResend);
  expect(await readNotifications(campaign)).toEqual([RESEND_FAILED_SUBJECT]);
  await campaign.owner.put(path, { subject: 'Until Sunday', hours: 12 });
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  expect((await readCampaign(campaign)).resend).toMatchObject({ state: 'started' });
});

test('no resend starts while all sending is paused after a restore', async () => {
  const campaign = await resendShop();
  await campaign.owner.put(`${CAMPAIGNS}/${campaign.id}/resend`, { subject: 'Again', hours: 12 });
  await sendFirst(campaign);
  await sql`insert into instance_settings (key, value, modified_at)
    values ('sending_paused', '{"reason": "restored"}', ${clock.now()})`.execute(server.db);
  advanceHours(12.5);
  await campaign.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  expect((await readCampaign(campaign)).resend).toMatchObject({ state: 'waiting', campaign: null });
  await sql`delete from instance_settings where key = 'sending_paused'`.execute(server.db);
  advanceHours(0.25);
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
});

test('a resend that became a draft again skips excluded subscribers, and its recipients cannot be replaced', async () => {
  const campaign = await resendShop();
  await sendFirst(campaign);
  await campaign.owner.put(`${CAMPAIGNS}/${campaign.id}/resend`, { subject: 'Again', hours: 12 });
  advanceHours(12.5);
  await campaign.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  const child = (await readCampaign(campaign)).resend.campaign as string;
  await campaign.owner.post(`${CAMPAIGNS}/${child}/cancel`);
  const excludedGroup = (await campaign.owner.post('/client-api/api/tags', { title: 'Not these' }))
    .body.data.id;
  await inTransaction(server.db, (tx) =>
    addToGroups(tx, campaign.owner.accountId, {
      groupIds: [decodeId('group', excludedGroup) as number],
      subscriberIds: campaign.ids.slice(0, 5),
      origin: 'bulk' as const,
    }),
  );
  const excludeResponse = await campaign.owner.post(`${CAMPAIGNS}/${child}/exclude_tags/set`, {
    tags_arr: [excludedGroup],
  });
  expect(excludeResponse.status).toBe(200);
  const segment = await campaign.owner.post('/client-api/api/filters', {
    title: 'Customers',
    conditions: [{ type: 'firstname', operator: 'in', operand: 'Name 6', more: [] }],
  });
  const excludedToo = await campaign.owner.post(`${CAMPAIGNS}/${child}/exclude_filters/set`, {
    filters_arr: [segment.body.data.id],
  });
  expect(excludedToo.status).toBe(200);
  const recipients = (await campaign.owner.get(`${CAMPAIGNS}/${child}/subscribers`)).body.data;
  // Seven got the first email; five of them are in the group, one in the segment.
  expect(recipients.count).toBe(1);
  for (const [path, body] of [
    ['tags/set', { tags_arr: [excludedGroup] }],
    ['tags/set', { tags_arr: [], send_to_all: true }],
    ['filters/set', { filters_arr: [segment.body.data.id] }],
  ] as const) {
    const response = await campaign.owner.post(`${CAMPAIGNS}/${child}/${path}`, body);
    expect([response.status, response.body.code]).toEqual([409, 'resend_recipients']);
  }
  const sendResponse = await campaign.owner.post(`${CAMPAIGNS}/${child}/schedule`, {
    schedule_time: null,
  });
  expect(sendResponse.status, sendResponse.text).toBe(200);
  expect(await deliver(campaign, child)).toMatchObject({ audience: 1, counts: { accepted: 1 } });
});

test('a resend without non-openers ends immediately, and no longer blocks deleting a group', async () => {
  const campaign = await resendShop();
  await sendFirst(campaign);
  for (let index = 0; index < SUBSCRIBERS; index++) await openEmail(campaign, index);
  await settleTracking(server.db);
  await campaign.owner.put(`${CAMPAIGNS}/${campaign.id}/resend`, { subject: 'Again', hours: 12 });
  advanceHours(12.5);
  await campaign.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  const original = await readCampaign(campaign);
  await server.runJobs();
  const child = (await campaign.owner.get(`${CAMPAIGNS}/${original.resend.campaign}`)).body.data;
  expect(child).toMatchObject({ status: 'SENT', delivery: { state: 'finished', audience: 0 } });
  expect(child.sent_at).not.toBeNull();
  advanceHours(25);
  await campaign.owner.post('/auth/api/refresh');
  const response = await campaign.owner.delete(`/client-api/api/tags/${original.tags[0].id}`);
  expect(response.status, response.text).toBe(200);
});
