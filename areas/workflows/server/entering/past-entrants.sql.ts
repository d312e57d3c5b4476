// SQL for forecasts: a sample of the subscribers who would have entered a workflow in the past,
// with the time of each entry.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';
import { writtenUrl } from '../runs/activity.sql.ts';

/** `until`: when the run's cart was closed. */
export type PastEntrant = { id: number; at: Date; until?: Date | null };
export type PastEntrantSample = { total: number; sample: PastEntrant[] };

/** Returns a deterministic sample of `limit` subscribers, and the total. */
async function readSample(
  db: Reader,
  rows: RawBuilder<unknown>,
  limit: number,
): Promise<PastEntrantSample> {
  const { rows: people } = await sql<PastEntrant & { total: number }>`
    select *, count(*) over () as total from (${rows}) past
    order by hashint8(id), id limit ${limit}`.execute(db);
  const total = people[0]?.total ?? 0;
  return { total, sample: people.map(({ id, at, until }) => ({ id, at, until })) };
}

/**
 * Lists subscribers with a confirmed order since an instant. Without `storeId`, includes all
 * stores; without `productId`, all products.
 */
export const listOrderedSince = (
  db: Reader,
  accountId: number,
  filter: { storeId: number | undefined; productId: number | undefined },
  since: Date,
  limit: number,
) =>
  readSample(
    db,
    sql`select o.subscriber_id as id, min(o.placed_at) as at from orders o
      where o.account_id = ${accountId} and o.placed_at >= ${since} and o.cancelled_at is null
        and o.is_confirmed and o.subscriber_id is not null
        and (${filter.storeId ?? null}::bigint is null or o.store_id = ${filter.storeId ?? null})
        and (${filter.productId ?? null}::bigint is null or exists (
          select from order_products p where p.account_id = ${accountId} and p.order_id = o.id
            and p.product_id = ${filter.productId ?? null}))
      group by 1`,
    limit,
  );

/** Lists subscribers with a confirmed order fulfilled or refunded since an instant. */
export const listFulfilledOrRefundedSince = (
  db: Reader,
  accountId: number,
  filter: { state: 'fulfilled' | 'refunded'; storeId: number | undefined },
  since: Date,
  limit: number,
) => {
  const at = filter.state === 'fulfilled' ? sql`o.fulfilled_at` : sql`o.refunded_at`;
  return readSample(
    db,
    sql`select o.subscriber_id as id, min(${at}) as at from orders o
      where o.account_id = ${accountId} and ${at} >= ${since} and o.is_confirmed
        and o.subscriber_id is not null
        and (${filter.storeId ?? null}::bigint is null or o.store_id = ${filter.storeId ?? null})
      group by 1`,
    limit,
  );
};

/**
 * Lists subscribers who abandoned a cart since an instant, and the time when the cart was ordered
 * or given up, which ends the run.
 */
export const listCartsAbandonedSince = (
  db: Reader,
  accountId: number,
  storeId: number | undefined,
  since: Date,
  limit: number,
) =>
  readSample(
    db,
    sql`select distinct on (subscriber_id) subscriber_id as id, abandoned_at as at,
        case when closed_at > abandoned_at then closed_at end as until
      from carts
      where account_id = ${accountId} and abandoned_at >= ${since} and subscriber_id is not null
        and (${storeId ?? null}::bigint is null or store_id = ${storeId ?? null})
      order by subscriber_id, abandoned_at`,
    limit,
  );

export const listViewedSince = (
  db: Reader,
  accountId: number,
  productId: number | undefined,
  since: Date,
  limit: number,
) =>
  readSample(
    db,
    sql`select subscriber_id as id, min(at) as at from product_views
      where account_id = ${accountId} and at >= ${since}
        and (${productId ?? null}::bigint is null or product_id = ${productId ?? null})
      group by 1`,
    limit,
  );

/**
 * Lists subscribers who entered these workflows since an instant. For facts that are stored nowhere
 * else, these entries are the only record.
 */
export const listEnteredSince = (
  db: Reader,
  accountId: number,
  workflowIds: readonly number[],
  since: Date,
  limit: number,
) =>
  readSample(
    db,
    sql`select subscriber_id as id, min(entered_at) as at from (
        select subscriber_id, entered_at from workflow_runs
        where account_id = ${accountId} and workflow_id = any(${[...workflowIds]}::bigint[])
          and entered_at >= ${since}
        union all
        select subscriber_id, entered_at from workflow_past_passes
        where account_id = ${accountId} and workflow_id = any(${[...workflowIds]}::bigint[])
          and entered_at >= ${since}) entered
      group by 1`,
    limit,
  );

/**
 * Subscribers who match a segment now and did not at the instant `since`. Both conditions refer to
 * a row `s` of subscribers.
 */
export const listStartedMatchingSince = (
  db: Reader,
  accountId: number,
  conditions: { now: RawBuilder<boolean>; before: RawBuilder<boolean> },
  since: Date,
  limit: number,
) =>
  readSample(
    db,
    sql`select s.id, s.created_at as at from subscribers s
      where s.account_id = ${accountId} and s.deleted_at is null and ${conditions.now}
        and (s.created_at >= ${since} or not coalesce(${conditions.before}, false))`,
    limit,
  );

/** Subscribers who joined a group since an instant and are still members. */
export const listJoinedSince = (
  db: Reader,
  accountId: number,
  groupId: number,
  since: Date,
  limit: number,
) =>
  readSample(
    db,
    sql`select subscriber_id as id, created_at as at from group_members
      where account_id = ${accountId} and group_id = ${groupId} and created_at >= ${since}`,
    limit,
  );

export const listUnsubscribedSince = (db: Reader, accountId: number, since: Date, limit: number) =>
  readSample(
    db,
    sql`select subscriber_id as id, min(at) as at from status_changes
      where account_id = ${accountId} and at >= ${since} and channel = 'email'
        and to_status = 'unsubscribed' group by 1`,
    limit,
  );

/**
 * Subscribers who clicked the link since an instant, with or without the UTM parameters added to
 * it.
 */
export const listClickedSince = (
  db: Reader,
  accountId: number,
  url: string,
  since: Date,
  limit: number,
) =>
  readSample(
    db,
    sql`select e.subscriber_id as id, min(e.at) as at from events e
      join links l on l.account_id = ${accountId} and l.message_id = e.message_id
        and l.position = e.link_position and ${url} in (l.url, ${writtenUrl})
      where e.account_id = ${accountId} and e.at >= ${since} and e.kind = 'click'
        and e.verdict = 'human' and e.subscriber_id > 0 group by 1`,
    limit,
  );

export const listOccurredSince = (
  db: Reader,
  accountId: number,
  eventId: number,
  since: Date,
  limit: number,
) =>
  readSample(
    db,
    sql`select subscriber_id as id, min(at) as at from event_occurrences
      where account_id = ${accountId} and event_id = ${eventId} and at >= ${since} group by 1`,
    limit,
  );
