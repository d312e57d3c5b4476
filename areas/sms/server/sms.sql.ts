// SQL of SMS campaigns.
import { containing } from '#platform/server/like.ts';
import { type RawBuilder, type Selectable, sql } from 'kysely';
import type { ListRequest } from '#platform/contract.ts';
import type { Reader } from '#platform/server/database.ts';
import type { DB } from '#platform/server/database.generated.ts';
import type { Slice } from '#platform/server/lists.ts';
import type { Status } from '../limits.ts';

export type SmsCampaignRow = Selectable<DB['sms_campaigns']>;

export type ListWish = Pick<
  ListRequest<'created' | 'title' | 'modified'>,
  'order' | 'direction' | 'search'
> & { status: Status | undefined };

function matching(accountId: number, { status, search }: ListWish): RawBuilder<unknown> {
  return sql`account_id = ${accountId} and deleted_at is null
    and ${status === undefined ? sql`true` : sql`status = ${status}`}
    and ${search === undefined ? sql`true` : sql`title ilike ${containing(search)}`}`;
}

export async function listSmsCampaigns(
  db: Reader,
  accountId: number,
  list: ListWish,
  slice: Slice,
): Promise<SmsCampaignRow[]> {
  const way = sql.raw(list.direction);
  const key = {
    created: sql`created_at`,
    modified: sql`modified_at`,
    title: sql`title collate "und-x-icu"`,
  }[list.order];
  const { rows } = await sql<SmsCampaignRow>`
    select * from sms_campaigns where ${matching(accountId, list)}
    order by ${key} ${way}, id ${way} limit ${slice.limit} offset ${slice.offset}`.execute(db);
  return rows;
}

export async function countSmsCampaigns(
  db: Reader,
  accountId: number,
  list: ListWish,
): Promise<number> {
  const { rows } = await sql<{ total: number }>`
    select count(*) as total from sms_campaigns where ${matching(accountId, list)}`.execute(db);
  return rows[0]?.total ?? 0;
}
