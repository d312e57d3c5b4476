// Provides screen data: domains and their next step, the reports of one domain, and the received
// files. Also stores the user's decisions on sources.
import { readSentBetween } from '#areas/delivery/server/ledger/index.ts';
import {
  type DomainAuthentication,
  listDomainAuthentication,
} from '#areas/domains/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { readSetbacks } from '#areas/tracking/server/index.ts';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Db, Reader, Tx } from '#platform/server/database/database.ts';
import { invalid, notFound } from '#platform/server/errors.ts';
import type { Actor } from '#platform/server/http/serve.ts';
import type {
  CheckItem,
  DomainReports,
  DomainSummary,
  FileCounts,
  ReportFile,
  ReportSource,
} from '../contract.ts';
import { ADVICE_DAYS, getAdvice, addDays, type SourceCounts } from './advice.ts';
import { getBimi, type BimiDependencies, refreshBimi } from './bimi/bimi.ts';
import { type ChecklistInputs, createChecklist } from './checklist.ts';
import { readSendingState } from './dns/sending-state.ts';
import { findFirstBulkDay } from './health/health.sql.ts';
import * as store from './overview.sql.ts';
import { countStates, type FileRow, listNewestFiles } from './reports.sql.ts';
import { getOrganizationalDomain } from './reading/values.ts';
import { countEncrypted } from './seeds/seeds.sql.ts';
import { readFreshCompliance, presentCompliance, computeSignalMeans } from './signals/figures.ts';
import { FORWARDED, OWN_SOURCE, REMAINING_SOURCES, suggestTitle } from './sources.ts';

type Hosts = Parameters<typeof listDomainAuthentication>[2];
type SendingLists = Parameters<typeof readSendingState>[3];
const MAX_SOURCES = 200;
/**
 * The definition of a bulk sender by Gmail, Yahoo and Outlook. Once a domain is a bulk sender, it
 * always remains one.
 */
const BULK_SENDER = {
  mailboxes: [MAILBOXES.gmail, MAILBOXES.yahoo, MAILBOXES.microsoft],
  emails: 5_000,
};
const MAX_FILES = 50;
const MAX_ADDRESSES = 5;

const today = () => clock.now().toISOString().slice(0, 10);

export async function listDeliverability(
  db: Reader,
  accountId: number,
  hosts: Hosts,
): Promise<DomainSummary[]> {
  const summaries: DomainSummary[] = [];
  for (const domain of await listDomainAuthentication(db, accountId, hosts)) {
    summaries.push(await createSummary(db, accountId, domain));
  }
  return summaries;
}

async function findDomain(
  db: Reader,
  accountId: number,
  id: number,
  hosts: Hosts,
): Promise<DomainAuthentication> {
  const domain = (await listDomainAuthentication(db, accountId, hosts)).find(
    (candidate) => candidate.id === id,
  );
  if (!domain) throw notFound();
  return domain;
}

async function createSummary(
  db: Reader,
  accountId: number,
  domain: DomainAuthentication,
): Promise<DomainSummary> {
  const since = addDays(today(), 1 - ADVICE_DAYS);
  const sources = await readSourceStats(db, accountId, domain.id, since);
  const reportStats = await store.readReportStats(db, accountId, domain.id, since);
  const mailingLists = await store.countMailingListMessages(db, accountId, domain.id, since);
  const { policy, reportAddress, requestsReports } = domain;
  const sumBy = (select: (source: store.SourceSums) => number) =>
    sources.reduce((total, source) => total + select(source), 0);
  return {
    id: encodeId('domain', domain.id),
    domain_name: domain.domain,
    shown_name: toUnicodeDomain(domain.domain),
    policy: policy ?? null,
    address: reportAddress,
    requested: requestsReports,
    advice: getAdvice({
      ...{ policy, address: reportAddress, isRequested: requestsReports, sources, mailingLists },
      reports: reportStats.reports,
      coveredDays: reportStats.days,
      reporters: reportStats.reporters,
      quarantineSince: reportStats.quarantine_since ?? undefined,
      today: today(),
    }),
    totals: {
      messages: sumBy(({ messages }) => messages),
      aligned: sumBy(({ aligned }) => aligned),
      unsigned: sumBy(({ unsigned }) => unsigned),
    },
    last_report: reportStats.last,
  };
}

type SourceStats = SourceCounts & store.SourceSums;

async function readSourceStats(
  db: Reader,
  accountId: number,
  domainId: number,
  since: string,
): Promise<SourceStats[]> {
  const sourceSums = await store.listSourceSums(db, accountId, domainId, since);
  const decisions = new Map(
    (await store.listDecisions(db, accountId, domainId)).map((row) => [row.source, row]),
  );
  return sourceSums
    .map((row) => {
      const decision = decisions.get(row.source);
      return {
        ...row,
        verdict: getVerdict(row.source, decision?.verdict),
        title: decision?.title ?? '',
      };
    })
    .sort(
      (a, b) =>
        b.messages - a.messages ||
        b.unsigned - a.unsigned ||
        a.source.localeCompare(b.source, 'en'),
    );
}

function getVerdict(source: string, decidedVerdict: string | undefined): ReportSource['verdict'] {
  if (source === OWN_SOURCE || source === FORWARDED || source === REMAINING_SOURCES) return source;
  return decidedVerdict === 'known' || decidedVerdict === 'abuse' ? decidedVerdict : 'unknown';
}

export async function readDeliverability(
  db: Reader,
  accountId: number,
  { id, days, hosts, sending }: { id: number; days: number; hosts: Hosts; sending: SendingLists },
): Promise<DomainReports> {
  const domain = await findDomain(db, accountId, id, hosts);
  const since = addDays(today(), 1 - days);
  const figures = (await readSourceStats(db, accountId, id, since)).slice(0, MAX_SOURCES);
  const addresses = new Map(
    (
      await store.listSourceAddresses(db, accountId, {
        domainId: id,
        day: since,
        sources: figures.map(({ source }) => source),
        limit: MAX_ADDRESSES,
      })
    ).map((row) => [row.source, row.addresses]),
  );
  const results = await store.listTlsResults(db, accountId, id, since);
  const sessions = results.reduce((sum, row) => sum + row.sessions, 0);
  const failures = results.filter(({ result }) => result !== 'success');
  const month = await readSourceStats(db, accountId, id, addDays(today(), 1 - ADVICE_DAYS));
  const { isReverseConfirmed, blocklists } = await readSendingState(db, accountId, domain, sending);
  const compliance = presentCompliance(await readFreshCompliance(db, accountId, id));
  const checklistInputs = { sources: month, isReverseConfirmed, compliance };
  return {
    ...(await createSummary(db, accountId, domain)),
    checklist: await readChecklist(db, accountId, domain, checklistInputs),
    bulk_since: await findFirstBulkDay(
      db,
      accountId,
      getOrganizationalDomain(domain.domain),
      BULK_SENDER,
    ),
    ...{ compliance, blocklists },
    bimi: await getBimi(db, accountId, id),
    days: await store.listDaySums(db, accountId, id, since),
    sources: figures.map((row) => presentSource(row, addresses.get(row.source) ?? [])),
    reporters: (await store.listReporters(db, accountId, id, since)).map((row) => ({
      name: row.signer || row.organization,
      signed: row.signer !== '',
      reports: row.reports,
      messages: row.messages,
      last: row.last,
    })),
    tls: {
      sessions,
      failures: failures.reduce((sum, row) => sum + row.sessions, 0),
      results: failures,
    },
  };
}

export async function checkBimiNow(
  db: Db,
  accountId: number,
  id: number,
  tools: BimiDependencies,
): Promise<void> {
  await refreshBimi(db, accountId, await findDomain(db, accountId, id, tools.hosts), tools);
}

async function readChecklist(
  db: Reader,
  accountId: number,
  domain: DomainAuthentication,
  checklistInputs: Pick<ChecklistInputs, 'isReverseConfirmed' | 'compliance'> & {
    sources: readonly SourceStats[];
  },
): Promise<CheckItem[]> {
  const to = clock.now();
  const from = new Date(to.getTime() - ADVICE_DAYS * 86_400_000);
  const { complaints } = await readSetbacks(db, accountId, from, to);
  const { sources, isReverseConfirmed, compliance } = checklistInputs;
  return createChecklist({
    ...{ domain, isReverseConfirmed, compliance },
    signals: await computeSignalMeans(db, accountId, domain.id),
    seeds: await countEncrypted(db, accountId, domain.domain, from),
    ownEmails: sources.find(({ source }) => source === OWN_SOURCE) ?? { messages: 0, aligned: 0 },
    sentCount: await readSentBetween(db, accountId, from, to),
    complaints,
  });
}

function presentSource(row: SourceStats, addresses: string[]): ReportSource {
  const [kind = '', name = ''] = row.source.split(/:(.*)/s);
  return {
    source: row.source,
    kind: kind as ReportSource['kind'],
    name,
    verdict: row.verdict,
    title: row.title,
    suggestion: suggestTitle(row.source),
    messages: row.messages,
    aligned: row.aligned,
    dkim: row.dkim,
    spf: row.spf,
    refused: row.refused,
    unsigned: row.unsigned,
    addresses,
  };
}

export async function setSource(
  tx: Tx,
  caller: Actor,
  domainId: number,
  {
    source,
    verdict,
    title,
  }: { source: string; verdict: 'known' | 'unknown' | 'abuse'; title: string },
  hosts: Hosts,
): Promise<void> {
  await findDomain(tx, caller.accountId, domainId, hosts);
  if (verdict === 'unknown') {
    await store.deleteDecision(tx, caller.accountId, domainId, source);
    return;
  }
  const shownTitle = title || suggestTitle(source);
  if (verdict === 'known' && shownTitle === '')
    throw invalid({ title: ['errors.fields.required'] });
  const { userId } = caller;
  const at = clock.now();
  await store.saveDecision(tx, caller.accountId, {
    ...{ domainId, source, verdict, title: shownTitle, userId, at },
  });
}

export async function listFiles(
  db: Reader,
  accountId: number,
): Promise<{ data: ReportFile[]; counts: FileCounts }> {
  const states = await countStates(db, accountId);
  const countOf = (state: ReportFile['state']) =>
    states.find((row) => row.state === state)?.count ?? 0;
  return {
    data: (await listNewestFiles(db, accountId, MAX_FILES)).map(presentFile),
    counts: {
      received: states.reduce((sum, { count }) => sum + count, 0),
      ...{ waiting: countOf('waiting'), parsed: countOf('parsed') },
      ...{ duplicate: countOf('duplicate'), unreadable: countOf('unreadable') },
      foreign: countOf('foreign'),
    },
  };
}

export const presentFile = (row: FileRow): ReportFile => ({
  id: encodeId('report_file', row.id),
  origin: row.origin as ReportFile['origin'],
  name: row.name,
  state: row.state as ReportFile['state'],
  fault: row.fault,
  reports: row.reports,
  created: row.created_at.toISOString(),
});
