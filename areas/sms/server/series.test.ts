// Recurring SMS campaigns: the rules are shared with email; the routes are for SMS only.
import { expect, test } from 'vitest';
import { createOccurrences } from '#areas/broadcasts/server/index.ts';
import { testServer } from '#testing/setup/server.ts';
import { createReadySms } from '#testing/worlds/sms-draft.ts';
import { SMS_CAMPAIGNS_PATH } from '../campaign-contract.ts';
import { smsAdapter } from './adapter.ts';

const server = await testServer();
const OWNER = smsAdapter({ publicUrl: 'http://localhost:3000', hasProvider: true });

test('a recurring SMS campaign is copied with its text, sender and recipients', async () => {
  const owner = await server.owner();
  const { id, url, phone } = await createReadySms(server, owner);
  const rule = { every: 'week', interval: 1, weekdays: [1, 2, 3, 4, 5, 6, 7], time: '10:00' };
  const response = await owner.put(`${url}/series`, { rule });
  expect([response.status, response.body.data?.series?.rule]).toEqual([200, rule]);
  expect((await owner.post(`${url}/schedule`, { schedule_time: null })).body.code).toBe(
    'campaign_repeats',
  );
  expect(await createOccurrences(server.db, OWNER)).toBeGreaterThan(0);
  const dates = (await owner.get(`${url}/series/dates`)).body.data;
  expect(dates[0]).toMatchObject({ state: 'scheduled', at: response.body.data.series.next_at });
  const copy = (await owner.get(`${SMS_CAMPAIGNS_PATH}/${dates[0].campaign}`)).body.data;
  expect(copy).toMatchObject({
    status: 'SCHEDULED',
    text: 'New tea',
    phone_id: phone,
    send_to_all: 'TRUE',
    series_of: id,
    occurs_on: dates[0].on,
  });
  expect((await owner.get('/client-api/api/series')).body.data).toMatchObject([
    { channel: 'sms', id },
  ]);
  const skip = { on: dates[0].on };
  expect((await owner.post(`${url}/series/skip`, skip)).status).toBe(200);
  expect((await owner.get(`${SMS_CAMPAIGNS_PATH}/${copy.id}`)).status).toBe(404);
  expect((await owner.delete(`${url}/series`)).body.data.series).toBeNull();
});
