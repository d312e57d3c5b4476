// Statuses, suppression, unsubscribing and reactivating: the rules, on a real database.
import { describe, expect, test } from 'vitest';
import { readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { setUpPeople } from '#testing/worlds/people.ts';
import { MAILBOXES, getMailbox } from '../shared.ts';
import { statusesChanged, subscribersUnsubscribed } from './events.ts';
import {
  bounce,
  complain,
  confirm,
  listConsents,
  deleteSubscribers,
  eraseSubscribers,
  listStatusChanges,
  isSuppressed,
  type SubscriberSet,
  reactivate,
  readSubscriber,
  suppress,
  findSuppressedAmong,
  unsubscribe,
} from './index.ts';

const { server, accountId, otherAccount, inTx, add, read } = await setUpPeople();
const link = { channel: 'email', reason: 'link' } as const;
const count = async () => (await readAccount(server.db, accountId)).subscriber_count;

describe('unsubscribing', () => {
  test('an unsubscribe of several subscribers updates status, history, consent and suppressions, and publishes one event', async () => {
    const received: unknown[] = [];
    const stop = subscribersUnsubscribed.on(async (_, payload) => void received.push(payload));
    const subscribers = [await add(), await add()];
    const ids = subscribers.map((subscriber) => subscriber.id);
    const leave = () =>
      inTx((tx) =>
        unsubscribe(
          tx,
          accountId,
          { subscriberIds: [...ids, 9e9] },
          {
            channel: 'email',
            reason: 'link',
            messageId: 5,
          },
        ),
      );
    expect((await leave()).sort()).toEqual([...ids].sort());
    expect(await leave()).toEqual([]);
    stop();
    expect(received).toEqual([
      {
        accountId,
        subscriberIds: ids,
        channel: 'email',
        reason: 'link',
        messageId: 5,
        origin: 'person',
      },
    ]);
    const row = await read(ids[0] as number);
    expect(row).toMatchObject({ email_status: 'unsubscribed', temail_status: 'active' });
    expect(row.unsubscribed_at).toBeInstanceOf(Date);
    expect(await listStatusChanges(server.db, accountId, row.id)).toMatchObject([
      { channel: 'email', from_status: 'active', to_status: 'unsubscribed', reason: 'link' },
    ]);
    expect((await listConsents(server.db, accountId, row.id))[0]).toMatchObject({
      kind: 'withdrawn',
    });
    expect(await isSuppressed(server.db, accountId, 'email', row.email_key as string)).toBe(true);
    expect(await isSuppressed(server.db, otherAccount, 'email', row.email_key as string)).toBe(
      false,
    );
  });

  test("another account's subscribers do not change", async () => {
    const foreignRow = await add({}, otherAccount);
    const cause = { channel: 'email' as const, reason: 'owner' as const };
    const subscribers = { subscriberIds: [foreignRow.id] };
    expect(await inTx((tx) => unsubscribe(tx, accountId, subscribers, cause))).toEqual([]);
    expect(await inTx((tx) => bounce(tx, accountId, subscribers, cause))).toEqual([]);
    expect(await inTx((tx) => deleteSubscribers(tx, accountId, subscribers))).toEqual([]);
    expect(await inTx((tx) => eraseSubscribers(tx, accountId, subscribers))).toEqual([]);
    expect((await readSubscriber(server.db, otherAccount, foreignRow.id)).email_status).toBe(
      'active',
    );
  });

  test('a hard bounce closes both email channels, a marketing complaint closes one, and a weaker status does not replace a complaint', async () => {
    const [bounced, reported] = [await add(), await add()];
    await inTx((tx) =>
      bounce(tx, accountId, { subscriberIds: [bounced.id] }, { channel: 'email' }),
    );
    await inTx((tx) =>
      complain(tx, accountId, { subscriberIds: [reported.id] }, { channel: 'email' }),
    );
    expect(await read(bounced.id)).toMatchObject({
      email_status: 'bounced',
      temail_status: 'bounced',
    });
    expect(await read(reported.id)).toMatchObject({
      email_status: 'reported',
      temail_status: 'active',
    });
    // Provider events arrive in any order: the stronger status is kept.
    await inTx((tx) =>
      bounce(tx, accountId, { subscriberIds: [reported.id] }, { channel: 'email' }),
    );
    const cause = { channel: 'email' as const, reason: 'link' as const };
    await inTx((tx) => unsubscribe(tx, accountId, { subscriberIds: [reported.id] }, cause));
    expect((await read(reported.id)).email_status).toBe('reported');
    const reasons = await findSuppressedAmong(server.db, accountId, 'email', [
      reported.email_key as string,
    ]);
    expect([...reasons.values()]).toEqual(['reported']);
  });

  test('a double opt-in activates a non-subscribed channel once and records the consent', async () => {
    const row = await add({ statuses: { email: 'non-subscribed' } });
    expect(row.email_status).toBe('non-subscribed');
    const received: unknown[] = [];
    const stop = statusesChanged.on(async (_, payload) => void received.push(payload.to));
    const consent = { channel: 'email' as const, source: 'form', wording: 'Yes, send me letters' };
    const subscribers = { subscriberIds: [row.id] };
    expect(await inTx((tx) => confirm(tx, accountId, subscribers, consent))).toEqual([row.id]);
    expect(await inTx((tx) => confirm(tx, accountId, subscribers, consent))).toEqual([]);
    stop();
    expect(received).toEqual(['active']);
    expect((await listConsents(server.db, accountId, row.id))[0]).toMatchObject({
      kind: 'confirmed',
      wording: 'Yes, send me letters',
    });
  });
});

describe('reactivating', () => {
  test('reactivation reverses bounces and the owner’s unsubscribes, but not complaints or the subscriber’s unsubscribes', async () => {
    const [byOwner, bySelf, reported, bounced] = [
      await add(),
      await add(),
      await add(),
      await add(),
    ];
    const leave = (id: number, reason: 'owner' | 'one_click') =>
      inTx((tx) =>
        unsubscribe(tx, accountId, { subscriberIds: [id] }, { channel: 'email', reason }),
      );
    await leave(byOwner.id, 'owner');
    await leave(bySelf.id, 'one_click');
    await inTx((tx) =>
      complain(tx, accountId, { subscriberIds: [reported.id] }, { channel: 'email' }),
    );
    await inTx((tx) =>
      bounce(tx, accountId, { subscriberIds: [bounced.id] }, { channel: 'email' }),
    );
    const subscriberIds = [byOwner.id, bySelf.id, reported.id, bounced.id];
    const result = await inTx((tx) =>
      reactivate(tx, accountId, { subscriberIds }, { channel: 'email' }),
    );
    expect(result.reactivated.sort()).toEqual([byOwner.id, bounced.id].sort());
    expect(result.skipped).toEqual([
      { id: bySelf.id, reason: 'own_wish' },
      { id: reported.id, reason: 'reported' },
    ]);
    expect(await isSuppressed(server.db, accountId, 'email', byOwner.email_key as string)).toBe(
      false,
    );
    expect((await read(bounced.id)).bounced_at).toBeNull();
  });

  test('a channel that was never subscribed is reactivated only with consent', async () => {
    const actions = [
      (tx: Tx, subscribers: SubscriberSet) =>
        unsubscribe(tx, accountId, subscribers, { channel: 'email', reason: 'owner' }),
      (tx: Tx, subscribers: SubscriberSet) =>
        bounce(tx, accountId, subscribers, { channel: 'email' }),
    ];
    for (const cause of actions) {
      const row = await add({ statuses: { email: 'non-subscribed' } });
      const subscribers = { subscriberIds: [row.id] };
      expect(await inTx((tx) => cause(tx, subscribers))).toEqual([row.id]);
      const reactivation = await inTx((tx) =>
        reactivate(tx, accountId, subscribers, { channel: 'email' }),
      );
      expect(reactivation).toEqual({
        reactivated: [],
        skipped: [{ id: row.id, reason: 'no_consent' }],
      });
      const consent = { source: 'owner', wording: 'asked on the phone' };
      clock.advance(1000);
      const agreed = await inTx((tx) =>
        reactivate(tx, accountId, subscribers, { channel: 'email', consent }),
      );
      expect(agreed.reactivated).toEqual([row.id]);
      clock.advance(1000);
      // The channel has been subscribed now, so its next reactivation needs no consent.
      await inTx((tx) =>
        unsubscribe(tx, accountId, subscribers, { channel: 'email', reason: 'owner' }),
      );
      clock.advance(1000);
      const reactivated = await inTx((tx) =>
        reactivate(tx, accountId, subscribers, { channel: 'email' }),
      );
      expect(reactivated.reactivated).toEqual([row.id]);
      clock.reset();
    }
  });

  test("a subscriber's opt-out after an unsubscribe by the account ends only with recorded consent", async () => {
    const row = await add();
    const subscribers = { subscriberIds: [row.id] };
    const leave = (reason: 'owner' | 'link') =>
      inTx((tx) => unsubscribe(tx, accountId, subscribers, { channel: 'email', reason }));
    await leave('owner');
    clock.advance(10);
    await leave('link');
    const reactivation = (consent?: { source: string; wording: string }) =>
      inTx((tx) => reactivate(tx, accountId, subscribers, { channel: 'email', consent }));
    expect((await reactivation()).skipped).toEqual([{ id: row.id, reason: 'own_wish' }]);
    const consent = { source: 'owner', wording: 'Asked by phone on Monday' };
    expect((await reactivation(consent)).reactivated).toEqual([row.id]);
    expect(await read(row.id)).toMatchObject({ email_status: 'active', unsubscribed_at: null });
    expect((await listConsents(server.db, accountId, row.id))[0]).toMatchObject({
      kind: 'given',
      wording: 'Asked by phone on Monday',
    });
  });

  test('an unsubscribed subscriber who is deleted and created again is still unsubscribed', async () => {
    const row = await add({ email: 'gone@x.example' });
    const subscribers = { subscriberIds: [row.id] };
    await inTx((tx) =>
      unsubscribe(tx, accountId, subscribers, { channel: 'email', reason: 'one_click' }),
    );
    const before = await count();
    expect(await inTx((tx) => deleteSubscribers(tx, accountId, subscribers))).toEqual([row.id]);
    expect(await inTx((tx) => deleteSubscribers(tx, accountId, subscribers))).toEqual([]);
    expect(await count()).toBe(before - 1);
    await expect(read(row.id)).rejects.toMatchObject({ code: 'not_found' });
    const readded = await add({ email: 'gone@x.example' });
    expect(readded).toMatchObject({ email_status: 'unsubscribed', temail_status: 'active' });
  });

  test('an opt-out, complaint or bounce of a deleted subscriber still applies to the address', async () => {
    const actions = [
      [
        'unsubscribed',
        (tx: Tx, subscribers: SubscriberSet) => unsubscribe(tx, accountId, subscribers, link),
      ],
      [
        'reported',
        (tx: Tx, subscribers: SubscriberSet) => complain(tx, accountId, subscribers, link),
      ],
      ['bounced', (tx: Tx, subscribers: SubscriberSet) => bounce(tx, accountId, subscribers, link)],
    ] as const;
    for (const [status, change] of actions) {
      const row = await add();
      const subscribers = { subscriberIds: [row.id] };
      await inTx((tx) => deleteSubscribers(tx, accountId, subscribers));
      expect(await inTx((tx) => change(tx, subscribers))).toEqual([]);
      const email = row.email as string;
      expect(await isSuppressed(server.db, accountId, 'email', email)).toBe(true);
      expect((await add({ email })).email_status).toBe(status);
    }
  });

  test('a deleted subscriber’s opt-out applies to a new subscriber with the same address', async () => {
    const row = await add();
    const subscribers = { subscriberIds: [row.id] };
    await inTx((tx) => deleteSubscribers(tx, accountId, subscribers));
    const readded = await add({ email: row.email as string });
    expect(readded.email_status).toBe('active');
    expect(await inTx((tx) => unsubscribe(tx, accountId, subscribers, link))).toEqual([readded.id]);
    expect((await read(readded.id)).email_status).toBe('unsubscribed');
  });

  test('an unsubscribe by the account does not affect deleted subscribers', async () => {
    const row = await add();
    const subscribers = { subscriberIds: [row.id] };
    await inTx((tx) => deleteSubscribers(tx, accountId, subscribers));
    const cause = { channel: 'email', reason: 'owner' } as const;
    await inTx((tx) => unsubscribe(tx, accountId, subscribers, cause));
    expect((await add({ email: row.email as string })).email_status).toBe('active');
  });

  test('a repeated unsubscribe is recorded once', async () => {
    const row = await add();
    for (let i = 0; i < 3; i++) {
      await inTx((tx) => unsubscribe(tx, accountId, { subscriberIds: [row.id] }, link));
      clock.advance(1000);
    }
    clock.reset();
    const kinds = (await listConsents(server.db, accountId, row.id)).map((consent) => consent.kind);
    expect(kinds).toEqual(['withdrawn']);
  });

  test('a subscriber with a suppressed address is created with the status of the suppression', async () => {
    await inTx((tx) =>
      suppress(tx, accountId, ['held@x.example'], { channel: 'temail', reason: 'bounced' }),
    );
    expect(await add({ email: 'held@x.example' })).toMatchObject({
      email_status: 'active',
      temail_status: 'bounced',
    });
  });
});

test('the mailbox provider of an address is determined by its exact domain', () => {
  expect(getMailbox('a@gmail.com')).toBe(MAILBOXES.gmail);
  expect(getMailbox('a@hotmail.se')).toBe(MAILBOXES.microsoft);
  expect(getMailbox('a@sub.gmail.com')).toBe(MAILBOXES.other);
});
