// Bulk actions over HTTP: which subscribers they change, which they skip, and why. Also an email to
// one subscriber.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { joinedGroup } from '#areas/groups/server/index.ts';
import { bounce, complain, unsubscribe } from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { inTransaction, type Tx } from '#platform/server/database/database.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { proveDomain } from '#testing/worlds/sending-helpers.ts';
import { addSubscriber, listAddresses, buildListQuery, openShop } from '#testing/worlds/shop.ts';

const API = '/client-api/api';
const LIST_PATH = `${API}/subscribers`;
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
const subscriberIdOf = (id: string) => decodeId('subscriber', id) as number;

describe('bulk actions', () => {
  test('unsubscribe selects by conditions or by id, and repeating it has no effect', async () => {
    const { owner, ada } = await openShop(server);
    const response = await owner.post(`${API}/unsubscribes`, {
      conditions: 'firstname,equals,Bob,1,or,and,',
    });
    expect(response.body).toEqual({ success: true, count: 1, skipped: {}, queued: false });
    expect((await owner.post(`${API}/unsubscribes`, { subscribers: [ada] })).body.count).toBe(1);
    expect((await owner.post(`${API}/unsubscribes`, { subscribers: [ada] })).body.count).toBe(0);
    expect(
      await listAddresses(owner, buildListQuery('email_status,is,unsubscribed,1,and,and,')),
    ).toEqual(['ada@x.example', 'bob@x.example']);
    const temail = await owner.post(`${API}/unsubscribes`, {
      subscribers: [ada],
      channel_status: 'TEMAIL',
    });
    expect(temail.body.count).toBe(1);
    expect((await owner.get(`${LIST_PATH}/${ada}`)).body.data.comeback).toMatchObject({
      email: 'free',
      temail: 'free',
    });
  });

  test('reactivate skips subscribers who may not be reactivated and reports the reason', async () => {
    const { owner, ada, bob } = await openShop(server);
    const complaining = await addSubscriber(owner, { email: 'gone@x.example' });
    const { accountId } = owner;
    await owner.post(`${API}/unsubscribes`, { subscribers: [ada] });
    await inTx((tx) =>
      unsubscribe(
        tx,
        accountId,
        { subscriberIds: [subscriberIdOf(bob)] },
        {
          channel: 'email',
          reason: 'one_click',
        },
      ),
    );
    await inTx((tx) =>
      complain(
        tx,
        accountId,
        { subscriberIds: [subscriberIdOf(complaining)] },
        { channel: 'email' },
      ),
    );
    const response = await owner.post(`${API}/subscribers/reactivate`, { all: true });
    expect(response.body).toEqual({
      success: true,
      count: 1,
      skipped: { own_wish: 1, reported: 1, no_address: 1 },
      queued: false,
    });
    const bobs = { subscribers: [bob], consent: 'Asked to come back by mail, 3 May' };
    expect(
      (await owner.post(`${API}/subscribers/reactivate`, { ...bobs, subscribers: [bob, ada] })).body
        .code,
    ).toBe('consent_per_person');
    expect((await owner.post(`${API}/subscribers/reactivate`, bobs)).body.count).toBe(1);
    const { data } = (await owner.get(`${LIST_PATH}/${bob}`)).body;
    expect(data.status.email).toBe('active');
    expect(data.consents[0]).toMatchObject({ kind: 'given', wording: bobs.consent });
  });

  test('reactivate skips subscribers who never subscribed to the channel unless the request confirms consent', async () => {
    const { owner, ada } = await openShop(server);
    const subscriberWithBoth = await addSubscriber(owner, {
      email: 'both@x.example',
      phone: '+37061234599',
    });
    const smsByAddress = { channel: 'sms', conditions: 'email,equals,both%40x.example,1,or,and,' };
    const response = await owner.post(`${LIST_PATH}/reactivate`, smsByAddress);
    expect([response.body.count, response.body.skipped]).toEqual([0, { no_consent: 1 }]);
    expect((await owner.get(`${LIST_PATH}/${subscriberWithBoth}`)).body.data.comeback.sms).toBe(
      'consent',
    );
    const consent = 'Ticked the box for texts at the fair';
    const smsSelection = { subscribers: [subscriberWithBoth], channel: 'sms', consent };
    expect((await owner.post(`${LIST_PATH}/reactivate`, smsSelection)).body.count).toBe(1);
    const { data } = (await owner.get(`${LIST_PATH}/${subscriberWithBoth}`)).body;
    expect([data.status.sms, data.consents[0].wording]).toEqual(['active', consent]);
    expect((await owner.get(`${LIST_PATH}/${ada}`)).body.data.status.sms).toBe('non-subscribed');
  });

  test.each([
    ['no selection', {}],
    ['an empty filter', { conditions: '' }],
    ['no conditions', { conditions: [] }],
    ['only malformed conditions', { conditions: 'nonsense__next__more' }],
    ['one malformed condition', { conditions: 'email,ends,x.example,1,and,and,__next__nonsense' }],
    ['a missing campaign', { conditions: 'open,specific,aaaaaaaa,1,and,and,' }],
    ['a missing group', { conditions: 'tag,not-have,aaaaaaaa,1,and,and,' }],
    ['a bad escape', { conditions: 'email,equals,%E0%A4%A,1,and,and,' }],
    [
      'a range with one end',
      { conditions: [{ type: 'created', operator: 'between', operand: '2020-01-01' }] },
    ],
    ['an unknown id', { subscribers: ['nonsense'] }],
    ['no ids', { subscribers: [] }],
    ['an unknown field', { conditions: 'email,ends,x,1,and,and,', force: true }],
    ['a value of `all` other than true', { all: false }],
  ])('%s is refused and changes no subscribers', async (_, body) => {
    const { owner, group } = await openShop(server);
    expect((await owner.delete(LIST_PATH, body)).status).toBe(422);
    expect((await owner.post(`${API}/unsubscribes`, body)).status).toBe(422);
    expect((await owner.post(`${LIST_PATH}/reactivate`, body)).status).toBe(422);
    expect((await owner.post(`${LIST_PATH}/groups/${group}`, body)).status).toBe(422);
    expect((await owner.delete(`${LIST_PATH}/groups/${group}`, { data: body })).status).toBe(422);
    expect((await owner.get(LIST_PATH)).body.meta.total).toBe(3);
    expect((await owner.get(`${API}/tags/${group}`)).body.data.recipient_count).toBe(1);
    expect(
      await listAddresses(owner, buildListQuery('email_status,is,active,1,and,and,')),
    ).toHaveLength(2);
  });

  test('delete by conditions keeps all other subscribers and updates the counts', async () => {
    const { owner, group, bob } = await openShop(server);
    const response = await owner.delete(LIST_PATH, {
      conditions: [
        {
          type: 'tag',
          operator: 'have',
          operand: group,
          group: 1,
          outside_concat: 'or',
          inside_concat: 'or',
        },
      ],
    });
    expect(response.body).toEqual({ success: true, count: 1, skipped: {}, queued: false });
    expect(await listAddresses(owner, 'order=title&direction=asc')).toEqual([
      'bob@x.example',
      '+37061234567',
    ]);
    const responses = await Promise.all(
      [1, 2].map(() => owner.delete(LIST_PATH, { subscribers: [bob] })),
    );
    expect(responses.map((response) => response.body.count).sort()).toEqual([0, 1]);
    expect((await owner.get(`${API}/users`)).body.data.account.subscriber_count).toBe(1);
    expect((await owner.get(`${API}/tags/${group}`)).body.data.recipient_count).toBe(0);
  });

  test('a selection is accepted at the top level or in `data`, and a group join has the origin `bulk` unless the request starts workflows', async () => {
    const { owner, group, ada, bob } = await openShop(server);
    const events: string[] = [];
    const stop = joinedGroup.on(async (_, event) => void events.push(event.origin));
    const url = `${LIST_PATH}/groups/${group}`;
    expect(
      (
        await owner.post(url, {
          data: { conditions: 'email,ends,x.example,1,or,and,', trigger_automation: false },
        })
      ).body.count,
    ).toBe(1);
    expect((await owner.delete(url, { subscribers: [ada, bob] })).body.count).toBe(2);
    expect(
      (await owner.post(url, { subscribers: [bob], trigger_automation: true })).body.count,
    ).toBe(1);
    expect((await owner.post(url, { search: 'lovelace' })).body.count).toBe(1);
    stop();
    expect(events).toEqual(['bulk', 'api', 'bulk']);
    expect((await owner.get(`${API}/tags/${group}`)).body.data.recipient_count).toBe(2);
  });

  test('subscribers and groups of another account do not change', async () => {
    const { owner, group, ada } = await openShop(server);
    const otherShop = await openShop(server);
    expect(
      (await owner.post(`${LIST_PATH}/groups/${otherShop.group}`, { subscribers: [ada] })).status,
    ).toBe(404);
    expect(
      (await owner.delete(`${LIST_PATH}/groups/${otherShop.group}`, { all: true })).status,
    ).toBe(404);
    for (const action of [
      owner.delete(LIST_PATH, { subscribers: [otherShop.ada] }),
      owner.post(`${API}/unsubscribes`, { subscribers: [otherShop.ada] }),
      owner.post(`${LIST_PATH}/groups/${group}`, { subscribers: [otherShop.ada] }),
    ]) {
      expect((await action).body.count).toBe(0);
    }
    const { data } = (await otherShop.owner.get(`${LIST_PATH}/${otherShop.ada}`)).body;
    expect(data).toMatchObject({
      status: { email: 'active' },
      subscriber_tags: [{ title: 'VIP' }],
    });
  });

  test('the owner can reactivate a bounced subscriber', async () => {
    const { owner, ada } = await openShop(server);
    await inTx((tx) =>
      bounce(tx, owner.accountId, { subscriberIds: [subscriberIdOf(ada)] }, { channel: 'email' }),
    );
    const response = await owner.post(`${LIST_PATH}/reactivate`, {
      subscribers: [ada],
      channel: 'email',
    });
    expect(response.body.count).toBe(1);
    expect((await owner.get(`${LIST_PATH}/${ada}`)).body.data.status).toMatchObject({
      email: 'active',
      temail: 'bounced',
    });
  });

  test('undoing an unsubscribe restores each status, unless the subscriber has unsubscribed since', async () => {
    const { owner, ada, bob } = await openShop(server);
    const { accountId } = owner;
    const phoneSubscriber = await addSubscriber(owner, { phone: '+37061234588' });
    const suppressedId = await addSubscriber(owner, { email: 'own@x.example' });
    const subscribers = [ada, bob, phoneSubscriber, suppressedId];
    await inTx((tx) =>
      bounce(tx, accountId, { subscriberIds: [subscriberIdOf(ada)] }, { channel: 'email' }),
    );
    const asBefore = await Promise.all(subscribers.map((id) => owner.get(`${LIST_PATH}/${id}`)));
    const emailSuppressions = (await owner.get(`${API}/suppressions?channel=email`)).body.data;
    expect((await owner.post(`${API}/unsubscribes`, { subscribers })).body.count).toBe(4);
    await inTx((tx) =>
      unsubscribe(
        tx,
        accountId,
        { subscriberIds: [subscriberIdOf(suppressedId)] },
        { channel: 'email', reason: 'one_click' },
      ),
    );
    const undone = await owner.post(`${API}/unsubscribes/undo`, { subscribers });
    expect(undone.body).toEqual({
      success: true,
      count: 3,
      skipped: { own_wish: 1 },
      queued: false,
    });
    for (const [i, id] of [ada, bob, phoneSubscriber].entries()) {
      const { data } = (await owner.get(`${LIST_PATH}/${id}`)).body;
      const unchanged = asBefore[i]?.body.data;
      expect(data).toMatchObject({
        status: unchanged.status,
        unsubscribed_at: unchanged.unsubscribed_at,
        bounced_at: unchanged.bounced_at,
        comeback: unchanged.comeback,
      });
    }
    const suppressions = (await owner.get(`${API}/suppressions?channel=email`)).body.data;
    expect(suppressions).toHaveLength(2);
    expect(suppressions).toContainEqual(emailSuppressions[0]);
    expect((await owner.get(`${LIST_PATH}/${suppressedId}`)).body.data.status.email).toBe(
      'unsubscribed',
    );
    const bounces = (await owner.get(`${LIST_PATH}/${ada}/events?actions=bounced`)).body.data;
    expect(bounces).toHaveLength(1);
    const response = await owner.post(`${API}/unsubscribes/undo`, { subscribers });
    expect(response.body).toMatchObject({ count: 0, skipped: { own_wish: 1 } });
  });

  test('an undo does not reactivate a subscriber after the address was removed', async () => {
    const { owner, ada } = await openShop(server);
    const url = `${LIST_PATH}/${ada}`;
    await owner.post(`${API}/unsubscribes`, { subscribers: [ada] });
    for (const [field, value] of Object.entries({ phone: '+37061234577', email: '' }))
      expect((await owner.patch(`${url}/fields/${field}`, { value })).status).toBe(200);
    const undone = await owner.post(`${API}/unsubscribes/undo`, { subscribers: [ada] });
    expect(undone.body).toMatchObject({ count: 0, skipped: { no_address: 1 } });
    expect((await owner.get(url)).body.data.status.email).toBe('unsubscribed');
  });

  test('an undo does not affect subscribers of another account', async () => {
    const { ada, owner } = await openShop(server);
    const otherShop = await openShop(server);
    await owner.post(`${API}/unsubscribes`, { subscribers: [ada] });
    const undone = await otherShop.owner.post(`${API}/unsubscribes/undo`, { subscribers: [ada] });
    expect(undone.body.count).toBe(0);
    expect((await owner.get(`${LIST_PATH}/${ada}`)).body.data.status.email).toBe('unsubscribed');
  });
});

describe('setting a field for many subscribers', () => {
  const setField = `${LIST_PATH}/set_field`;

  test('changes the selected subscribers and counts only changes; null removes the value', async () => {
    const { owner, ada, bob, city, visits } = await openShop(server);
    const setFieldTo = async (body: object) => (await owner.post(setField, body)).body;
    const changedResponse = (count: number) => ({
      success: true,
      count,
      skipped: {},
      queued: false,
    });
    expect(await setFieldTo({ subscribers: [ada, bob], field: city, value: 'Oslo' })).toEqual(
      changedResponse(1),
    );
    expect(await setFieldTo({ all: true, field: visits, value: '7' })).toEqual(changedResponse(3));
    const values = (await owner.get(`${LIST_PATH}/${bob}`)).body.data.columns;
    expect(values.map(({ value }: { value: unknown }) => value)).toEqual(['Oslo', 7]);
    expect(await setFieldTo({ all: true, field: city, value: null })).toEqual(changedResponse(2));
    expect((await owner.get(`${LIST_PATH}/${bob}`)).body.data.columns).toHaveLength(1);
  });

  test('refuses a value of another type, an unknown field and an empty selection', async () => {
    const { owner, ada, visits } = await openShop(server);
    const response = await owner.post(setField, { all: true, field: visits, value: 'many' });
    expect(response.status).toBe(422);
    expect(response.body.errors.value).toHaveLength(1);
    const columnsBefore = (await owner.get(`${LIST_PATH}/${ada}`)).body.data.columns;
    const otherField = (await openShop(server)).visits;
    expect((await owner.post(setField, { all: true, field: otherField, value: 1 })).status).toBe(
      404,
    );
    expect((await owner.post(setField, { field: visits, value: 1 })).status).toBe(422);
    expect((await owner.get(`${LIST_PATH}/${ada}`)).body.data.columns).toEqual(columnsBefore);
  });
});

test('an email to one subscriber becomes one single send, and is refused if the subscriber has no address or has opted out', async () => {
  const { owner, ada, phone } = await openShop(server);
  const send = (id: string, change: object = {}) =>
    owner.post(`${LIST_PATH}/${id}/email`, {
      ...{ from_email: 'news@tea.example', subject: 'Hello', text: 'Dear Ada' },
      ...change,
    });
  await proveDomain(server.db, owner.accountId);
  expect((await send(phone)).body.code).toBe('no_address');
  expect((await send(ada, { subject: '' })).status).toBe(422);
  const outsider = (await openShop(server)).owner;
  const otherEmail = { from_email: 'news@tea.example', subject: 'Hello', text: 'Dear Ada' };
  expect((await outsider.post(`${LIST_PATH}/${ada}/email`, otherEmail)).status).toBe(404);
  expect((await send(ada)).body).toEqual({ success: true });
  // The account's other single sends are system emails to its owner.
  const { rows } = await sql`select recipient from single_sends
    where account_id = ${owner.accountId} and recipient like '%@x.example'`.execute(server.db);
  expect(rows).toEqual([{ recipient: 'ada@x.example' }]);
  // Braces in the text are accepted, and an opt-out from marketing or transactional email is
  // respected.
  expect((await send(ada, { text: 'Use {{code}}' })).body).toEqual({ success: true });
  for (const channel of ['EMAIL', 'TEMAIL']) {
    const subscriberId = await addSubscriber(owner, {
      email: `${channel.toLowerCase()}@x.example`,
    });
    expect((await send(subscriberId)).status).toBe(200);
    const selection = { subscribers: [subscriberId], channel_status: channel };
    expect((await owner.post(`${API}/unsubscribes`, selection)).body.count).toBe(1);
    expect((await send(subscriberId)).body.code).toBe('email_unwanted');
  }
});
