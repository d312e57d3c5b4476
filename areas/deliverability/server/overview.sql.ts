// Queries for the report screens of a domain: sums of report rows, reporters, and the user's
// decisions on sources.
import { sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from titles of email sources. */
export const rewriteSources = createTextRewriter('domain_sources', {
  keys: ['domain_id', 'source'],
});

export type SourceSums = {
  source: string;
  messages: number;
  aligned: number;
  passed: number;
  dkim: number;
  spf: number;
  refused: number;
  unsigned: number;
};

/** Sums messages per source since `day`, separately for signed and unsigned reports. */
export async function listSourceSums(
  db: Reader,
  accountId: number,
  domainId: number,
  day: string,
): Promise<SourceSums[]> {
  const { rows } = await sql<SourceSums>`
    select source,
      coalesce(sum(messages) filter (where signer <> ''), 0)::bigint as messages,
      coalesce(sum(messages) filter (where signer <> '' and (dkim_aligned or spf_aligned)), 0)::bigint
        as aligned,
      coalesce(sum(messages) filter (where signer <> '' and (dkim_passed or spf_passed)), 0)::bigint
        as passed,
      coalesce(sum(messages) filter (where signer <> '' and dkim_aligned), 0)::bigint as dkim,
      coalesce(sum(messages) filter (where signer <> '' and spf_aligned), 0)::bigint as spf,
      coalesce(sum(messages) filter (where signer <> '' and disposition <> 'none'), 0)::bigint
        as refused,
      coalesce(sum(messages) filter (where signer = ''), 0)::bigint as unsigned
    from dmarc_sums
    where account_id = ${accountId} and domain_id = ${domainId} and day >= ${day}::date
    group by source`.execute(db);
  return rows;
}

/** Lists for each of these sources the IP addresses that sent the most messages. */
export async function listSourceAddresses(
  db: Reader,
  accountId: number,
  filter: { domainId: number; day: string; sources: readonly string[]; limit: number },
): Promise<{ source: string; addresses: string[] }[]> {
  const { rows } = await sql<{ source: string; addresses: string[] }>`
    select source, array_agg(address order by place) as addresses
    from (
      select source, address,
        row_number() over (partition by source order by sum(messages) desc, address) as place
      from dmarc_sums
      where account_id = ${accountId} and domain_id = ${filter.domainId} and day >= ${filter.day}::date
        and address <> '' and source = any (${[...filter.sources]}::text[])
      group by source, address
    ) as ranked
    where place <= ${filter.limit}
    group by source`.execute(db);
  return rows;
}

export async function listDaySums(
  db: Reader,
  accountId: number,
  domainId: number,
  day: string,
): Promise<{ day: string; aligned: number; failed: number }[]> {
  const { rows } = await sql<{ day: string; aligned: number; failed: number }>`
    select day,
      coalesce(sum(messages) filter (where dkim_aligned or spf_aligned), 0)::bigint as aligned,
      coalesce(sum(messages) filter (where not (dkim_aligned or spf_aligned)), 0)::bigint as failed
    from dmarc_sums
    where account_id = ${accountId} and domain_id = ${domainId} and day >= ${day}::date
      and signer <> ''
    group by day
    order by day`.execute(db);
  return rows;
}

export async function countMailingListMessages(
  db: Reader,
  accountId: number,
  domainId: number,
  day: string,
): Promise<number> {
  const { rows } = await sql<{ messages: number }>`
    select coalesce(sum(messages), 0)::bigint as messages
    from dmarc_sums
    where account_id = ${accountId} and domain_id = ${domainId} and day >= ${day}::date
      and signer <> '' and override = 'mailing_list'`.execute(db);
  return rows[0]?.messages ?? 0;
}

export type ReportStats = {
  /** The number of all stored reports. */
  reports: number;
  last: string | null;
  /** The number of days since `day` that signed reports cover. */
  days: number;
  reporters: number;
  quarantine_since: string | null;
};

export async function readReportStats(
  db: Reader,
  accountId: number,
  domainId: number,
  day: string,
): Promise<ReportStats> {
  const { rows } = await sql<ReportStats>`
    with signed as materialized (
      select day, signer, policy from domain_reports
      where account_id = ${accountId} and domain_id = ${domainId} and kind = 'dmarc'
        and signer <> ''
    ), total as (
      select count(*)::bigint as reports, max(day) as last from domain_reports
      where account_id = ${accountId} and domain_id = ${domainId} and kind = 'dmarc'
    )
    select total.reports, total.last,
      (select count(distinct signed.day) from signed where signed.day >= ${day}::date)::bigint
        as days,
      (select count(distinct signer) from signed where signed.day >= ${day}::date)::bigint
        as reporters,
      (select min(signed.day) from signed where policy <> 'none' and signed.day > coalesce(
        (select max(loose.day) from signed as loose where loose.policy = 'none'), '-infinity'))
        as quarantine_since
    from total`.execute(db);
  return rows[0] ?? { reports: 0, last: null, days: 0, reporters: 0, quarantine_since: null };
}

export async function listReporters(
  db: Reader,
  accountId: number,
  domainId: number,
  day: string,
): Promise<
  { signer: string; organization: string; reports: number; messages: number; last: string }[]
> {
  return db
    .selectFrom('domain_reports')
    .select((eb) => [
      'signer',
      eb.fn.min('organization').as('organization'),
      eb.fn.countAll<number>().as('reports'),
      eb.fn.sum<number>('messages').as('messages'),
      eb.fn.max<string>('day').as('last'),
    ])
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .where('kind', '=', 'dmarc')
    .where('day', '>=', day)
    .groupBy(['signer', sql`case when signer = '' then organization end`])
    .orderBy('messages', 'desc')
    .limit(50)
    .execute();
}

export const listTlsResults = (db: Reader, accountId: number, domainId: number, day: string) =>
  db
    .selectFrom('tls_sums')
    .select((eb) => ['result', eb.fn.sum<number>('sessions').as('sessions')])
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .where('day', '>=', day)
    .where('signer', '<>', '')
    .groupBy('result')
    .orderBy('sessions', 'desc')
    .limit(50)
    .execute();

export const listDecisions = (db: Reader, accountId: number, domainId: number) =>
  db
    .selectFrom('domain_sources')
    .select(['source', 'verdict', 'title'])
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .execute();

export const { delete: deleteDecision } = accountTable('domain_sources', 'domain_id', 'source');

export async function saveDecision(
  tx: Tx,
  accountId: number,
  decision: {
    domainId: number;
    source: string;
    verdict: 'known' | 'abuse';
    title: string;
    userId: number;
    at: Date;
  },
): Promise<void> {
  await tx
    .insertInto('domain_sources')
    .values({
      account_id: accountId,
      domain_id: decision.domainId,
      source: decision.source,
      verdict: decision.verdict,
      title: decision.title,
      user_id: decision.userId,
      decided_at: decision.at,
    })
    .onConflict((conflict) =>
      conflict.columns(['account_id', 'domain_id', 'source']).doUpdateSet((eb) => ({
        verdict: eb.ref('excluded.verdict'),
        title: eb.ref('excluded.title'),
        user_id: eb.ref('excluded.user_id'),
        decided_at: eb.ref('excluded.decided_at'),
      })),
    )
    .execute();
}
