// Queries for requests for approval.
import { type Selectable, sql, type Updateable } from 'kysely';
import { acrossAccounts } from '#platform/server/database/across-accounts.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import {
  mentionsAddress,
  type SubscriberAddresses,
} from '#platform/server/database/address-search.sql.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/**
 * Removes the addresses of erased subscribers from the selections of requests. Open requests have
 * expired by then.
 */
export const rewriteInputs = createTextRewriter('approvals', { columns: ['input'] });

export type ApprovalRow = Selectable<DB['approvals']>;
type Subject = { kind: string; subject: number };

type NewApproval = Pick<
  ApprovalRow,
  | 'account_id'
  | 'kind'
  | 'subject'
  | 'right'
  | 'digest'
  | 'note'
  | 'asked_by'
  | 'asked_via'
  | 'asked_via_id'
  | 'asked_at'
  | 'expires_at'
> & { input: object; facts: object };

/** Inserts a request; returns undefined if the object already has an open one. */
export async function insertApproval(tx: Tx, row: NewApproval): Promise<number | undefined> {
  const approval = await tx
    .insertInto('approvals')
    .values({ ...row, input: JSON.stringify(row.input), facts: JSON.stringify(row.facts) })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'kind', 'subject']).where('state', '=', 'open').doNothing(),
    )
    .returning('id')
    .executeTakeFirst();
  return approval?.id;
}

const selectApprovals = (db: Reader, accountId: number) =>
  db.selectFrom('approvals').selectAll().where('account_id', '=', accountId);

export const findApproval = (db: Reader, accountId: number, id: number) =>
  selectApprovals(db, accountId).where('id', '=', id).executeTakeFirst();

export const lockApproval = (tx: Tx, accountId: number, id: number) =>
  selectApprovals(tx, accountId).where('id', '=', id).forUpdate().executeTakeFirst();

/** Locks and returns the open request for the object. */
export const lockOpenApproval = (tx: Tx, accountId: number, { kind, subject }: Subject) =>
  selectApprovals(tx, accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('state', '=', 'open')
    .forUpdate()
    .executeTakeFirst();

/** Returns the newest earlier request for the object that a user decided in one of these ways. */
export const findDecided = (
  db: Reader,
  accountId: number,
  row: Subject & { id: number },
  states: readonly ('approved' | 'declined')[] = ['approved', 'declined'],
) =>
  selectApprovals(db, accountId)
    .where('kind', '=', row.kind)
    .where('subject', '=', row.subject)
    .where('state', 'in', states)
    .where('id', '<', row.id)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

type ListFilter = {
  state?: string | undefined;
  subjects?: readonly Subject[] | undefined;
};

/** Returns requests older than the given row, newest first. */
export function listApprovals(
  db: Reader,
  accountId: number,
  { state, subjects }: ListFilter,
  { before, limit }: { before: number | undefined; limit: number },
): Promise<ApprovalRow[]> {
  return selectApprovals(db, accountId)
    .$if(state !== undefined, (query) => query.where('state', '=', state as string))
    .$if(subjects !== undefined, (query) =>
      query.where(
        sql<boolean>`(kind, subject) in (select * from unnest(
          ${(subjects ?? []).map(({ kind }) => kind)}::text[],
          ${(subjects ?? []).map(({ subject }) => subject)}::bigint[]))`,
      ),
    )
    .$if(before !== undefined, (query) => query.where('id', '<', before as number))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Counts the open requests that a caller with these rights may decide. */
export async function countOpenApprovals(
  db: Reader,
  accountId: number,
  rights: readonly string[],
  exceptBy: number | undefined,
): Promise<number> {
  const row = await db
    .selectFrom('approvals')
    .select((count) => count.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('state', '=', 'open')
    .where('right', '=', sql<string>`any(${[...rights]}::text[])`)
    .$if(exceptBy !== undefined, (query) => query.where('asked_by', '!=', exceptBy as number))
    .executeTakeFirstOrThrow();
  return Number(row.count);
}

export async function updateApproval(
  tx: Tx,
  accountId: number,
  id: number,
  changes: Updateable<DB['approvals']>,
): Promise<void> {
  await tx
    .updateTable('approvals')
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** Returns the approval behind the object's current schedule or an action in progress. */
export const findActiveApproval = (db: Reader, accountId: number, { kind, subject }: Subject) =>
  selectApprovals(db, accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('is_in_force', '=', true)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

export async function releaseInForce(
  tx: Tx,
  accountId: number,
  { kind, subject }: Subject,
): Promise<void> {
  await tx
    .updateTable('approvals')
    .set({ is_in_force: false })
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('is_in_force', '=', true)
    .execute();
}

/** Returns the newest approval of the object. */
export const findApproved = (db: Reader, accountId: number, { kind, subject }: Subject) =>
  selectApprovals(db, accountId)
    .where('kind', '=', kind)
    .where('subject', '=', subject)
    .where('state', '=', 'approved')
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();

/**
 * Ends an approval of a selection. Replaces digest and subject: addresses could be guessed from the
 * unkeyed hashes of earlier versions.
 */
export async function releaseSelection(tx: Tx, accountId: number, id: number): Promise<void> {
  await tx
    .updateTable('approvals')
    .set((eb) => ({ is_in_force: false, digest: '', subject: eb.ref('id') }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/**
 * Adds `count` to the number of subscribers that were changed under the approval. Returns false and
 * adds nothing if the sum would exceed its ceiling, or if the approval is not in force.
 */
export async function useCeiling(
  tx: Tx,
  accountId: number,
  id: number,
  count: number,
): Promise<boolean> {
  const row = await tx
    .updateTable('approvals')
    .set((eb) => ({ used: eb('used', '+', count) }))
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('is_in_force', '=', true)
    .where((eb) => eb.or([eb('ceiling', 'is', null), eb('ceiling', '>=', eb('used', '+', count))]))
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Locks and returns the open requests of a kind. */
export const lockOpenApprovals = (
  tx: Tx,
  accountId: number,
  kind: string,
): Promise<ApprovalRow[]> =>
  selectApprovals(tx, accountId)
    .where('kind', '=', kind)
    .where('state', '=', 'open')
    .orderBy('id')
    .forUpdate()
    .execute();

/**
 * Locks and returns requests that mention one of these email addresses, or the last digits of one
 * of these phone numbers with any separators.
 */
export const lockApprovalsNaming = (
  tx: Tx,
  accountId: number,
  naming: SubscriberAddresses,
): Promise<ApprovalRow[]> =>
  selectApprovals(tx, accountId)
    .where(mentionsAddress(sql`concat_ws(' ', note, reason, facts)`, naming))
    .orderBy('id')
    .forUpdate()
    .execute();

/** Lists accounts with expired open requests. Takes no locks. */
export async function listAccountsWithExpired(db: Db, now: Date): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
      select distinct account_id from approvals
      where state = 'open' and expires_at <= ${now} and ${within(sql`account_id`)}
      limit 1000`,
  );
  return rows.map((row) => row.account_id);
}

/** Lists accounts with open requests. Takes no locks. */
export async function listAccountsWithOpen(db: Db): Promise<number[]> {
  const rows = await acrossAccounts(
    db,
    (within) => sql<{ account_id: number }>`
      select distinct account_id from approvals
      where state = 'open' and ${within(sql`account_id`)}`,
  );
  return rows.map((row) => row.account_id);
}

export async function listOpenIds(db: Reader, accountId: number): Promise<number[]> {
  const rows = await db
    .selectFrom('approvals')
    .select('id')
    .where('account_id', '=', accountId)
    .where('state', '=', 'open')
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
}

/** Ends and returns expired open requests. */
export function expireOpenApprovals(tx: Tx, accountId: number, now: Date): Promise<ApprovalRow[]> {
  return tx
    .updateTable('approvals')
    .set({ state: 'expired', decided_at: now })
    .where('account_id', '=', accountId)
    .where('state', '=', 'open')
    .where('expires_at', '<=', now)
    .returningAll()
    .execute();
}

export async function readFourEyes(db: Reader, accountId: number): Promise<boolean> {
  const row = await db
    .selectFrom('approval_settings')
    .select('needs_four_eyes')
    .where('account_id', '=', accountId)
    .executeTakeFirst();
  return row?.needs_four_eyes ?? false;
}

export async function saveFourEyes(
  tx: Tx,
  accountId: number,
  needsFourEyes: boolean,
  at: Date,
): Promise<void> {
  const values = { needs_four_eyes: needsFourEyes, modified_at: at };
  await tx
    .insertInto('approval_settings')
    .values({ account_id: accountId, ...values })
    .onConflict((conflict) => conflict.column('account_id').doUpdateSet(values))
    .execute();
}
