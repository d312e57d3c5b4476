// Queries for public groups.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type PublicGroupRow = { id: number; title: string; is_member: boolean };

export async function findPublicGroups(
  db: Reader,
  accountId: number,
  subscriberId: number,
  max: number,
): Promise<PublicGroupRow[]> {
  const { rows } = await sql<PublicGroupRow>`
    select g.id, g.title, exists (select 1 from group_members m where m.account_id = ${accountId}
      and m.group_id = g.id and m.subscriber_id = ${subscriberId}) as is_member
    from groups g where g.account_id = ${accountId} and g.is_public
    order by g.title_key collate "und-x-icu", g.id limit ${max}`.execute(db);
  return rows;
}
