// Queries for forms, their versions and the groups that subscribers are added to.
import { type Selectable, sql } from 'kysely';
import { type PlaceFilter, placeConditions } from '#areas/folders/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles. */
export const rewriteTitles = createTextRewriter('forms', {
  toKey: (title) => title.toLowerCase(),
});

export type FormRow = Selectable<DB['forms']>;
export type FormVersionRow = Selectable<DB['form_versions']>;

export function insertForm(
  tx: Tx,
  row: {
    accountId: number;
    type: string;
    title: string;
    document: unknown;
    settings: unknown;
    at: Date;
  },
): Promise<FormRow> {
  return tx
    .insertInto('forms')
    .values({
      account_id: row.accountId,
      type: row.type,
      title: row.title,
      title_key: row.title.toLowerCase(),
      document: JSON.stringify(row.document),
      settings: JSON.stringify(row.settings),
      created_at: row.at,
      modified_at: row.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export const { find: findForm, lock: lockForm } = accountTable('forms', 'id');

/** Titles by id; deleted forms are absent. */
export async function listFormTitles(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const { rows } = await sql<{ id: number; title: string }>`
    select id, title from forms
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row.title]));
}

export function saveForm(
  tx: Tx,
  accountId: number,
  id: number,
  change: {
    title?: string;
    is_active?: boolean;
    document?: string;
    settings?: string;
    revision?: number;
    published_version?: number;
    published_at?: Date;
    mail_content_id?: number;
    mail_content_revision?: number;
    mail_content_kind?: string;
    mail_revision?: number;
    modified_at: Date;
  },
): Promise<FormRow> {
  const key = change.title === undefined ? {} : { title_key: change.title.toLowerCase() };
  return tx
    .updateTable('forms')
    .set({ ...change, ...key })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

/** Filters out the ids of forms that do not exist. */
export async function filterExistingForms(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from forms
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[])`.execute(db);
  return rows.map((row) => row.id);
}

export async function deleteForm(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('forms')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

const filterForms = (
  db: Reader,
  accountId: number,
  filter: {
    search?: string | undefined;
    type?: string | undefined;
    isActive?: boolean | undefined;
    place?: PlaceFilter | undefined;
  },
) => {
  let rows = db.selectFrom('forms').where('account_id', '=', accountId);
  if (filter.type) rows = rows.where('type', '=', filter.type);
  if (filter.isActive !== undefined) rows = rows.where('is_active', '=', filter.isActive);
  for (const condition of placeConditions('form', accountId, 'forms.id', filter.place ?? {})) {
    rows = rows.where(condition);
  }
  if (filter.search)
    rows = rows.where('title_key', 'like', toContainsPattern(filter.search.toLowerCase()));
  return rows;
};

const columns = { created: 'created_at', modified: 'modified_at', title: 'title_key' } as const;

export function listForms(
  db: Reader,
  accountId: number,
  list: ListRequest<'created' | 'title' | 'modified'>,
  filter: {
    type: string | undefined;
    isActive: boolean | undefined;
    place: PlaceFilter | undefined;
  },
  slice: Slice,
): Promise<FormRow[]> {
  return filterForms(db, accountId, { search: list.search, ...filter })
    .selectAll()
    .orderBy(columns[list.order], list.direction)
    .orderBy('id', list.direction)
    .limit(slice.limit)
    .offset(slice.offset)
    .execute();
}

export async function countForms(
  db: Reader,
  accountId: number,
  filter: {
    search?: string | undefined;
    type?: string | undefined;
    isActive?: boolean | undefined;
    place?: PlaceFilter | undefined;
  } = {},
): Promise<number> {
  const row = await filterForms(db, accountId, filter)
    .select((expressionBuilder) => expressionBuilder.fn.countAll<number>().as('count'))
    .executeTakeFirst();
  return Number(row?.count ?? 0);
}

export async function insertVersion(
  tx: Tx,
  row: {
    accountId: number;
    formId: number;
    number: number;
    document: unknown;
    settings: unknown;
    snapshot: unknown;
    at: Date;
  },
): Promise<void> {
  await tx
    .insertInto('form_versions')
    .values({
      account_id: row.accountId,
      form_id: row.formId,
      number: row.number,
      document: JSON.stringify(row.document),
      settings: JSON.stringify(row.settings),
      snapshot: JSON.stringify(row.snapshot),
      created_at: row.at,
    })
    .execute();
}

export const { find: findVersion } = accountTable('form_versions', 'form_id', 'number');

/**
 * Finds a version that was replaced at `since` or later, so that an open page may still show it.
 */
export async function findRecentVersion(
  db: Reader,
  accountId: number,
  formId: number,
  { number, since }: { number: number; since: Date },
): Promise<FormVersionRow | undefined> {
  const { rows } = await sql<FormVersionRow>`
    select v.* from form_versions v
    join form_versions next on next.account_id = v.account_id and next.form_id = v.form_id
      and next.number = v.number + 1
    where v.account_id = ${accountId} and v.form_id = ${formId} and v.number = ${number}
      and next.created_at >= ${since}`.execute(db);
  return rows[0];
}

export type ActiveForm = Pick<FormRow, 'id' | 'title' | 'type'> &
  Pick<FormVersionRow, 'number' | 'document' | 'settings'>;

/** Lists active forms and their published version, regardless of schedule; at most 200. */
export async function listActiveForms(db: Reader, accountId: number): Promise<ActiveForm[]> {
  const { rows } = await sql<ActiveForm>`
    select f.id, f.title, f.type, v.number, v.document, v.settings
    from forms f join form_versions v
      on v.account_id = f.account_id and v.form_id = f.id and v.number = f.published_version
    where f.account_id = ${accountId} and f.is_active
    order by f.id limit 200`.execute(db);
  return rows;
}

export async function findFormGroups(
  db: Reader,
  accountId: number,
  formIds: readonly number[],
): Promise<{ form_id: number; group_id: number; is_mandatory: boolean }[]> {
  if (formIds.length === 0) return [];
  return db
    .selectFrom('form_groups')
    .select(['form_id', 'group_id', 'is_mandatory'])
    .where('account_id', '=', accountId)
    .where('form_id', 'in', [...formIds])
    .orderBy('group_id')
    .execute();
}

export async function setGroups(
  tx: Tx,
  accountId: number,
  formId: number,
  groups: readonly { id: number; isMandatory: boolean }[],
): Promise<void> {
  await tx
    .deleteFrom('form_groups')
    .where('account_id', '=', accountId)
    .where('form_id', '=', formId)
    .execute();
  if (groups.length === 0) return;
  await tx
    .insertInto('form_groups')
    .values(
      groups.map(({ id, isMandatory }) => ({
        account_id: accountId,
        form_id: formId,
        group_id: id,
        is_mandatory: isMandatory,
      })),
    )
    .execute();
}

export const { delete: deleteFormGroup } = accountTable('form_groups', 'group_id');

/** Forms that add subscribers to a group. */
export function listFormsWithGroup(
  db: Reader,
  accountId: number,
  groupId: number,
): Promise<{ id: number; title: string }[]> {
  return db
    .selectFrom('form_groups as g')
    .innerJoin('forms as f', (join) =>
      join.onRef('f.account_id', '=', 'g.account_id').onRef('f.id', '=', 'g.form_id'),
    )
    .select(['f.id', 'f.title'])
    .where('g.account_id', '=', accountId)
    .where('g.group_id', '=', groupId)
    .execute();
}

export type FormUseRow = {
  id: number;
  title: string;
  /** Subjects of the confirmation emails of the draft and of the published version, joined. */
  subjects: string;
  mail_content_id: number | null;
};

/** Lists an account's forms (at most a few hundred) and their confirmation emails. */
export async function listFormsWithEmail(db: Reader, accountId: number): Promise<FormUseRow[]> {
  const { rows } = await sql<FormUseRow>`
    select f.id, f.title, f.mail_content_id,
      concat_ws(' ', f.settings #>> '{confirmation,subject}', v.settings #>> '{confirmation,subject}')
        as subjects
    from forms f left join form_versions v
      on v.account_id = f.account_id and v.form_id = f.id and v.number = f.published_version
    where f.account_id = ${accountId} order by f.id`.execute(db);
  return rows;
}

/** Lists an account's forms with the text of the draft and the published version. */
export async function listFormTexts(
  db: Reader,
  accountId: number,
): Promise<(Pick<FormUseRow, 'id' | 'title' | 'mail_content_id'> & { text: string })[]> {
  const { rows } = await sql<
    Pick<FormUseRow, 'id' | 'title' | 'mail_content_id'> & { text: string }
  >`
    select f.id, f.title, f.mail_content_id,
      concat_ws(' ', f.document, f.settings, v.document, v.settings) as text
    from forms f left join form_versions v
      on v.account_id = f.account_id and v.form_id = f.id and v.number = f.published_version
    where f.account_id = ${accountId} order by f.id`.execute(db);
  return rows;
}

/** Forms whose draft or published version uses a field, or stores the wheel's prize in it. */
export async function listFormIdsUsingField(
  db: Reader,
  accountId: number,
  fieldId: string,
): Promise<number[]> {
  const fieldJson = JSON.stringify([{ field: fieldId }]);
  const usesField = (source: string) => sql`
    jsonb_path_query_array(${sql.ref(`${source}.document`)}, '$.steps[*].blocks[*]') @> ${fieldJson}::jsonb
    or ${sql.ref(`${source}.settings`)} #>> '{wheel_config,custom_field}' = ${fieldId}`;
  const { rows } = await sql<{ id: number }>`
    select f.id from forms f left join form_versions v
      on v.account_id = f.account_id and v.form_id = f.id and v.number = f.published_version
    where f.account_id = ${accountId} and (${usesField('f')} or ${usesField('v')})`.execute(db);
  return rows.map(({ id }) => id);
}

/** Handles `contents.in_use`: returns the confirmation emails of forms. */
export async function listContentsOfForms(
  tx: Tx,
  { accountId, contentIds }: { accountId: number; contentIds: readonly number[] },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select mail_content_id as id from forms
    where account_id = ${accountId} and mail_content_id = any(${[...contentIds]}::bigint[])`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Forms in the global search. */
export const searchableForms = (accountId: number) => sql`
  select id, title, null::text as detail, null::text as parameter, modified_at from forms
  where account_id = ${accountId}`;
