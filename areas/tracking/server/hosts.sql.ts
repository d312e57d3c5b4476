// Queries for accounts' own link hosts.
import { sql } from 'kysely';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import type { HostIssue } from '../shared.ts';

export type HostRow = {
  domain: string;
  host: string;
  reached_at: Date | null;
  checked_at: Date;
  fault: string | null;
};

export function listHosts(db: Reader, accountId: number): Promise<HostRow[]> {
  return db
    .selectFrom('tracking_hosts')
    .select(['domain', 'host', 'reached_at', 'checked_at', 'fault'])
    .where('account_id', '=', accountId)
    .orderBy('domain')
    .execute();
}

export async function findReachedHost(
  db: Reader,
  accountId: number,
  domain: string,
): Promise<string | undefined> {
  const row = await db
    .selectFrom('tracking_hosts')
    .select('host')
    .where('account_id', '=', accountId)
    .where('domain', '=', domain)
    .where('reached_at', 'is not', null)
    .executeTakeFirst();
  return row?.host;
}

export async function saveHost(
  tx: Tx,
  accountId: number,
  row: { domain: string; host: string; fault: HostIssue | undefined; at: Date },
): Promise<void> {
  await sql`
    insert into tracking_hosts (account_id, domain, host, reached_at, checked_at, fault)
    values (${accountId}, ${row.domain}, ${row.host}, ${row.fault ? null : row.at}, ${row.at},
      ${row.fault ?? null})
    on conflict (account_id, domain) do update set host = excluded.host,
      reached_at = excluded.reached_at, checked_at = excluded.checked_at, fault = excluded.fault`.execute(
    tx,
  );
}

export async function deleteHosts(
  tx: Tx,
  accountId: number,
  domains: readonly string[],
): Promise<void> {
  await tx
    .deleteFrom('tracking_hosts')
    .where('account_id', '=', accountId)
    .where('domain', '=', sql<string>`any(${[...domains]}::text[])`)
    .execute();
}
