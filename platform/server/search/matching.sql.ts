// Orders matches: the exact title first, then titles that begin with the term, contain a word that
// begins with it, or contain it anywhere, and finally matches in the detail.
import { type RawBuilder, sql } from 'kysely';
import type { Reader } from '../database/database.ts';
import { escapeLike } from '../database/like.ts';
import type { SearchTerms } from './terms.ts';

export type Match = { id: number; title: string; detail: string | null; parameter: string | null };

/** Reads and folds all titles of an account's table; larger tables have their own search. */
export async function bestMatches(
  db: Reader,
  rows: RawBuilder<unknown>,
  { folded: foldedTerm, words }: SearchTerms,
  limit: number,
): Promise<Match[]> {
  const matchEach = (part: (word: string) => RawBuilder<boolean>) =>
    sql<boolean>`(${sql.join(words.map(part), sql` and `)})`;
  const { rows: matches } = await sql<Match>`
    select id, title, detail, parameter from (
      select id, title, detail, parameter, modified_at, folded_title as folded,
        ' ' || translate(folded_title, ${BREAKS}, ${' '.repeat(BREAKS.length)}) as spaced
      from (
        select found.*, ${foldSql(sql`title`)} as folded_title,
          ${foldSql(sql`title || ' ' || coalesce(detail, '')`)} as folded_all
        from (${rows}) as found
      ) as texts
      where ${matchEach((word) => sql`folded_all like ${`%${escapeLike(word)}%`}`)}
    ) as matches
    order by case
      when folded = ${foldedTerm} then 0
      when starts_with(folded, ${foldedTerm}) then 1
      when ${matchEach((word) => sql`spaced like ${`% ${escapeLike(word)}%`}`)} then 2
      when ${matchEach((word) => sql`folded like ${`%${escapeLike(word)}%`}`)} then 3
      else 4 end, modified_at desc, id desc
    limit ${limit}`.execute(db);
  return matches;
}

/** Characters that precede a word. */
const BREAKS = `-_./@(["'+:#`;

/**
 * SQL equivalent of foldText. It folds the case of all letters, independent of the collation of the
 * column or database.
 */
function foldSql(text: RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`regexp_replace(
    normalize(lower((${text}) collate "und-x-icu"), nfd), '[\u0300-\u036F\u064B-\u0655]', '', 'g')`;
}
