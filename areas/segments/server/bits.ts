// A large set of people as bits, 64 ids to a number. Hashing a million ids takes most of a count's time,
// for such a table is many times what a processor keeps at hand; the same set as bits is a sixty-fourth
// of it where ids stand close together. It is made whole before anybody is looked for in it: right for
// counting everybody, wrong for a page of a list, a slice, or anything joined by `or`.
import { type RawBuilder, sql } from 'kysely';

/**
 * `s` is one of these people and none of those; each is a select of `subscriber_id`.
 *
 * The union, even with nothing, hides from the planner how many people there are: it takes 200 groups for
 * granted and adds up in all its processes, where it would else add up once in each.
 */
export function isAmong(
  people: RawBuilder<unknown>,
  without: RawBuilder<unknown> = sql`select null::bigint as subscriber_id where false`,
): RawBuilder<boolean> {
  const place = sql`subscriber_id >> 6`;
  const bit = sql`1::bigint << (subscriber_id & 63)::int`;
  // `<> 0` is likely in the planner's eyes, `= 1` is not: it would take the people who are left for a few.
  return sql<boolean>`(exists (select 1 from (
      select place, coalesce(bit_or(these), 0) & ~coalesce(bit_or(those), 0) as bits from (
        select ${place} as place, ${bit} as these, null::bigint as those from (${people}) these
        union all
        select ${place}, null, ${bit} from (${without}) those) each_one
      group by place) x
    where x.place = s.id >> 6 and (x.bits >> (s.id & 63)::int) & 1 <> 0))`;
}
