// Queries for tracked opens and clicks of workflow messages.
import { sql } from 'kysely';
import { ADDED_UTM } from '#areas/content/server/index.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { EmailActivity } from '../../shared.ts';

/** The URL of a link `l` without the UTM parameters that were added. */
export const writtenUrl = sql<string>`coalesce(l.written_url, regexp_replace(l.url, ${ADDED_UTM}, ''))`;

/**
 * Finds the target URLs of links by 'message/position': the final ones, and those that the authors
 * wrote.
 */
export async function findLinkUrls(
  db: Reader,
  accountId: number,
  links: readonly { messageId: number; position: number | null }[],
): Promise<Map<string, { url: string; writtenUrl: string }>> {
  const { rows } = await sql<{ key: string; url: string; written: string }>`
    select l.message_id || '/' || l.position as key, l.url, ${writtenUrl} as written
    from (select distinct message_id, position from unnest(
      ${links.map((link) => link.messageId)}::bigint[], ${links.map((link) => link.position)}::int[])
      u(message_id, position)) u
    join links l on l.account_id = ${accountId} and l.message_id = u.message_id
      and l.position = u.position`.execute(db);
  return new Map(rows.map(({ key, url, written }) => [key, { url, writtenUrl: written }]));
}

/**
 * Lists the time of the first open or click of a message per subscriber; with `url`, of the first
 * click on that link. Automated events are excluded; a click is also an open.
 */
export async function listActivityTimes(
  db: Reader,
  accountId: number,
  query: { activity: Exclude<EmailActivity, 'delivered'>; url: string | undefined },
  messageId: number,
  ids: readonly number[],
): Promise<Map<number, Date>> {
  type ActivityTimeRow = { id: number; at: Date };
  const subscriberIds = [...ids];
  const { rows } = query.url
    ? await sql<ActivityTimeRow>`
        select e.subscriber_id as id, min(e.at) as at from events e
        join links l on l.account_id = ${accountId} and l.message_id = e.message_id
          and l.position = e.link_position
          and ${query.url} in (l.url, ${writtenUrl})
        where e.account_id = ${accountId} and e.subscriber_id = any(${subscriberIds}::bigint[])
          and e.message_id = ${messageId} and e.kind = 'click' and e.verdict = 'human'
        group by 1`.execute(db)
    : await sql<ActivityTimeRow>`
        select subscriber_id as id, case when ${query.activity} = 'clicked' then first_human_click_at
          else least(first_human_open_at, first_human_click_at) end as at
        from outcomes
        where account_id = ${accountId} and subscriber_id = any(${subscriberIds}::bigint[])
          and message_id = ${messageId} and (first_human_click_at is not null
            or (${query.activity} = 'opened' and first_human_open_at is not null))`.execute(db);
  return new Map(rows.map((row) => [row.id, row.at]));
}

/** Messages created by these steps. */
export async function findMessagesOfSteps(
  db: Reader,
  accountId: number,
  stepIds: readonly number[],
): Promise<{ step_id: number; message_id: number }[]> {
  const { rows } = await sql<{ step_id: number; message_id: number }>`
    select source_id as step_id, id as message_id from messages
    where account_id = ${accountId} and kind in ('workflow', 'sms_workflow')
      and source_id = any(${[...stepIds]}::bigint[])`.execute(db);
  return rows;
}
