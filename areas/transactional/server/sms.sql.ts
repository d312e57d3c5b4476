// Queries for the titles that group transactional SMS statistics.
import { type Selectable, sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles. */
export const rewriteSms = createTextRewriter('transactional_sms', { isUnique: true });

type SmsReportRow = Selectable<DB['transactional_sms']>;
type SmsListOptions = ListRequest<'modified' | 'created' | 'title'>;

const ORDER = {
  created: sql.ref('created_at'),
  modified: sql.ref('modified_at'),
  title: sql`lower(title) collate "und-x-icu"`,
} as const;

const isListed = (accountId: number, search: string | undefined) => sql`
  account_id = ${accountId} and ${search ? sql`title ilike ${toContainsPattern(search)}` : sql`true`}`;

export async function listSms(
  db: Reader,
  accountId: number,
  { order, direction, search }: SmsListOptions,
  { limit, offset }: Slice,
): Promise<SmsReportRow[]> {
  const sqlDirection = direction === 'asc' ? sql`asc` : sql`desc`;
  const { rows } = await sql<SmsReportRow>`
    select * from transactional_sms where ${isListed(accountId, search)}
    order by ${ORDER[order]} ${sqlDirection}, id ${sqlDirection} limit ${limit} offset ${offset}`.execute(
    db,
  );
  return rows;
}

export async function countSms(db: Reader, accountId: number, search?: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`
    select count(*) as count from transactional_sms where ${isListed(accountId, search)}`.execute(
    db,
  );
  return rows[0]?.count ?? 0;
}

export const { find: findSmsTitle } = accountTable('transactional_sms', 'title');

/** Inserts a title and returns its id. If a concurrent call inserted it, both get the same id. */
export async function insertSms(
  tx: Tx,
  accountId: number,
  title: string,
  at: Date,
): Promise<number> {
  const row = await tx
    .insertInto('transactional_sms')
    .values({ account_id: accountId, title, created_at: at, modified_at: at })
    .onConflict((conflict) =>
      conflict.constraint('transactional_sms_title').doUpdateSet({ modified_at: at }),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return row.id;
}

/** Records when the last SMS was sent, unless a concurrent call is doing so. */
export async function markSmsModified(
  tx: Tx,
  accountId: number,
  id: number,
  at: Date,
): Promise<void> {
  await sql`
    with free as materialized (
      select id from transactional_sms where account_id = ${accountId} and id = ${id}
      for update skip locked
    )
    update transactional_sms t set modified_at = ${at} from free
    where t.account_id = ${accountId} and t.id = free.id`.execute(tx);
}

/** Titles of transactional SMS in the global search. */
export const listSearchableSms = (accountId: number) => sql`
  select id, title, null::text as detail, null::text as parameter, modified_at from transactional_sms
  where account_id = ${accountId}`;
