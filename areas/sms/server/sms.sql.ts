// SQL of SMS campaigns.
import { type Selectable, type SqlBool, sql, type Updateable } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import type { DB } from '#platform/server/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database.ts';
import { containing } from '#platform/server/like.ts';
import type { Slice } from '#platform/server/lists.ts';
import type { Status } from '../limits.ts';

export const TABLES = {
  rows: 'sms_campaigns',
  groups: 'sms_campaign_groups',
  segments: 'sms_campaign_segments',
} as const;

export type SmsRow = Selectable<DB['sms_campaigns']>;
export type SmsChanges = Updateable<DB['sms_campaigns']>;

export type ListWish = Pick<
  ListRequest<'created' | 'title' | 'modified' | 'sent' | 'scheduled'>,
  'order' | 'direction' | 'search'
> & { status?: Status | undefined };

function matching(db: Reader, accountId: number, { status, search }: ListWish) {
  let query = db
    .selectFrom('sms_campaigns')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);
  if (status) query = query.where('status', '=', status);
  if (search) {
    const like = containing(search);
    query = query.where(sql<SqlBool>`(title ilike ${like} or text ilike ${like})`);
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

export function listSmsCampaigns(
  db: Reader,
  accountId: number,
  list: ListWish,
  { limit, offset }: Slice,
): Promise<SmsRow[]> {
  return matching(db, accountId, list)
    .selectAll()
    .orderBy(ORDER[list.order], list.direction)
    .orderBy('id', list.direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countSmsCampaigns(
  db: Reader,
  accountId: number,
  list: ListWish,
): Promise<number> {
  const row = await matching(db, accountId, list)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

export async function insertSmsCampaign(
  tx: Tx,
  accountId: number,
  row: SmsChanges & { title: string },
  at: Date,
): Promise<number> {
  const inserted = await tx
    .insertInto('sms_campaigns')
    .values({ ...row, id: undefined, account_id: accountId, created_at: at, modified_at: at })
    .returning('id')
    .executeTakeFirstOrThrow();
  return inserted.id;
}

export async function updateSmsCampaign(
  tx: Tx,
  accountId: number,
  id: number,
  changes: SmsChanges,
): Promise<void> {
  await tx
    .updateTable('sms_campaigns')
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** True if there was one to bring back. */
export async function undeleteSmsCampaign(
  tx: Tx,
  accountId: number,
  id: number,
  at: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('sms_campaigns')
    .set({ deleted_at: null, modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

/** Whose messages these are. */
export async function campaignsOf(
  tx: Tx,
  accountId: number,
  messageIds: readonly number[],
): Promise<number[]> {
  const rows = await tx
    .selectFrom('sms_campaigns')
    .select('id')
    .where('account_id', '=', accountId)
    .where('message_id', '=', sql<number>`any(${[...messageIds]}::bigint[])`)
    .execute();
  return rows.map((row) => row.id);
}

/** Those of which some is still to be sent, with their words. */
export async function textsToSend(
  db: Reader,
  accountId: number,
): Promise<{ id: number; title: string; text: string }[]> {
  const { rows } = await sql<{ id: number; title: string; text: string }>`
    select c.id, c.title, c.text from sms_campaigns c
    where c.account_id = ${accountId} and c.deleted_at is null
      and (c.status <> 'SENT' or exists (select 1 from messages m
        where m.account_id = ${accountId} and m.id = c.message_id
          and m.state not in ('finished', 'cancelled')))
    order by c.id`.execute(db);
  return rows;
}

/** Of those that are the account's: what segments name. */
export async function messagesOfCampaigns(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<{ id: number; title: string; messageId: number | null }[]> {
  const rows = await db
    .selectFrom('sms_campaigns')
    .select(['id', 'title', 'message_id as messageId'])
    .where('account_id', '=', accountId)
    .where('id', 'in', ids)
    .execute();
  return rows;
}
