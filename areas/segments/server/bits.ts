// A set of people as bits, 64 ids to a number, all numbers in one array. PostgreSQL makes such an array once
// for all its processes and then looks each person up at their place: no join, so no estimate can be wrong,
// and a million ids take 125 KB, which a processor keeps at hand, where a hash of them takes 40 MB. It is
// made whole before anybody is looked up in it: right for counting everybody, wrong for a page or a slice.
import { type RawBuilder, sql } from 'kysely';

/** `s` is one of these people, a select of `subscriber_id`; ids of anybody else may be among them. */
export function isAmong(people: RawBuilder<unknown>, accountId: number): RawBuilder<boolean> {
  const place = (end: 'min' | 'max') =>
    sql`(select ${sql.raw(end)}(id) >> 6 from subscribers where account_id = ${accountId})`;
  // Places without anybody are numbers too, or those behind them would not stand where they belong. Where
  // it adds up two selects the planner knows of no number of places, and adds up in all its processes.
  return sql<boolean>`(coalesce((
    select array_agg(bits order by place) from (
      select place, coalesce(bit_or(bit), 0) as bits from (
        select generate_series(${place('min')}, ${place('max')}) as place, null::bigint as bit
        union all
        select subscriber_id >> 6, 1::bigint << (subscriber_id & 63)::int from (${people}) person) one
      group by place having place >= ${place('min')}) each_place
    )[((s.id >> 6) - ${place('min')} + 1)::int], 0) >> (s.id & 63)::int & 1 <> 0)`;
}
