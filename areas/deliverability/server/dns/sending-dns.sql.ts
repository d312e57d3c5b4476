// Queries for the IP addresses that send, their reverse DNS and listings on blocklists.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

/**
 * Lists the IP addresses from which this installation sent emails according to an account's signed
 * reports, most used first.
 */
export async function listSeenAddresses(
  db: Reader,
  accountId: number,
  filter: { domainId?: number; day: string; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ address: string }>`
    select address from dmarc_sums
    where account_id = ${accountId} and day >= ${filter.day}::date and source = 'ours'
      and signer <> '' and address <> ''
      and domain_id = coalesce(${filter.domainId ?? null}::bigint, domain_id)
    group by address order by sum(messages) desc, address limit ${filter.limit}`.execute(db);
  return rows.map((row) => row.address);
}

export async function saveSendingIps(db: Reader, ips: readonly string[], at: Date): Promise<void> {
  await sql`
    insert into sending_ips (ip, seen_at)
    select ip, ${at}::timestamptz from unnest(${[...new Set(ips)].sort()}::text[]) ip
    on conflict (ip) do update set seen_at = excluded.seen_at`.execute(db);
}

type SendingIp = { ip: string; host: string; is_confirmed: boolean | null };

export async function listDueIps(db: Reader, before: Date, limit: number): Promise<string[]> {
  const { rows } = await sql<{ ip: string }>`
    select ip from sending_ips where checked_at is null or checked_at < ${before}
    order by checked_at nulls first, ip limit ${limit}`.execute(db);
  return rows.map((row) => row.ip);
}

/**
 * Saves the confirmed host name of an address, or '' if there is none. Without a definite response
 * (undefined), the stored host name remains.
 */
export async function saveReverseName(
  db: Reader,
  ip: string,
  host: string | undefined,
  at: Date,
): Promise<void> {
  await sql`
    update sending_ips set checked_at = ${at},
      host = coalesce(${host ?? null}::text, host),
      is_confirmed = coalesce(${host === undefined ? null : host !== ''}::boolean, is_confirmed)
    where ip = ${ip}`.execute(db);
}

export async function listIps(db: Reader, ips?: readonly string[]): Promise<SendingIp[]> {
  let query = db.selectFrom('sending_ips').select(['ip', 'host', 'is_confirmed']);
  if (ips) query = query.where('ip', '=', sql<string>`any(${[...ips]}::text[])`);
  return query.orderBy('ip').execute();
}

/** Deletes addresses not seen and blocklist states not checked since an instant. */
export async function deleteStaleSendingIps(db: Reader, before: Date): Promise<void> {
  await db.deleteFrom('sending_ips').where('seen_at', '<', before).execute();
  await db.deleteFrom('blocklist_states').where('checked_at', '<', before).execute();
}

/**
 * Lists addresses and domains due for a blocklist lookup: not checked since `checkedBefore`, or
 * suspected and not checked after `suspectedBefore`.
 */
export async function listDueSubjects(
  db: Reader,
  list: string,
  subjects: readonly string[],
  at: { checkedBefore: Date; suspectedBefore: Date; limit: number },
): Promise<string[]> {
  const { rows } = await sql<{ subject: string }>`
    select u.subject from unnest(${[...subjects]}::text[]) u(subject)
    left join blocklist_states s on s.list = ${list} and s.subject = u.subject
    where s.list is null or s.checked_at < ${at.checkedBefore}
      or (s.state = 'suspected' and s.checked_at <= ${at.suspectedBefore})
    order by s.checked_at nulls first, u.subject limit ${at.limit}`.execute(db);
  return rows.map((row) => row.subject);
}

/**
 * Stores the response of a blocklist. The first positive response is a suspicion. Another one is a
 * listing if the first came before `confirmedBefore`. An unknown response does not change a
 * suspicion or a listing.
 */
export async function saveListing(
  db: Reader,
  key: { list: string; subject: string },
  listing: { state: 'clear' | 'listed' | 'unknown'; code: string },
  { at, confirmedBefore }: { at: Date; confirmedBefore: Date },
): Promise<void> {
  const isPositive = listing.state === 'listed';
  const initialState = isPositive ? 'suspected' : listing.state;
  await sql`
    insert into blocklist_states as b (list, subject, state, code, positive_at, checked_at)
    values (${key.list}, ${key.subject}, ${initialState}, ${listing.code},
      ${isPositive ? at : null}::timestamptz, ${at})
    on conflict (list, subject) do update set checked_at = excluded.checked_at,
      state = case
        when excluded.state = 'unknown' and b.state in ('listed', 'suspected') then b.state
        when excluded.state = 'suspected' and b.state = 'listed' then 'listed'
        when excluded.state = 'suspected' and b.positive_at <= ${confirmedBefore}::timestamptz
          then 'listed'
        else excluded.state end,
      code = case when excluded.state = 'unknown' then b.code else excluded.code end,
      positive_at = case when excluded.state = 'clear' then null
        else coalesce(b.positive_at, excluded.positive_at) end`.execute(db);
}

export type ListState = {
  list: string;
  subject: string;
  state: string;
  code: string;
  since: Date | null;
};

export async function listStates(db: Reader, subjects: readonly string[]): Promise<ListState[]> {
  const { rows } = await sql<ListState>`
    select list, subject, state, code, positive_at as since from blocklist_states
    where subject = any(${[...subjects]}::text[])
    order by list, subject`.execute(db);
  return rows;
}

export async function countListed(db: Reader): Promise<{ list: string; count: number }[]> {
  const { rows } = await sql<{ list: string; count: number }>`
    select list, count(*) as count from blocklist_states where state = 'listed'
    group by list`.execute(db);
  return rows;
}
