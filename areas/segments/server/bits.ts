// Stores a set of subscribers as a bitmap: 64 ids per number, all numbers in one array. PostgreSQL
// builds such an array once for all parallel workers and then looks each subscriber up: no join, so
// no wrong estimate, and a million ids take 125 KB, which fits the processor's cache, while a hash
// table takes 40 MB. It is built completely before the first lookup, so it suits counts of all
// subscribers, but not a page or a slice.
//
// Long unused ranges of ids (a restore skips ten million) are left out.
import { type RawBuilder, sql } from 'kysely';

/** A range of unused array elements, each of 64 ids; `until` is exclusive. */
export type Gap = { from: number; until: number };

/**
 * Returns an SQL condition that is true if a row `s` of subscribers is in `subscribers`, a select
 * of `subscriber_id` that may contain ids of other accounts. `gaps` are the account's gaps, in
 * order; no subscriber of the set is in a gap.
 */
export function isAmong(
  subscribers: RawBuilder<unknown>,
  accountId: number,
  gaps: readonly Gap[] = [],
): RawBuilder<boolean> {
  const end = (which: 'min' | 'max') =>
    sql`(select ${sql.raw(which)}(id) >> 6 from subscribers where account_id = ${accountId})`;
  const wordPosition = (id: 's.id' | 'subscriber_id') =>
    withoutGaps(sql`(${sql.raw(id)} >> 6)`, gaps);
  // Unused array elements need a number too, otherwise later ones would shift. The planner cannot
  // estimate the number of elements of this `union all`, so it uses all parallel workers.
  return sql<boolean>`(coalesce((
    select array_agg(bits order by place) from (
      select place, coalesce(bit_or(bit), 0) as bits from (
        select generate_series(${end('min')}, ${lastPlace(end('max'), gaps)}) as place, null::bigint as bit
        union all
        select ${wordPosition('subscriber_id')}, 1::bigint << (subscriber_id & 63)::int from (${subscribers}) person) one
      group by place having place >= ${end('min')}) each_place
    )[(${wordPosition('s.id')} - ${end('min')} + 1)::int], 0) >> (s.id & 63)::int & 1 <> 0)`;
}

/** Returns the array index with gaps omitted, or null within a gap. */
function withoutGaps(position: RawBuilder<unknown>, gaps: readonly Gap[]): RawBuilder<unknown> {
  if (gaps.length === 0) return position;
  // The last gap first, because after a restore most subscribers are after it, or all are before
  // it.
  const whens = gaps.map(({ from, until }, i) => {
    const omittedWidth = sumWidths(gaps.slice(0, i + 1));
    return sql`when ${position} >= ${until}::bigint then ${position} - ${omittedWidth}::bigint
      when ${position} >= ${from}::bigint then null`;
  });
  return sql`(case ${sql.join(whens.reverse(), sql` `)} else ${position} end)`;
}

/**
 * Returns the last array index with gaps omitted. It is never before the last gap, even if all
 * subscribers after that gap are deleted.
 */
function lastPlace(max: RawBuilder<unknown>, gaps: readonly Gap[]): RawBuilder<unknown> {
  const last = gaps.at(-1);
  if (!last) return max;
  const before = last.from - 1 - sumWidths(gaps.slice(0, -1));
  return sql`greatest(${max} - ${sumWidths(gaps)}::bigint, ${before}::bigint)`;
}

const sumWidths = (gaps: readonly Gap[]) =>
  gaps.reduce((width, { from, until }) => width + until - from, 0);

/**
 * Returns the gaps between ranges of `width` ids that begin at `starts`, in order: the `max` widest
 * ones with at least `min` array elements.
 */
export function findGapsBetween(
  starts: readonly number[],
  width: number,
  { min, max }: { min: number; max: number },
): Gap[] {
  const gaps = starts.slice(1).map((start, i) => ({
    from: Math.floor(((starts[i] as number) + width - 1) / 64) + 1,
    until: Math.floor(start / 64),
  }));
  return gaps
    .filter(({ from, until }) => until - from >= min)
    .sort((a, b) => b.until - b.from - (a.until - a.from))
    .slice(0, max)
    .sort((a, b) => a.from - b.from);
}
