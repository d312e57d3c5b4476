// SQL of the mail exchangers of domains.
import { sql } from 'kysely';
import type { Reader } from '#platform/server/database/database.ts';

export type MailHost = { acceptsEmail: boolean; host: string };

export async function findMailHosts(
  db: Reader,
  domains: readonly string[],
  since: Date,
): Promise<Map<string, MailHost>> {
  const rows = await db
    .selectFrom('mail_hosts')
    .select(['domain', 'host', 'accepts_email'])
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .where('checked_at', '>', since)
    .execute();
  return new Map(
    rows.map((row) => [row.domain, { acceptsEmail: row.accepts_email, host: row.host }]),
  );
}

export async function saveMailHosts(
  db: Reader,
  hosts: ReadonlyMap<string, MailHost>,
  at: Date,
): Promise<void> {
  // Sorted, to avoid deadlocks between two lists with the same domains.
  const rows = [...hosts].sort(([one], [other]) => (one < other ? -1 : 1));
  await sql`
    insert into mail_hosts (domain, host, accepts_email, checked_at)
    select u.domain, u.host, u.accepts_email, ${at}::timestamptz
    from unnest(${rows.map(([domain]) => domain)}::text[],
      ${rows.map(([, { host }]) => host)}::text[],
      ${rows.map(([, { acceptsEmail }]) => acceptsEmail)}::boolean[])
      u(domain, host, accepts_email)
    on conflict (domain) do update set host = excluded.host,
      accepts_email = excluded.accepts_email, checked_at = excluded.checked_at`.execute(db);
}

export async function deleteOldMailHosts(db: Reader, before: Date): Promise<void> {
  await db.deleteFrom('mail_hosts').where('checked_at', '<', before).execute();
}
