// Queries for an account's saved templates and the text of its templates and sections.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles. */
export const rewriteTemplates = createTextRewriter('saved_templates');

export type SavedTemplateRow = Selectable<DB['saved_templates']>;
export type ListedTemplateRow = Pick<SavedTemplateRow, 'id' | 'title' | 'modified_at'>;

/** Templates without their content, the most recently changed first. */
export function listTemplates(db: Reader, accountId: number): Promise<ListedTemplateRow[]> {
  return db
    .selectFrom('saved_templates')
    .select(['id', 'title', 'modified_at'])
    .where('account_id', '=', accountId)
    .orderBy('modified_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
}

export async function countTemplates(db: Reader, accountId: number): Promise<number> {
  const row = await db
    .selectFrom('saved_templates')
    .select((e) => e.fn.countAll<number>().as('total'))
    .where('account_id', '=', accountId)
    .executeTakeFirstOrThrow();
  return row.total;
}

export const { find: findTemplate, delete: deleteTemplate } = accountTable('saved_templates', 'id');

export function insertTemplate(
  tx: Tx,
  accountId: number,
  template: { title: string; document: unknown; created_by: number; at: Date },
): Promise<SavedTemplateRow> {
  const { title, document, created_by, at } = template;
  return tx
    .insertInto('saved_templates')
    .values({
      account_id: accountId,
      title,
      document: JSON.stringify(document),
      created_by,
      created_at: at,
      modified_at: at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function renameTemplate(
  tx: Tx,
  accountId: number,
  id: number,
  change: { title: string; at: Date },
): Promise<SavedTemplateRow | undefined> {
  return tx
    .updateTable('saved_templates')
    .set({ title: change.title, modified_at: change.at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Returns the first 20 templates whose JSON contains this string, such as the key of a file. */
export function listTemplatesWith(
  db: Reader,
  accountId: number,
  term: string,
): Promise<{ id: number; title: string }[]> {
  return db
    .selectFrom('saved_templates')
    .select(['id', 'title'])
    .where('account_id', '=', accountId)
    .where(sql<boolean>`strpos(document::text, ${term}) > 0`)
    .orderBy('id')
    .limit(20)
    .execute();
}

/** Returns saved templates and sections with their document text, newest first. */
export async function listLibraryTexts(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<{ kind: 'template' | 'section'; id: number; title: string; text: string }[]> {
  const { rows } = await sql<{
    kind: 'template' | 'section';
    id: number;
    title: string;
    text: string;
  }>`
    select * from (
      select 'template' as kind, id, title, document::text as text from saved_templates
      where account_id = ${accountId}
      union all
      select 'section', id, title, section::text from saved_sections
      where account_id = ${accountId}) saved
    order by id desc limit ${limit}`.execute(db);
  return rows;
}

/** Rows of the global search. */
export const searchableTemplates = (accountId: number) => sql`
  select id, title, null::text as detail, null::text as parameter, modified_at from saved_templates
  where account_id = ${accountId}`;
