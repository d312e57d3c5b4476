// Queries that only SMS campaigns need; queries for all broadcasts are in areas/broadcasts.
import { type Selectable, sql, type Updateable } from 'kysely';
import { waitsForWinner } from '#areas/broadcasts/server/index.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Rewrites titles when subscribers are erased. */
export const rewriteTitles = createTextRewriter('sms_campaigns');

export const TABLES = {
  rows: 'sms_campaigns',
  groups: 'sms_campaign_groups',
  segments: 'sms_campaign_segments',
  experiments: 'sms_experiments',
  variants: 'sms_variants',
  series: 'sms_series',
} as const;

export type SmsRow = Selectable<DB['sms_campaigns']>;
export type SmsChanges = Updateable<DB['sms_campaigns']>;

/** Returns the campaigns that these messages belong to. */
export async function findCampaignsOfMessages(
  tx: Tx,
  accountId: number,
  messageIds: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select distinct c.id from messages m
    join sms_campaigns c on c.account_id = ${accountId}
      and c.message_id = coalesce(m.group_of, m.id)
    where m.account_id = ${accountId} and m.id = any(${[...messageIds]}::bigint[])`.execute(tx);
  return rows.map((row) => row.id);
}

/** Returns the given IDs whose campaigns exist and are not deleted. */
export async function findExistingSms(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select id from sms_campaigns
    where account_id = ${accountId} and id = any(${[...ids]}::bigint[]) and deleted_at is null
  `.execute(db);
  return rows.map((row) => row.id);
}

/** Returns the title of a campaign, even of a deleted one; empty if it does not exist. */
export async function readSmsTitle(db: Reader, accountId: number, id: number): Promise<string> {
  const row = await db
    .selectFrom('sms_campaigns')
    .select('title')
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .executeTakeFirst();
  return row?.title ?? '';
}

type CampaignText = { id: number; title: string; text: string };

/**
 * SQL without ORDER BY: campaigns, with a `text` that joins their own text, their UTM parameters and
 * the texts of their variants.
 */
const selectCampaignTexts = (accountId: number) => sql`
    select c.id, c.title, concat_ws(' ', c.text, c.utm, (select string_agg(v.text, ' ')
      from sms_variants v where v.account_id = ${accountId} and v.campaign_id = c.id)) as text
    from sms_campaigns c
    where c.account_id = ${accountId} and c.deleted_at is null`;

/** Lists the newest campaigns and their texts. */
export async function listNewestSms(
  db: Reader,
  accountId: number,
  limit: number,
): Promise<CampaignText[]> {
  const { rows } = await sql<CampaignText>`
    ${selectCampaignTexts(accountId)}
    order by c.id desc limit ${limit}`.execute(db);
  return rows;
}

/**
 * Lists campaigns that are not completely sent, and their texts: drafts, scheduled campaigns,
 * campaigns being sent, and campaigns whose experiment has no winner yet.
 */
export async function listSmsToSend(db: Reader, accountId: number): Promise<CampaignText[]> {
  const { rows } = await sql<CampaignText>`
    ${selectCampaignTexts(accountId)}
      and (c.status <> 'SENT' or ${waitsForWinner(TABLES, accountId, 'c.id')} or exists (select 1 from messages m
        where m.account_id = ${accountId}
          and (m.id = c.message_id or m.group_of = c.message_id)
          and m.state not in ('finished', 'cancelled')))
    order by c.id`.execute(db);
  return rows;
}

/** SQL: SMS campaigns for the global search. */
export const selectSearchableSms = (accountId: number) => sql`
  select id, title, left(text, 120) as detail, null::text as parameter, modified_at from sms_campaigns
  where account_id = ${accountId} and deleted_at is null`;
