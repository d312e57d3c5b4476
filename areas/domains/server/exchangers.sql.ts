// Queries for the cached mail exchangers of domains.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type ResolvedMailHost = { acceptsEmail: boolean; host: string };

/** The mail host of a domain; null if the domain's name servers did not respond. */
export type StoredHost = ResolvedMailHost | null;

export async function findMailHosts(
  db: Reader,
  domains: readonly string[],
  answeredSince: { answered: Date; unanswered: Date },
): Promise<Map<string, StoredHost>> {
  const rows = await db
    .selectFrom('mail_hosts')
    .select(['domain', 'host', 'accepts_email', 'is_unanswered'])
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .where(
      'checked_at',
      '>',
      sql<Date>`case when is_unanswered then ${answeredSince.unanswered} else ${answeredSince.answered} end::timestamptz`,
    )
    .execute();
  return new Map(
    rows.map((row) => [
      row.domain,
      row.is_unanswered ? null : { acceptsEmail: row.accepts_email, host: row.host },
    ]),
  );
}

export async function saveMailHosts(
  db: Reader,
  hosts: ReadonlyMap<string, StoredHost>,
  checkedAt: Date,
): Promise<void> {
  // Rows are sorted to avoid deadlocks between two lists with the same domains.
  const rows = [...hosts].sort(([hostA], [hostB]) => (hostA < hostB ? -1 : 1));
  await sql`
    insert into mail_hosts (domain, host, accepts_email, is_unanswered, checked_at)
    select u.domain, coalesce(u.host, ''), coalesce(u.accepts_email, true), u.host is null,
      ${checkedAt}::timestamptz
    from unnest(${rows.map(([domain]) => domain)}::text[],
      ${rows.map(([, host]) => host?.host ?? null)}::text[],
      ${rows.map(([, host]) => host?.acceptsEmail ?? null)}::boolean[])
      u(domain, host, accepts_email)
    on conflict (domain) do update set host = excluded.host,
      accepts_email = excluded.accepts_email, is_unanswered = excluded.is_unanswered,
      checked_at = excluded.checked_at`.execute(db);
}

export async function deleteOldMailHosts(db: Reader, before: Date): Promise<void> {
  await db.deleteFrom('mail_hosts').where('checked_at', '<', before).execute();
}
