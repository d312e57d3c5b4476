// Queries for saved sections.
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { sortedPage } from './sorted-page.sql.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles. */
export const rewriteSections = createTextRewriter('saved_sections');

export type SavedSectionRow = Selectable<DB['saved_sections']>;
export type ListedSectionRow = Pick<SavedSectionRow, 'id' | 'title' | 'created_at' | 'modified_at'>;
type SectionListOptions = {
  order: 'modified' | 'title' | 'created';
  direction: 'asc' | 'desc';
  search: string | undefined;
};

const COLUMNS = { modified: 'modified_at', title: 'title', created: 'created_at' } as const;
function filterSections(db: Reader, accountId: number, search: string | undefined) {
  const query = db.selectFrom('saved_sections').where('account_id', '=', accountId);
  return search ? query.where('title', 'ilike', toContainsPattern(search)) : query;
}

/** Sections without their content. */
export function listSections(
  db: Reader,
  accountId: number,
  list: SectionListOptions,
  slice: { limit: number; offset: number },
): Promise<ListedSectionRow[]> {
  const { order, direction, search } = list;
  const sorting = { column: COLUMNS[order], isText: order === 'title', direction };
  const titles = filterSections(db, accountId, search).select([
    'id',
    'title',
    'created_at',
    'modified_at',
  ]);
  return sortedPage(titles, sorting, slice);
}

export const { find: readSection, delete: deleteSection } = accountTable('saved_sections', 'id');

export async function countSections(
  db: Reader,
  accountId: number,
  search?: string,
): Promise<number> {
  const row = await filterSections(db, accountId, search)
    .select((e) => e.fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow();
  return row.total;
}

export function insertSection(
  tx: Tx,
  accountId: number,
  newSection: { title: string; section: unknown; created_by: number; at: Date },
): Promise<SavedSectionRow> {
  const { title, section, created_by, at } = newSection;
  return tx
    .insertInto('saved_sections')
    .values({
      account_id: accountId,
      title,
      section: JSON.stringify(section),
      created_by,
      created_at: at,
      modified_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function changeSection(
  tx: Tx,
  accountId: number,
  id: number,
  change: { title?: string | undefined; section?: unknown; at: Date },
): Promise<SavedSectionRow | undefined> {
  return tx
    .updateTable('saved_sections')
    .set({
      modified_at: change.at,
      ...(change.title !== undefined && { title: change.title }),
      ...(change.section !== undefined && { section: JSON.stringify(change.section) }),
    })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the first 20 sections whose JSON contains this string, such as the key of a file. */
export function listSectionsWith(
  db: Reader,
  accountId: number,
  term: string,
): Promise<{ id: number; title: string }[]> {
  return db
    .selectFrom('saved_sections')
    .select(['id', 'title'])
    .where('account_id', '=', accountId)
    .where(sql<boolean>`strpos(section::text, ${term}) > 0`)
    .orderBy('id')
    .limit(20)
    .execute();
}
