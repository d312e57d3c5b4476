// Queries for received files, the reports in them and the sums of their rows.
import { type Selectable, sql } from 'kysely';
import { accountTable } from '#platform/server/database/account-table.sql.ts';
import type { DB } from '#platform/server/database/database.generated.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { createTextRewriter } from '#platform/server/erasure/texts.sql.ts';

/** Removes the addresses of erased subscribers from file names of reports. */
export const rewriteReportNames = createTextRewriter('report_files', { columns: ['name'] });

export type FileRow = Selectable<DB['report_files']>;

export const { find: findFile, update: updateFile } = accountTable('report_files', 'id');

export function insertFile(
  tx: Tx,
  accountId: number,
  file: {
    domainId: number | null;
    origin: 'email' | 'upload';
    name: string;
    key: string;
    bytes: number;
    at: Date;
  },
): Promise<FileRow> {
  return tx
    .insertInto('report_files')
    .values({
      account_id: accountId,
      domain_id: file.domainId,
      origin: file.origin,
      name: file.name,
      file_key: file.key,
      bytes: file.bytes,
      created_at: file.at,
    })
    .returningAll()
    .executeTakeFirstOrThrow();
}

/**
 * Counts the files since an instant: received at the domain's address or, if `domainId` is null,
 * uploaded by the account.
 */
export async function countFiles(
  db: Reader,
  accountId: number,
  domainId: number | null,
  since: Date,
): Promise<number> {
  const { count } = await db
    .selectFrom('report_files')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('domain_id', domainId === null ? 'is' : '=', domainId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow();
  return count;
}

export const listNewestFiles = (db: Reader, accountId: number, limit: number) =>
  db
    .selectFrom('report_files')
    .selectAll()
    .where('account_id', '=', accountId)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();

/** Counts the stored files by state. */
export const countStates = (db: Reader, accountId: number) =>
  db
    .selectFrom('report_files')
    .select((eb) => ['state', eb.fn.countAll<number>().as('count')])
    .where('account_id', '=', accountId)
    .groupBy('state')
    .execute();

type ReportKey = { kind: 'dmarc' | 'tls'; hash: Buffer };

/** Waits while another process stores a report with the same claims. */
export async function lockReport(tx: Tx, accountId: number, { hash }: ReportKey): Promise<void> {
  const key = `${accountId} ${hash.toString('hex')}`;
  await sql`select pg_advisory_xact_lock(hashtextextended(${key}, 313))`.execute(tx);
}

/** Lists the signers of the stored reports with these claims. */
export async function listSigners(
  db: Reader,
  accountId: number,
  { kind, hash }: ReportKey,
): Promise<string[]> {
  const rows = await db
    .selectFrom('domain_reports')
    .select('signer')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('hash', '=', hash)
    .execute();
  return rows.map(({ signer }) => signer);
}

export type NewReport = ReportKey & {
  domainId: number;
  signer: string;
  organization: string;
  policy: string | null;
  begin: Date;
  end: Date;
  day: string;
  messages: number;
  repairs: readonly string[];
  at: Date;
};

export async function insertReport(tx: Tx, accountId: number, report: NewReport): Promise<void> {
  await tx
    .insertInto('domain_reports')
    .values({
      account_id: accountId,
      domain_id: report.domainId,
      kind: report.kind,
      hash: report.hash,
      signer: report.signer,
      organization: report.organization,
      policy: report.policy,
      begin_at: report.begin,
      end_at: report.end,
      day: report.day,
      messages: report.messages,
      repairs: [...report.repairs],
      received_at: report.at,
    })
    .execute();
}

type DomainDay = { domainId: number; day: string };

/**
 * Deletes the unsigned report with these claims and its sums, because a signed report replaces it.
 */
export async function deleteUnsignedReport(
  tx: Tx,
  accountId: number,
  { kind, hash }: ReportKey,
): Promise<void> {
  const removedReport = await tx
    .deleteFrom('domain_reports')
    .where('account_id', '=', accountId)
    .where('kind', '=', kind)
    .where('hash', '=', hash)
    .where('signer', '=', '')
    .returning(['domain_id', 'day'])
    .executeTakeFirst();
  if (!removedReport) return;
  await tx
    .deleteFrom(kind === 'dmarc' ? 'dmarc_sums' : 'tls_sums')
    .where('account_id', '=', accountId)
    .where('domain_id', '=', removedReport.domain_id)
    .where('day', '=', removedReport.day)
    .where('hash', '=', hash)
    .where('signer', '=', '')
    .execute();
}

/** Counts the stored rows of DMARC reports for a domain and a day; MAX_ROWS limits their number. */
export async function countSums(
  db: Reader,
  accountId: number,
  { domainId, day }: DomainDay,
): Promise<number> {
  const { count } = await db
    .selectFrom('dmarc_sums')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('account_id', '=', accountId)
    .where('domain_id', '=', domainId)
    .where('day', '=', day)
    .executeTakeFirstOrThrow();
  return count;
}

/** Column names and types for inserting all rows in one statement. */
const DMARC_VALUES = sql.raw(`source text, address text, "headerFrom" text, "dkimDomain" text,
  selector text, "spfDomain" text, "dkimPassed" boolean, "spfPassed" boolean,
  "dkimAligned" boolean, "spfAligned" boolean, disposition text, override text, messages bigint,
  number integer`);

export async function insertDmarcSums(
  tx: Tx,
  accountId: number,
  { domainId, day, hash, signer }: NewReport,
  rows: readonly object[],
): Promise<void> {
  const numberedRows = JSON.stringify(rows.map((row, number) => ({ ...row, number })));
  await sql`
    insert into dmarc_sums (account_id, domain_id, day, hash, signer, number, source, address,
      header_from, dkim_domain, selector, spf_domain, dkim_passed, spf_passed, dkim_aligned,
      spf_aligned, disposition, override, messages)
    select ${accountId}, ${domainId}, ${day}::date, ${hash}, ${signer}, number, source, address,
      "headerFrom", "dkimDomain", selector, "spfDomain", "dkimPassed", "spfPassed", "dkimAligned",
      "spfAligned", disposition, override, messages
    from jsonb_to_recordset(${numberedRows}::jsonb) as given (${DMARC_VALUES})`.execute(tx);
}

export async function insertTlsSums(
  tx: Tx,
  accountId: number,
  { domainId, day, hash, signer }: NewReport,
  rows: readonly { policy: string; result: string; sessions: number }[],
): Promise<void> {
  if (rows.length === 0) return;
  await tx
    .insertInto('tls_sums')
    .values(
      rows.map((row, number) => ({
        account_id: accountId,
        domain_id: domainId,
        day,
        hash,
        signer,
        number,
        ...row,
      })),
    )
    .execute();
}

/**
 * Deletes reports and daily sums from before `day` and files from before `filesBefore`. Returns the
 * keys of the files.
 */
export async function deleteOld(
  tx: Tx,
  accountId: number,
  { day, filesBefore }: { day: string; filesBefore: Date },
): Promise<string[]> {
  for (const table of ['dmarc_sums', 'tls_sums', 'domain_reports'] as const) {
    await tx.deleteFrom(table).where('account_id', '=', accountId).where('day', '<', day).execute();
  }
  const files = await tx
    .deleteFrom('report_files')
    .where('account_id', '=', accountId)
    .where('created_at', '<', filesBefore)
    .returning('file_key')
    .execute();
  return files.map(({ file_key }) => file_key);
}
