// Queries for saved views of the list of subscribers.
import { type Selectable, sql } from 'kysely';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type ViewRow = Selectable<DB['subscriber_views']>;

export type ViewChanges = Pick<
  ViewRow,
  'title' | 'title_key' | 'filter' | 'sort' | 'direction' | 'columns'
>;

export async function listViews(db: Reader, accountId: number): Promise<ViewRow[]> {
  const { rows } = await sql<ViewRow>`
    select * from subscriber_views where account_id = ${accountId}
    order by title collate "und-x-icu", id`.execute(db);
  return rows;
}

/** Inserts nothing if the title is taken. */
export function insertView(
  tx: Tx,
  accountId: number,
  view: ViewChanges,
  at: Date,
): Promise<ViewRow | undefined> {
  return tx
    .insertInto('subscriber_views')
    .values({ account_id: accountId, ...view, created_at: at, modified_at: at })
    .onConflict((conflict) => conflict.columns(['account_id', 'title_key']).doNothing())
    .returningAll()
    .executeTakeFirst();
}

export function updateView(
  tx: Tx,
  accountId: number,
  id: number,
  view: ViewChanges,
  at: Date,
): Promise<ViewRow | undefined> {
  return tx
    .updateTable('subscriber_views')
    .set({ ...view, modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

export async function deleteView(tx: Tx, accountId: number, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('subscriber_views')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}
