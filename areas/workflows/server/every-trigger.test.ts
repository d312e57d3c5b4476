// Each trigger starts the workflow for the right subscribers only, and the forecast finds them
// afterwards.
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { customEventRecorded } from '#areas/events/server/index.ts';
import { formConfirmed } from '#areas/forms/server/index.ts';
import { removeFromGroups } from '#areas/groups/server/index.ts';
import {
  cartAbandoned,
  orderFulfilled,
  orderPlaced,
  orderRefunded,
  productViewed,
} from '#areas/stores/server/index.ts';
import { unsubscribe } from '#areas/subscribers/server/index.ts';
import { type EngagementEvent, engagementRecorded } from '#areas/tracking/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { listAcceptedValues } from '#testing/oracles/closed-sets.ts';
import { EMAIL } from '#testing/worlds/workflow-builder.ts';
import {
  runInTransaction,
  ada,
  bo,
  recordCart,
  DAY,
  timestamps,
  dayFromNow,
  createField,
  inGroup,
  insert,
  kit,
  recordOrder,
  owner,
  SALE,
  segment,
  server,
  setField,
  shop,
} from '#testing/worlds/workflow-facts.ts';
import { TRIGGERS, type Trigger } from '../shared.ts';
import { CLOSED, REEVALUATE } from './entering/facts.ts';

type TriggerCase = {
  definition: object;
  /** Triggers the workflow for Ada; a similar event that must not trigger it may happen to Bo. */
  happens: (tree: Awaited<ReturnType<typeof kit.workflow>>) => Promise<unknown>;
  /** Time to advance for triggers that are polled. */
  after?: number;
  /** Moves the event into the past for the forecast. */
  before?: () => Promise<unknown>;
};

async function dateCase(triggerType: Trigger, year?: string): Promise<TriggerCase> {
  const day = await createField('Day', 'datetime');
  const formatDay = (days: number) => {
    const targetDay = dayFromNow(days);
    return year === undefined ? targetDay : year + targetDay.slice(4);
  };
  return {
    definition: { triggerType, field: day.id },
    happens: async () => {
      await setField(ada, day.number, formatDay(1));
      await setField(bo, day.number, formatDay(9));
    },
    after: 2 * DAY,
    before: () => setField(ada, day.number, formatDay(-3)),
  };
}

async function orderCase(
  triggerType: Trigger,
  event: typeof orderPlaced,
  overrides: object = {},
): Promise<TriggerCase> {
  const { store, cup, id } = await shop();
  return {
    definition: { triggerType, store: id },
    happens: async () => {
      const orders = [await recordOrder(store, ada, cup, overrides)];
      // An unconfirmed order is not announced.
      await recordOrder(store, bo, cup, { ...overrides, is_confirmed: false });
      await runInTransaction((tx) =>
        event.announce(tx, {
          ...{ accountId: owner.accountId, origin: 'store', storeId: store, orders },
        }),
      );
    },
  };
}

/** Stores a campaign with these links. Returns a function that stores a click on one of them. */
async function sentLinks(links: readonly { url: string; written_url?: string }[]) {
  const message = await insert('messages', {
    ...{ kind: 'campaign', state: 'finished', frozen: '{}', ...timestamps() },
  });
  for (const [position, link] of links.entries())
    await insert('links', { message_id: message, position, ...link });
  return async (subscriberId: number, position: number): Promise<EngagementEvent> => {
    const at = clock.now();
    await insert('events', {
      ...{ at, message_id: message, subscriber_id: subscriberId, kind: 'click' },
      ...{ sequence: position, link_position: position },
    });
    const hit = { messageId: message, subscriberId, at, position };
    return { ...hit, verdict: 'human', kind: 'click' } as EngagementEvent;
  };
}

const CASES: Record<Trigger, () => Promise<TriggerCase>> = {
  LIST_ADD: async () => {
    const [group, other] = [await kit.group('Tea'), await kit.group('Books')];
    return {
      definition: { triggerType: 'LIST_ADD', listId: group.id },
      happens: async () => {
        await kit.join(group.number, [ada]);
        await kit.join(other.number, [bo]);
      },
    };
  },
  LIST_REMOVE: async () => {
    const group = await kit.group('Tea');
    await kit.join(group.number, [ada, bo]);
    const leave = (id: number, origin: 'form' | 'bulk') =>
      runInTransaction((tx) =>
        removeFromGroups(tx, owner.accountId, {
          ...{ groupIds: [group.number], subscriberIds: [id], origin },
        }),
      );
    return {
      definition: { triggerType: 'LIST_REMOVE', listId: group.id },
      // A manual change starts no workflow.
      happens: async () => {
        await leave(ada, 'form');
        await leave(bo, 'bulk');
      },
    };
  },
  FORM_SUBMIT: async () => {
    const form = await insert('forms', {
      ...{ type: 'embed', title: 'Tea', title_key: 'tea', document: '{}', settings: '{}' },
      ...timestamps(),
    });
    return {
      definition: { triggerType: 'FORM_SUBMIT', form: encodeId('form', form) },
      happens: async () => {
        for (const [key, subscriber_id, formId] of [
          ['one', ada, form],
          ['two', bo, undefined],
        ] as const) {
          const at = clock.now();
          if (formId)
            await insert('form_submissions', {
              ...{ form_id: formId, key, version: 1, answers: '{}', at, settled_at: at },
              ...{ subscriber_id, confirmed_at: at },
            });
          const source = { accountId: owner.accountId, subscriberIds: [subscriber_id], at };
          await runInTransaction((tx) =>
            formConfirmed.announce(tx, { ...source, formId: formId ?? form + 1000 }),
          );
        }
      },
    };
  },
  SEGMENT_ENTER: async () => {
    const group = await kit.group('Tea');
    const id = await segment(inGroup(group.id));
    return {
      definition: { triggerType: 'SEGMENT_ENTER', segment: id },
      happens: () => kit.join(group.number, [ada]),
    };
  },
  DATE: () => dateCase('DATE'),
  ANNIVERSARY: () => dateCase('ANNIVERSARY', '1990'),
  LINK_CLICK: async () => {
    const click = await sentLinks([{ url: SALE }, { url: `${SALE}/other` }]);
    return {
      definition: { triggerType: 'LINK_CLICK', url: SALE },
      happens: async () => {
        const engagement = [await click(ada, 0), await click(bo, 1)];
        await runInTransaction((tx) =>
          engagementRecorded.announce(tx, { accountId: owner.accountId, engagement }),
        );
      },
    };
  },
  EVENT: async () => {
    const [seen, other] = [
      await insert('custom_events', { name: 'tea_seen', created_at: clock.now() }),
      await insert('custom_events', { name: 'book_seen', created_at: clock.now() }),
    ];
    return {
      definition: { triggerType: 'EVENT', event: encodeId('custom_event', seen) },
      happens: async () => {
        for (const [eventId, subscriber_id] of [
          [seen, ada],
          [other, bo],
        ] as const) {
          await insert('event_occurrences', { event_id: eventId, subscriber_id, at: clock.now() });
          const source = { accountId: owner.accountId, origin: 'api', eventId } as const;
          await runInTransaction((tx) =>
            customEventRecorded.announce(tx, { ...source, subscriberIds: [subscriber_id] }),
          );
        }
      },
    };
  },
  CART_ABANDONED: async () => {
    const { store, cup, id } = await shop();
    return {
      definition: { triggerType: 'CART_ABANDONED', store: id },
      happens: async () => {
        const abandonedCart = { subscriberId: ada, productIds: [cup], at: clock.now() };
        const carts = [{ ...abandonedCart, cartId: await recordCart(store, ada) }];
        const source = { accountId: owner.accountId, storeId: store, origin: 'store' } as const;
        await runInTransaction((tx) => cartAbandoned.announce(tx, { ...source, carts }));
      },
    };
  },
  ORDER_PLACED: () => orderCase('ORDER_PLACED', orderPlaced),
  PRODUCT_PURCHASED: async () => {
    const { store, cup, pot } = await shop();
    return {
      definition: { triggerType: 'PRODUCT_PURCHASED', product: encodeId('product', cup) },
      happens: async () => {
        const orders = [await recordOrder(store, ada, cup), await recordOrder(store, bo, pot)];
        const source = { accountId: owner.accountId, storeId: store, origin: 'store' } as const;
        await runInTransaction((tx) => orderPlaced.announce(tx, { ...source, orders }));
      },
    };
  },
  ORDER_FULFILLED: () =>
    orderCase('ORDER_FULFILLED', orderFulfilled, { fulfilled_at: clock.now() }),
  ORDER_REFUNDED: () => orderCase('ORDER_REFUNDED', orderRefunded, { refunded_at: clock.now() }),
  PRODUCT_VIEWED: async () => {
    const { store, cup, pot } = await shop();
    return {
      definition: { triggerType: 'PRODUCT_VIEWED', product: encodeId('product', cup) },
      happens: async () => {
        const at = clock.now();
        const views = [
          { subscriberId: ada, productId: cup, at },
          { subscriberId: bo, productId: pot, at },
        ];
        for (const { subscriberId: subscriber_id, productId: product_id } of views)
          await insert('product_views', { subscriber_id, product_id, at });
        const source = { accountId: owner.accountId, storeId: store, origin: 'person' } as const;
        await runInTransaction((tx) => productViewed.announce(tx, { ...source, views }));
      },
    };
  },
  FIELD_UPDATE: async () => {
    const [tea, book] = [await createField('Tea', 'text'), await createField('Book', 'text')];
    return {
      definition: { triggerType: 'FIELD_UPDATE', fields: [tea.id] },
      happens: async () => {
        await setField(ada, tea.number, 'green');
        await setField(bo, book.number, 'green');
      },
    };
  },
  UNSUBSCRIBE: async () => ({
    definition: { triggerType: 'UNSUBSCRIBE' },
    happens: async () => {
      for (const [id, channel] of [
        [ada, 'email'],
        [bo, 'sms'],
      ] as const)
        await runInTransaction((tx) =>
          unsubscribe(tx, owner.accountId, { subscriberIds: [id] }, {
            channel,
            reason: 'link',
            origin: 'person',
          } as never),
        );
    },
  }),
  API: async () => ({
    definition: { triggerType: 'API' },
    happens: async (tree) => {
      const email = 'person1@gmail.com';
      const response = await owner.post(`${tree.at}/start`, { email });
      expect(response.status, response.text).toBe(200);
    },
  }),
};

test.each(TRIGGERS)(
  '%s starts a workflow and the forecast finds its subscribers',
  async (trigger) => {
    const { definition, happens, after, before } = await CASES[trigger]();
    const tree = await kit.workflow(definition);
    await tree.add(tree.trigger, 'ACTION', { action: 'END' });
    await tree.activate();
    await kit.turns();
    await happens(tree);
    if (after) clock.advance(after);
    await kit.turns();
    clock.reset();
    const outcomes = (await tree.people()).map((run) => [run.subscriber_id, run.outcome]);
    expect(outcomes).toEqual([[encodeId('subscriber', ada), 'action_end']]);
    await before?.();
    const forecast = (await owner.get(`${tree.at}/forecast`)).body.data;
    expect(forecast).toMatchObject({
      ...{ is_known: true, entered: 1, followed: 1, here: [] },
      ended: [{ outcome: 'action_end', people: 1 }],
    });
  },
);

test('a link trigger’s forecast finds clicks on the link even with added UTM parameters', async () => {
  const written_url = `${SALE}?color=green`;
  const click = await sentLinks([{ url: `${written_url}&utm_source=tea`, written_url }]);
  await click(ada, 0);
  const tree = await kit.workflow({ triggerType: 'LINK_CLICK', url: written_url });
  await tree.add(tree.trigger, 'ACTION', { action: 'END' });
  const { data } = (await owner.get(`${tree.at}/forecast`)).body;
  expect(data).toMatchObject({ is_known: true, entered: 1, followed: 1 });
});

test('a forecast ends runs for ordered or deleted carts, and is unknown for a trigger without stored facts', async () => {
  const { store, id } = await shop();
  const tree = await kit.workflow({ triggerType: 'CART_ABANDONED', store: id });
  const wait = await tree.add(tree.trigger, 'delay', { delay_type: 'DAYS', amount: 2 });
  const emailStep = await tree.add(wait, 'EMAIL', EMAIL);
  await kit.write(emailStep);
  const longWait = await tree.add(emailStep, 'delay', { delay_type: 'DAYS', amount: 60 });
  const ago = (days: number) => new Date(clock.now().getTime() - days * DAY);
  const [, closedCart] = [await recordCart(store, ada), await recordCart(store, bo)];
  for (const state of ['ordered', 'given_up']) {
    await sql`update carts set abandoned_at = ${ago(9)}, closed_at = case when id = ${closedCart} then ${ago(8)}::timestamptz end,
        state = case when id = ${closedCart} then ${state} else state end
      where account_id = ${owner.accountId}`.execute(server.db);
    const { data } = (await owner.get(`${tree.at}/forecast`)).body;
    expect(data, state).toMatchObject({
      ...{ is_known: true, is_least: false, entered: 2, here: [{ step_id: longWait, people: 1 }] },
      ...{
        ended: [{ outcome: 'cart_closed', people: 1 }],
        messages: [{ step_id: emailStep, people: 1 }],
      },
    });
  }
  const unknown = await kit.workflow({ triggerType: 'FIELD_UPDATE' });
  await unknown.add(unknown.trigger, 'ACTION', { action: 'END' });
  expect((await owner.get(`${unknown.at}/forecast`)).body.data).toMatchObject({
    ...{ is_known: false, entered: 0 },
  });
});

test.each(['workflow_inbox_kind_check', 'workflow_listeners_kind_check'])(
  '%s accepts exactly the kinds of triggers and of internal facts',
  async (constraint) => {
    const kinds = [...TRIGGERS, REEVALUATE, CLOSED].sort();
    expect(await listAcceptedValues(server.db, constraint)).toEqual(kinds);
  },
);
