// Creates a random audience for segments: subscribers for the reference evaluation, and the same
// subscribers in an account's tables. The same seed creates the same subscribers.
import { sql } from 'kysely';
import { toLeadId } from '#areas/delivery/lead-id.ts';
import { insertOccurrence } from '#areas/events/server/events.sql.ts';
import { createField } from '#areas/fields/server/index.ts';
import { addToGroups, ensureGroup } from '#areas/groups/server/index.ts';
import { refreshShoppers } from '#areas/stores/server/index.ts';
import { decodeId, encodeId, type Kind } from '#platform/ids.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { TruthEvent, TruthOrder, TruthSubscriber } from './segment-truth.ts';

export const STATUSES = [
  'active',
  'bounced',
  'unsubscribed',
  'reported',
  'non-subscribed',
] as const;
export const TEXTS = ['Ada', 'ada', 'Bo', 'bob', 'Åsa', '100%', 'a_b', 'a\\b', "o'neil", 'rīga'];
export const NUMBERS = [-1, 0, 1, 2, 2.5, 10, 19.99];
/** Birthdays around the instants of the tests, and the day that only leap years have. */
export const BIRTHDAYS = [
  '02-28',
  '02-29',
  '03-01',
  '05-30',
  '05-31',
  '06-01',
  '06-02',
  '12-31',
  '01-01',
];
export const WALLS = [
  '2026-05-31 23:30:00',
  '2026-05-31 00:00:00',
  '2026-02-28 23:59:59',
  '2024-01-01 12:00:00',
];
/**
 * Instants that conditions treat differently at 2026-05-31T21:30Z, the current time in the tests:
 * just before and just after a day, a week, a month and longer ago, and before and after midnight
 * in Oslo.
 */
const INSTANTS = [
  '2026-05-31T21:30:00Z',
  '2026-05-30T21:59:59.999Z',
  '2026-05-30T22:00:00Z',
  '2026-05-24T21:30:00Z',
  '2026-05-24T21:29:59Z',
  '2026-04-30T21:30:00Z',
  '2026-02-28T22:59:59Z',
  '2024-01-01T11:00:00Z',
].map((text) => new Date(text));

/** The public IDs of objects that conditions may name. */
export type NamedIds = {
  groups: string[];
  fields: Record<'text' | 'number' | 'datetime' | 'birthday', string>;
  campaigns: string[];
  smsCampaigns: string[];
  stores: string[];
  products: string[];
  events: string[];
};

/** Returns a generator of pseudorandom numbers from 0 to 1. */
function randomFrom(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixedState = Math.imul(state ^ (state >>> 15), 1 | state);
    mixedState =
      (mixedState + Math.imul(mixedState ^ (mixedState >>> 7), 61 | mixedState)) ^ mixedState;
    return ((mixedState ^ (mixedState >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Writes `count` subscribers into the account, with all their activity. */
export async function fillAudience(
  tx: Tx,
  accountId: number,
  seed: number,
  count: number,
): Promise<{ subscribers: TruthSubscriber[]; namedIds: NamedIds }> {
  const namedIds = await createNamed(tx, accountId);
  const random = randomFrom(seed);
  const subscribers = Array.from({ length: count }, (_, i) =>
    createSubscriber(i, random, namedIds),
  );
  await insertSubscribers(tx, accountId, subscribers);
  for (const group of namedIds.groups) {
    const members = subscribers.filter((subscriber) => subscriber.groups.includes(group));
    await addToGroups(tx, accountId, {
      groupIds: [numberOf('group', group)],
      subscriberIds: members.map((member) => member.id),
      origin: 'bulk',
    });
  }
  await insertEmails(tx, accountId, subscribers, namedIds);
  await insertSms(tx, accountId, subscribers, namedIds);
  await insertShopping(tx, accountId, subscribers);
  await insertOccurrences(tx, accountId, subscribers);
  return { subscribers, namedIds };
}

function createSubscriber(i: number, random: () => number, namedIds: NamedIds): TruthSubscriber {
  const chance = (probability: number) => random() < probability;
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  const orNull = <T>(make: () => T, share = 0.6): T | null => (chance(share) ? make() : null);
  const several = <T>(make: () => T): T[] =>
    chance(0.4) ? [] : Array.from({ length: 1 + Math.floor(random() * 3) }, make);
  const instant = () =>
    chance(0.6) ? pick(INSTANTS) : new Date(Date.UTC(2026, 4, 31) - random() * 900 * 86_400_000);
  const hasEmail = chance(0.85);
  const campaigns = namedIds.campaigns.filter(() => chance(0.6));
  const smsCampaigns = namedIds.smsCampaigns.filter(() => chance(0.6));
  const fields: [string, string | number | null][] = [
    [namedIds.fields.text, orNull(() => pick(TEXTS))],
    [namedIds.fields.number, orNull(() => pick(NUMBERS))],
    [namedIds.fields.datetime, orNull(() => pick(WALLS))],
    [namedIds.fields.birthday, orNull(() => pick(BIRTHDAYS))],
  ];
  return {
    id: 0,
    email: hasEmail ? `${pick(['ada', 'bo', 'x_y'])}${i}@x.example` : null,
    phone: !hasEmail || chance(0.3) ? `+3706123${4500 + i}` : null,
    firstname: orNull(() => pick(TEXTS)),
    lastname: orNull(() => pick([...TEXTS, ''])),
    country: orNull(() => pick(['LT', 'NO', 'IE', 'US', 'GB', 'SE'])),
    statuses: {
      email_status: pick(STATUSES),
      temail_status: pick(STATUSES),
      sms_status: pick(STATUSES),
      tsms_status: pick(STATUSES),
    },
    groups: namedIds.groups.filter(() => chance(0.4)),
    fields: Object.fromEntries(
      fields.filter((entry): entry is [string, string | number] => entry[1] !== null),
    ),
    createdAt: instant(),
    unsubscribedAt: orNull(instant, 0.4),
    campaigns,
    events:
      campaigns.length === 0
        ? []
        : several(
            (): TruthEvent => ({
              campaign: pick(campaigns),
              kind: pick(['open', 'open', 'click']),
              at: instant(),
              isHuman: chance(0.6),
            }),
          ),
    smsCampaigns,
    smsClicks:
      smsCampaigns.length === 0
        ? []
        : several(() => ({ campaign: pick(smsCampaigns), at: instant(), isHuman: chance(0.6) })),
    orders: several(
      (): TruthOrder => ({
        store: pick(namedIds.stores),
        total: pick([0, 1, 2.5, 10, 19.99]),
        placedAt: instant(),
        cancelledAt: orNull(instant, 0.2),
        refundedAt: orNull(instant, 0.3),
        products: namedIds.products.filter(() => chance(0.4)),
      }),
    ),
    carts: several(() => ({
      store: pick(namedIds.stores),
      products: Math.floor(random() * 4),
      isOpen: chance(0.7),
    })),
    visits: several(() => ({
      store: pick(namedIds.stores),
      kind: pick(['cart', 'checkout'] as const),
      at: instant(),
    })),
    occurrences: several(() => ({ event: pick(namedIds.events), at: instant() })),
  };
}

const numberOf = (kind: Kind, id: string) => decodeId(kind, id) as number;
const EPOCH = new Date('2026-01-01T00:00:00Z');
const times = { created_at: EPOCH, modified_at: EPOCH };

async function createNamed(tx: Tx, accountId: number): Promise<NamedIds> {
  const namedIds: NamedIds = {
    groups: [],
    fields: { text: '', number: '', datetime: '', birthday: '' },
    campaigns: [],
    smsCampaigns: [],
    stores: [],
    products: [],
    events: [],
  };
  for (const type of ['text', 'number', 'datetime', 'birthday'] as const) {
    const field = await createField(tx, accountId, { title: type, type });
    namedIds.fields[type] = encodeId('field', field.id);
  }
  for (const title of ['One', 'Two']) {
    namedIds.groups.push(encodeId('group', await ensureGroup(tx, accountId, title)));
  }
  for (const name of ['basket_shared', 'tea_brewed']) {
    const { id } = await tx
      .insertInto('custom_events')
      .values({ account_id: accountId, name, created_at: EPOCH })
      .returning('id')
      .executeTakeFirstOrThrow();
    namedIds.events.push(encodeId('custom_event', id));
  }
  for (const name of ['north', 'south']) {
    const store = await tx
      .insertInto('stores')
      .values({
        account_id: accountId,
        type: 'woocommerce',
        title: name,
        domain: `${name}.example`,
        ...times,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    namedIds.stores.push(encodeId('store', store.id));
    const product = await tx
      .insertInto('products')
      .values({
        account_id: accountId,
        store_id: store.id,
        remote_id: '1',
        title: `Tea of the ${name}`,
        ...times,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    namedIds.products.push(encodeId('product', product.id));
  }
  for (const title of ['Spring', 'Summer', 'Never sent']) {
    namedIds.campaigns.push(
      encodeId('campaign', await insertCampaign(tx, accountId, title, 'email')),
    );
    namedIds.smsCampaigns.push(encodeId('sms', await insertCampaign(tx, accountId, title, 'sms')));
  }
  return namedIds;
}

async function insertCampaign(
  tx: Tx,
  accountId: number,
  title: string,
  channel: 'email' | 'sms',
): Promise<number> {
  const message =
    title === 'Never sent'
      ? undefined
      : await tx
          .insertInto('messages')
          .values({
            account_id: accountId,
            channel,
            kind: channel === 'email' ? 'campaign' : 'sms_campaign',
            state: 'finished',
            frozen: '{}',
            created_at: EPOCH,
            modified_at: EPOCH,
          })
          .returning('id')
          .executeTakeFirstOrThrow();
  const campaign = await tx
    .insertInto(channel === 'email' ? 'campaigns' : 'sms_campaigns')
    .values({
      account_id: accountId,
      title,
      message_id: message ? toLeadId(message.id) : null,
      ...times,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return campaign.id;
}

async function insertSubscribers(
  tx: Tx,
  accountId: number,
  subscribers: TruthSubscriber[],
): Promise<void> {
  for (const subscriber of subscribers) {
    const values = Object.entries(subscriber.fields).map(([id, value]) => [
      numberOf('field', id),
      value,
    ]);
    const row = await tx
      .insertInto('subscribers')
      .values({
        account_id: accountId,
        email: subscriber.email,
        email_key: subscriber.email,
        phone: subscriber.phone,
        phone_key: subscriber.phone,
        firstname: subscriber.firstname,
        lastname: subscriber.lastname,
        country: subscriber.country,
        field_values: JSON.stringify(Object.fromEntries(values)),
        ...(subscriber.statuses as Record<keyof TruthSubscriber['statuses'], 'active'>),
        unsubscribed_at: subscriber.unsubscribedAt,
        created_at: subscriber.createdAt,
        modified_at: subscriber.createdAt,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    subscriber.id = row.id;
  }
}

/** Writes recipients, events, and the totals of tracking. */
async function insertEmails(
  tx: Tx,
  accountId: number,
  subscribers: readonly TruthSubscriber[],
  namedIds: NamedIds,
): Promise<void> {
  const { rows } = await sql<{ id: number; message_id: number }>`
    select id, message_id from campaigns
    where account_id = ${accountId} and message_id is not null`.execute(tx);
  const messages = new Map(rows.map((row) => [encodeId('campaign', row.id), row.message_id]));
  const unsent = namedIds.campaigns.filter((id) => !messages.has(id));
  for (const subscriber of subscribers) {
    // A campaign that was never sent has no recipients or events.
    subscriber.campaigns = subscriber.campaigns.filter((id) => !unsent.includes(id));
    subscriber.events = subscriber.events.filter((event) => !unsent.includes(event.campaign));
  }
  const recipients = subscribers.flatMap((subscriber) =>
    subscriber.campaigns.map((id) => ({
      person: subscriber.id,
      message: messages.get(id) as number,
    })),
  );
  await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select ${accountId}::bigint, message, 0, row_number() over (partition by message), person
    from unnest(${recipients.map((recipient) => recipient.message)}::bigint[],
      ${recipients.map((recipient) => recipient.person)}::bigint[]) u (message, person)`.execute(
    tx,
  );
  const events = subscribers.flatMap((subscriber) =>
    subscriber.events.map((event) => ({
      ...event,
      person: subscriber.id,
      message: messages.get(event.campaign) as number,
    })),
  );
  await sql`insert into events (account_id, at, message_id, subscriber_id, kind, sequence, verdict)
    select ${accountId}::bigint, at, message, person, kind, row_number() over (), verdict
    from unnest(${events.map((event) => event.at)}::timestamptz[],
      ${events.map((event) => event.message)}::bigint[], ${events.map((event) => event.person)}::bigint[],
      ${events.map((event) => event.kind)}::event_kind[],
      ${events.map((event) => (event.isHuman ? 'human' : 'machine'))}::event_verdict[])
      u (at, message, person, kind, verdict)`.execute(tx);
  const human = sql`filter (where verdict = 'human')`;
  const click = sql`filter (where kind = 'click')`;
  const humanClick = sql`filter (where kind = 'click' and verdict = 'human')`;
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
      first_human_open_at, first_click_at, first_human_click_at)
    select account_id, subscriber_id, message_id, min(at), min(at) ${human}, min(at) ${click},
      min(at) ${humanClick}
    from events where account_id = ${accountId} group by 1, 2, 3`.execute(tx);
  await sql`insert into activity (account_id, subscriber_id, first_open_at, first_human_open_at,
      first_click_at, first_human_click_at, last_open_at, last_human_open_at, last_click_at,
      last_human_click_at)
    select account_id, subscriber_id, min(at), min(at) ${human}, min(at) ${click},
      min(at) ${humanClick}, max(at), max(at) ${human}, max(at) ${click}, max(at) ${humanClick}
    from events where account_id = ${accountId} group by 1, 2`.execute(tx);
}

/** Writes recipients and clicks of SMS. These clicks are stored separately from email activity. */
async function insertSms(
  tx: Tx,
  accountId: number,
  subscribers: readonly TruthSubscriber[],
  namedIds: NamedIds,
): Promise<void> {
  const { rows } = await sql<{ id: number; message_id: number }>`
    select id, message_id from sms_campaigns
    where account_id = ${accountId} and message_id is not null`.execute(tx);
  const messages = new Map(rows.map((row) => [encodeId('sms', row.id), row.message_id]));
  const unsent = namedIds.smsCampaigns.filter((id) => !messages.has(id));
  for (const subscriber of subscribers) {
    subscriber.smsCampaigns = subscriber.smsCampaigns.filter((id) => !unsent.includes(id));
    subscriber.smsClicks = subscriber.smsClicks.filter((click) => !unsent.includes(click.campaign));
  }
  const recipients = subscribers.flatMap((subscriber) =>
    subscriber.smsCampaigns.map((id) => ({
      person: subscriber.id,
      message: messages.get(id) as number,
    })),
  );
  await sql`insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
    select ${accountId}::bigint, message, 0, row_number() over (partition by message), person
    from unnest(${recipients.map((recipient) => recipient.message)}::bigint[],
      ${recipients.map((recipient) => recipient.person)}::bigint[]) u (message, person)`.execute(
    tx,
  );
  const clicks = subscribers.flatMap((subscriber) =>
    subscriber.smsClicks.map((click) => ({
      ...click,
      person: subscriber.id,
      message: messages.get(click.campaign) as number,
    })),
  );
  await sql`insert into events (account_id, at, message_id, subscriber_id, kind, sequence, verdict, is_sms)
    select ${accountId}::bigint, at, message, person, 'click', row_number() over (), verdict, true
    from unnest(${clicks.map((click) => click.at)}::timestamptz[],
      ${clicks.map((click) => click.message)}::bigint[], ${clicks.map((click) => click.person)}::bigint[],
      ${clicks.map((click) => (click.isHuman ? 'human' : 'machine'))}::event_verdict[])
      u (at, message, person, verdict)`.execute(tx);
  const human = sql`filter (where verdict = 'human')`;
  await sql`insert into outcomes (account_id, subscriber_id, message_id, first_open_at,
      first_human_open_at, first_click_at, first_human_click_at)
    select account_id, subscriber_id, message_id, min(at), min(at) ${human}, min(at), min(at) ${human}
    from events where account_id = ${accountId} and is_sms group by 1, 2, 3`.execute(tx);
  await sql`insert into sms_clicks (account_id, subscriber_id, first_at, last_at)
    select account_id, subscriber_id, min(at), max(at) from events
    where account_id = ${accountId} and is_sms and verdict = 'human' group by 1, 2`.execute(tx);
}

/** Writes custom events in recording order, which differs from the order of occurrence. */
async function insertOccurrences(
  tx: Tx,
  accountId: number,
  subscribers: readonly TruthSubscriber[],
) {
  for (const subscriber of subscribers) {
    for (const { event, at } of subscriber.occurrences) {
      await insertOccurrence(tx, accountId, {
        event_id: numberOf('custom_event', event),
        subscriber_id: subscriber.id,
        at,
        value: null,
        currency: null,
        properties: '{}',
      });
    }
  }
}

async function insertShopping(
  tx: Tx,
  accountId: number,
  subscribers: readonly TruthSubscriber[],
): Promise<void> {
  let remote = 0;
  const common = (subscriber: TruthSubscriber, store: string) => ({
    account_id: accountId,
    subscriber_id: subscriber.id,
    store_id: numberOf('store', store),
  });
  for (const subscriber of subscribers) {
    for (const order of subscriber.orders) {
      const row = await tx
        .insertInto('orders')
        .values({
          ...common(subscriber, order.store),
          remote_id: String((remote += 1)),
          total: order.total,
          placed_at: order.placedAt,
          cancelled_at: order.cancelledAt,
          refunded_at: order.refundedAt,
          ...times,
        })
        .returning('id')
        .executeTakeFirstOrThrow();
      for (const [position, product] of order.products.entries()) {
        await tx
          .insertInto('order_products')
          .values({
            account_id: accountId,
            subscriber_id: subscriber.id,
            order_id: row.id,
            position,
            product_id: numberOf('product', product),
            title: product,
            is_cancelled: order.cancelledAt !== null,
          })
          .execute();
      }
    }
    for (const cart of subscriber.carts) {
      await tx
        .insertInto('carts')
        .values({
          ...common(subscriber, cart.store),
          remote_id: String((remote += 1)),
          product_count: cart.products,
          closed_at: cart.isOpen ? null : EPOCH,
          ...times,
        })
        .execute();
    }
    for (const { store, kind, at } of subscriber.visits) {
      await tx
        .insertInto('shop_visits')
        .values({ ...common(subscriber, store), kind, at })
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  }
  await refreshShoppers(
    tx,
    accountId,
    subscribers.map((subscriber) => subscriber.id),
  );
}
