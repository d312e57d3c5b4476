// Queries for subscribers whose mailbox provider is determined by the domain's host, not by the
// address alone.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { FIRST_HOST, MAILBOXES } from '../shared.ts';

const DOMAIN = sql`split_part(s.email_key, '@', -1)`;
/** SQL condition: the address alone does not identify the mailbox provider of `s`. */
const IS_HOSTED = sql`(s.mailbox = ${MAILBOXES.other} or s.mailbox >= ${FIRST_HOST})`;

/** Lists domains of these subscribers, the most frequent first. */
export async function listHostedDomains(
  db: Reader,
  accountId: number,
  max: number,
): Promise<string[]> {
  const { rows } = await sql<{ domain: string }>`
    select ${DOMAIN} as domain from subscribers s
    where s.account_id = ${accountId} and s.deleted_at is null and s.email_key is not null
      and ${IS_HOSTED}
    group by 1 order by count(*) desc, 1 limit ${max}`.execute(db);
  return rows.map((row) => row.domain);
}

/**
 * Assigns the subscribers of these domains to mailbox providers, in one step of `size` subscribers
 * after an id. Rows that another transaction has locked are left for the next run. Returns the last
 * id of the step; null after the last subscriber.
 */
export async function assignMailboxes(
  tx: Tx,
  accountId: number,
  mailboxes: ReadonlyMap<string, number>,
  { after, size }: { after: number; size: number },
): Promise<number | null> {
  const { rows } = await sql<{ last: number | null }>`
    with step as materialized (
      select max(id) as last from (
        select id from subscribers where account_id = ${accountId} and id > ${after}
        order by id limit ${size}
      ) ids
    ), due as materialized (
      select s.id, d.mailbox from subscribers s
      join unnest(${[...mailboxes.keys()]}::text[], ${[...mailboxes.values()]}::smallint[])
        d(domain, mailbox) on d.domain = ${DOMAIN}
      where s.account_id = ${accountId} and s.id > ${after} and s.id <= (select last from step)
        and s.deleted_at is null and ${IS_HOSTED} and s.mailbox <> d.mailbox
      order by s.id for no key update of s skip locked
    ), assigned as (
      update subscribers s set mailbox = due.mailbox from due
      where s.account_id = ${accountId} and s.id = due.id
    )
    select last from step`.execute(tx);
  return rows[0]?.last ?? null;
}
