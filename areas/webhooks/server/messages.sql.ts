// Queries for the parts of a message that webhook bodies show: its source, its subject and the URLs
// of its links.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type WebhookMessageRow = {
  id: number;
  kind: string;
  source_id: number | null;
  subject: string | null;
};

export async function findMessages(
  db: Reader,
  accountId: number,
  ids: readonly number[],
): Promise<Map<number, WebhookMessageRow>> {
  if (ids.length === 0) return new Map();
  const { rows } = await sql<WebhookMessageRow>`
    select id, kind, source_id, coalesce(frozen #>> '{source,subject}', frozen #>> '{text,title}') as subject
    from messages where account_id = ${accountId} and id = any(${[...ids]}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [row.id, row]));
}

/**
 * Finds the URLs of links. The key is the message's id and the link's position, with a space
 * between them.
 */
export async function findLinks(
  db: Reader,
  accountId: number,
  messageIds: readonly number[],
): Promise<Map<string, string>> {
  if (messageIds.length === 0) return new Map();
  const { rows } = await sql<{ message_id: number; position: number; url: string }>`
    select message_id, position, url from links
    where account_id = ${accountId} and message_id = any(${[...messageIds]}::bigint[])`.execute(db);
  return new Map(rows.map((row) => [`${row.message_id} ${row.position}`, row.url]));
}
