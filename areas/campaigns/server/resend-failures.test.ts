// Resends that cannot start: they fail with a reason or are retried, and delay no other resend.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { CAMPAIGNS } from '#testing/worlds/campaign-shop.ts';
import {
  advanceHours,
  readNotifications,
  RESEND_FAILED_SUBJECT,
  OPTIONS,
  readCampaign,
  sendFirst,
  server,
  resendShop,
} from '#testing/worlds/resending.ts';
import { startDueResends } from './resend.ts';

/** Sends two campaigns of an account, each with a resend after twelve hours. */
async function setUpResends() {
  const firstShop = await resendShop();
  const copy = (await firstShop.owner.post(`${CAMPAIGNS}/${firstShop.id}/duplicate`, {})).body.data;
  const second = { ...firstShop, id: copy.id as string };
  for (const campaign of [firstShop, second]) {
    await sendFirst(campaign);
    await firstShop.owner.put(`${CAMPAIGNS}/${campaign.id}/resend`, {
      subject: 'Again',
      hours: 12,
    });
  }
  return { first: firstShop, second };
}

test('the resend of a deleted campaign fails with a reason and does not delay other resends', async () => {
  const { first, second } = await setUpResends();
  expect((await first.owner.delete(`${CAMPAIGNS}/${first.id}`)).status).toBe(200);
  advanceHours(12.5);
  await first.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(2);
  expect((await readCampaign(second)).resend).toMatchObject({ state: 'started', reason: null });
  await first.owner.post(`${CAMPAIGNS}/${first.id}/restore`, {});
  expect((await readCampaign(first)).resend).toMatchObject({
    state: 'failed',
    reason: 'not_found',
  });
});

/** Sets up two resends; the first one fails unexpectedly until `repair` is called. */
async function setUpFailingResend() {
  const { first, second } = await setUpResends();
  await sql`create or replace function refuse_child() returns trigger language plpgsql as
    $$ begin raise exception 'unexpected'; end $$`.execute(server.db);
  await sql
    .raw(
      `create trigger refused before insert on campaigns for each row
       when (new.account_id = ${first.owner.accountId}
         and new.resend_of = ${decodeId('campaign', first.id)})
       execute function refuse_child()`,
    )
    .execute(server.db);
  return { first, second, repair: () => sql`drop trigger refused on campaigns`.execute(server.db) };
}

const TEN_MINUTES = 1 / 6;

test('a resend that fails unexpectedly is retried and does not delay other resends', async () => {
  const { first, second, repair } = await setUpFailingResend();
  advanceHours(12.25);
  await first.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  expect((await readCampaign(second)).resend).toMatchObject({ state: 'started', reason: null });
  for (let attempt = 0; attempt < 5; attempt++) {
    advanceHours(TEN_MINUTES);
    await first.owner.post('/auth/api/refresh');
    expect(await startDueResends(server.db, OPTIONS)).toBe(0);
    expect((await readCampaign(first)).resend).toMatchObject({ state: 'waiting', reason: null });
  }
  await repair();
  advanceHours(TEN_MINUTES);
  await first.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  expect((await readCampaign(first)).resend).toMatchObject({ state: 'started', reason: null });
});

test('a resend that fails unexpectedly for an hour ends as failed and is sent after it is set up again', async () => {
  const { first, repair } = await setUpFailingResend();
  advanceHours(12.25);
  for (let attempt = 0; attempt < 6; attempt++) {
    await startDueResends(server.db, OPTIONS);
    advanceHours(TEN_MINUTES);
  }
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  await first.owner.post('/auth/api/refresh');
  const failedResend = { state: 'failed', reason: 'server_error', campaign: null };
  expect((await readCampaign(first)).resend).toMatchObject(failedResend);
  expect(await readNotifications(first)).toEqual([RESEND_FAILED_SUBJECT]);
  await repair();
  await first.owner.put(`${CAMPAIGNS}/${first.id}/resend`, { subject: 'Again', hours: 12 });
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  expect((await readCampaign(first)).resend).toMatchObject({ state: 'started', reason: null });
});

test('the hour of retries includes pauses between them and starts over when the resend is set up again', async () => {
  const { first, repair } = await setUpFailingResend();
  advanceHours(12.25);
  for (let attempt = 0; attempt < 3; attempt++) {
    await startDueResends(server.db, OPTIONS);
    await first.owner.post('/auth/api/refresh');
    expect((await readCampaign(first)).resend).toMatchObject({ state: 'waiting' });
    // The pause is longer than the usual interval of retries.
    advanceHours(0.4);
  }
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  await first.owner.post('/auth/api/refresh');
  expect((await readCampaign(first)).resend).toMatchObject({
    state: 'failed',
    reason: 'server_error',
  });
  await first.owner.put(`${CAMPAIGNS}/${first.id}/resend`, { subject: 'Again', hours: 12 });
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  expect((await readCampaign(first)).resend).toMatchObject({ state: 'waiting' });
  await repair();
});
