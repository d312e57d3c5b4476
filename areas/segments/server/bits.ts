// A set of people as bits, 64 ids to a number, all numbers in one array. PostgreSQL makes such an array once
// for all its processes and then looks each person up at their place: no join, so no estimate can be wrong,
// and a million ids take 125 KB, which a processor keeps at hand, where a hash of them takes 40 MB. It is
// made whole before anybody is looked up in it: right for counting everybody, wrong for a page or a slice.
//
// A long stretch of ids in which nobody stands (a restore leaves ten million out) has no places in it.
import { type RawBuilder, sql } from 'kysely';

/** Places, each of 64 ids, at which nobody of the account stands: from the one and before the other. */
export type Gap = { from: number; until: number };

/**
 * `s` is one of these people, a select of `subscriber_id`; ids of anybody else may be among them. `gaps` are
 * the account's, in their order; who comes to stand in one is among nobody.
 */
export function isAmong(
  people: RawBuilder<unknown>,
  accountId: number,
  gaps: readonly Gap[] = [],
): RawBuilder<boolean> {
  const end = (which: 'min' | 'max') =>
    sql`(select ${sql.raw(which)}(id) >> 6 from subscribers where account_id = ${accountId})`;
  const place = (id: 's.id' | 'subscriber_id') => withoutGaps(sql`(${sql.raw(id)} >> 6)`, gaps);
  // Places without anybody are numbers too, or those behind them would not stand where they belong. Where
  // it adds up two selects the planner knows of no number of places, and adds up in all its processes.
  return sql<boolean>`(coalesce((
    select array_agg(bits order by place) from (
      select place, coalesce(bit_or(bit), 0) as bits from (
        select generate_series(${end('min')}, ${lastPlace(end('max'), gaps)}) as place, null::bigint as bit
        union all
        select ${place('subscriber_id')}, 1::bigint << (subscriber_id & 63)::int from (${people}) person) one
      group by place having place >= ${end('min')}) each_place
    )[(${place('s.id')} - ${end('min')} + 1)::int], 0) >> (s.id & 63)::int & 1 <> 0)`;
}

/** The place as it stands where the gaps are left out; null in one. */
function withoutGaps(place: RawBuilder<unknown>, gaps: readonly Gap[]): RawBuilder<unknown> {
  if (gaps.length === 0) return place;
  // The last one first: most people came since a restore, or all of them before.
  const whens = gaps.map(({ from, until }, i) => {
    const left = widthOf(gaps.slice(0, i + 1));
    return sql`when ${place} >= ${until}::bigint then ${place} - ${left}::bigint
      when ${place} >= ${from}::bigint then null`;
  });
  return sql`(case ${sql.join(whens.reverse(), sql` `)} else ${place} end)`;
}

/** Nobody stands behind the last gap any more where all of them went since it was found. */
function lastPlace(max: RawBuilder<unknown>, gaps: readonly Gap[]): RawBuilder<unknown> {
  const last = gaps.at(-1);
  if (!last) return max;
  const before = last.from - 1 - widthOf(gaps.slice(0, -1));
  return sql`greatest(${max} - ${widthOf(gaps)}::bigint, ${before}::bigint)`;
}

const widthOf = (gaps: readonly Gap[]) =>
  gaps.reduce((width, { from, until }) => width + until - from, 0);

/**
 * The gaps between stretches of ids that begin at these and are `width` long at most, their beginnings in
 * order: all beyond `least` places, but only the widest `most`.
 */
export function gapsBetween(
  stretches: readonly number[],
  width: number,
  { least, most }: { least: number; most: number },
): Gap[] {
  const gaps = stretches.slice(1).map((begin, i) => ({
    from: Math.floor(((stretches[i] as number) + width - 1) / 64) + 1,
    until: Math.floor(begin / 64),
  }));
  return gaps
    .filter(({ from, until }) => until - from >= least)
    .sort((a, b) => b.until - b.from - (a.until - a.from))
    .slice(0, most)
    .sort((a, b) => a.from - b.from);
}
