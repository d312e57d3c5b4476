// Counts of a message's results by lane and day. Their sums equal the counts in delivery_counts
// because one transaction changes both, under the lock of the message's row of delivery_counts.
import { type RawBuilder, sql } from 'kysely';
import type { StatementValue } from '#platform/server/database/prepared.ts';
import { TIER } from './lanes.ts';

/** Numbers to add to a lane's counts. */
export type LaneChange = {
  lane: number;
  accepted: number;
  deferred: number;
  failed: number;
  /** Attempts that the mailbox provider answered with a request for a lower rate. */
  throttled?: number;
};

export type LaneValues = {
  countedLanes: number[];
  lanesAccepted: number[];
  lanesDeferred: number[];
  lanesFailed: number[];
  lanesThrottled: number[];
};

type LaneTarget = { accountId: number; messageId: number; at: Date };

export function toLaneValues(changes: readonly LaneChange[]): LaneValues {
  return {
    countedLanes: changes.map(({ lane }) => lane),
    lanesAccepted: changes.map(({ accepted }) => accepted),
    lanesDeferred: changes.map(({ deferred }) => deferred),
    lanesFailed: changes.map(({ failed }) => failed),
    lanesThrottled: changes.map(({ throttled = 0 }) => throttled),
  };
}

/** SQL: adds changes to the lanes' counts of the day. */
export function addToLanesSql(
  v: { [Name in keyof (LaneTarget & LaneValues)]: StatementValue<(LaneTarget & LaneValues)[Name]> },
): RawBuilder<unknown> {
  return sql`
    insert into lane_counts (account_id, message_id, lane, day, accepted, deferred, failed,
      throttled)
    select ${v.accountId}::bigint, ${v.messageId}::bigint, n.lane,
      (${v.at}::timestamptz at time zone 'UTC')::date, n.accepted, n.deferred, n.failed, n.throttled
    from unnest(${v.countedLanes}::smallint[], ${v.lanesAccepted}::bigint[],
      ${v.lanesDeferred}::bigint[], ${v.lanesFailed}::bigint[], ${v.lanesThrottled}::bigint[])
      n(lane, accepted, deferred, failed, throttled)
    where true
    on conflict (account_id, message_id, lane, day) do update set
      accepted = lane_counts.accepted + excluded.accepted,
      deferred = lane_counts.deferred + excluded.deferred,
      failed = lane_counts.failed + excluded.failed,
      throttled = lane_counts.throttled + excluded.throttled`;
}

/** SQL: a JSON object with the number of accepted copies of the message `m` by mailbox provider. */
export const readAcceptedByMailbox = (accountId: number) => sql`(
  select jsonb_object_agg(mailbox, accepted) from (
    select lane % ${sql.lit(TIER)} as mailbox, sum(accepted) as accepted from lane_counts
    where account_id = ${accountId} and message_id = m.id group by 1) by_mailbox)`;
