// Batches of customers that stores report: new customers are created together, and blank names are
// filled.
import { beforeAll, expect, test } from 'vitest';
import { inTransaction } from '#platform/server/database/database.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { subscribersUpdated } from './events.ts';
import { createSubscriber, readSubscribers } from './people.ts';
import { suppress } from './suppression.ts';
import { addStoreSubscribers, fillNames } from './store-customers.ts';

let server: TestServer;
const creation = { source: 'store', cause: { origin: 'bulk' } } as const;

beforeAll(async () => {
  server = await testServer();
});

const customer = (name: string, overrides: object = {}) => ({
  ...{ email: `${name}@Tea.example`, emailKey: `${name}@tea.example`, phone: null },
  ...{ firstname: name, lastname: ' ' },
  statuses: { email: 'non-subscribed', sms: 'non-subscribed' } as const,
  ...overrides,
});

test('new customers are created in one batch, except known or suppressed customers', async () => {
  const { accountId } = await server.owner();
  const rows = await inTransaction(server.db, async (tx) => {
    await createSubscriber(tx, accountId, { email: 'here@tea.example', source: 'manual' });
    await createSubscriber(tx, accountId, { phone: '+4791234567', source: 'manual' });
    await suppress(tx, accountId, ['left@tea.example'], {
      channel: 'email',
      reason: 'unsubscribed',
    });
    return addStoreSubscribers(
      tx,
      accountId,
      [
        customer('bo', { phone: '+4798765432', statuses: { email: 'active' } }),
        customer('ada'),
        customer('here'),
        customer('left'),
        customer('number', { phone: '+4791234567' }),
      ],
      creation,
    );
  });
  expect(rows.map((row) => row.email_key)).toEqual(['ada@tea.example', 'bo@tea.example']);
  const ids = rows.map((row) => row.id);
  const subscribers = await readSubscribers(server.db, accountId, ids);
  const [ada, bo] = ids.map((id) => subscribers.find((row) => row.id === id));
  expect(ada).toMatchObject({
    ...{ email: 'ada@Tea.example', firstname: 'ada', lastname: null, source: 'store' },
    ...{ email_status: 'non-subscribed', temail_status: 'active', sms_status: 'non-subscribed' },
  });
  expect(bo).toMatchObject({ phone: '+4798765432', email_status: 'active', tsms_status: 'active' });
  const { subscriber_count: count } = await server.db
    .selectFrom('accounts')
    .select('subscriber_count')
    .where('id', '=', accountId)
    .executeTakeFirstOrThrow();
  expect(count).toBe(4);
});

test('a store’s customer name fills only a blank name, and only changes are published', async () => {
  const { accountId } = await server.owner();
  const received: number[] = [];
  const stopListening = subscribersUpdated.on(
    async (_, payload) => void received.push(...payload.subscriberIds),
  );
  const filled = await inTransaction(server.db, async (tx) => {
    const { id: blank } = await createSubscriber(tx, accountId, {
      email: 'blank@tea.example',
      source: 'manual',
    });
    const { id: namedId } = await createSubscriber(tx, accountId, {
      ...{ email: 'named@tea.example', firstname: 'Åse', lastname: 'Lund', source: 'manual' },
    });
    const names = [blank, namedId].map((id) => ({ id, firstname: 'Shop', lastname: null }));
    await fillNames(tx, accountId, names, creation.cause);
    await fillNames(tx, accountId, names, creation.cause);
    expect(received).toEqual([blank]);
    return readSubscribers(tx, accountId, [blank, namedId]);
  });
  stopListening();
  expect(filled.map((row) => [row.firstname, row.lastname]).sort()).toEqual([
    ['Shop', null],
    ['Åse', 'Lund'],
  ]);
});
