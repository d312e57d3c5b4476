// A campaign with a history, for tests of its report. It was sent to forty subscribers through an
// SMTP server that refused two, and was opened and clicked by people and machines over three days,
// with bounces, unsubscribes and complaints.
import { sql } from 'kysely';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import {
  getInstallationTokens,
  recordComplaints,
  recordHardBounces,
  recordSoftBounces,
  settleTracking,
} from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople, isFinished, startMessage, waitForDelivery } from './sending-helpers.ts';
import { startTestSender } from './sender.ts';
import { type TestOwner, type TestServer, testServer } from '../setup/server.ts';
import { startSmtpServer } from '../servers/smtp-server.ts';

export const SUBSCRIBERS = 40;
export const CHROME = {
  'user-agent': 'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 Chrome/126.0.0.0',
};
const PHONE = {
  'user-agent':
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 Chrome/126.0.0.0 Mobile Safari/537.36',
};
const APPLE = { 'user-agent': 'Mozilla/5.0' };
const HTML = `<html><body><a href="https://shop.example/tea">Tea</a>
<a href="https://shop.example/pots">Pots</a> <a href="https://shop.example/none">None</a>
<p>Storgata 1</p></body></html>`;

export type ReportedCampaignFixture = {
  server: TestServer;
  owner: TestOwner;
  accountId: number;
  /** The subscribers' IDs, in the order of their addresses. */
  ids: number[];
  messageId: number;
  /** The public ID of the campaign. */
  campaign: string;
  /**
   * '=Cmd' contains the first ten subscribers, 'Friends' all from the sixth on. 'Others' is not
   * selected by the campaign.
   */
  groups: number[];
};

export async function sendReportedCampaign(): Promise<ReportedCampaignFixture> {
  const server = await testServer();
  const owner = await server.owner();
  const { accountId } = owner;
  const ids = await addPeople(server.db, accountId, SUBSCRIBERS);
  const messageId = await sendAll(server, accountId, ids);
  const campaign = await insertCampaign(server, accountId, messageId);
  const groups = [
    await insertGroup(server, accountId, '=Cmd', ids.slice(0, 10)),
    await insertGroup(server, accountId, 'Friends', ids.slice(5, 40)),
    await insertGroup(server, accountId, 'Others', ids.slice(0, 3)),
  ];
  await sql`insert into campaign_groups (account_id, campaign_id, group_id, is_excluded)
    select ${accountId}::bigint, c.id, g, false from campaigns c, unnest(${groups.slice(0, 2)}::bigint[]) g
    where c.account_id = ${accountId}`.execute(server.db);
  const fixture = { server, owner, accountId, ids, messageId, campaign, groups };
  await engage(fixture);
  // Days have passed by the test's clock, so the session is renewed.
  await owner.post('/auth/api/refresh');
  return fixture;
}

/** Inserts a draft, or a campaign that was just sent as the given message. */
export async function insertCampaign(
  server: TestServer,
  accountId: number,
  messageId: number | null,
): Promise<string> {
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into campaigns (account_id, title, subject, status, message_id, sent_at, created_at, modified_at)
    values (${accountId}, 'Spring', 'Fresh tea', ${messageId === null ? 'DRAFT' : 'SENT'}, ${messageId},
      ${messageId === null ? null : at}, ${at}, ${at}) returning id`.execute(server.db);
  return encodeId('campaign', rows[0]?.id as number);
}

async function insertGroup(
  server: TestServer,
  accountId: number,
  title: string,
  members: number[],
): Promise<number> {
  const at = clock.now();
  const { rows } = await sql<{ id: number }>`
    insert into groups (account_id, title, title_key, created_at, modified_at)
    values (${accountId}, ${title}, ${title.toLowerCase()}, ${at}, ${at}) returning id`.execute(
    server.db,
  );
  const id = rows[0]?.id as number;
  await sql`insert into group_members (account_id, group_id, subscriber_id, created_at)
    select ${accountId}::bigint, ${id}::bigint, s, ${at}::timestamptz
    from unnest(${members}::bigint[]) s`.execute(server.db);
  return id;
}

/**
 * Sends the campaign. One address does not exist, one mailbox is full, and the owner unsubscribes
 * one subscriber before it is sent.
 */
async function sendAll(server: TestServer, accountId: number, ids: number[]): Promise<number> {
  const relay = await startSmtpServer({
    script: {
      rcpt: ({ line }) => {
        if (line.includes('<person3@')) return '550 5.1.1 No such user';
        return line.includes('<person4@') ? '552 5.2.2 Mailbox full' : undefined;
      },
    },
  });
  const messageId = await startMessage(server.db, accountId, { html: HTML, text: null });
  await server.runJobs();
  await inTransaction(server.db, (tx) =>
    unsubscribe(
      tx,
      accountId,
      { subscriberIds: [ids[4] as number] },
      { channel: 'email', reason: 'owner' },
    ),
  );
  const sender = startTestSender(server.db, relay.url);
  await waitForDelivery(server.db, accountId, messageId, isFinished);
  await sender.close();
  await relay.close();
  return messageId;
}

/**
 * Records opens and clicks by people and machines over three days, then bounces, unsubscribes and
 * complaints.
 */
async function engage({
  server,
  accountId,
  ids,
  messageId,
}: ReportedCampaignFixture): Promise<void> {
  const hit = (index: number, activity: 'o' | number, headers: Record<string, string>) => {
    const subscriber = ids[index] as number;
    const copy = { account: accountId, message: messageId, subscriber, ordinal: 1 };
    const token = getInstallationTokens().make(copy);
    const url = activity === 'o' ? `/t/o/${token}.gif` : `/t/c/${token}/${activity}`;
    return server.client().get(url, headers);
  };
  for (let i = 0; i < 60; i++) {
    clock.advance(75 * 60_000);
    await hit(5 + (i % 17), 'o', [APPLE, CHROME, PHONE, CHROME][i % 4] ?? CHROME);
    if (i % 3 === 0)
      await hit(5 + (i % 9), i % 2, i % 12 === 0 ? { 'user-agent': 'curl/8' } : CHROME);
    if (i % 20 === 19) await settleTracking(server.db);
  }
  await hit(30, 1, PHONE);
  await hit(33, 'o', APPLE);
  await hit(35, 0, { 'user-agent': 'curl/8' });
  // Link 4 is the same URL in the text part.
  await hit(34, 4, CHROME);
  await settleTracking(server.db);
  const factOf = (index: number) => ({ messageId, subscriberId: ids[index] as number });
  await inTransaction(server.db, async (tx) => {
    await recordHardBounces(tx, accountId, [
      { ...factOf(31), details: { code: '5.1.1', reply: 'Late' } },
    ]);
    await recordSoftBounces(tx, accountId, [factOf(31), factOf(32)]);
    await recordComplaints(tx, accountId, [factOf(5)]);
    const selection = { subscriberIds: [ids[6] as number, ids[7] as number] };
    await unsubscribe(tx, accountId, selection, { channel: 'email', reason: 'link', messageId });
  });
}
