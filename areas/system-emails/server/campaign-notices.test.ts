// Emails to users about SMS campaigns, from the event to the mailbox.
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { broadcastFinished, startDue } from '#areas/broadcasts/server/index.ts';
import { messageHalted } from '#areas/delivery/server/index.ts';
import { smsAdapter } from '#areas/sms/server/adapter.ts';
import { decodeId } from '#platform/ids.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { createReadySms } from '#testing/worlds/sms-draft.ts';

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

/** Waits for this number of emails to an owner, without the first one, which confirms the address. */
async function untilNotices(to: string, count: number) {
  const listNotices = () => relay.accepted.filter((message) => message.to[0] === to).slice(1);
  await expect.poll(() => listNotices().length, { timeout: 20_000 }).toBe(count);
  return Promise.all(listNotices().map(({ source }) => PostalMime.parse(source)));
}

test('an SMS campaign that cannot start as scheduled is reported to the owner by email', async () => {
  startTestSender(server.db, relay.url);
  const owner = await server.owner('late@shop.example');
  const { url, id } = await createReadySms(server, owner);
  // Scheduled times are rounded up to a quarter of an hour.
  const dueAt = new Date(clock.now().getTime() + 600_000);
  const schedule_time = dueAt.toISOString().slice(0, 19).replace('T', ' ');
  const scheduleResponse = await owner.post(`${url}/schedule`, { schedule_time });
  expect(scheduleResponse.status, scheduleResponse.text).toBe(200);
  // The number now belongs to another account.
  await sql`delete from phone_owners where account_id = ${owner.accountId}`.execute(server.db);
  clock.advance(26 * 60_000);
  const adapter = smsAdapter({ publicUrl: 'http://localhost:3000', hasProvider: true });
  expect(await startDue(server.db, adapter)).toBe(1);
  const row = await server.db
    .selectFrom('sms_campaigns')
    .select('status')
    .where('account_id', '=', owner.accountId)
    .executeTakeFirst();
  expect(row).toEqual({ status: 'DRAFT' });
  const [notice] = await untilNotices('late@shop.example', 1);
  expect(notice?.subject).toBe("“Tea” wasn't sent as scheduled");
  expect(notice?.text).toContain('your SMS credit');
  expect(notice?.html).toContain(`href="http://localhost:3000/sms/${id}"`);
});

test('owners get an email with the reason and the response when an SMS campaign is stopped', async () => {
  startTestSender(server.db, relay.url);
  const owner = await server.owner('stopped@shop.example');
  const { accountId } = owner;
  const { id } = await createReadySms(server, owner);
  const sourceId = decodeId('sms', id) as number;
  const halt = { accountId, messageId: 1, kind: 'sms_campaign', sourceId } as const;
  const figures = { count: 20, of: 200, limit: 0.05 };
  let second = 0;
  for (const language of LANGUAGES) {
    await server.db.updateTable('users').set({ language }).where('id', '=', owner.userId).execute();
    for (const reason of ['mails_refused', 'sender_not_verified'] as const) {
      second += 1;
      const event = { ...halt, ...figures, reason, at: new Date(second * 1_000) };
      const reply = reason === 'mails_refused' ? { reply: 'Blocked <b>sender</b>' } : {};
      await inTransaction(server.db, (tx) => messageHalted.announce(tx, { ...event, ...reply }));
    }
  }
  const notices = await untilNotices('stopped@shop.example', 2 * LANGUAGES.length);
  const texts = notices.map(({ text }) => text ?? '');
  expect(new Set(texts).size).toBe(texts.length);
  const refused = notices.filter(({ text }) => text?.includes('Blocked <b>sender</b>'));
  expect(refused).toHaveLength(LANGUAGES.length);
  for (const { html } of refused) expect(html).toContain('Blocked &lt;b&gt;sender&lt;/b&gt;');
  expect(texts.filter((text) => text.includes('no longer belongs to this account'))).toHaveLength(
    1,
  );
  for (const text of texts) {
    expect(text.split(/\r?\n/)).toContain(`http://localhost:3000/sms/${id}`);
    expect(text).not.toMatch(/\{\{|notices\.|smsStopped/);
  }
});

test('users with campaign notifications get an email when an SMS campaign was sent', async () => {
  startTestSender(server.db, relay.url);
  const owner = await server.owner('sent@shop.example');
  const { accountId } = owner;
  const { id } = await createReadySms(server, owner);
  const campaignId = decodeId('sms', id) as number;
  await owner.patch('/client-api/api/user_notifications', { campaigns: true });
  await sql`update users set email_verified_at = now() where id = ${owner.userId}`.execute(
    server.db,
  );
  const event = { accountId, kind: 'sms_campaign' as const, campaignId, messageIds: [1] };
  await inTransaction(server.db, (tx) =>
    broadcastFinished.announce(tx, { ...event, at: clock.now() }),
  );
  const [notice] = await untilNotices('sent@shop.example', 1);
  expect(notice?.subject).toBe('“Tea” was sent');
  expect(notice?.text).toContain('The SMS provider accepted 0 messages of “Tea”.');
});
