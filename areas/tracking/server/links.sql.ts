// SQL of links: written once with their message, read at each click that no cache answers.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database.ts';

export type LinkRow = { position: number; url: string; label: string | null };

export async function insertLinks(
  tx: Tx,
  accountId: number,
  messageId: number,
  links: readonly LinkRow[],
): Promise<void> {
  await sql`
    insert into links (account_id, message_id, position, url, label)
    select ${accountId}::bigint, ${messageId}::bigint, u.* from unnest(
      ${links.map((link) => link.position)}::int[], ${links.map((link) => link.url)}::text[],
      ${links.map((link) => link.label)}::text[]) as u
    on conflict do nothing`.execute(tx);
}

export async function findLinks(
  db: Reader,
  accountId: number,
  messageId: number,
): Promise<LinkRow[]> {
  const { rows } = await sql<LinkRow>`
    select position, url, label from links
    where account_id = ${accountId} and message_id = ${messageId} order by position`.execute(db);
  return rows;
}
