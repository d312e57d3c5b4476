// An account with a campaign to eight subscribers, and helpers that send it and record opens.
import { sql } from 'kysely';
import { afterEach, beforeAll, expect } from 'vitest';
import { getCampaignRow } from '#areas/campaigns/server/campaigns.ts';
import { type LeadId, toMessageId } from '#areas/delivery/lead-id.ts';
import { getInstallationTokens } from '#areas/tracking/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { CAMPAIGNS, campaignShop } from './campaign-shop.ts';
import { isFinished, waitForDelivery } from './sending-helpers.ts';
import { startTestSender } from './sender.ts';
import { type TestServer, testServer } from '../setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '../servers/smtp-server.ts';

export const OPTIONS = { publicUrl: 'http://localhost:3000', needsVerifiedSender: false };
export const SUBSCRIBERS = 8;
const CHROME = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0';
export let server: TestServer;
export let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer({
    script: {
      rcpt: ({ line }) => (line.includes('<person8@') ? '550 5.1.1 No such user' : undefined),
    },
  });
  return () => relay.close();
});

afterEach(() => clock.reset());

/** Creates an account with a campaign that is ready to be sent to a group. */
export async function resendShop() {
  const { owner, ids, groupId } = await campaignShop(server, SUBSCRIBERS);
  const campaign = await owner.post(CAMPAIGNS, {
    title: 'Spring',
    subject: 'Fresh tea',
    from_name: 'Tea Shop',
    from_email: 'tea@shop.example',
  });
  const id = campaign.body.data.id as string;
  const contentResponse = await owner.put(`${CAMPAIGNS}/${id}/content`, {
    revision: campaign.body.data.revision,
    editor: 'html',
    html: '<p>Dear friend, fresh tea has come in from the mountains this week.</p><a href="https://tea.example/new">New</a>',
  });
  expect(contentResponse.status).toBe(200);
  await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [groupId] });
  return { owner, ids, id };
}

type ResendShop = Awaited<ReturnType<typeof resendShop>>;
export const readCampaign = async ({ owner, id }: ResendShop) =>
  (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;

export async function findMessageId({ owner }: ResendShop, id: string): Promise<number> {
  const row = await getCampaignRow(server.db, owner.accountId, decodeId('campaign', id) as number);
  return toMessageId(row.message_id as LeadId);
}

export async function deliver(shop: ResendShop, id: string) {
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  const message = await findMessageId(shop, id);
  const delivery = await waitForDelivery(server.db, shop.owner.accountId, message, isFinished);
  await sender.close();
  return delivery;
}

export async function sendFirst(shop: ResendShop) {
  const scheduleResponse = await shop.owner.post(`${CAMPAIGNS}/${shop.id}/schedule`, {
    schedule_time: null,
  });
  expect(scheduleResponse.status).toBe(200);
  await deliver(shop, shop.id);
}

export async function openEmail(shop: ResendShop, index: number, agent = CHROME) {
  const message = await findMessageId(shop, shop.id);
  const token = getInstallationTokens().make({
    account: shop.owner.accountId,
    message,
    subscriber: shop.ids[index] as number,
    ordinal: 1,
  });
  await server.client().get(`/t/o/${token}.gif`, { 'user-agent': agent });
}

export const advanceHours = (hours: number) => clock.advance(hours * 3_600_000);

/** Returns the subjects of the campaign notifications that the owner received. */
export async function readNotifications({ owner }: ResendShop): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    select m.frozen->'source'->>'subject' as subject from messages m
    join single_sends s on s.account_id = m.account_id and s.message_id = m.id
    where m.account_id = ${owner.accountId} and m.kind = 'letter'
      and m.frozen->'source'->>'html' like '%/campaigns/%' order by s.id`.execute(server.db);
  return rows.map((row) => row.subject);
}

export const RESEND_FAILED_SUBJECT = "“{{ mail_subject }}” wasn't resent";
