// The preference page: choices take effect for the subscriber of the link only.
import { beforeAll, describe, expect, test } from 'vitest';
import { addToGroups, findGroupsOfSubscribers } from '#areas/groups/server/index.ts';
import {
  complain,
  listConsents,
  createSubscriber,
  listStatusChanges,
  readSubscriber,
} from '#areas/subscribers/server/index.ts';
import { decodeId } from '#platform/ids.ts';
import { DIRECTION, LANGUAGES } from '#platform/languages.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { messageSender } from './events.ts';
import { getInstallationTokens, readEngagement } from './index.ts';

let server: TestServer;
let owner: TestOwner;
let accountId: number;
let tea: string;
let coffee: string;
let hidden: string;

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  accountId = owner.accountId;
  const group = async (title: string, is_public: boolean): Promise<string> => {
    const { body } = await owner.post('/client-api/api/tags', { title });
    await owner.patch(`/client-api/api/tags/${body.data.id}`, { is_public });
    return body.data.id;
  };
  tea = await group('Tea <news>', true);
  coffee = await group('Coffee', true);
  hidden = await group('Customers who complain', false);
});

let subscriberCount = 0;
const addSubscriber = (fields: object = {}) =>
  inTransaction(server.db, (tx) =>
    createSubscriber(tx, accountId, {
      email: `secret${++subscriberCount}@mail.example`,
      source: 'manual',
      ...fields,
    }),
  );
const pathOf = (subscriber: number, account = accountId) =>
  `/u/${getInstallationTokens().make({ account, message: 4242, subscriber, ordinal: 1 })}/preferences`;
const get = (url: string) => server.client().get(url);
const save = (url: string, choice: [string, string][]) =>
  server.client().send({
    method: 'POST',
    url,
    payload: new URLSearchParams(choice).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'x-sendloom': '' },
  });
const groupsOf = async (id: number) => {
  const byPerson = await findGroupsOfSubscribers(server.db, accountId, [id]);
  return [...byPerson].map((row) => row.title).sort();
};

describe('the preference page', () => {
  test('the preference page shows only public groups and no full address', async () => {
    const { id } = await addSubscriber();
    const page = await get(pathOf(id));
    expect(page.status).toBe(200);
    expect(page.text).toContain('Tea &lt;news&gt;');
    expect(page.text).not.toContain('complain');
    expect(page.text).not.toContain(`secret${subscriberCount}`);
    expect(page.text).toContain('s•••@mail.example');
    expect(page.text).not.toMatch(/<script|https?:\/\/(?!www\.w3)/);
    expect((await readSubscriber(server.db, accountId, id)).email_status).toBe('active');
  });

  test('a subscriber joins checked groups, leaves unchecked groups and stays in hidden groups', async () => {
    const { id } = await addSubscriber();
    const groupIds = [coffee, hidden].map((id) => decodeId('group', id) as number);
    await inTransaction(server.db, (tx) =>
      addToGroups(tx, accountId, { groupIds, subscriberIds: [id], origin: 'bulk' as const }),
    );
    const page = await save(pathOf(id), [
      ['channel', 'email'],
      ['group', tea],
      ['group', hidden],
      ['group', 'nonsense'],
    ]);
    expect(page.text).toContain('Your choice is saved');
    expect(await groupsOf(id)).toEqual(['Customers who complain', 'Tea <news>']);
  });

  test('turning a channel off unsubscribes it, and turning it on records a consent with the displayed text', async () => {
    const { id } = await addSubscriber({ phone: '+37061234567', statuses: { sms: 'active' } });
    const otherPerson = await addSubscriber({ phone: '+37061234568', statuses: { sms: 'active' } });
    const engagement = (await readEngagement(server.db, accountId, [4242])).get(4242);
    await save(pathOf(otherPerson.id), [['channel', 'email']]);
    await save(pathOf(id), [['channel', 'sms']]);
    expect(await readSubscriber(server.db, accountId, id)).toMatchObject({
      email_status: 'unsubscribed',
      sms_status: 'active',
    });
    expect((await listStatusChanges(server.db, accountId, id))[0]?.reason).toBe('preferences');
    await save(pathOf(id), [['channel', 'email']]);
    expect(await readSubscriber(server.db, accountId, id)).toMatchObject({
      email_status: 'active',
      sms_status: 'unsubscribed',
    });
    // An SMS opt-out does not count as an unsubscribe through the email.
    const counts = (await readEngagement(server.db, accountId, [4242])).get(4242);
    expect((counts?.unsubscribes ?? 0) - (engagement?.unsubscribes ?? 0)).toBe(1);
    const consent = (await listConsents(server.db, accountId, id)).find(
      (consent) => consent.kind === 'given',
    );
    expect(consent).toMatchObject({
      channel: 'email',
      source: 'preference_page',
      wording: 'Yes, send me news by email',
    });
  });

  test('a subscriber who reported spam cannot resubscribe', async () => {
    const { id } = await addSubscriber();
    await inTransaction(server.db, (tx) =>
      complain(tx, accountId, { subscriberIds: [id] }, { channel: 'email' }),
    );
    const page = await save(pathOf(id), [['channel', 'email']]);
    expect(page.text).toContain('reported these emails');
    const resubscription = await save(pathOf(id).replace(/preferences$/, 'resubscribe'), []);
    expect(resubscription.text).toContain('can no longer send its news to this address');
    expect((await readSubscriber(server.db, accountId, id)).email_status).toBe('reported');
  });

  test('a pause lasts thirty days and can be ended', async () => {
    const { id } = await addSubscriber();
    const emailChoice: [string, string] = ['channel', 'email'];
    await save(pathOf(id), [emailChoice, ['pause', 'yes']]);
    const { paused_until: until } = await readSubscriber(server.db, accountId, id);
    expect((until as Date).getTime() - clock.now().getTime()).toBeGreaterThan(29.9 * 86_400_000);
    expect((await get(pathOf(id))).text).toContain('until');
    await save(pathOf(id), [emailChoice, ['pause', 'yes']]);
    expect((await readSubscriber(server.db, accountId, id)).paused_until).toEqual(until);
    await save(pathOf(id), [emailChoice]);
    expect((await readSubscriber(server.db, accountId, id)).paused_until).toBeNull();
  });

  test('a token of another account changes nothing, and a forged token gets 404', async () => {
    const { id } = await addSubscriber();
    const { accountId: other } = await server.owner();
    await save(pathOf(id, other), []);
    expect((await readSubscriber(server.db, accountId, id)).email_status).toBe('active');
    expect((await get(`/u/${'A'.repeat(40)}/preferences`)).status).toBe(404);
  });

  test.each(LANGUAGES)(
    'the preference page is complete in %s, in the direction of the language',
    async (language) => {
      const stop = messageSender.handle(async () => [{ language, name: 'Shop' }]);
      const { id } = await addSubscriber();
      await save(pathOf(id), [
        ['channel', 'email'],
        ['pause', 'yes'],
      ]);
      const { text } = await get(pathOf(id));
      stop();
      expect(text).toContain(`dir="${DIRECTION[language]}"`);
      expect(text).not.toMatch(/preferences\.|{{/);
    },
  );
});
