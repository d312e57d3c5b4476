// SQL of the facts about a copy that come from outside: bounces, complaints, unsubscribes.
import { type RawBuilder, sql } from 'kysely';
import type { Tx } from '#platform/server/database.ts';

/** The outcome's column of each kind of fact, and the counter it feeds. `returned` goes with a bounce. */
export const FACTS = {
  unsubscribe: { column: 'unsubscribed_at', counter: 'unsubscribes' },
  hard_bounce: { column: 'hard_bounced_at', counter: 'hard_bounces' },
  soft_bounce: { column: 'soft_bounced_at', counter: 'soft_bounces' },
  complaint: { column: 'complained_at', counter: 'complaints' },
  returned: { column: 'returned_at', counter: 'returned' },
} as const;
export type FactKind = keyof typeof FACTS;

export type FactRow = { messageId: number; subscriberId: number; at: Date };

export type PairRow = { message_id: number; subscriber_id: number };

/**
 * Sets the instant where there is none yet; returns the pairs that are newly counted. The rows of all of them
 * are locked from here on.
 */
export async function setFirst(
  tx: Tx,
  accountId: number,
  kind: FactKind,
  rows: readonly FactRow[],
): Promise<PairRow[]> {
  const column = sql.ref(FACTS[kind].column);
  const { rows: added } = await sql<PairRow>`
    insert into outcomes (account_id, subscriber_id, message_id, ${column})
    select ${accountId}::bigint, u.* from unnest(
      ${rows.map((row) => row.subscriberId)}::bigint[], ${rows.map((row) => row.messageId)}::bigint[],
      ${rows.map((row) => row.at)}::timestamptz[]) as u
    on conflict (account_id, subscriber_id, message_id) do update set ${column} = excluded.${column}
      where outcomes.${column} is null
    returning message_id, subscriber_id`.execute(tx);
  return added;
}

/** Which of these are known at a later instant than this, and at which. */
export async function findLater(
  tx: Tx,
  accountId: number,
  kind: FactKind,
  rows: readonly FactRow[],
): Promise<(PairRow & { at: Date })[]> {
  const column = sql.ref(FACTS[kind].column);
  const { rows: later } = await sql<PairRow & { at: Date }>`
    select o.message_id, o.subscriber_id, o.${column} as at from outcomes o
    join unnest(${rows.map((row) => row.subscriberId)}::bigint[],
      ${rows.map((row) => row.messageId)}::bigint[],
      ${rows.map((row) => row.at)}::timestamptz[]) as u (subscriber_id, message_id, at)
      on o.subscriber_id = u.subscriber_id and o.message_id = u.message_id and o.${column} > u.at
    where o.account_id = ${accountId}`.execute(tx);
  return later;
}

/** What was told of facts at these instants. */
export async function deleteFactEvents(
  tx: Tx,
  accountId: number,
  kind: FactKind,
  facts: readonly (PairRow & { at: Date })[],
): Promise<void> {
  await sql`
    delete from events e using unnest(${facts.map((one) => one.at)}::timestamptz[],
      ${facts.map((one) => one.message_id)}::bigint[],
      ${facts.map((one) => one.subscriber_id)}::bigint[]) as u (at, message_id, subscriber_id)
    where e.account_id = ${accountId} and e.at = u.at and e.message_id = u.message_id
      and e.subscriber_id = u.subscriber_id and e.kind = ${kind}::event_kind`.execute(tx);
}

/** Whatever order they come in, the earliest instant stands. */
export async function setEarlier(
  tx: Tx,
  accountId: number,
  kind: FactKind,
  rows: readonly FactRow[],
): Promise<void> {
  const column = sql.ref(FACTS[kind].column);
  await sql`
    update outcomes o set ${column} = u.at
    from unnest(${rows.map((row) => row.subscriberId)}::bigint[],
      ${rows.map((row) => row.messageId)}::bigint[],
      ${rows.map((row) => row.at)}::timestamptz[]) as u (subscriber_id, message_id, at)
    where o.account_id = ${accountId} and o.subscriber_id = u.subscriber_id
      and o.message_id = u.message_id and o.${column} > u.at`.execute(tx);
}

/**
 * Takes back that these people's copies were refused, but for those that came back after they had been taken:
 * the outcome's instants and what was told at them. Returns how many had which.
 * @param people a statement that yields `subscriber_id`, bound to the account
 */
export async function clearRefusals(
  tx: Tx,
  accountId: number,
  messageId: number,
  people: RawBuilder<unknown>,
): Promise<{ hard_bounces: number; soft_bounces: number }> {
  const { rows } = await sql<{ hard_bounces: number; soft_bounces: number }>`
    with refused as materialized (
      select o.subscriber_id, o.hard_bounced_at, o.soft_bounced_at from outcomes o
      join (${people}) p on p.subscriber_id = o.subscriber_id
      where o.account_id = ${accountId} and o.message_id = ${messageId} and o.returned_at is null
        and (o.hard_bounced_at is not null or o.soft_bounced_at is not null)
      order by o.subscriber_id for update of o
    ), cleared as (
      update outcomes o set hard_bounced_at = null, soft_bounced_at = null from refused r
      where o.account_id = ${accountId} and o.message_id = ${messageId}
        and o.subscriber_id = r.subscriber_id
    ), forgotten as (
      delete from events e using refused r
      where e.account_id = ${accountId} and e.message_id = ${messageId}
        and e.subscriber_id = r.subscriber_id and e.kind in ('hard_bounce', 'soft_bounce')
        and (e.kind = 'hard_bounce' and e.at = r.hard_bounced_at
          or e.kind = 'soft_bounce' and e.at = r.soft_bounced_at)
    )
    select count(hard_bounced_at) as hard_bounces, count(soft_bounced_at) as soft_bounces
    from refused`.execute(tx);
  return rows[0] ?? { hard_bounces: 0, soft_bounces: 0 };
}

/** Claims a provider's events; returns the ids that were not known. Equal ones wait for each other. */
export async function claimEvents(
  tx: Tx,
  accountId: number,
  provider: string,
  eventIds: readonly string[],
  at: Date,
): Promise<string[]> {
  const { rows } = await sql<{ event_id: string }>`
    insert into provider_events (account_id, provider, event_id, at)
    select ${accountId}::bigint, ${provider}, event_id, ${at}::timestamptz
    from unnest(${[...new Set(eventIds)].sort()}::text[]) as event_id
    on conflict do nothing returning event_id`.execute(tx);
  return rows.map((row) => row.event_id);
}

/** Nothing personal stays in the events of people who are gone. */
export async function blankPeople(tx: Tx, accountId: number, subscriberIds: readonly number[]) {
  await sql`update events set ip = null, user_agent = null, details = null
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])
      and (ip is not null or user_agent is not null or details is not null)`.execute(tx);
  await sql`update hits set ip = null, user_agent = null
    where account_id = ${accountId} and subscriber_id = any(${[...subscriberIds]}::bigint[])`.execute(
    tx,
  );
}
