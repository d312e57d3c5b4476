// Queries for SMS senders (numbers and alphanumeric IDs) and their carrier compliance.
import { type Selectable, sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import { searchAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';

export type PhoneRow = Selectable<DB['phones']>;
export type ComplianceRow = Selectable<DB['phone_compliance']>;
type PhoneListOptions = Pick<
  ListRequest<'created' | 'title' | 'modified'>,
  'order' | 'direction' | 'search'
>;

function selectUnreleasedPhones(db: Reader, accountId: number, search: string | undefined) {
  const query = db
    .selectFrom('phones')
    .where('account_id', '=', accountId)
    .where('status', '<>', 'released');
  return search === undefined ? query : query.where('value', 'ilike', toContainsPattern(search));
}

const orderColumns = {
  title: 'value',
  created: 'created_at',
  modified: 'modified_at',
} as const;

export function listPhones(
  db: Reader,
  accountId: number,
  options: PhoneListOptions,
  { limit, offset }: Slice,
): Promise<PhoneRow[]> {
  return selectUnreleasedPhones(db, accountId, options.search)
    .selectAll()
    .orderBy(orderColumns[options.order], options.direction)
    .orderBy('id', options.direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countPhones(
  db: Reader,
  accountId: number,
  { search }: PhoneListOptions,
): Promise<number> {
  const row = await selectUnreleasedPhones(db, accountId, search)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

export function findPhone(
  db: Reader,
  accountId: number,
  id: number,
): Promise<PhoneRow | undefined> {
  return selectUnreleasedPhones(db, accountId, undefined)
    .selectAll()
    .where('id', '=', id)
    .executeTakeFirst();
}

/** Finds a sender, even if it was released. */
export function findAnyPhone(
  db: Reader,
  accountId: number,
  id: number,
): Promise<PhoneRow | undefined> {
  return db
    .selectFrom('phones')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
}

/**
 * Returns up to `limit` active senders, oldest first; with `valueKey`, only those with this number
 * or name.
 */
export function listActivePhones(
  db: Reader,
  accountId: number,
  valueKey?: string,
  limit = 2,
): Promise<PhoneRow[]> {
  const query = selectUnreleasedPhones(db, accountId, undefined)
    .selectAll()
    .where('status', '=', 'active');
  const filteredQuery = valueKey === undefined ? query : query.where('value_key', '=', valueKey);
  return filteredQuery.orderBy('id').limit(limit).execute();
}

/**
 * Removes a sender from drafts. Their revision does not change: settings that an author is editing
 * can still be saved.
 */
export async function clearSenderOfDrafts(
  tx: Tx,
  accountId: number,
  phoneId: number,
): Promise<void> {
  await tx
    .updateTable('sms_campaigns')
    .set({ phone_id: null, sender: '', last_action: 'step1' })
    .where('account_id', '=', accountId)
    .where('phone_id', '=', phoneId)
    .where('status', '=', 'DRAFT')
    .execute();
}

/** Inserts a sender; returns undefined if the account already has it. */
export async function insertPhone(
  tx: Tx,
  accountId: number,
  phone: Pick<PhoneRow, 'kind' | 'value' | 'value_key' | 'use_case' | 'status'>,
  at: Date,
): Promise<number | undefined> {
  const row = await tx
    .insertInto('phones')
    .values({ ...phone, account_id: accountId, created_at: at, modified_at: at })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'value_key']).where('status', '<>', 'released').doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export const { update: updatePhone } = accountTable('phones', 'id');

/** Counts scheduled campaigns with this sender. */
export async function countScheduledFrom(
  db: Reader,
  accountId: number,
  phoneId: number,
): Promise<number> {
  const row = await db
    .selectFrom('sms_campaigns')
    .select((e) => e.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('phone_id', '=', phoneId)
    .where('status', '=', 'SCHEDULED')
    .where('deleted_at', 'is', null)
    .executeTakeFirstOrThrow();
  return row.count;
}

export function findCompliance(
  db: Reader,
  accountId: number,
  phoneIds: readonly number[],
): Promise<ComplianceRow[]> {
  return db
    .selectFrom('phone_compliance')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('phone_id', 'in', phoneIds)
    .execute();
}

/** Locks the row until the transaction ends and returns it; inserts it if it is missing. */
export async function lockCompliance(
  tx: Tx,
  accountId: number,
  phoneId: number,
  at: Date,
): Promise<ComplianceRow> {
  await tx
    .insertInto('phone_compliance')
    .values({ account_id: accountId, phone_id: phoneId, modified_at: at })
    .onConflict((conflict) => conflict.columns(['account_id', 'phone_id']).doNothing())
    .execute();
  return tx
    .selectFrom('phone_compliance')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('phone_id', '=', phoneId)
    .forUpdate()
    .executeTakeFirstOrThrow();
}

export const { update: updateCompliance } = accountTable('phone_compliance', 'phone_id');

/** Returns the account's unreleased numbers, without alphanumeric senders. */
export function listOwnNumbers(db: Reader, accountId: number) {
  return selectUnreleasedPhones(db, accountId, undefined)
    .select(['account_id', 'id', 'kind', 'value', 'proof'])
    .where('kind', '<>', 'alphanumeric')
    .orderBy('id')
    .limit(1000)
    .execute();
}

/** Returns unreleased senders that have no proof, or a proof by the account's own provider. */
export function listUnsettledPhones(tx: Tx, accountId: number): Promise<PhoneRow[]> {
  return selectUnreleasedPhones(tx, accountId, undefined)
    .selectAll()
    .where((e) => e.or([e('proof', 'is', null), e('proof', '=', 'provider')]))
    .orderBy('id')
    .execute();
}

export type AccountPhone = { account_id: number; id: number; kind: string };

/**
 * Returns the unreleased phones of all accounts with this number. `isComplete` is false if not all
 * accounts could be read.
 */
export async function findPhonesByValue(
  db: Db,
  valueKey: string,
): Promise<{ rows: AccountPhone[]; isComplete: boolean }> {
  return searchAccounts(
    db,
    (withinNodes) => sql<AccountPhone>`
      select account_id, id, kind from phones
      where ${withinNodes(sql`account_id`)} and value_key = ${valueKey} and status <> 'released'
      order by account_id`,
  );
}
