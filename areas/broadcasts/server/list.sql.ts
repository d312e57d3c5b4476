// Queries for the lists of broadcasts, for any table.
import { type SqlBool, sql } from 'kysely';
import { type PlaceFilter, placeConditions } from '#areas/folders/server/index.ts';
import type { ItemKind } from '#areas/folders/shared.ts';
import type { ListRequest } from '#platform/contract.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { toContainsPattern } from '#platform/server/database/like.ts';
import type { Slice } from '#platform/server/database/lists.ts';
import { getRowTable } from './broadcasts.sql.ts';
import { waitsForWinner } from './experiments/experiments.sql.ts';
import type { BroadcastRow, BroadcastTables } from './adapter.ts';

/**
 * The tables of a kind of broadcast, the column that is searched in addition to the title, and the
 * kind of its items in folders.
 */
export type BroadcastList = {
  tables: BroadcastTables;
  searchColumn: 'subject' | 'text';
  kind: ItemKind;
};
export type BroadcastSort = 'created' | 'title' | 'modified' | 'sent' | 'scheduled';
export type BroadcastFilter = {
  status?: BroadcastRow['status'] | undefined;
  search?: string | undefined;
  /** For sent broadcasts: whether some copies are still to be handed off, now or after a test. */
  isLeaving?: boolean | undefined;
  place?: PlaceFilter | undefined;
};

function selectFiltered(
  db: Reader,
  { tables, searchColumn, kind }: BroadcastList,
  accountId: number,
  filter: BroadcastFilter,
) {
  let query = db
    .selectFrom(getRowTable(tables))
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.isLeaving !== undefined) {
    const lead = sql.ref(`${tables.rows}.message_id`);
    const isOpen = (column: 'id' | 'group_of') => sql`exists (select 1 from messages m
      where m.account_id = ${accountId} and ${sql.ref(`m.${column}`)} = ${lead}
        and m.state not in ('finished', 'cancelled'))`;
    const hasRestDue = waitsForWinner(tables, accountId, `${tables.rows}.id`);
    query = query.where(
      sql<SqlBool>`(${isOpen('id')} or ${isOpen('group_of')} or ${hasRestDue}) = ${filter.isLeaving}`,
    );
  }
  const item = `${tables.rows}.id`;
  for (const condition of placeConditions(kind, accountId, item, filter.place ?? {})) {
    query = query.where(condition);
  }
  if (filter.search) {
    const like = toContainsPattern(filter.search);
    query = query.where(
      sql<SqlBool>`(title ilike ${like} or ${sql.ref(searchColumn)} ilike ${like})`,
    );
  }
  return query;
}

const ORDER = {
  created: sql`created_at`,
  modified: sql`modified_at`,
  sent: sql`sent_at`,
  scheduled: sql`scheduled_at`,
  title: sql`lower(title) collate "und-x-icu"`,
};

export async function listRows<Row extends BroadcastRow>(
  db: Reader,
  list: BroadcastList,
  accountId: number,
  filter: BroadcastFilter,
  { order, direction }: Pick<ListRequest<BroadcastSort>, 'order' | 'direction'>,
  { limit, offset }: Slice,
): Promise<Row[]> {
  return selectFiltered(db, list, accountId, filter)
    .selectAll()
    .orderBy(ORDER[order], direction)
    .orderBy('id', direction)
    .limit(limit)
    .offset(offset)
    .$castTo<Row>()
    .execute();
}

export async function countRows(
  db: Reader,
  list: BroadcastList,
  accountId: number,
  filter: BroadcastFilter,
): Promise<number> {
  const row = await selectFiltered(db, list, accountId, filter)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}
