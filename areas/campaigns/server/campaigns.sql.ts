// SQL of campaigns. The list reads figures of delivery and tracking beside each row.
import { containing } from '#platform/server/like.ts';
import { type Selectable, type SqlBool, sql, type Updateable } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import type { DB } from '#platform/server/database.generated.ts';
import type { Db, Reader, Tx } from '#platform/server/database.ts';
import type { Slice } from '#platform/server/lists.ts';
import type { CampaignStatus } from '../limits.ts';

export type CampaignRow = Selectable<DB['campaigns']>;
export type CampaignChanges = Updateable<DB['campaigns']>;
export type GroupRow = { campaign_id: number; id: number; title: string; is_excluded: boolean };
type Sort = 'created' | 'title' | 'modified';

export async function insertCampaign(
  tx: Tx,
  accountId: number,
  row: CampaignChanges & { title?: string | undefined },
  at: Date,
): Promise<number> {
  const inserted = await tx
    .insertInto('campaigns')
    .values({
      title: '',
      ...row,
      id: undefined,
      account_id: accountId,
      created_at: at,
      modified_at: at,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return inserted.id;
}

export function findCampaign(
  db: Reader,
  accountId: number,
  id: number,
): Promise<CampaignRow | undefined> {
  return db
    .selectFrom('campaigns')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** The row, held until the transaction ends: what follows happens once. */
export function lockCampaign(
  tx: Tx,
  accountId: number,
  id: number,
): Promise<CampaignRow | undefined> {
  return tx
    .selectFrom('campaigns')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .forUpdate()
    .executeTakeFirst();
}

export async function updateCampaign(
  tx: Tx,
  accountId: number,
  id: number,
  changes: CampaignChanges,
): Promise<void> {
  await tx
    .updateTable('campaigns')
    .set(changes)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .execute();
}

/** True if there was one to bring back. */
export async function undeleteCampaign(
  tx: Tx,
  accountId: number,
  id: number,
  at: Date,
): Promise<boolean> {
  const row = await tx
    .updateTable('campaigns')
    .set({ deleted_at: null, modified_at: at })
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is not', null)
    .returning('id')
    .executeTakeFirst();
  return row !== undefined;
}

export type ListFilter = { status?: CampaignStatus | undefined; search: string | undefined };

function filtered(db: Reader, accountId: number, filter: ListFilter) {
  let query = db
    .selectFrom('campaigns')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null);
  if (filter.status) query = query.where('status', '=', filter.status);
  if (filter.search) {
    const like = containing(filter.search);
    query = query.where(sql<SqlBool>`(title ilike ${like} or subject ilike ${like})`);
  }
  return query;
}

const ORDER = {
  created: sql`created_at`,
  modified: sql`modified_at`,
  title: sql`lower(title) collate "und-x-icu"`,
};

export function listCampaigns(
  db: Reader,
  accountId: number,
  filter: ListFilter,
  list: ListRequest<Sort>,
  { limit, offset }: Slice,
): Promise<CampaignRow[]> {
  return filtered(db, accountId, filter)
    .selectAll()
    .orderBy(ORDER[list.order], list.direction)
    .orderBy('id', list.direction)
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countCampaigns(
  db: Reader,
  accountId: number,
  filter: ListFilter,
): Promise<number> {
  const row = await filtered(db, accountId, filter)
    .select((e) => e.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  return row.count;
}

/** Groups in and out of some campaigns, with their titles. */
export function readGroups(
  db: Reader,
  accountId: number,
  campaignIds: readonly number[],
): Promise<GroupRow[]> {
  return db
    .selectFrom('campaign_groups')
    .innerJoin('groups', (join) =>
      join
        .onRef('groups.account_id', '=', 'campaign_groups.account_id')
        .onRef('groups.id', '=', 'campaign_groups.group_id'),
    )
    .select([
      'campaign_groups.campaign_id',
      'groups.id',
      'groups.title',
      'campaign_groups.is_excluded',
    ])
    .where('campaign_groups.account_id', '=', accountId)
    .where('groups.account_id', '=', accountId)
    .where('campaign_groups.campaign_id', 'in', campaignIds)
    .orderBy('groups.title')
    .execute();
}

export async function clearGroups(
  tx: Tx,
  accountId: number,
  campaignId: number,
  isExcluded: boolean,
): Promise<void> {
  await tx
    .deleteFrom('campaign_groups')
    .where('account_id', '=', accountId)
    .where('campaign_id', '=', campaignId)
    .where('is_excluded', '=', isExcluded)
    .execute();
}

/** Adds those of the groups that the account has; answers how many that were. */
export async function addGroups(
  tx: Tx,
  accountId: number,
  campaignId: number,
  groupIds: readonly number[],
  isExcluded: boolean,
): Promise<number> {
  if (groupIds.length === 0) return 0;
  const rows = await tx
    .insertInto('campaign_groups')
    .columns(['account_id', 'campaign_id', 'group_id', 'is_excluded'])
    .expression((e) =>
      e
        .selectFrom('groups')
        .select([
          'groups.account_id',
          sql<number>`${campaignId}::bigint`.as('campaign_id'),
          'groups.id',
          sql<boolean>`${isExcluded}::boolean`.as('is_excluded'),
        ])
        .where('groups.account_id', '=', accountId)
        .where('groups.id', 'in', groupIds),
    )
    .returning('group_id')
    .execute();
  return rows.length;
}

/** Campaigns that are or may still be writing their audience from this group. */
export function campaignsUsingGroup(
  db: Reader,
  accountId: number,
  groupId: number,
  sentAfter: Date,
): Promise<{ id: number; title: string; status: string; message_id: number | null }[]> {
  return db
    .selectFrom('campaign_groups')
    .innerJoin('campaigns', (join) =>
      join
        .onRef('campaigns.account_id', '=', 'campaign_groups.account_id')
        .onRef('campaigns.id', '=', 'campaign_groups.campaign_id'),
    )
    .select(['campaigns.id', 'campaigns.title', 'campaigns.status', 'campaigns.message_id'])
    .distinct()
    .where('campaign_groups.account_id', '=', accountId)
    .where('campaigns.account_id', '=', accountId)
    .where('campaign_groups.group_id', '=', groupId)
    .where('campaigns.deleted_at', 'is', null)
    .where((e) => e.or([e('status', '=', 'SCHEDULED'), e('sent_at', '>', sentAfter)]))
    .execute();
}

/** Those that wait for their time, and those of which some is still to be handed over. */
export async function campaignsToSend(
  db: Reader,
  accountId: number,
): Promise<{ id: number; title: string; from_email: string }[]> {
  const { rows } = await sql<{ id: number; title: string; from_email: string }>`
    select id, title, from_email from campaigns
    where account_id = ${accountId} and status = 'SCHEDULED' and deleted_at is null
    union
    select c.id, c.title, c.from_email from messages m
    join campaigns c on c.account_id = ${accountId} and c.message_id = m.id
    where m.account_id = ${accountId} and m.state in ('preparing', 'sending', 'waiting')
      and m.frozen_hash is null and c.deleted_at is null
    order by id`.execute(db);
  return rows;
}

export async function forgetGroup(tx: Tx, accountId: number, groupId: number): Promise<void> {
  await tx
    .deleteFrom('campaign_groups')
    .where('account_id', '=', accountId)
    .where('group_id', '=', groupId)
    .execute();
}

export type UsedBy = {
  table: 'campaign_groups' | 'campaign_segments';
  column: string;
  id: number;
};

/** The contents of campaigns that were removed and wait for their time. */
export async function removedScheduled(db: Reader, accountId: number): Promise<(number | null)[]> {
  const rows = await db
    .selectFrom('campaigns')
    .select('content_id')
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is not', null)
    .where('status', '=', 'SCHEDULED')
    .where('message_id', 'is', null)
    .execute();
  return rows.map(({ content_id }) => content_id);
}

/**
 * A campaign that was removed and waits for its time is a draft, should it be brought back: it goes to
 * other people, or shows them something else, without this group or segment.
 */
export async function unscheduleRemoved(
  tx: Tx,
  accountId: number,
  used: UsedBy,
  contentIds: readonly number[],
): Promise<void> {
  await sql`
    update campaigns c set status = 'DRAFT', schedule_time = null, schedule_zone = null,
      scheduled_at = null
    where c.account_id = ${accountId} and c.deleted_at is not null and c.status = 'SCHEDULED'
      and c.message_id is null
      and (c.content_id = any(${[...contentIds]}::bigint[])
        or exists (select 1 from ${sql.table(used.table)} u where u.account_id = ${accountId}
          and u.campaign_id = c.id and u.${sql.ref(used.column)} = ${used.id}))`.execute(tx);
}

/** Accounts that have something due, without a lock: each is then worked on for itself. */
export async function accountsWithDue(db: Db, now: Date, late: Date): Promise<number[]> {
  const { rows } = await sql<{ account_id: number }>`
    select distinct account_id from campaigns
    where status = 'SCHEDULED' and deleted_at is null and message_id is null
      and scheduled_at <= ${now} and scheduled_at > ${late}
    limit 1000
  `.execute(db);
  return rows.map((row) => row.account_id);
}

/** One due campaign of the account but these, held; those that another process holds are passed over. */
export async function takeDue(
  tx: Tx,
  accountId: number,
  now: Date,
  late: Date,
  without: readonly number[],
): Promise<CampaignRow | undefined> {
  return tx
    .selectFrom('campaigns')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', '<>', sql<number>`all(${[...without]}::bigint[])`)
    .where('status', '=', 'SCHEDULED')
    .where('deleted_at', 'is', null)
    .where('message_id', 'is', null)
    .where('scheduled_at', '<=', now)
    .where('scheduled_at', '>', late)
    .orderBy('scheduled_at')
    .limit(1)
    .forUpdate()
    .skipLocked()
    .executeTakeFirst();
}

/** The campaign becomes SENT with its first hand-over, or at its end if there was none. */
export async function markSent(
  tx: Tx,
  accountId: number,
  messageId: number,
  at: Date,
): Promise<number | undefined> {
  const row = await tx
    .updateTable('campaigns')
    .set({ status: 'SENT', sent_at: at })
    .where('account_id', '=', accountId)
    .where('message_id', '=', messageId)
    .where('status', '=', 'SCHEDULED')
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

export type ToShow = {
  id: number;
  title: string;
  subject: string;
  preheader: string;
  content_id: number | null;
};

/** Campaigns still to be sent: some of it where `isPartEnough`, also of their resend. */
export async function campaignsToShow(
  db: Reader,
  accountId: number,
  isPartEnough: boolean,
): Promise<ToShow[]> {
  const isPartLeft = sql<SqlBool>`(
    exists (select 1 from messages m where m.account_id = ${accountId} and m.id = c.message_id
      and m.state not in ('finished', 'cancelled'))
    or exists (select 1 from campaign_resends t where t.account_id = ${accountId}
      and t.campaign_id = c.id and t.state = 'waiting'))`;
  const { rows } = await sql<ToShow>`
    select c.id, c.title, c.subject, c.preheader, c.content_id from campaigns c
    where c.account_id = ${accountId} and c.deleted_at is null
      and (c.status <> 'SENT' or ${isPartEnough ? isPartLeft : sql<SqlBool>`false`})
    order by c.id`.execute(db);
  return rows;
}
