// SQL about the people whom a campaign reaches: how many, and a few to preview as.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database.ts';

export type Audience = { all: boolean; groups: number[]; excluded: number[] };
export type AudienceCounts = {
  total: number;
  count: number;
  excluded: number;
  no_address: number;
  unsubscribed: number;
  bounced: number;
  reported: number;
  non_subscribed: number;
};

/**
 * Each person once, under the first reason that applies. 1,000,000 subscribers in two groups:
 * two hash joins over group_members' primary key, no sort.
 */
export async function countAudience(
  db: Reader,
  accountId: number,
  audience: Audience,
): Promise<AudienceCounts> {
  const { rows } = await sql<AudienceCounts>`
    with people as (
      select s.email_status, s.email_key is null as no_address,
        exists (
          select 1 from group_members x
          where x.account_id = ${accountId} and x.subscriber_id = s.id
            and x.group_id = any(${audience.excluded}::bigint[])
        ) as is_excluded
      from subscribers s
      where s.account_id = ${accountId} and s.deleted_at is null
        and (${audience.all}::boolean or exists (
          select 1 from group_members g
          where g.account_id = ${accountId} and g.subscriber_id = s.id
            and g.group_id = any(${audience.groups}::bigint[])
        ))
    ), judged as (
      select is_excluded, not is_excluded and no_address as no_address,
        case when not is_excluded and not no_address then email_status::text end as status
      from people
    )
    select count(*) as total,
      count(*) filter (where status = 'active') as count,
      count(*) filter (where is_excluded) as excluded,
      count(*) filter (where no_address) as no_address,
      count(*) filter (where status = 'unsubscribed') as unsubscribed,
      count(*) filter (where status = 'bounced') as bounced,
      count(*) filter (where status = 'reported') as reported,
      count(*) filter (where status = 'non-subscribed') as non_subscribed
    from judged
  `.execute(db);
  return rows[0] as AudienceCounts;
}

export type PersonRow = {
  id: number;
  email: string | null;
  firstname: string | null;
  lastname: string | null;
  phone: string | null;
  field_values: unknown;
};
const PERSON = ['id', 'email', 'firstname', 'lastname', 'phone', 'field_values'] as const;

export function findPerson(
  db: Reader,
  accountId: number,
  id: number,
): Promise<PersonRow | undefined> {
  return db
    .selectFrom('subscribers')
    .select(PERSON)
    .where('account_id', '=', accountId)
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

/** The newest who can be mailed, or those whose address begins with the words. */
export function findPeople(
  db: Reader,
  accountId: number,
  search: string | undefined,
  limit: number,
): Promise<PersonRow[]> {
  const query = db
    .selectFrom('subscribers')
    .select(PERSON)
    .where('account_id', '=', accountId)
    .where('deleted_at', 'is', null)
    .where('email_key', 'is not', null);
  if (search === undefined)
    return query.orderBy('created_at', 'desc').orderBy('id', 'desc').limit(limit).execute();
  const from = search.trim().toLowerCase();
  return query
    .where('email_key', '>=', from)
    .where('email_key', '<', `${from}\uffff`)
    .orderBy('email_key')
    .limit(limit)
    .execute();
}

export type FieldRow = { id: number; name: string; title: string };

export function readFields(db: Reader, accountId: number): Promise<FieldRow[]> {
  return db
    .selectFrom('fields')
    .select(['id', 'name', 'title'])
    .where('account_id', '=', accountId)
    .orderBy('position')
    .orderBy('title')
    .execute();
}
