// Queries for links, which are written once with their message and read for clicks and reports.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';

export type TrackedLinkRow = { position: number; url: string; label: string | null };
type NewLink = TrackedLinkRow & { written_url?: string | undefined };

export async function insertLinks(
  tx: Tx,
  accountId: number,
  messageId: number,
  links: readonly NewLink[],
): Promise<void> {
  await sql`
    insert into links (account_id, message_id, position, url, label, written_url)
    select ${accountId}::bigint, ${messageId}::bigint, u.* from unnest(
      ${links.map((link) => link.position)}::int[], ${links.map((link) => link.url)}::text[],
      ${links.map((link) => link.label)}::text[],
      ${links.map((link) => link.written_url ?? null)}::text[]) as u
    on conflict do nothing`.execute(tx);
}

export async function findLinks(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<TrackedLinkRow[]> {
  const { rows } = await sql<TrackedLinkRow>`
    select position, url, label from links
    where account_id = ${accountId} and message_id = ${messageId} order by position`.execute(db);
  return rows;
}

/** Counts the human clicks on the links of these messages by URL. */
export async function findLinksOfMessages(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<{ url: string; clicks: number; people: number }[]> {
  const { rows } = await sql<{ url: string; clicks: number; people: number }>`
    select l.url, count(e.at) as clicks, count(distinct e.subscriber_id) as people
    from links l
    left join events e on e.account_id = ${accountId} and e.message_id = l.message_id
      and e.kind = 'click' and e.link_position = l.position and e.verdict = 'human'
    where l.account_id = ${accountId} and l.message_id = any(${[...messageIds]}::bigint[])
    group by l.url order by clicks desc, l.url`.execute(db);
  return rows;
}
