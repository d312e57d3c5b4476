// SQL of a group's audience: one statement writes a slice into all its messages.
import { sql } from 'kysely';
import type { Tx } from '#platform/server/database/database.ts';
import type { Exclusion } from '../../shared.ts';
import { laneInWave, type Slice } from '../ledger/audience.sql.ts';
import { choose, exclusionOf, isNamed, placeOf } from '../ledger/selection.sql.ts';

export type GroupSliceRow = {
  message_id: number | null;
  lane: number | null;
  reason: Exclusion | null;
  count: number;
};

/**
 * Inserts the recipients of one slice at the end of the lanes of their messages. The holdout is
 * judged last: only subscribers who would have got a copy are in it.
 */
export async function insertGroupRecipients(tx: Tx, slice: Slice): Promise<GroupSliceRow[]> {
  const { accountId, messageId, audience } = slice;
  const { places, split } = audience;
  if (!places || !split) throw new Error('The audience has no places');
  const { parts, holdout } = split;
  const chosen = await choose(tx, accountId, slice.channel, audience, slice.asOf, slice);
  const { rows } = await sql<GroupSliceRow>`
    with named as materialized (
      select s.id, ${laneInWave(slice)} as lane, ${exclusionOf(chosen)} as reason,
        ${placeOf(places.salt)} as place
      from subscribers s
      where s.account_id = ${accountId} and s.id > ${slice.after} and s.id <= ${slice.upto}
        and s.deleted_at is null and s.created_at <= ${slice.asOf}
        and ${isNamed(chosen)}
    ), held as materialized (
      select id from named where reason is null and place >= ${holdout.from}
        and place < ${holdout.to}
    ), kept as (
      insert into message_holdouts (account_id, message_id, block, bits)
      select ${accountId}::bigint, ${messageId}::bigint, id / 64, bit_or(1::bigint << (id % 64)::int)
      from held group by id / 64
      on conflict (account_id, message_id, block)
        do update set bits = message_holdouts.bits | excluded.bits
    ), added as (
      insert into recipients (account_id, message_id, lane, ordinal, subscriber_id)
      select ${accountId}::bigint, p.message_id, n.lane,
        coalesce(l.written, 0) + row_number() over (partition by p.message_id, n.lane order by n.id),
        n.id
      from named n
      join unnest(${parts.map((part) => part.messageId)}::bigint[],
        ${parts.map((part) => part.from)}::int[], ${parts.map((part) => part.to)}::int[])
        p(message_id, from_place, to_place)
        on n.place >= p.from_place and n.place < p.to_place
      left join lanes l on l.account_id = ${accountId} and l.message_id = p.message_id
        and l.lane = n.lane
      where n.reason is null
      returning message_id, lane
    )
    select message_id, lane, null as reason, count(*) as count from added group by message_id, lane
    union all
    select null, null, reason, count(*) from named where reason is not null group by reason
    union all
    select null, null, 'held_out', count(*) from held having count(*) > 0`.execute(tx);
  return rows;
}
