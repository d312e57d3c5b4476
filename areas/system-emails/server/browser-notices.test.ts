// Browser notifications of campaigns and of the autopilot, from the event to the browser.
import { beforeAll, expect, test } from 'vitest';
import {
  broadcastFinished,
  broadcastNotStarted,
  experimentWaits,
} from '#areas/broadcasts/server/index.ts';
import { resendNotStarted } from '#areas/campaigns/server/index.ts';
import { pilotMoved } from '#areas/deliverability/server/index.ts';
import { messageFinished, messageHalted } from '#areas/delivery/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { LANGUAGES } from '#platform/languages.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type PushService, startPushService } from '#testing/servers/push-service.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

const API = '/client-api/api/push_subscriptions';
let server: TestServer;
let service: PushService;

beforeAll(async () => {
  server = await testServer();
  const owner = await server.owner();
  service = await startPushService(async () => (await owner.get(API)).body.data.key);
  return () => service.close();
});

test('a notification about a campaign opens the screen of that email or SMS campaign', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const browser = service.browser();
  await owner.post(API, browser.subscription);
  const event = { accountId, messageId: 1, sourceId: 7, at: new Date(1000) };
  const halt = { reason: 'bounces_high' as const, count: 20, of: 200, limit: 0.05 };
  await inTransaction(server.db, async (tx) => {
    const finishedEvent = { accountId, campaignId: 7, messageIds: [1], at: event.at };
    await broadcastFinished.announce(tx, { ...finishedEvent, kind: 'campaign' });
    const waiting = { accountId, campaignId: 9, at: event.at };
    await experimentWaits.announce(tx, { ...waiting, kind: 'campaign', name: 'Mint' });
    await experimentWaits.announce(tx, { ...waiting, kind: 'sms_campaign', name: 'Sage' });
    await messageHalted.announce(tx, { ...event, kind: 'campaign', ...halt });
    await messageHalted.announce(tx, { ...event, kind: 'sms_campaign', ...halt });
    await messageFinished.announce(tx, { ...event, kind: 'transactional' });
    const name = 'Tea for {{ firstname | default: "you" }}';
    const late = { accountId, campaignId: 8, at: event.at };
    await broadcastNotStarted.announce(tx, { ...late, kind: 'campaign', name });
    await broadcastNotStarted.announce(tx, { ...late, kind: 'sms_campaign', name: 'Sale' });
    await resendNotStarted.announce(tx, { ...late, campaignId: 6, subject: 'Mint' });
  });
  await server.runJobs();
  const [, ...shown] = await browser.readNotices();
  const screens = {
    email: `/campaigns/${encodeId('campaign', 7)}`,
    sms: `/sms/${encodeId('sms', 7)}`,
  };
  expect(shown.map(({ path, title }) => [path, title]).sort()).toEqual(
    [
      [screens.email, '“” was sent'],
      [screens.email, '“” has stopped'],
      [screens.sms, '“” has stopped'],
      [`/campaigns/${encodeId('campaign', 9)}`, 'Choose the winner of “Mint”'],
      [`/sms/${encodeId('sms', 9)}`, 'Choose the winner of “Sage”'],
      [`/campaigns/${encodeId('campaign', 8)}`, "“Tea for you” wasn't sent as scheduled"],
      [`/sms/${encodeId('sms', 8)}`, "“Sale” wasn't sent as scheduled"],
      [`/campaigns/${encodeId('campaign', 6)}`, "“Mint” wasn't resent"],
    ].sort(),
  );
  expect(shown.every(({ path, tag }) => tag === path)).toBe(true);
});

test('notifications of stopped campaigns are complete in every language, for every reason', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const browser = service.browser();
  await owner.post(API, browser.subscription);
  const event = {
    accountId,
    messageId: 1,
    sourceId: 7,
    at: new Date(1000),
    kind: 'campaign' as const,
  };
  const reasons = [
    'bounces_high',
    'complaints_high',
    'mails_refused',
    'sender_refused',
    'content_unsendable',
    'audience_failed',
    'sender_not_verified',
    'plan_limit',
  ] as const;
  for (const language of LANGUAGES) {
    await server.db.updateTable('users').set({ language }).where('id', '=', owner.userId).execute();
    await inTransaction(server.db, async (tx) => {
      for (const reason of reasons)
        await messageHalted.announce(tx, { ...event, reason, count: 1, of: 2, limit: 0.05 });
    });
  }
  await server.runJobs();
  const [, ...shown] = await browser.readNotices();
  expect(new Set(shown.map(({ body }) => body)).size).toBe(LANGUAGES.length * reasons.length);
  expect(shown.filter(({ dir }) => dir === 'rtl')).toHaveLength(reasons.length);
  for (const { title, body } of shown) expect(title + body).not.toMatch(/\{\{|notices\./);
});

test('autopilot actions that limit email cause notifications in every language, and lifted limits cause none', async () => {
  const owner = await server.owner();
  const { accountId } = owner;
  const browser = service.browser();
  await owner.post(API, browser.subscription);
  const at = new Date(1000);
  const base = { accountId, moveId: 1, domain: 'tea.example', mailbox: 1, count: 1, of: 2, at };
  const moves = [
    { move: 'slow', cause: 'deferrals' },
    { move: 'pause', cause: 'refusals' },
    { move: 'pause', cause: 'complaints' },
    { move: 'narrow', cause: 'opens' },
    { move: 'raise', cause: 'clean' },
    { move: 'widen', cause: 'clean' },
  ] as const;
  for (const language of LANGUAGES) {
    await server.db.updateTable('users').set({ language }).where('id', '=', owner.userId).execute();
    await inTransaction(server.db, async (tx) => {
      for (const move of moves) {
        await pilotMoved.announce(tx, { ...base, ...move, toPerHour: 50, state: 'suggested' });
      }
    });
  }
  await server.runJobs();
  const [, ...shown] = await browser.readNotices();
  expect(new Set(shown.map(({ body }) => body)).size).toBe(LANGUAGES.length * 4);
  for (const { title, body, path } of shown) {
    expect(title + body).not.toMatch(/\{\{|pilot\.|pilotSuggested/);
    expect(path).toBe('/settings/deliverability');
  }
});
