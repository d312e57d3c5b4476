// Resends that cannot start: each reports its failure, is retried, and delays no other resend.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { CAMPAIGNS } from '#testing/worlds/campaign-shop.ts';
import {
  due,
  readNotifications,
  NOT_AGAIN,
  OPTIONS,
  read,
  sendFirst,
  server,
  shop,
} from '#testing/worlds/resending.ts';
import { startDueResends } from './resend.ts';

/** Two sent campaigns of an account, each with a resend after twelve hours. */
async function twoResends() {
  const one = await shop();
  const copy = (await one.owner.post(`${CAMPAIGNS}/${one.id}/duplicate`, {})).body.data;
  const two = { ...one, id: copy.id as string };
  for (const each of [one, two]) {
    await sendFirst(each);
    await one.owner.put(`${CAMPAIGNS}/${each.id}/resend`, { subject: 'Again', hours: 12 });
  }
  return { one, two };
}

test('a resend that cannot start reports its failure, and delays no other resend', async () => {
  const { one, two } = await twoResends();
  expect((await one.owner.delete(`${CAMPAIGNS}/${one.id}`)).status).toBe(200);
  due(12.5);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(2);
  expect((await read(two)).resend).toMatchObject({ state: 'started', reason: null });
  await one.owner.post(`${CAMPAIGNS}/${one.id}/restore`, {});
  expect((await read(one)).resend).toMatchObject({ state: 'failed', reason: 'not_found' });
});

/** Two resends, of which the first fails with an unexpected error until `mend` is called. */
async function oneFails() {
  const { one, two } = await twoResends();
  await sql`create or replace function refuse_child() returns trigger language plpgsql as
    $$ begin raise exception 'nobody expected this'; end $$`.execute(server.db);
  await sql
    .raw(
      `create trigger refused before insert on campaigns for each row
       when (new.account_id = ${one.owner.accountId}
         and new.resend_of = ${decodeId('campaign', one.id)})
       execute function refuse_child()`,
    )
    .execute(server.db);
  return { one, two, mend: () => sql`drop trigger refused on campaigns`.execute(server.db) };
}

const TEN_MINUTES = 1 / 6;

test('a resend with an unexpected failure is retried, and delays no other resend', async () => {
  const { one, two, mend } = await oneFails();
  due(12.25);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  expect((await read(two)).resend).toMatchObject({ state: 'started', reason: null });
  for (let round = 0; round < 5; round++) {
    due(TEN_MINUTES);
    await one.owner.post('/auth/api/refresh');
    expect(await startDueResends(server.db, OPTIONS)).toBe(0);
    expect((await read(one)).resend).toMatchObject({ state: 'waiting', reason: null });
  }
  await mend();
  due(TEN_MINUTES);
  await one.owner.post('/auth/api/refresh');
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  expect((await read(one)).resend).toMatchObject({ state: 'started', reason: null });
});

test('a resend that fails unexpectedly for an hour ends as failed, and is sent after it is set up again', async () => {
  const { one, mend } = await oneFails();
  due(12.25);
  for (let round = 0; round < 6; round++) {
    await startDueResends(server.db, OPTIONS);
    due(TEN_MINUTES);
  }
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  await one.owner.post('/auth/api/refresh');
  const failed = { state: 'failed', reason: 'server_error', campaign: null };
  expect((await read(one)).resend).toMatchObject(failed);
  expect(await readNotifications(one)).toEqual([NOT_AGAIN]);
  await mend();
  await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, { subject: 'Again', hours: 12 });
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  expect((await read(one)).resend).toMatchObject({ state: 'started', reason: null });
});

test('the hour of retries includes pauses between them, and starts over when the resend is set up again', async () => {
  const { one, mend } = await oneFails();
  due(12.25);
  for (let round = 0; round < 3; round++) {
    await startDueResends(server.db, OPTIONS);
    await one.owner.post('/auth/api/refresh');
    expect((await read(one)).resend).toMatchObject({ state: 'waiting' });
    // Longer than the usual interval of retries.
    due(0.4);
  }
  expect(await startDueResends(server.db, OPTIONS)).toBe(1);
  await one.owner.post('/auth/api/refresh');
  expect((await read(one)).resend).toMatchObject({ state: 'failed', reason: 'server_error' });
  await one.owner.put(`${CAMPAIGNS}/${one.id}/resend`, { subject: 'Again', hours: 12 });
  expect(await startDueResends(server.db, OPTIONS)).toBe(0);
  expect((await read(one)).resend).toMatchObject({ state: 'waiting' });
  await mend();
});
