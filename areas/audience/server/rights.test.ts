// Rights of data subjects: an export that includes IP addresses and user agents, and no
// subscription to a channel without their consent.
import { beforeAll, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

const API = '/client-api/api';
const LIST_PATH = `${API}/subscribers`;
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

test('a data export contains the IP address and user agent of opens, and the history does not', async () => {
  const owner = await server.owner();
  const { id } = (await owner.post(LIST_PATH, { email: 'ada@x.example' })).body.data;
  await server.db
    .insertInto('events')
    .values({
      account_id: owner.accountId,
      at: new Date('2026-01-01T10:00:00Z'),
      message_id: 77,
      subscriber_id: decodeId('subscriber', id) as number,
      kind: 'open',
      sequence: 1,
      ip: '198.51.100.6',
      user_agent: 'Mozilla/5.0',
    })
    .execute();
  const { history } = (await owner.get(`${LIST_PATH}/${id}/export`)).body.data;
  expect(history).toMatchObject([
    { action: 'opened', ip_address: '198.51.100.6', user_agent: 'Mozilla/5.0' },
  ]);
  const [shown] = (await owner.get(`${LIST_PATH}/${id}/events`)).body.data;
  expect(shown.action).toBe('opened');
  expect(shown).not.toHaveProperty('ip_address');
});

test('an unsubscribe followed by a reactivation without consent does not subscribe someone who never joined the channel', async () => {
  const owner = await server.owner();
  const channel = 'sms';
  const { id } = (await owner.post(LIST_PATH, { email: 'bo@x.example', phone: '+37061234599' }))
    .body.data;
  const comeback = async () => (await owner.get(`${LIST_PATH}/${id}`)).body.data.comeback[channel];
  expect(await comeback()).toBe('consent');
  const response = await owner.post(`${API}/unsubscribes`, { subscribers: [id], channel });
  expect(response.body.count).toBe(1);
  const reactivateResponse = await owner.post(`${LIST_PATH}/reactivate`, {
    subscribers: [id],
    channel,
  });
  expect([reactivateResponse.body.count, reactivateResponse.body.skipped]).toEqual([
    0,
    { no_consent: 1 },
  ]);
  expect(await comeback()).toBe('consent');
  const consent = 'Ticked the box for texts at the fair';
  const consentResponse = await owner.post(`${LIST_PATH}/reactivate`, {
    subscribers: [id],
    channel,
    consent,
  });
  expect(consentResponse.body.count).toBe(1);
  expect(await comeback()).toBe('open');
});
