// One subscriber over HTTP: it is read, changed and erased, and has a history and an export.
import { beforeAll, describe, expect, test } from 'vitest';
import { complain } from '#areas/subscribers/server/index.ts';
import { decodeId, encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { openShop } from '#testing/worlds/shop.ts';

const LIST_PATH = '/client-api/api/subscribers';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
const decodeSubscriberId = (id: string) => decodeId('subscriber', id) as number;

describe('one subscriber', () => {
  test('a subscriber is returned with its consents, status changes and reactivation options', async () => {
    const { owner, ada } = await openShop(server);
    const { data } = (await owner.get(`${LIST_PATH}/${ada}`)).body;
    expect(data).toMatchObject({
      id: ada,
      firstname: 'Ada',
      consents: [{ kind: 'attested', channel: 'email', source: 'owner' }],
      status_changes: [],
      comeback: { email: 'open', temail: 'open', sms: 'never', tsms: 'never' },
    });
  });

  test('a field is set and cleared by id or by name, and an invalid value is rejected', async () => {
    const { owner, ada, bob, city, visits } = await openShop(server);
    const field = (id: string) => `${LIST_PATH}/${ada}/fields/${id}`;
    const response = await owner.patch(field(visits), { value: '4.5' });
    expect(response.body.data.columns[1]).toMatchObject({ id: visits, value: 4.5 });
    expect((await owner.patch(field('city'), { value: 'Bergen' })).body.data.columns[0].value).toBe(
      'Bergen',
    );
    expect((await owner.delete(field(city))).body.data.columns).toHaveLength(2);
    expect((await owner.patch(field('firstname'), { value: 'Augusta' })).body.data.firstname).toBe(
      'Augusta',
    );
    expect((await owner.delete(field('firstname'))).body.data.firstname).toBeNull();
    expect((await owner.patch(field('phone'), { value: '+37061234568' })).body.data.phone).toBe(
      '+37061234568',
    );
    expect(await owner.patch(field(visits), { value: 'many' })).toMatchObject({
      status: 422,
      body: { errors: { value: ['Please enter a number'] } },
    });
    expect(await owner.patch(field('email'), { value: 'nonsense' })).toMatchObject({ status: 422 });
    expect(await owner.patch(field('email'), { value: 'BOB@x.example' })).toMatchObject({
      status: 409,
      body: { code: 'email_taken' },
    });
    expect((await owner.patch(field('nonsense'), { value: 1 })).status).toBe(404);
    // Bob has no phone number, so the email address cannot be removed.
    expect((await owner.delete(`${LIST_PATH}/${bob}/fields/email`)).status).toBe(422);
  });

  test.each([
    [{}],
    [{ email: 'nonsense' }],
    [{ email: 'a@b.example', phone: 'call me' }],
    [{ email: 'a@b.example', fields: { nonsense: 1 } }],
    [{ email: 'a@b.example', email_status: 'active' }],
    [{ email: 'a@b.example', groups: ['nonsense'] }],
    [{ email: 'a@b.example', firstname: 'x'.repeat(256) }],
  ])('a subscriber is not created from %j', async (body) => {
    const { owner } = await openShop(server);
    expect((await owner.post(LIST_PATH, body)).status).toBe(422);
  });

  test('five concurrent calls with the same address create one subscriber', async () => {
    const owner = await server.owner();
    const responses = await Promise.all(
      Array.from({ length: 5 }, () => owner.post(LIST_PATH, { email: 'once@x.example' })),
    );
    expect(responses.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409]);
    expect((await owner.get(LIST_PATH)).body.meta.total).toBe(1);
  });

  test('reading, changing, exporting and erasing return 404 for a subscriber of another account, a group id or a malformed id', async () => {
    const { owner, city } = await openShop(server);
    const otherShop = await openShop(server);
    for (const id of [otherShop.ada, encodeId('group', 1), 'nonsense']) {
      expect((await owner.get(`${LIST_PATH}/${id}`)).status).toBe(404);
      expect((await owner.get(`${LIST_PATH}/${id}/events`)).status).toBe(404);
      expect((await owner.get(`${LIST_PATH}/${id}/export`)).status).toBe(404);
      expect((await owner.patch(`${LIST_PATH}/${id}/fields/${city}`, { value: 'x' })).status).toBe(
        404,
      );
      expect((await owner.delete(`${LIST_PATH}/${id}/fields/firstname`)).status).toBe(404);
      expect((await owner.post(`${LIST_PATH}/${id}/erase`)).status).toBe(404);
    }
    const { data } = (await otherShop.owner.get(`${LIST_PATH}/${otherShop.ada}`)).body;
    expect(data.firstname).toBe('Ada');
  });

  test('an erased subscriber is not found, and the address is unsubscribed when it is added again', async () => {
    const { owner, ada } = await openShop(server);
    expect((await owner.post(`${LIST_PATH}/${ada}/erase`)).body).toEqual({
      success: true,
      found_in: [],
    });
    expect((await owner.get(`${LIST_PATH}/${ada}`)).status).toBe(404);
    expect((await owner.post(`${LIST_PATH}/${ada}/erase`)).status).toBe(404);
    const response = await owner.post(LIST_PATH, { email: 'ada@x.example' });
    expect(response.body.data.status.email).toBe('unsubscribed');
  });
});

const MESSAGE_ID = 77;
const instantAt = (seconds: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));

/**
 * Creates a shop with a subscriber, Ada, who got a campaign, opened it four times and clicked three
 * times.
 */
async function shopWithHistory() {
  const { owner, ada } = await openShop(server);
  const { accountId } = owner;
  const subscriberId = decodeSubscriberId(ada);
  const recipient = { account_id: accountId, message_id: MESSAGE_ID, lane: 0, ordinal: 1 };
  await server.db
    .insertInto('messages')
    .values({
      account_id: accountId,
      id: MESSAGE_ID,
      kind: 'campaign',
      source_id: 5,
      frozen: JSON.stringify({ source: { subject: 'Hello' } }),
      created_at: clock.now(),
      modified_at: clock.now(),
    })
    .execute();
  await server.db
    .insertInto('recipients')
    .values({ ...recipient, subscriber_id: subscriberId })
    .execute();
  await server.db
    .insertInto('results')
    .values({ ...recipient, state: 'accepted', at: instantAt(0) })
    .execute();
  const events = Array.from({ length: 7 }, (_, i) => ({
    account_id: accountId,
    at: instantAt(i < 5 ? 10 : 20),
    message_id: MESSAGE_ID,
    subscriber_id: subscriberId,
    kind: i % 2 === 0 ? ('open' as const) : ('click' as const),
    sequence: i,
  }));
  await server.db.insertInto('events').values(events).execute();
  return { owner, ada, accountId, subscriberId };
}

describe('the history of a subscriber', () => {
  test('the engagement counts opens and clicks by day', async () => {
    const { owner, ada } = await shopWithHistory();
    clock.freeze(new Date('2026-03-01T12:00:00Z'));
    const engagement = (await owner.get(`${LIST_PATH}/${ada}/engagement`)).body.data;
    clock.freeze(undefined);
    expect(engagement).toMatchObject({ to: '2026-03-01', last_open: null });
    expect(engagement.days).toEqual([{ day: '2026-01-01', opens: 4, clicks: 3 }]);
  });

  test('pages list each event once, newest first, even if events share a time', async () => {
    const { owner, ada } = await shopWithHistory();
    const actions: string[] = [];
    let cursor = '';
    do {
      const { body } = await owner.get(
        `${LIST_PATH}/${ada}/events?limit=2${cursor && `&after=${cursor}`}`,
      );
      actions.push(...body.data.map((row: { action: string }) => row.action));
      cursor = body.meta.next ?? '';
    } while (cursor);
    expect(actions).toEqual([
      'clicked',
      'opened',
      'clicked',
      'clicked',
      'opened',
      'opened',
      'opened',
      'got',
    ]);
  });

  test('a filter by actions accepts three notations and rejects unknown actions', async () => {
    const { owner, ada } = await shopWithHistory();
    const response = await owner.get(`${LIST_PATH}/${ada}/events?actions=sent`);
    expect(response.body).toMatchObject({
      data: [
        {
          action: 'sent',
          message: { kind: 'campaign', subject: 'Hello', campaign: encodeId('campaign', 5) },
        },
      ],
      meta: { next: null },
    });
    for (const actions of [
      'actions=opened,sent',
      'actions=["opened","sent"]',
      'actions=opened&actions=sent',
    ]) {
      expect((await owner.get(`${LIST_PATH}/${ada}/events?${actions}`)).body.data).toHaveLength(5);
    }
    for (const actions of ['nonsense', 'opened,nonsense', '1'])
      expect(
        (await owner.get(`${LIST_PATH}/${ada}/events?actions=${actions}`)).body.errors,
        actions,
      ).toHaveProperty('actions');
  });

  test('an email that bounces after delivery is no longer listed as received', async () => {
    const { owner, ada, accountId, subscriberId } = await shopWithHistory();
    const countReceived = async () =>
      (await owner.get(`${LIST_PATH}/${ada}/events?actions=got`)).body.data.length;
    expect(await countReceived()).toBe(1);
    await server.db
      .insertInto('outcomes')
      .values({
        account_id: accountId,
        message_id: MESSAGE_ID,
        subscriber_id: subscriberId,
        soft_bounced_at: instantAt(30),
        returned_at: instantAt(30),
      })
      .execute();
    expect(await countReceived()).toBe(0);
  });

  test('the export contains the fields and the full history', async () => {
    const { owner, ada } = await shopWithHistory();
    const exportedData = (await owner.get(`${LIST_PATH}/${ada}/export`)).body.data;
    expect(exportedData.subscriber).toMatchObject({ email: 'ada@x.example', firstname: 'Ada' });
    expect(exportedData.history).toHaveLength(8);
  });

  test('a spam complaint is listed even if its message is unknown', async () => {
    const { owner, ada, accountId, subscriberId } = await shopWithHistory();
    const selection = { subscriberIds: [subscriberId] };
    await inTx((tx) => complain(tx, accountId, selection, { channel: 'email' }));
    expect((await owner.get(`${LIST_PATH}/${ada}/events?actions=spam`)).body.data).toMatchObject([
      { action: 'spam', detail: 'complaint', message: null },
    ]);
  });
});
