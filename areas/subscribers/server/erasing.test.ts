// Deleting and erasing: the remaining data, and its retention.
import { describe, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { setUpPeople } from '#testing/worlds/people.ts';
import { subscribersErased, subscribersPurged } from './events.ts';
import {
  deleteSubscribers,
  eraseSubscribers,
  findSubscriber,
  listStatusChanges,
  reactivate,
  unsubscribe,
} from './index.ts';
import { purgeJob } from './remove.ts';

const { server, accountId, otherAccount, inTx, add } = await setUpPeople();

describe('erasing', () => {
  test('an erasure leaves only a hash, and the erased address cannot be reactivated', async () => {
    const row = await add({ email: 'me@x.example', firstname: 'Me', fieldValues: { 3: 'x' } });
    const subscribers = { subscriberIds: [row.id] };
    expect(await inTx((tx) => eraseSubscribers(tx, accountId, subscribers))).toEqual([row.id]);
    const storedRow = await server.db
      .selectFrom('subscribers')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', row.id)
      .executeTakeFirstOrThrow();
    expect(storedRow).toMatchObject({
      email: null,
      email_key: null,
      firstname: null,
      field_values: {},
    });
    expect(await findSubscriber(server.db, accountId, { email: 'me@x.example' })).toBeUndefined();
    const readded = await add({ email: 'me@x.example' });
    expect(readded.email_status).toBe('unsubscribed');
    const { skipped } = await inTx((tx) =>
      reactivate(
        tx,
        accountId,
        { subscriberIds: [readded.id] },
        {
          channel: 'email',
          consent: { source: 'owner', wording: 'x' },
        },
      ),
    );
    expect(skipped).toEqual([{ id: readded.id, reason: 'erased' }]);
  });

  test('an erasure does not suppress an address that now belongs to another subscriber', async () => {
    const phone = '+4791234567';
    const before = await add({ email: 'anna@x.example', phone });
    await inTx((tx) => deleteSubscribers(tx, accountId, { subscriberIds: [before.id] }));
    const anna = await add({ email: 'anna@x.example' });
    const bert = await add({ email: 'bert@x.example', phone });
    let addresses: string[] = [];
    const stop = subscribersErased.on(async (_, payload) => {
      addresses = payload.addresses;
    });
    await inTx((tx) => eraseSubscribers(tx, accountId, { subscriberIds: [bert.id] }));
    stop();
    expect(addresses).toEqual(['bert@x.example', phone, phone]);
    expect(await findSubscriber(server.db, accountId, { email: 'anna@x.example' })).toMatchObject({
      id: anna.id,
      email_status: 'active',
    });
    await inTx((tx) => deleteSubscribers(tx, accountId, { subscriberIds: [anna.id] }));
    expect(await add({ email: 'anna@x.example' })).toMatchObject({ email_status: 'active' });
    expect(await add({ email: 'bert@x.example' })).toMatchObject({ email_status: 'unsubscribed' });
  });

  test('deleted subscribers are purged with their history after the retention period', async () => {
    const row = await add();
    const subscribers = { subscriberIds: [row.id] };
    await inTx((tx) =>
      unsubscribe(tx, accountId, subscribers, { channel: 'email', reason: 'owner' }),
    );
    await inTx((tx) => deleteSubscribers(tx, accountId, subscribers));
    const rows = () =>
      server.db
        .selectFrom('subscribers')
        .select('id')
        .where('account_id', '=', accountId)
        .where('id', '=', row.id)
        .execute();
    const purge = () =>
      purgeJob.run({ after: 0 }, { db: server.db, signal: new AbortController().signal });
    await purge();
    expect(await rows()).toHaveLength(1);
    clock.advance(31 * 86_400_000);
    await purge();
    clock.reset();
    expect(await rows()).toHaveLength(0);
    expect(await listStatusChanges(server.db, accountId, row.id)).toEqual([]);
  });

  test('an error in one account does not stop the purge of other accounts', async () => {
    const rows = [await add(), await add({}, otherAccount)];
    for (const { id, account_id } of rows)
      await inTx((tx) => deleteSubscribers(tx, account_id, { subscriberIds: [id] }));
    clock.advance(31 * 86_400_000);
    const stop = subscribersPurged.on(async (_, payload) => {
      if (payload.accountId === accountId) throw new Error('lock not available');
    });
    await purgeJob.run({ after: 0 }, { db: server.db, signal: new AbortController().signal });
    stop();
    clock.reset();
    const remaining = await server.db
      .selectFrom('subscribers')
      .select('id')
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      )
      .execute();
    expect(remaining).toEqual([{ id: rows[0]?.id }]);
  });
});
