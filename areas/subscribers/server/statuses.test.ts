// Statuses, suppression, coming back, deleting and erasing: the rules, on a real database.
import { beforeAll, describe, expect, test } from 'vitest';
import { readAccount } from '#areas/accounts/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction, type Tx } from '#platform/server/database.ts';
import { lockWaiters } from '#testing/lock-waiters.ts';
import { type TestServer, testServer } from '#testing/server.ts';
import { MAILBOXES, mailboxOf } from '../limits.ts';
import {
  statusesChanged,
  subscribersErased,
  subscribersPurged,
  subscribersUnsubscribed,
} from './events.ts';
import {
  bounce,
  complain,
  confirm,
  consentsOf,
  createSubscriber,
  deleteSubscribers,
  eraseSubscribers,
  findSubscriber,
  historyOf,
  isSuppressed,
  type NewPerson,
  type People,
  reactivate,
  readSubscriber,
  suppress,
  suppressedAmong,
  unsubscribe,
  updateSubscriber,
  upsertSubscriber,
} from './index.ts';
import { purgeJob } from './remove.ts';

let server: TestServer;
let accountId: number;
let otherAccount: number;
let made = 0;

beforeAll(async () => {
  server = await testServer();
  accountId = (await server.owner()).accountId;
  otherAccount = (await server.owner()).accountId;
});

const inTx = <T>(work: (tx: Tx) => Promise<T>) => inTransaction(server.db, work);
const add = (input: Partial<NewPerson> = {}, account = accountId) =>
  inTx((tx) =>
    createSubscriber(tx, account, { email: `p${++made}@x.example`, source: 'manual', ...input }),
  );
const read = (id: number) => readSubscriber(server.db, accountId, id);
const link = { channel: 'email', reason: 'link' } as const;
const count = async () => (await readAccount(server.db, accountId)).subscriber_count;

describe('adding', () => {
  test('a new person is open to email; a number alone is no consent to texts', async () => {
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

  test('an address is unique, also when it is added five times at once', async () => {
    const before = await count();
    const results = await Promise.allSettled(
      Array.from({ length: 5 }, () => add({ email: 'Once@x.example' })),
    );
    expect(results.filter((one) => one.status === 'fulfilled')).toHaveLength(1);
    for (const one of results) {
      if (one.status === 'rejected') expect(one.reason).toMatchObject({ code: 'email_taken' });
    }
    expect((await count()) - before).toBe(1);
    await expect(add({ phone: '+37061234567' })).rejects.toMatchObject({ code: 'phone_taken' });
    await expect(add({ email: 'nobody' })).rejects.toMatchObject({ code: 'invalid' });
    await expect(add({ email: undefined })).rejects.toMatchObject({ code: 'invalid' });
    expect((await add({ email: 'once@x.example' }, otherAccount)).account_id).toBe(otherAccount);
  });

  test('nor can two take a free address at the same moment by an edit', async () => {
    const [one, two, phoned] = [
      await add(),
      await add(),
      await add({ email: undefined, phone: '+37061234621' }),
    ];
    const waits = async () => (await lockWaiters(server.db)).length;
    const whileTaken = async <T>(id: number, email: string, act: () => Promise<T>) => {
      let other: Promise<PromiseSettledResult<T>[]> | undefined;
      await inTx(async (tx) => {
        await updateSubscriber(tx, accountId, id, { email });
        other = Promise.allSettled([act()]);
        await expect.poll(waits).toBe(1);
      });
      return (await other)?.[0];
    };
    const edited = await whileTaken(one.id, 'wanted@x.example', () =>
      inTx((tx) => updateSubscriber(tx, accountId, two.id, { email: 'wanted@x.example' })),
    );
    expect(edited).toMatchObject({ status: 'rejected', reason: { code: 'email_taken' } });
    expect((await read(two.id)).email).toBe(two.email);
    // Who is added with it is the one who took it: the number stays with its owner.
    const input = {
      email: 'wanted2@x.example',
      phone: '+37061234621',
      firstname: 'Up',
      fieldValues: { 7: 'a' },
    };
    const upserted = await whileTaken(one.id, input.email, () =>
      inTx((tx) => upsertSubscriber(tx, accountId, { ...input, source: 'api' })),
    );
    expect(upserted).toMatchObject({
      status: 'fulfilled',
      value: { isNew: false, row: { id: one.id, firstname: 'Up', phone: null } },
    });
    expect(await read(phoned.id)).toMatchObject({ email: null, field_values: {} });
  });

  test('upserts at once make one person, change what is given and keep the rest', async () => {
    const input = { email: 'up@x.example', source: 'api' };
    const many = await Promise.all(
      Array.from({ length: 4 }, () => inTx((tx) => upsertSubscriber(tx, accountId, input))),
    );
    expect(new Set(many.map((one) => one.row.id)).size).toBe(1);
    expect(many.filter((one) => one.isNew)).toHaveLength(1);
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

  test("an upsert never takes somebody else's phone, and finds people by phone alone", async () => {
    const phoned = await add({ email: undefined, phone: '+37061234501' });
    const { row } = await inTx((tx) =>
      upsertSubscriber(tx, accountId, {
        email: 'late@x.example',
        phone: '+37061234501',
        source: 'form',
      }),
    );
    // The person known by number only is the same one: the email joins the number.
    expect(row).toMatchObject({ id: phoned.id, email: 'late@x.example', email_status: 'active' });
    const { row: other } = await inTx((tx) =>
      upsertSubscriber(tx, accountId, {
        email: 'another@x.example',
        phone: '+37061234501',
        source: 'form',
      }),
    );
    expect(other).toMatchObject({ email: 'another@x.example', phone: null });
  });

  test('a changed address begins as a new one and is refused where it is taken', async () => {
    const row = await add();
    const taken = await add({ email: 'here@x.example' });
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
    expect((await read(taken.id)).email).toBe('here@x.example');
  });

  test('a status that an address moves stands in the history, with its reason', async () => {
    const row = await add();
    await inTx((tx) => bounce(tx, accountId, { subscriberIds: [row.id] }, { channel: 'email' }));
    clock.advance(1000);
    await inTx((tx) => updateSubscriber(tx, accountId, row.id, { email: 'mended@x.example' }));
    clock.reset();
    const history = await historyOf(server.db, accountId, row.id);
    const told = history.map((one) => [one.channel, one.from_status, one.to_status, one.reason]);
    expect(told.sort()).toEqual([
      ['email', 'active', 'bounced', 'hard_bounce'],
      ['email', 'bounced', 'active', 'address_changed'],
      ['temail', 'active', 'bounced', 'hard_bounce'],
      ['temail', 'bounced', 'active', 'address_changed'],
    ]);
  });

  test('another address subscribes nobody who has not confirmed yet', async () => {
    const row = await add({ statuses: { email: 'non-subscribed' } });
    const moved = await inTx((tx) =>
      updateSubscriber(tx, accountId, row.id, { email: 'unconfirmed@x.example' }),
    );
    expect(moved).toMatchObject({ email_status: 'non-subscribed', temail_status: 'active' });
  });

  test('nor who never was: by an address that goes and comes, bounces and is mended, or was closed', async () => {
    const edit = (id: number, email: string | null) => {
      clock.advance(1000);
      return inTx((tx) => updateSubscriber(tx, accountId, id, { email }));
    };
    const never = { statuses: { email: 'non-subscribed' as const } };
    const cleared = await add({ ...never, phone: '+37061234611' });
    expect((await edit(cleared.id, null)).email_status).toBe('non-subscribed');
    expect((await edit(cleared.id, cleared.email)).email_status).toBe('non-subscribed');

    const bounced = await add(never);
    const people = { subscriberIds: [bounced.id] };
    await inTx((tx) => bounce(tx, accountId, people, { channel: 'email' }));
    expect(await edit(bounced.id, 'mended-never@x.example')).toMatchObject({
      email_status: 'non-subscribed',
      temail_status: 'active',
    });

    const keys = ['closed-never@x.example'];
    await inTx((tx) => suppress(tx, accountId, keys, { channel: 'email', reason: 'bounced' }));
    const closed = await add({ ...never, email: keys[0] });
    expect(closed.email_status).toBe('bounced');
    const back = await inTx((tx) =>
      reactivate(tx, accountId, { subscriberIds: [closed.id] }, { channel: 'email' }),
    );
    expect(back.skipped).toEqual([{ id: closed.id, why: 'no_consent' }]);
    expect((await edit(closed.id, 'opened-never@x.example')).email_status).toBe('non-subscribed');
    clock.reset();
  });

  test('but who had no address yet is open once a closed one is mended', async () => {
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

  test('nor is it a way back to have none for a while', async () => {
    for (const [act, status] of [
      [unsubscribe, 'unsubscribed'],
      [complain, 'reported'],
    ] as const) {
      const row = await add({ phone: `+3706123460${status.length % 10}` });
      const people = { subscriberIds: [row.id] };
      await inTx((tx) => act(tx, accountId, people, { channel: 'email', reason: 'link' }));
      const without = await inTx((tx) => updateSubscriber(tx, accountId, row.id, { email: null }));
      expect(without).toMatchObject({ email: null, email_status: status });
      const email = `later-${row.id}@x.example`;
      const again = await inTx((tx) => updateSubscriber(tx, accountId, row.id, { email }));
      expect(again).toMatchObject({ email, email_status: status });
    }
  });

  test('another address is no way back for who left or complained', async () => {
    for (const [act, status] of [
      [unsubscribe, 'unsubscribed'],
      [complain, 'reported'],
    ] as const) {
      const row = await add();
      const people = { subscriberIds: [row.id] };
      await inTx((tx) => act(tx, accountId, people, { channel: 'email', reason: 'link' }));
      const moved = await inTx((tx) =>
        updateSubscriber(tx, accountId, row.id, { email: `moved-${row.id}@x.example` }),
      );
      expect(moved.email_status).toBe(status);
      expect(moved.temail_status).toBe('active');
      const back = await inTx((tx) => reactivate(tx, accountId, people, { channel: 'email' }));
      expect(back.reactivated).toEqual([]);
      await inTx((tx) => deleteSubscribers(tx, accountId, people));
      const again = await add({ email: `moved-${row.id}@x.example` });
      expect(again.email_status).toBe(status);
    }
  });
});

describe('leaving', () => {
  test('sets change at once: status, history, consent, suppression, one event', async () => {
    const heard: unknown[] = [];
    const stop = subscribersUnsubscribed.on(async (_, facts) => void heard.push(facts));
    const people = [await add(), await add()];
    const ids = people.map((one) => one.id);
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
    expect(heard).toEqual([
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
    expect(await historyOf(server.db, accountId, row.id)).toMatchObject([
      { channel: 'email', from_status: 'active', to_status: 'unsubscribed', reason: 'link' },
    ]);
    expect((await consentsOf(server.db, accountId, row.id))[0]).toMatchObject({
      kind: 'withdrawn',
    });
    expect(await isSuppressed(server.db, accountId, 'email', row.email_key as string)).toBe(true);
    expect(await isSuppressed(server.db, otherAccount, 'email', row.email_key as string)).toBe(
      false,
    );
  });

  test("another account's people stay as they are", async () => {
    const theirs = await add({}, otherAccount);
    const act = { channel: 'email' as const, reason: 'owner' as const };
    const people = { subscriberIds: [theirs.id] };
    expect(await inTx((tx) => unsubscribe(tx, accountId, people, act))).toEqual([]);
    expect(await inTx((tx) => bounce(tx, accountId, people, act))).toEqual([]);
    expect(await inTx((tx) => deleteSubscribers(tx, accountId, people))).toEqual([]);
    expect(await inTx((tx) => eraseSubscribers(tx, accountId, people))).toEqual([]);
    expect((await readSubscriber(server.db, otherAccount, theirs.id)).email_status).toBe('active');
  });

  test('a hard bounce closes both channels of the address, a report of marketing one', async () => {
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
    // Provider events come in any order: the stronger status stays.
    await inTx((tx) =>
      bounce(tx, accountId, { subscriberIds: [reported.id] }, { channel: 'email' }),
    );
    const act = { channel: 'email' as const, reason: 'link' as const };
    await inTx((tx) => unsubscribe(tx, accountId, { subscriberIds: [reported.id] }, act));
    expect((await read(reported.id)).email_status).toBe('reported');
    const why = await suppressedAmong(server.db, accountId, 'email', [
      reported.email_key as string,
    ]);
    expect([...why.values()]).toEqual(['reported']);
  });

  test('double opt-in opens a non-subscribed channel and records it', async () => {
    const row = await add({ statuses: { email: 'non-subscribed' } });
    expect(row.email_status).toBe('non-subscribed');
    const heard: unknown[] = [];
    const stop = statusesChanged.on(async (_, facts) => void heard.push(facts.to));
    const act = { channel: 'email' as const, source: 'form', wording: 'Yes, send me letters' };
    const people = { subscriberIds: [row.id] };
    expect(await inTx((tx) => confirm(tx, accountId, people, act))).toEqual([row.id]);
    expect(await inTx((tx) => confirm(tx, accountId, people, act))).toEqual([]);
    stop();
    expect(heard).toEqual(['active']);
    expect((await consentsOf(server.db, accountId, row.id))[0]).toMatchObject({
      kind: 'confirmed',
      wording: 'Yes, send me letters',
    });
  });
});

describe('coming back', () => {
  test('who left by themselves, reported or was erased stays out; the others return', async () => {
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
      { id: bySelf.id, why: 'own_wish' },
      { id: reported.id, why: 'reported' },
    ]);
    expect(await isSuppressed(server.db, accountId, 'email', byOwner.email_key as string)).toBe(
      false,
    );
    expect((await read(bounced.id)).bounced_at).toBeNull();
  });

  test('who never was in a channel is not brought into it by way of another status', async () => {
    const actions = [
      (tx: Tx, people: People) =>
        unsubscribe(tx, accountId, people, { channel: 'email', reason: 'owner' }),
      (tx: Tx, people: People) => bounce(tx, accountId, people, { channel: 'email' }),
    ];
    for (const act of actions) {
      const row = await add({ statuses: { email: 'non-subscribed' } });
      const people = { subscriberIds: [row.id] };
      expect(await inTx((tx) => act(tx, people))).toEqual([row.id]);
      const back = await inTx((tx) => reactivate(tx, accountId, people, { channel: 'email' }));
      expect(back).toEqual({ reactivated: [], skipped: [{ id: row.id, why: 'no_consent' }] });
      const consent = { source: 'owner', wording: 'asked on the phone' };
      clock.advance(1000);
      const agreed = await inTx((tx) =>
        reactivate(tx, accountId, people, { channel: 'email', consent }),
      );
      expect(agreed.reactivated).toEqual([row.id]);
      clock.advance(1000);
      // From now on they are somebody who was in it.
      await inTx((tx) => unsubscribe(tx, accountId, people, { channel: 'email', reason: 'owner' }));
      clock.advance(1000);
      const again = await inTx((tx) => reactivate(tx, accountId, people, { channel: 'email' }));
      expect(again.reactivated).toEqual([row.id]);
      clock.reset();
    }
  });

  test("the person's own wish outlives the account's, and ends with a recorded consent", async () => {
    const row = await add();
    const people = { subscriberIds: [row.id] };
    const leave = (reason: 'owner' | 'link') =>
      inTx((tx) => unsubscribe(tx, accountId, people, { channel: 'email', reason }));
    await leave('owner');
    clock.advance(10);
    await leave('link');
    const back = (consent?: { source: string; wording: string }) =>
      inTx((tx) => reactivate(tx, accountId, people, { channel: 'email', consent }));
    expect((await back()).skipped).toEqual([{ id: row.id, why: 'own_wish' }]);
    const consent = { source: 'owner', wording: 'Asked by phone on Monday' };
    expect((await back(consent)).reactivated).toEqual([row.id]);
    expect(await read(row.id)).toMatchObject({ email_status: 'active', unsubscribed_at: null });
    expect((await consentsOf(server.db, accountId, row.id))[0]).toMatchObject({
      kind: 'given',
      wording: 'Asked by phone on Monday',
    });
  });

  test('deleting and adding again overturns nothing', async () => {
    const row = await add({ email: 'gone@x.example' });
    const people = { subscriberIds: [row.id] };
    await inTx((tx) =>
      unsubscribe(tx, accountId, people, { channel: 'email', reason: 'one_click' }),
    );
    const before = await count();
    expect(await inTx((tx) => deleteSubscribers(tx, accountId, people))).toEqual([row.id]);
    expect(await inTx((tx) => deleteSubscribers(tx, accountId, people))).toEqual([]);
    expect(await count()).toBe(before - 1);
    await expect(read(row.id)).rejects.toMatchObject({ code: 'not_found' });
    const again = await add({ email: 'gone@x.example' });
    expect(again).toMatchObject({ email_status: 'unsubscribed', temail_status: 'active' });
  });

  test('who leaves, complains or bounces after being deleted is heard all the same', async () => {
    const actions = [
      ['unsubscribed', (tx: Tx, people: People) => unsubscribe(tx, accountId, people, link)],
      ['reported', (tx: Tx, people: People) => complain(tx, accountId, people, link)],
      ['bounced', (tx: Tx, people: People) => bounce(tx, accountId, people, link)],
    ] as const;
    for (const [status, act] of actions) {
      const row = await add();
      const people = { subscriberIds: [row.id] };
      await inTx((tx) => deleteSubscribers(tx, accountId, people));
      expect(await inTx((tx) => act(tx, people))).toEqual([]);
      const email = row.email as string;
      expect(await isSuppressed(server.db, accountId, 'email', email)).toBe(true);
      expect((await add({ email })).email_status).toBe(status);
    }
  });

  test('nor is who was added again before they said so left active', async () => {
    const row = await add();
    const people = { subscriberIds: [row.id] };
    await inTx((tx) => deleteSubscribers(tx, accountId, people));
    const again = await add({ email: row.email as string });
    expect(again.email_status).toBe('active');
    expect(await inTx((tx) => unsubscribe(tx, accountId, people, link))).toEqual([again.id]);
    expect((await read(again.id)).email_status).toBe('unsubscribed');
  });

  test('the account’s own act does nothing to the deleted', async () => {
    const row = await add();
    const people = { subscriberIds: [row.id] };
    await inTx((tx) => deleteSubscribers(tx, accountId, people));
    const act = { channel: 'email', reason: 'owner' } as const;
    await inTx((tx) => unsubscribe(tx, accountId, people, act));
    expect((await add({ email: row.email as string })).email_status).toBe('active');
  });

  test('saying again that one leaves is recorded once', async () => {
    const row = await add();
    for (let i = 0; i < 3; i++) {
      await inTx((tx) => unsubscribe(tx, accountId, { subscriberIds: [row.id] }, link));
      clock.advance(1000);
    }
    clock.reset();
    const kinds = (await consentsOf(server.db, accountId, row.id)).map((one) => one.kind);
    expect(kinds).toEqual(['withdrawn']);
  });

  test('a suppressed address cannot be added as active', async () => {
    await inTx((tx) =>
      suppress(tx, accountId, ['held@x.example'], { channel: 'temail', reason: 'bounced' }),
    );
    expect(await add({ email: 'held@x.example' })).toMatchObject({
      email_status: 'active',
      temail_status: 'bounced',
    });
  });
});

describe('erasing', () => {
  test('leaves nothing personal but the hash, and nobody returns from it', async () => {
    const row = await add({ email: 'me@x.example', firstname: 'Me', fieldValues: { 3: 'x' } });
    const people = { subscriberIds: [row.id] };
    expect(await inTx((tx) => eraseSubscribers(tx, accountId, people))).toEqual([row.id]);
    const kept = await server.db
      .selectFrom('subscribers')
      .selectAll()
      .where('account_id', '=', accountId)
      .where('id', '=', row.id)
      .executeTakeFirstOrThrow();
    expect(kept).toMatchObject({ email: null, email_key: null, firstname: null, field_values: {} });
    expect(await findSubscriber(server.db, accountId, { email: 'me@x.example' })).toBeUndefined();
    const again = await add({ email: 'me@x.example' });
    expect(again.email_status).toBe('unsubscribed');
    const { skipped } = await inTx((tx) =>
      reactivate(
        tx,
        accountId,
        { subscriberIds: [again.id] },
        {
          channel: 'email',
          consent: { source: 'owner', wording: 'x' },
        },
      ),
    );
    expect(skipped).toEqual([{ id: again.id, why: 'erased' }]);
  });

  test('whoever has an address now that somebody deleted had before keeps it', async () => {
    const phone = '+4791234567';
    const before = await add({ email: 'anna@x.example', phone });
    await inTx((tx) => deleteSubscribers(tx, accountId, { subscriberIds: [before.id] }));
    const anna = await add({ email: 'anna@x.example' });
    const bert = await add({ email: 'bert@x.example', phone });
    let addresses: string[] = [];
    const stop = subscribersErased.on(async (_, facts) => {
      addresses = facts.addresses;
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

  test('the deleted are purged after their time, with their history', async () => {
    const row = await add();
    const people = { subscriberIds: [row.id] };
    await inTx((tx) => unsubscribe(tx, accountId, people, { channel: 'email', reason: 'owner' }));
    await inTx((tx) => deleteSubscribers(tx, accountId, people));
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
    expect(await historyOf(server.db, accountId, row.id)).toEqual([]);
  });

  test('a fault of one account keeps no other from being purged', async () => {
    const rows = [await add(), await add({}, otherAccount)];
    for (const { id, account_id } of rows)
      await inTx((tx) => deleteSubscribers(tx, account_id, { subscriberIds: [id] }));
    clock.advance(31 * 86_400_000);
    const stop = subscribersPurged.on(async (_, facts) => {
      if (facts.accountId === accountId) throw new Error('a lock that is not had');
    });
    await purgeJob.run({ after: 0 }, { db: server.db, signal: new AbortController().signal });
    stop();
    clock.reset();
    const left = await server.db
      .selectFrom('subscribers')
      .select('id')
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      )
      .execute();
    expect(left).toEqual([{ id: rows[0]?.id }]);
  });
});

test('mailbox providers are told by the domain alone', () => {
  expect(mailboxOf('a@gmail.com')).toBe(MAILBOXES.gmail);
  expect(mailboxOf('a@hotmail.se')).toBe(MAILBOXES.microsoft);
  expect(mailboxOf('a@sub.gmail.com')).toBe(MAILBOXES.other);
});
