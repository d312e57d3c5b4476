// Scheduling of campaigns: concurrent calls, revisions and times, and failed or late starts.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import { decodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { AppError } from '#platform/server/errors.ts';
import { readCampaign as readStoredCampaign, restoreCampaign } from './campaigns.ts';
import { schedule, startDue } from '#areas/broadcasts/server/index.ts';
import { campaignAdapter } from './adapter.ts';
import {
  CAMPAIGNS,
  campaignShop,
  readCampaign,
  createReadyCampaign,
} from '#testing/worlds/campaign-shop.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

const OPTIONS = { publicUrl: 'http://localhost:3000', needsVerifiedSender: false };
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

afterEach(() => clock.reset());

/** Reads the campaign without a call because a moved clock expires the owner's session. */
const readWithoutSession = (owner: { accountId: number }, id: string) =>
  readStoredCampaign(server.db, owner.accountId, decodeId('campaign', id) as number);

describe('scheduling', () => {
  test('concurrent calls with one time get the same response, and a call with another time gets 409', async () => {
    const { owner, groupId } = await campaignShop(server, 2);
    const id = await createReadyCampaign(owner, groupId);
    const body = { schedule_time: '2090-03-26 02:30:00' };
    const calls = await Promise.all(
      Array.from({ length: 50 }, (_, i) =>
        owner.post(`${CAMPAIGNS}/${id}/schedule`, body, i % 2 ? { 'idempotency-key': 'k' } : {}),
      ),
    );
    expect(new Set(calls.map((call) => call.status))).toEqual(new Set([200]));
    for (const call of calls) expect(call.body).toEqual(calls[0]?.body);
    // The clocks go from 2:00 to 3:00 in this night: 2:30 does not exist and is taken as 3:30.
    expect(calls[0]?.body.data).toMatchObject({
      schedule_time: '2090-03-26 02:30:00',
      schedule_zone: 'Europe/Oslo',
      scheduled_at: '2090-03-26T01:30:00.000Z',
    });
    const response = await owner.post(`${CAMPAIGNS}/${id}/schedule`, {
      schedule_time: '2091-01-01 10:00:00',
    });
    expect([response.status, response.body.code]).toEqual([409, 'already_scheduled']);
    const reuseResponse = await owner.post(
      `${CAMPAIGNS}/${id}/schedule`,
      { schedule_time: null },
      { 'idempotency-key': 'k' },
    );
    expect(reuseResponse.status).toBe(422);
  });

  test('fifty concurrent calls to send now create one message', async () => {
    const { owner, groupId } = await campaignShop(server, 2);
    const id = await createReadyCampaign(owner, groupId);
    const calls = await Promise.all(
      Array.from({ length: 50 }, () =>
        owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null }),
      ),
    );
    expect(new Set(calls.map((call) => call.status))).toEqual(new Set([200]));
    const messages = await server.db
      .selectFrom('messages')
      .select(['kind', 'source_id'])
      .where('account_id', '=', owner.accountId)
      .where('kind', '=', 'campaign')
      .execute();
    expect(messages).toEqual([{ kind: 'campaign', source_id: decodeId('campaign', id) }]);
  });

  test('a call with an outdated revision gets 409 and neither sends nor schedules', async () => {
    const { owner, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    const url = `${CAMPAIGNS}/${id}`;
    const { revision } = await readCampaign(owner, id);
    const response = await owner.patch(url, { revision, subject: 'Another one' });
    expect(response.status).toBe(200);
    for (const schedule_time of [null, '2090-01-01 10:00:00']) {
      const scheduleResponse = await owner.post(`${url}/schedule`, { schedule_time, revision });
      expect([scheduleResponse.status, scheduleResponse.body.code]).toEqual([
        409,
        'stale_revision',
      ]);
    }
    expect(await readCampaign(owner, id)).toMatchObject({ status: 'DRAFT', delivery: null });
    const schedule = { schedule_time: null, revision: revision + 1 };
    expect((await owner.post(`${url}/schedule`, schedule)).status).toBe(200);
  });

  test('a past time gets 422, a future time is rounded up to a quarter of an hour, and its schedule can be canceled', async () => {
    const { owner, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    const past = await owner.post(`${CAMPAIGNS}/${id}/schedule`, {
      schedule_time: '2020-01-01 10:00:00',
    });
    expect([past.status, Object.keys(past.body.errors)]).toEqual([422, ['schedule_time']]);
    const scheduleResponse = await owner.post(`${CAMPAIGNS}/${id}/schedule`, {
      schedule_time: '2090-01-01 10:01:00',
    });
    expect(scheduleResponse.body.data).toMatchObject({
      schedule_time: '2090-01-01 10:15:00',
      delivery: null,
    });
    const cancelResponse = await owner.post(`${CAMPAIGNS}/${id}/cancel`, {});
    expect(cancelResponse.body.data).toMatchObject({
      status: 'DRAFT',
      schedule_time: null,
      scheduled_at: null,
    });
  });

  test('a due campaign starts once, even with several pollers', async () => {
    const { owner, groupId } = await campaignShop(server, 3);
    const id = await createReadyCampaign(owner, groupId);
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2092-01-01 10:00:00' });
    clock.freeze(new Date('2092-01-01T08:59:59Z'));
    expect(await startDue(server.db, campaignAdapter(OPTIONS))).toBe(0);
    clock.freeze(new Date('2092-01-01T09:00:01Z'));
    const startedCounts = await Promise.all(
      Array.from({ length: 5 }, () => startDue(server.db, campaignAdapter(OPTIONS))),
    );
    expect(startedCounts.reduce((total, count) => total + count)).toBe(1);
    expect(await readWithoutSession(owner, id)).toMatchObject({
      status: 'SCHEDULED',
      delivery: { state: 'preparing' },
    });
  });

  test("a due campaign that fails its checks becomes a draft again, and the account's owner is notified", async () => {
    const { owner, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2094-01-01 10:00:00' });
    await sql`update content_revisions set html = '<p>{{ nobody knows }}</p>'
      where account_id = ${owner.accountId}`.execute(server.db);
    clock.freeze(new Date('2094-01-01T09:00:01Z'));
    const startedCounts = await Promise.all(
      [1, 2].map(() => startDue(server.db, campaignAdapter(OPTIONS))),
    );
    expect(Math.max(...startedCounts)).toBe(1);
    expect(await readWithoutSession(owner, id)).toMatchObject({
      status: 'DRAFT',
      schedule_time: null,
      schedule_zone: null,
      scheduled_at: null,
      delivery: null,
    });
    const { rows } = await sql<{ kind: string; count: number; subject: string }>`
      select m.kind, count(*) as count, max(m.frozen->'source'->>'subject') as subject
      from messages m where m.account_id = ${owner.accountId}
        and m.frozen->'source'->>'html' not like '%verify-email%' group by 1`.execute(server.db);
    // Besides the email that verifies the owner's address, there is only the notification.
    expect(rows).toEqual([
      { kind: 'letter', count: 1, subject: "“{{ mail_subject }}” wasn't sent as scheduled" },
    ]);
  });

  test('a start whose rendering is too slow is retried and does not delay other campaigns', async () => {
    const { owner, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    const otherCampaign = await createReadyCampaign(owner, groupId);
    const scheduleBodyAt = (time: string) => ({ schedule_time: `2095-01-01 ${time}` });
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, scheduleBodyAt('10:00:00'));
    await owner.post(`${CAMPAIGNS}/${otherCampaign}/schedule`, scheduleBodyAt('10:15:00'));
    const slowOptions = {
      needsVerifiedSender: false,
      get publicUrl(): string {
        throw new AppError('document_too_slow');
      },
    };
    clock.freeze(new Date('2095-01-01T09:14:59Z'));
    expect(await startDue(server.db, campaignAdapter(slowOptions))).toBe(0);
    expect(await readWithoutSession(owner, id)).toMatchObject({
      status: 'SCHEDULED',
      delivery: null,
    });
    clock.freeze(new Date('2095-01-01T09:15:01Z'));
    expect(await startDue(server.db, campaignAdapter(OPTIONS))).toBe(1);
    expect((await readWithoutSession(owner, otherCampaign)).delivery).not.toBeNull();
    for (const minute of [16, 17, 18]) {
      clock.freeze(new Date(`2095-01-01T09:${minute}:10Z`));
      expect(await startDue(server.db, campaignAdapter(slowOptions))).toBe(0);
      expect(await readWithoutSession(owner, id)).toMatchObject({
        status: 'SCHEDULED',
        delivery: null,
      });
    }
    clock.freeze(new Date('2095-01-01T09:20:00Z'));
    expect(await startDue(server.db, campaignAdapter(OPTIONS))).toBe(1);
    expect((await readWithoutSession(owner, id)).delivery).not.toBeNull();
  });

  test('a start that fails unexpectedly is retried and does not delay other campaigns', async () => {
    const { owner, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    const otherCampaign = await createReadyCampaign(owner, groupId);
    const scheduleBodyAt = (time: string) => ({ schedule_time: `2096-01-01 ${time}` });
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, scheduleBodyAt('10:00:00'));
    await owner.post(`${CAMPAIGNS}/${otherCampaign}/schedule`, scheduleBodyAt('10:15:00'));
    const faultyOptions = {
      needsVerifiedSender: false,
      get publicUrl(): string {
        throw new Error('unexpected');
      },
    };
    clock.freeze(new Date('2096-01-01T09:14:30Z'));
    expect(await startDue(server.db, campaignAdapter(faultyOptions))).toBe(0);
    clock.freeze(new Date('2096-01-01T09:15:01Z'));
    expect(await startDue(server.db, campaignAdapter(OPTIONS))).toBe(1);
    expect((await readWithoutSession(owner, otherCampaign)).delivery).not.toBeNull();
    for (const minute of [16, 17, 18, 19, 20, 21]) {
      clock.freeze(new Date(`2096-01-01T09:${minute}:10Z`));
      expect(await startDue(server.db, campaignAdapter(faultyOptions))).toBe(0);
      expect(await readWithoutSession(owner, id)).toMatchObject({
        status: 'SCHEDULED',
        delivery: null,
      });
    }
    // Unexpected failures are not treated as slow renderings, so the first slow one is retried.
    const slowOptions = {
      needsVerifiedSender: false,
      get publicUrl(): string {
        throw new AppError('document_too_slow');
      },
    };
    clock.freeze(new Date('2096-01-01T09:22:20Z'));
    expect(await startDue(server.db, campaignAdapter(slowOptions))).toBe(0);
    expect(await readWithoutSession(owner, id)).toMatchObject({
      status: 'SCHEDULED',
      delivery: null,
    });
    clock.freeze(new Date('2096-01-01T09:24:00Z'));
    expect(await startDue(server.db, campaignAdapter(OPTIONS))).toBe(1);
    expect((await readWithoutSession(owner, id)).delivery).not.toBeNull();
  });

  test('a campaign restored after its scheduled time is a draft and does not start', async () => {
    const { owner, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    const url = `${CAMPAIGNS}/${id}`;
    await owner.post(`${url}/schedule`, { schedule_time: '2093-01-01 10:00:00' });
    expect((await owner.delete(url)).status).toBe(200);
    const response = await owner.post(`${url}/restore`, {});
    expect(response.body.data).toMatchObject({ status: 'SCHEDULED' });
    await owner.delete(url);
    clock.freeze(new Date('2093-01-01T09:00:01Z'));
    const campaignId = decodeId('campaign', id) as number;
    const restoredCampaign = await inTransaction(server.db, (tx) =>
      restoreCampaign(tx, owner.accountId, campaignId),
    );
    expect(restoredCampaign).toMatchObject({
      status: 'DRAFT',
      schedule_time: null,
      scheduled_at: null,
    });
    expect(await startDue(server.db, campaignAdapter(OPTIONS))).toBe(0);
  });

  test('a campaign whose start is an hour late waits until a user sends it', async () => {
    const { owner, groupId } = await campaignShop(server, 3);
    const id = await createReadyCampaign(owner, groupId);
    await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: '2091-01-01 10:00:00' });
    clock.freeze(new Date('2091-01-01T10:00:00Z'));
    expect(await startDue(server.db, campaignAdapter(OPTIONS))).toBe(0);
    expect(await readWithoutSession(owner, id)).toMatchObject({
      status: 'SCHEDULED',
      is_late: true,
      delivery: null,
    });
    const campaignId = decodeId('campaign', id) as number;
    const confirmation = await inTransaction(server.db, (tx) =>
      schedule(tx, campaignAdapter(OPTIONS), owner.accountId, campaignId, null),
    );
    expect(confirmation).toMatchObject({ is_late: false, delivery: { state: 'preparing' } });
  });
});
