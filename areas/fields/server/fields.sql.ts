// Queries for fields.
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import { type Selectable, sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/**
 * Removes the addresses of erased subscribers from titles. Names remain, because content, imports
 * and API clients refer to fields by name.
 */
export const rewriteTitles = createTextRewriter('fields');

export type FieldRow = Selectable<DB['fields']>;

type FieldListOptions = {
  order: 'title' | 'created' | 'modified';
  direction: 'asc' | 'desc';
  search: string | undefined;
};

const matching = (accountId: number, search: string | undefined) =>
  search
    ? sql`account_id = ${accountId} and (title ilike ${toContainsPattern(search)} or name like ${toContainsPattern(search.toLowerCase())})`
    : sql`account_id = ${accountId}`;

export async function listFields(
  db: Reader,
  accountId: number,
  list: FieldListOptions,
  slice: { limit: number; offset: number },
): Promise<FieldRow[]> {
  const sortDirection = list.direction === 'asc' ? sql`asc` : sql`desc`;
  const key = {
    title: sql`lower(title) collate "und-x-icu"`,
    created: sql`created_at`,
    modified: sql`modified_at`,
  }[list.order];
  const { rows } = await sql<FieldRow>`
    select * from fields where ${matching(accountId, list.search)}
    order by ${key} ${sortDirection}, id ${sortDirection} limit ${slice.limit} offset ${slice.offset}`.execute(
    db,
  );
  return rows;
}

export async function countFields(
  db: Reader,
  accountId: number,
  search: string | undefined,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from fields where ${matching(accountId, search)}`.execute(db);
  return rows[0]?.total ?? 0;
}

/** Lists all fields of the account by position. An account has at most 500 fields. */
export function listAllFields(db: Reader, accountId: number): Promise<FieldRow[]> {
  return db
    .selectFrom('fields')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('position')
    .orderBy('id')
    .execute();
}

/** Serializes additions of fields to one account so that titles and names stay unique. */
export async function lockFields(tx: Tx, accountId: number): Promise<void> {
  await sql`select id from accounts where id = ${accountId} for no key update`.execute(tx);
}

/**
 * Returns the given fields that exist, and locks them against deletion until the transaction ends.
 */
export async function lockFieldsById(
  tx: Tx,
  accountId: number,
  ids: readonly number[],
): Promise<FieldRow[]> {
  const { rows } = await sql<FieldRow>`
    select * from fields
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[])
    order by id for key share`.execute(tx);
  return rows;
}

/**
 * `lockField`: concurrent transactions that want to use the field wait, and do not find it if it
 * was deleted.
 */
export const { lock: lockField, updateReturning: updateField } = accountTable('fields', 'id');

export function insertField(
  tx: Tx,
  accountId: number,
  field: { name: string; title: string; type: string; position: number; at: Date },
): Promise<FieldRow> {
  return tx
    .insertInto('fields')
    .values({
      account_id: accountId,
      name: field.name,
      title: field.title,
      type: field.type,
      position: field.position,
      created_at: field.at,
      modified_at: field.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

export function deleteField(tx: Tx, accountId: number, id: number): Promise<FieldRow | undefined> {
  return tx
    .deleteFrom('fields')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Fields in the global search. */
export const listSearchableFields = (accountId: number) => sql`
  select id, title, name::text as detail, null::text as parameter, modified_at from fields
  where account_id = ${accountId}`;
