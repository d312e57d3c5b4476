// Queries for warm-ups: plans of how many emails a domain may send per day, and the messages that
// they delay.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type WarmUpRow = Selectable<DB['warm_ups']>;

export type WarmUpGrant = { granted: number; day: number; day_began_at: Date; is_over: boolean };

/**
 * Takes up to `count` emails from the day's cap. A day of the plan begins with its first email and
 * lasts 24 hours, so days without emails do not count. Returns undefined if the domain has no
 * active plan.
 * @param at `dayAgo` is 24 hours before `now`
 */
export async function reserveFromWarmUp(
  tx: Tx,
  accountId: number,
  domain: string,
  count: number,
  at: { now: Date; dayAgo: Date },
): Promise<WarmUpGrant | undefined> {
  const { rows } = await sql<WarmUpGrant>`
    with plan as materialized (
      select caps, day, day_began_at, used, past, coalesce(day_began_at <= ${at.dayAgo}, true) as is_new
      from warm_ups where account_id = ${accountId} and domain = ${domain} and is_on for update
    ), today as (
      select caps, day + is_new::int as day,
        case when is_new then ${at.now}::timestamptz else day_began_at end as day_began_at,
        case when is_new then 0 else used end as used,
        case when is_new and day > 0 then past || used else past end as past
      from plan
    ), granted as (
      select day, day_began_at, used, past, day > cardinality(caps) as is_over,
        case when day > cardinality(caps) then ${count}::int
          else greatest(0, least(${count}::int, caps[day] - used)) end as granted
      from today
    )
    update warm_ups w set day = g.day, day_began_at = g.day_began_at, used = g.used + g.granted,
      past = g.past, is_on = not g.is_over
    from granted g where w.account_id = ${accountId} and w.domain = ${domain}
    returning g.granted, g.day, g.day_began_at, g.is_over`.execute(tx);
  return rows[0];
}

/** Adds unused capacity to the day's cap again, unless the plan's next day has begun. */
export async function returnToWarmUp(
  db: Reader,
  accountId: number,
  domain: string,
  count: number,
  dayStartedAt: Date,
): Promise<void> {
  await sql`update warm_ups set used = greatest(0, used - ${count}::int)
    where account_id = ${accountId} and domain = ${domain}
      and day_began_at = ${dayStartedAt}`.execute(db);
}

export async function hasWarmUp(db: Reader, accountId: number, domain: string): Promise<boolean> {
  const row = await db
    .selectFrom('warm_ups')
    .select('domain')
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .where('is_on', '=', true)
    .executeTakeFirst();
  return row !== undefined;
}

/** Delays a message: senders start only its retries until `until`. Null ends the delay. */
export async function delayMessage(
  tx: Tx,
  accountId: number,
  messageId: number,
  until: Date | null,
): Promise<void> {
  await tx
    .updateTable('messages')
    .set({ held_until: until })
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .execute();
}

export function listWarmUps(db: Reader, accountId: number): Promise<WarmUpRow[]> {
  return db
    .selectFrom('warm_ups')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('domain')
    .execute();
}

/** Starts a plan at its first day and replaces any earlier plan of the domain. */
export async function putWarmUp(
  tx: Tx,
  plan: { accountId: number; domain: string; caps: readonly number[]; at: Date },
): Promise<WarmUpRow> {
  return tx
    .insertInto('warm_ups')
    .values({
      account_id: plan.accountId,
      domain: plan.domain,
      caps: [...plan.caps],
      created_at: plan.at,
      modified_at: plan.at,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'domain']).doUpdateSet({
        caps: [...plan.caps],
        is_on: true,
        day: 0,
        day_began_at: null,
        used: 0,
        past: [],
        created_at: plan.at,
        modified_at: plan.at,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Ends the plan. Returns whether one was active. */
export async function endWarmUp(
  tx: Tx,
  accountId: number,
  domain: string,
  at: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('warm_ups')
    .set({ is_on: false, modified_at: at })
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .where('is_on', '=', true)
    .returning('domain')
    .executeTakeFirst();
  return row !== undefined;
}

/** Ends the delay of a message if it lasts until exactly `until`. Returns whether it did. */
export async function releaseMessage(
  tx: Tx,
  accountId: number,
  messageId: number,
  until: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('messages')
    .set({ held_until: null })
    .where('account_id', '=', accountId)
    .where('id', '=', messageId)
    .where('held_until', '=', until)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Ends the delays of all unfinished messages with a From address of the domain. Returns the
 * messages.
 */
export async function releaseDelayed(tx: Tx, accountId: number, domain: string): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    update messages set held_until = null
    where account_id = ${accountId} and held_until is not null
      and state in ('preparing', 'sending', 'waiting', 'paused')
      and lower(split_part(frozen #>> '{source,from,email}', '@', 2)) = ${domain}
    returning id`.execute(tx);
  return rows.map((row) => row.id);
}

/**
 * Counts each sending domain's accepted emails of messages that started since an instant, as a
 * measure of the domain's history. Single sends do not count.
 */
export async function listCountsFrom(
  db: Reader,
  accountId: number,
  since: Date,
): Promise<Map<string, number>> {
  const { rows } = await sql<{ domain: string; count: number }>`
    select lower(split_part(m.frozen #>> '{source,from,email}', '@', 2)) as domain,
      sum(c.accepted) as count
    from messages m join delivery_counts c on c.account_id = ${accountId} and c.message_id = m.id
    where m.account_id = ${accountId} and m.frozen_hash is null and m.first_handed_over_at >= ${since}
    group by 1`.execute(db);
  return new Map(rows.map((row) => [row.domain, row.count]));
}
