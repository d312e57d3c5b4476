// Creating subscribers and changing their addresses: the resulting statuses, on a real database.
import { describe, expect, test } from 'vitest';
import { readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { lockWaiters } from '#testing/setup/lock-waiters.ts';
import { setUpPeople } from '#testing/worlds/people.ts';
import { MAILBOXES } from '../shared.ts';
import {
  bounce,
  complain,
  deleteSubscribers,
  listStatusChanges,
  reactivate,
  suppress,
  unsubscribe,
  updateSubscriber,
  upsertSubscriber,
} from './index.ts';

const { server, accountId, otherAccount, inTx, add, read } = await setUpPeople();
const count = async () => (await readAccount(server.db, accountId)).subscriber_count;

describe('addresses', () => {
  test('a new subscriber is active for email, but a phone number alone is not SMS consent', async () => {
    const row = await add({ email: 'Ada@GMail.com', phone: '+370 612 34567' });
    expect(row).toMatchObject({
      email: 'Ada@gmail.com',
      email_key: 'ada@gmail.com',
      phone: '+37061234567',
      mailbox: MAILBOXES.gmail,
      email_status: 'active',
      temail_status: 'active',
      sms_status: 'non-subscribed',
      tsms_status: 'active',
    });
  });

  test('an address exists once per account, even if it is added five times concurrently', async () => {
    const before = await count();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => add({ email: 'Once@x.example' })),
    );
    expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1);
    for (const result of results) {
      if (result.status === 'rejected')
        expect(result.reason).toMatchObject({ code: 'email_taken' });
    }
    expect((await count()) - before).toBe(1);
    await expect(add({ phone: '+37061234567' })).rejects.toMatchObject({ code: 'phone_taken' });
    await expect(add({ email: 'nobody' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(add({ email: undefined })).rejects.toMatchObject({ code: 'invalid' });
    expect((await add({ email: 'once@x.example' }, otherAccount)).account_id).toBe(otherAccount);
  });

  test('concurrent edits cannot assign one address to two subscribers', async () => {
    const [first, second, phoned] = [
      await add(),
      await add(),
      await add({ email: undefined, phone: '+37061234621' }),
    ];
    const waits = async () => (await lockWaiters(server.db)).length;
    /** @returns the result of `work`, which waits for another transaction's change of an address */
    const whileLocked = async <T>(id: number, email: string, work: () => Promise<T>) => {
      let results: Promise<PromiseSettledResult<T>[]> | undefined;
      await inTx(async (tx) => {
        await updateSubscriber(tx, accountId, id, { email });
        results = Promise.allSettled([work()]);
        await expect.poll(waits).toBe(1);
      });
      return (await results)?.[0];
    };
    const edited = await whileLocked(first.id, 'wanted@x.example', () =>
      inTx((tx) => updateSubscriber(tx, accountId, second.id, { email: 'wanted@x.example' })),
    );
    expect(edited).toMatchObject({ status: 'rejected', reason: { code: 'email_taken' } });
    expect((await read(second.id)).email).toBe(second.email);
    // The upsert changes the subscriber who now has the email address; the number stays with its
    // owner.
    const input = {
      email: 'wanted2@x.example',
      phone: '+37061234621',
      firstname: 'Up',
      fieldValues: { 7: 'a' },
    };
    const upserted = await whileLocked(first.id, input.email, () =>
      inTx((tx) => upsertSubscriber(tx, accountId, { ...input, source: 'api' })),
    );
    expect(upserted).toMatchObject({
      status: 'fulfilled',
      value: { isNew: false, row: { id: first.id, firstname: 'Up', phone: null } },
    });
    expect(await read(phoned.id)).toMatchObject({ email: null, field_values: {} });
  });

  test('concurrent upserts create one subscriber, and an upsert changes the given values and keeps the rest', async () => {
    const input = { email: 'up@x.example', source: 'api' };
    const results = await Promise.all(
      Array.from({ length: 4 }, () => inTx((tx) => upsertSubscriber(tx, accountId, input))),
    );
    expect(new Set(results.map((result) => result.row.id)).size).toBe(1);
    expect(results.filter((result) => result.isNew)).toHaveLength(1);
    await inTx((tx) =>
      upsertSubscriber(tx, accountId, { ...input, firstname: 'Up', fieldValues: { 7: 'a', 8: 1 } }),
    );
    const { row } = await inTx((tx) =>
      upsertSubscriber(tx, accountId, {
        ...input,
        lastname: 'Sert',
        fieldValues: { 7: null, 9: 2 },
      }),
    );
    expect(row).toMatchObject({ firstname: 'Up', lastname: 'Sert', field_values: { 8: 1, 9: 2 } });
  });

  test("an upsert never takes another subscriber's phone, and finds subscribers by phone alone", async () => {
    const phoneRow = await add({ email: undefined, phone: '+37061234501' });
    const { row } = await inTx((tx) =>
      upsertSubscriber(tx, accountId, {
        email: 'late@x.example',
        phone: '+37061234501',
        source: 'form',
      }),
    );
    // The email address is added to the subscriber who was known by the number only.
    expect(row).toMatchObject({ id: phoneRow.id, email: 'late@x.example', email_status: 'active' });
    const { row: other } = await inTx((tx) =>
      upsertSubscriber(tx, accountId, {
        email: 'another@x.example',
        phone: '+37061234501',
        source: 'form',
      }),
    );
    expect(other).toMatchObject({ email: 'another@x.example', phone: null });
  });

  test('a new address resets a bounced status, and another subscriber’s address is refused', async () => {
    const row = await add();
    const added = await add({ email: 'here@x.example' });
    await inTx((tx) => bounce(tx, accountId, { subscriberIds: [row.id] }, { channel: 'email' }));
    const update = (email: string | null) =>
      inTx((tx) => updateSubscriber(tx, accountId, row.id, { email }));
    await expect(update('HERE@x.example')).rejects.toMatchObject({ code: 'email_taken' });
    await expect(update(null)).rejects.toMatchObject({ code: 'invalid' });
    expect(await update('fresh@x.example')).toMatchObject({
      email_status: 'active',
      temail_status: 'active',
      bounced_at: null,
    });
    expect((await read(added.id)).email).toBe('here@x.example');
  });

  test('a status change caused by a new address is recorded in the history with its reason', async () => {
    const row = await add();
    await inTx((tx) => bounce(tx, accountId, { subscriberIds: [row.id] }, { channel: 'email' }));
    clock.advance(1000);
    await inTx((tx) => updateSubscriber(tx, accountId, row.id, { email: 'mended@x.example' }));
    clock.reset();
    const history = await listStatusChanges(server.db, accountId, row.id);
    const changes = history.map((result) => [
      result.channel,
      result.from_status,
      result.to_status,
      result.reason,
    ]);
    expect(changes.sort()).toEqual([
      ['email', 'active', 'bounced', 'hard_bounce'],
      ['email', 'bounced', 'active', 'address_changed'],
      ['temail', 'active', 'bounced', 'hard_bounce'],
      ['temail', 'bounced', 'active', 'address_changed'],
    ]);
  });

  test('a new address does not subscribe an unconfirmed subscriber', async () => {
    const row = await add({ statuses: { email: 'non-subscribed' } });
    const updated = await inTx((tx) =>
      updateSubscriber(tx, accountId, row.id, { email: 'unconfirmed@x.example' }),
    );
    expect(updated).toMatchObject({ email_status: 'non-subscribed', temail_status: 'active' });
  });

  test('a new address does not subscribe a subscriber without consent, even after a removal, bounce or suppression', async () => {
    const edit = (id: number, email: string | null) => {
      clock.advance(1000);
      return inTx((tx) => updateSubscriber(tx, accountId, id, { email }));
    };
    const neverSubscribed = { statuses: { email: 'non-subscribed' as const } };
    const cleared = await add({ ...neverSubscribed, phone: '+37061234611' });
    expect((await edit(cleared.id, null)).email_status).toBe('non-subscribed');
    expect((await edit(cleared.id, cleared.email)).email_status).toBe('non-subscribed');

    const bounced = await add(neverSubscribed);
    const subscribers = { subscriberIds: [bounced.id] };
    await inTx((tx) => bounce(tx, accountId, subscribers, { channel: 'email' }));
    expect(await edit(bounced.id, 'mended-never@x.example')).toMatchObject({
      email_status: 'non-subscribed',
      temail_status: 'active',
    });

    const keys = ['closed-never@x.example'];
    await inTx((tx) => suppress(tx, accountId, keys, { channel: 'email', reason: 'bounced' }));
    const closed = await add({ ...neverSubscribed, email: keys[0] });
    expect(closed.email_status).toBe('bounced');
    const reactivation = await inTx((tx) =>
      reactivate(tx, accountId, { subscriberIds: [closed.id] }, { channel: 'email' }),
    );
    expect(reactivation.skipped).toEqual([{ id: closed.id, reason: 'no_consent' }]);
    expect((await edit(closed.id, 'opened-never@x.example')).email_status).toBe('non-subscribed');
    clock.reset();
  });

  test('an address that replaces a suppressed first address is active', async () => {
    const keys = ['closed-first@x.example'];
    await inTx((tx) => suppress(tx, accountId, keys, { channel: 'email', reason: 'bounced' }));
    const row = await add({ email: undefined, phone: '+37061234612' });
    for (const [email, status] of [
      ['closed-first@x.example', 'bounced'],
      ['first@x.example', 'active'],
    ] as const) {
      clock.advance(1000);
      const changed = await inTx((tx) => updateSubscriber(tx, accountId, row.id, { email }));
      expect(changed.email_status).toBe(status);
    }
    clock.reset();
  });

  test('a new address after a removal does not resubscribe a subscriber after an unsubscribe or a complaint', async () => {
    for (const [change, status] of [
      [unsubscribe, 'unsubscribed'],
      [complain, 'reported'],
    ] as const) {
      const row = await add({ phone: `+3706123460${status.length % 10}` });
      const subscribers = { subscriberIds: [row.id] };
      await inTx((tx) => change(tx, accountId, subscribers, { channel: 'email', reason: 'link' }));
      const without = await inTx((tx) => updateSubscriber(tx, accountId, row.id, { email: null }));
      expect(without).toMatchObject({ email: null, email_status: status });
      const email = `later-${row.id}@x.example`;
      const readded = await inTx((tx) => updateSubscriber(tx, accountId, row.id, { email }));
      expect(readded).toMatchObject({ email, email_status: status });
    }
  });

  test('a new address does not resubscribe a subscriber after an unsubscribe or a complaint', async () => {
    for (const [change, status] of [
      [unsubscribe, 'unsubscribed'],
      [complain, 'reported'],
    ] as const) {
      const row = await add();
      const subscribers = { subscriberIds: [row.id] };
      await inTx((tx) => change(tx, accountId, subscribers, { channel: 'email', reason: 'link' }));
      const movedRow = await inTx((tx) =>
        updateSubscriber(tx, accountId, row.id, { email: `moved-${row.id}@x.example` }),
      );
      expect(movedRow.email_status).toBe(status);
      expect(movedRow.temail_status).toBe('active');
      const reactivation = await inTx((tx) =>
        reactivate(tx, accountId, subscribers, { channel: 'email' }),
      );
      expect(reactivation.reactivated).toEqual([]);
      await inTx((tx) => deleteSubscribers(tx, accountId, subscribers));
      const readded = await add({ email: `moved-${row.id}@x.example` });
      expect(readded.email_status).toBe(status);
    }
  });
});
