// Sending, pausing, resuming and canceling campaigns over HTTP, what sending requires, and the
// links of a campaign deleted afterwards.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import PostalMime from 'postal-mime';
import { readSubscriber } from '#areas/subscribers/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import {
  CAMPAIGNS,
  campaignShop,
  createReadyCampaign,
  waitForCampaign,
} from '#testing/worlds/campaign-shop.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import type { Finding } from '../contract.ts';

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

afterEach(() => clock.reset());

describe('sending', () => {
  test('a campaign sent now is frozen, becomes SENT with the first copy, and counts every copy', async () => {
    const { owner, groupId } = await campaignShop(server, 9);
    const id = await createReadyCampaign(owner, groupId);
    const response = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    expect(response.body.data).toMatchObject({
      status: 'SCHEDULED',
      schedule_time: null,
      delivery: { state: 'preparing' },
    });
    expect(
      (
        await owner.patch(`${CAMPAIGNS}/${id}`, {
          revision: response.body.data.revision,
          subject: 'x',
        })
      ).body.code,
    ).toBe('campaign_not_draft');
    expect((await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [] })).status).toBe(409);
    expect((await owner.delete(`${CAMPAIGNS}/${id}`)).body.code).toBe('campaign_sending');
    expect((await owner.delete(`/client-api/api/tags/${groupId}`, {})).status).toBe(409);
    await server.runJobs();
    startTestSender(server.db, relay.url);
    const sentCampaign = await waitForCampaign(
      owner,
      id,
      (campaign) => campaign.delivery?.state === 'finished',
    );
    expect(sentCampaign).toMatchObject({
      status: 'SENT',
      delivery: { audience: 9, accepted: 9, remaining: 0, failed: 0 },
      figures: { sent: 9, delivered: 9, opens: 0 },
    });
    expect(sentCampaign.sent_at).not.toBeNull();
    expect((await owner.get('/client-api/api/users/onboard')).body.data.email_sent).toBe(true);
    const copies = relay.accepted.filter(({ source }) => source.includes('fresh tea has come in'));
    expect(copies).toHaveLength(9);
    expect((await owner.post(`${CAMPAIGNS}/${id}/cancel`, {})).body.code).toBe('campaign_finished');
    expect((await owner.delete(`${CAMPAIGNS}/${id}`)).status).toBe(200);
  });

  test('clicks, view in browser and unsubscribe still work in emails of a deleted campaign', async () => {
    const { owner, ids, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    await server.runJobs();
    const acceptedBefore = relay.accepted.length;
    startTestSender(server.db, relay.url);
    await waitForCampaign(owner, id, (campaign) => campaign.delivery?.state === 'finished');
    const news = relay.accepted
      .slice(acceptedBefore)
      .find(({ source }) => /^List-Id:/m.test(source));
    // This server receives no unsubscribes by email, so the header contains no mailto address, not
    // even the reply address.
    expect(news?.source).toMatch(
      /^List-Unsubscribe: <http[^<>]+>\r\nList-Unsubscribe-Post: List-Unsubscribe=One-Click\r$/m,
    );
    const { html = '' } = await PostalMime.parse(news?.source ?? '');
    const [, click = ''] = /href="http:\/\/[^/]+(\/t\/c\/[^"]+)"/.exec(html) ?? [];
    const [, leave = '', token = ''] = /href="http:\/\/[^/]+(\/u\/([^"]+))"/.exec(html) ?? [];
    expect((await owner.delete(`${CAMPAIGNS}/${id}`)).status).toBe(200);
    expect((await owner.get(`${CAMPAIGNS}/${id}`)).status).toBe(404);
    const reader = server.client();
    const clickResponse = await reader.get(click);
    expect([clickResponse.status, clickResponse.headers.location]).toEqual([
      302,
      'https://tea.example/new',
    ]);
    expect((await reader.get(`/v/${token}`)).status).toBe(200);
    expect((await reader.get(leave)).status).toBe(200);
    const unsubscribeResponse = await server.app.inject({
      method: 'POST',
      url: leave,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      payload: 'List-Unsubscribe=One-Click',
    });
    expect(unsubscribeResponse.statusCode).toBe(200);
    const subscriber = await readSubscriber(server.db, owner.accountId, ids[0] as number);
    expect(subscriber.email_status).toBe('unsubscribed');
  });

  test('sending requires a sender, a subject, content, a postal address and recipients', async () => {
    const owner = await server.owner();
    await addPeople(server.db, owner.accountId, 1);
    const id = (await owner.post(CAMPAIGNS, { title: 'Bare' })).body.data.id;
    const response = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    expect(response.status).toBe(422);
    const codes = response.body.findings.map((finding: Finding) => finding.code).sort();
    expect(codes).toEqual([
      'content_empty',
      'postal_address_missing',
      'recipients_missing',
      'sender_missing',
      'subject_missing',
    ]);
    const checks = (await owner.get(`${CAMPAIGNS}/${id}/checks`)).body.data;
    const order = checks.map((finding: Finding) =>
      ['error', 'warning', 'tip'].indexOf(finding.severity),
    );
    expect(order).toEqual([...order].sort());
    const { groupId, owner: other } = await campaignShop(server, 0);
    const emptyCampaign = await createReadyCampaign(other, groupId);
    const now = { schedule_time: null };
    expect((await other.post(`${CAMPAIGNS}/${emptyCampaign}/schedule`, now)).body.code).toBe(
      'no_recipients',
    );
  });

  test('a campaign is paused, resumed and canceled', async () => {
    const { owner, groupId } = await campaignShop(server, 5);
    const id = await createReadyCampaign(owner, groupId);
    const performAction = async (verb: string) => {
      const body = verb === 'schedule' ? { schedule_time: null } : {};
      return (await owner.post(`${CAMPAIGNS}/${id}/${verb}`, body)).body;
    };
    expect((await performAction('pause')).code).toBe('campaign_not_sending');
    await performAction('schedule');
    await server.runJobs();
    expect((await performAction('pause')).data.delivery.state).toBe('paused');
    expect((await performAction('pause')).data.delivery.state).toBe('paused');
    expect((await performAction('resume')).data.delivery.state).toBe('sending');
    expect((await performAction('resume')).data.delivery.state).toBe('sending');
    const cancelledCampaign = (await performAction('cancel')).data;
    expect(cancelledCampaign).toMatchObject({
      status: 'DRAFT',
      delivery: null,
      schedule_time: null,
    });
    expect((await performAction('cancel')).data.status).toBe('DRAFT');
    expect((await performAction('schedule')).data.status).toBe('SCHEDULED');
  });
});
