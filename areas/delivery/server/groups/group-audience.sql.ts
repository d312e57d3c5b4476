// Inserts a slice of a group's audience into all messages of the group.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import type { Exclusion } from '../../shared.ts';
import { laneInWave, type AudienceSlice } from '../ledger/audience.sql.ts';
import { insertAtEnds, insertHeldOut } from '../ledger/recipients.sql.ts';
import {
  compileAudience,
  compileExclusion,
  isInAudience,
  subscriberBucketSql,
} from '../ledger/selection.sql.ts';

export type GroupSliceRow = {
  message_id: number | null;
  lane: number | null;
  reason: Exclusion | null;
  count: number;
  /** PostgreSQL's text form of a bigint[]. */
  ids: string | null;
  written: number;
};

/**
 * Inserts the recipients of one slice at the end of the lanes of their messages, and the
 * subscribers of the holdout group. The holdout group consists only of subscribers who would have
 * received a copy. Returns the numbers of added, excluded and held-out subscribers.
 */
export async function insertGroupRecipients(
  tx: Tx,
  slice: AudienceSlice,
): Promise<GroupSliceRow[]> {
  const { accountId, messageId, audience } = slice;
  const { places, split } = audience;
  if (!places || !split) throw new Error('The audience has no buckets');
  const { parts, holdout } = split;
  const compiledAudience = await compileAudience(
    tx,
    accountId,
    slice.channel,
    audience,
    slice.asOf,
    slice,
  );
  const { rows } = await sql<GroupSliceRow>`
    with named as materialized (
      select s.id, ${laneInWave(slice)} as lane, ${compileExclusion(compiledAudience)} as reason,
        ${subscriberBucketSql(places.salt)} as bucket
      from subscribers s
      where s.account_id = ${accountId} and s.id > ${slice.after} and s.id <= ${slice.lastId}
        and s.deleted_at is null and s.created_at <= ${slice.asOf}
        and ${isInAudience(compiledAudience)}
    ), sorted as (
      select p.message_id, n.lane, count(*) as count, array_agg(n.id order by n.id)::text as ids
      from named n
      join unnest(${parts.map((range) => range.messageId)}::bigint[],
        ${parts.map((range) => range.from)}::int[], ${parts.map((range) => range.to)}::int[])
        p(message_id, from_bucket, to_bucket)
        on n.bucket >= p.from_bucket and n.bucket < p.to_bucket
      where n.reason is null group by p.message_id, n.lane
    )
    select n.message_id, n.lane, null as reason, n.count, n.ids, coalesce(l.written, 0) as written
    from sorted n left join lanes l on l.account_id = ${accountId}
      and l.message_id = n.message_id and l.lane = n.lane
    union all
    select null, null, reason, count(*), null, 0 from named where reason is not null group by reason
    union all
    select null, null, 'held_out', count(*), array_agg(id)::text, 0 from named
    where reason is null and bucket >= ${holdout.from} and bucket < ${holdout.to}
    having count(*) > 0`.execute(tx);
  const lanes = rows.flatMap(({ message_id: id, lane, written, ids }) =>
    id === null || lane === null || ids === null ? [] : [{ messageId: id, lane, written, ids }],
  );
  await insertAtEnds(tx, accountId, lanes);
  for (const { reason, ids } of rows) {
    if (reason === 'held_out' && ids !== null) await insertHeldOut(tx, accountId, messageId, ids);
  }
  return rows;
}
