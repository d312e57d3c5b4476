// Queries for email campaigns, in addition to the SQL that all kinds of broadcasts share.
import { type Selectable, type SqlBool, sql, type Updateable } from 'kysely';
import type { LeadId } from '#areas/delivery/lead-id.ts';
import { waitsForWinner } from '#areas/broadcasts/server/index.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles. */
export const rewriteTitles = createTextRewriter('campaigns');

export type CampaignRow = Selectable<DB['campaigns']>;
export type CampaignChanges = Updateable<DB['campaigns']>;
export const TABLES = {
  rows: 'campaigns',
  groups: 'campaign_groups',
  segments: 'campaign_segments',
  experiments: 'campaign_experiments',
  variants: 'campaign_variants',
  series: 'campaign_series',
} as const;

/** Finds the campaigns of the account with these ids. */
export function findCampaigns(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<CampaignRow[]> {
  if (ids.length === 0) return Promise.resolve([]);
  return db
    .selectFrom('campaigns')
    .selectAll()
    .where('account_id', '=', accountId)
    .where('id', 'in', [...ids])
    .where('deleted_at', 'is', null)
    .execute();
}

/**
 * Lists scheduled campaigns, campaigns with copies that are still to be handed off, and campaigns
 * whose remaining recipients wait for the winner of an experiment.
 */
export async function listCampaignsToSend(
  db: Reader,
  accountId: number,
): Promise<{ id: number; title: string; from_email: string }[]> {
  const { rows } = await sql<{ id: number; title: string; from_email: string }>`
    select id, title, from_email from campaigns
    where account_id = ${accountId} and status = 'SCHEDULED' and deleted_at is null
    union
    select c.id, c.title, c.from_email from messages m
    join campaigns c on c.account_id = ${accountId} and c.message_id = coalesce(m.group_of, m.id)
    where m.account_id = ${accountId} and m.state in ('preparing', 'sending', 'waiting')
      and m.frozen_hash is null and c.deleted_at is null
    union
    select c.id, c.title, c.from_email from campaigns c
    where c.account_id = ${accountId} and ${waitsForWinner(TABLES, accountId, 'c.id')}
      and c.deleted_at is null
    order by id`.execute(db);
  return rows;
}

/** Lists contents of removed campaigns that are scheduled and have not started. */
export async function listContentsOfRemovedScheduled(
  db: Reader,
  accountId: number,
): Promise<(number | null)[]> {
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

export type UnsentCampaign = {
  id: number;
  title: string;
  status: string;
  /** Subjects and preview texts of the campaign and its variants, joined. */
  lines: string;
  content_ids: number[];
  /** Whether the campaign is the model of a series with a next occurrence. */
  is_repeating: boolean;
};

/**
 * Lists unsent campaigns, including campaigns whose recipients wait for the winner. `isPartEnough`
 * adds campaigns that are partly sent or have a waiting resend.
 */
export async function listUnsentCampaigns(
  db: Reader,
  accountId: number,
  isPartEnough: boolean,
): Promise<UnsentCampaign[]> {
  const isPartLeft = sql<SqlBool>`(
    exists (select 1 from messages m where m.account_id = ${accountId}
      and (m.id = c.message_id or m.group_of = c.message_id)
      and m.state not in ('finished', 'cancelled'))
    or exists (select 1 from campaign_resends t where t.account_id = ${accountId}
      and t.campaign_id = c.id and t.state = 'waiting'))`;
  const { rows } = await sql<UnsentCampaign>`
    select c.id, c.title, c.status,
      concat_ws(' ', c.subject, c.preheader, string_agg(concat_ws(' ', v.subject, v.preheader), ' '))
        as lines,
      array_remove(array_agg(v.content_id) || c.content_id, null)::float8[] as content_ids,
      exists (select 1 from campaign_series s where s.account_id = ${accountId}
        and s.campaign_id = c.id and s.next_at is not null) as is_repeating
    from campaigns c
    left join campaign_variants v on v.account_id = ${accountId} and v.campaign_id = c.id
    where c.account_id = ${accountId} and c.deleted_at is null
      and (c.status <> 'SENT' or ${waitsForWinner(TABLES, accountId, 'c.id')}
        or ${isPartEnough ? isPartLeft : sql<SqlBool>`false`})
    group by c.account_id, c.id
    order by c.id`.execute(db);
  return rows;
}

export type WrittenCampaign = Pick<UnsentCampaign, 'id' | 'title' | 'lines' | 'content_ids'>;

/**
 * Lists the newest campaigns and their texts; `lines` also contains senders, UTM parameters and the
 * subjects of resends.
 */
export async function listNewestCampaigns(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<WrittenCampaign[]> {
  const { rows } = await sql<WrittenCampaign>`
    select c.id, c.title,
      concat_ws(' ', c.subject, c.preheader, c.from_name, c.from_email, c.reply_to, c.utm_campaign, c.utm,
        string_agg(concat_ws(' ', v.subject, v.preheader, v.from_name), ' '),
        (select string_agg(r.subject, ' ') from campaign_resends r
          where r.account_id = ${accountId} and r.campaign_id = c.id)) as lines,
      array_remove(array_agg(v.content_id) || c.content_id, null)::float8[] as content_ids
    from campaigns c
    left join campaign_variants v on v.account_id = ${accountId} and v.campaign_id = c.id
    where c.account_id = ${accountId} and c.deleted_at is null
    group by c.account_id, c.id
    order by c.id desc limit ${limit}`.execute(db);
  return rows;
}

/** Answers `contents.in_use` with the contents of campaigns that were not deleted. */
export async function listContentsOfCampaigns(
  tx: Tx,
  { accountId, contentIds }: { accountId: number; contentIds: readonly number[] },
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select content_id as id from campaigns
    where account_id = ${accountId} and content_id = any(${[...contentIds]}::bigint[])
      and deleted_at is null
    union
    select v.content_id from campaign_variants v
    join campaigns c on c.account_id = ${accountId} and c.id = v.campaign_id
      and c.deleted_at is null
    where v.account_id = ${accountId} and v.content_id = any(${[...contentIds]}::bigint[])`.execute(
    tx,
  );
  return rows.map((row) => row.id);
}

/** Selects the rows of the global search. */
export const selectSearchableCampaigns = (accountId: number) => sql`
  select id, title, subject as detail, null::text as parameter, modified_at from campaigns
  where account_id = ${accountId} and deleted_at is null`;

/** Lists lead messages of the campaigns that were sent between two instants. */
export async function listMessagesSentBetween(
  db: Reader,
  accountId: number,
  from: Date,
  to: Date,
): Promise<LeadId[]> {
  const { rows } = await sql<{ message_id: LeadId }>`
    select message_id from campaigns
    where account_id = ${accountId} and deleted_at is null and message_id is not null
      and sent_at >= ${from} and sent_at < ${to}`.execute(db);
  return rows.map((row) => row.message_id);
}

/** Lists campaigns that were sent between two instants, newest first. */
export async function listCampaignsSentBetween(
  db: Reader,
  accountId: number,
  { from, to, limit }: { from: Date; to: Date; limit: number },
): Promise<{ id: number; message_id: LeadId; sent_at: Date }[]> {
  const { rows } = await sql<{ id: number; message_id: LeadId; sent_at: Date }>`
    select id, message_id, sent_at from campaigns
    where account_id = ${accountId} and deleted_at is null and message_id is not null
      and sent_at >= ${from} and sent_at < ${to}
    order by sent_at desc, id desc limit ${limit}`.execute(db);
  return rows;
}
