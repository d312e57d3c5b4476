// Provides the data of the screens: domains with their next step, the reports of one domain, and
// the received files. Also stores the user's decisions on sources.
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
  Source,
} from '../contract.ts';
import { ADVICE_DAYS, adviceFor, daysAfter, type SourceFigures } from './advice.ts';
import { bimiOf, type BimiTools, refreshBimi } from './bimi/bimi.ts';
import { type ChecklistFacts, checklistFor } from './checklist.ts';
import { sendingStateOf } from './dns/sending-state.ts';
import { findFirstBulkDay } from './health/health.sql.ts';
import * as store from './overview.sql.ts';
import { countStates, type FileRow, newestFiles } from './reports.sql.ts';
import { organizationOf } from './reading/values.ts';
import { countEncrypted } from './seeds/seeds.sql.ts';
import { freshCompliance, presentCompliance, signalMeans } from './signals/figures.ts';
import { FORWARDED, OURS, REST, suggestedTitle } from './sources.ts';

type Hosts = Parameters<typeof listDomainAuthentication>[2];
type SendingLists = Parameters<typeof sendingStateOf>[3];
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
    summaries.push(await summaryOf(db, accountId, domain));
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
    (known) => known.id === id,
  );
  if (!domain) throw notFound();
  return domain;
}

async function summaryOf(
  db: Reader,
  accountId: number,
  domain: DomainAuthentication,
): Promise<DomainSummary> {
  const since = daysAfter(today(), 1 - ADVICE_DAYS);
  const sources = await figuresOf(db, accountId, domain.id, since);
  const facts = await store.reportFacts(db, accountId, domain.id, since);
  const mailingLists = await store.mailingListMessages(db, accountId, domain.id, since);
  const { policy, reportAddress, requestsReports } = domain;
  const sum = (of: (source: store.SourceSums) => number) =>
    sources.reduce((total, source) => total + of(source), 0);
  return {
    id: encodeId('domain', domain.id),
    domain_name: domain.domain,
    shown_name: toUnicodeDomain(domain.domain),
    policy: policy ?? null,
    address: reportAddress,
    requested: requestsReports,
    advice: adviceFor({
      ...{ policy, address: reportAddress, isRequested: requestsReports, sources, mailingLists },
      reports: facts.reports,
      days: facts.days,
      reporters: facts.reporters,
      quarantineSince: facts.quarantine_since ?? undefined,
      today: today(),
    }),
    totals: {
      messages: sum(({ messages }) => messages),
      aligned: sum(({ aligned }) => aligned),
      unsigned: sum(({ unsigned }) => unsigned),
    },
    last_report: facts.last,
  };
}

type Figures = SourceFigures & store.SourceSums;

async function figuresOf(
  db: Reader,
  accountId: number,
  domainId: number,
  since: string,
): Promise<Figures[]> {
  const sums = await store.sumsBySource(db, accountId, domainId, since);
  const decisions = new Map(
    (await store.decisionsOf(db, accountId, domainId)).map((row) => [row.source, row]),
  );
  return sums
    .map((row) => {
      const decision = decisions.get(row.source);
      return {
        ...row,
        verdict: verdictOf(row.source, decision?.verdict),
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

function verdictOf(source: string, decided: string | undefined): Source['verdict'] {
  if (source === OURS || source === FORWARDED || source === REST) return source;
  return decided === 'known' || decided === 'abuse' ? decided : 'unknown';
}

export async function readDeliverability(
  db: Reader,
  accountId: number,
  { id, days, hosts, sending }: { id: number; days: number; hosts: Hosts; sending: SendingLists },
): Promise<DomainReports> {
  const domain = await findDomain(db, accountId, id, hosts);
  const since = daysAfter(today(), 1 - days);
  const figures = (await figuresOf(db, accountId, id, since)).slice(0, MAX_SOURCES);
  const addresses = new Map(
    (
      await store.addressesOf(db, accountId, {
        domainId: id,
        day: since,
        sources: figures.map(({ source }) => source),
        limit: MAX_ADDRESSES,
      })
    ).map((row) => [row.source, row.addresses]),
  );
  const results = await store.tlsResults(db, accountId, id, since);
  const sessions = results.reduce((sum, row) => sum + row.sessions, 0);
  const failures = results.filter(({ result }) => result !== 'success');
  const month = await figuresOf(db, accountId, id, daysAfter(today(), 1 - ADVICE_DAYS));
  const { isReverseConfirmed, blocklists } = await sendingStateOf(db, accountId, domain, sending);
  const compliance = presentCompliance(await freshCompliance(db, accountId, id));
  const known = { figures: month, isReverseConfirmed, compliance };
  return {
    ...(await summaryOf(db, accountId, domain)),
    checklist: await checklistOf(db, accountId, domain, known),
    bulk_since: await findFirstBulkDay(db, accountId, organizationOf(domain.domain), BULK_SENDER),
    ...{ compliance, blocklists },
    bimi: await bimiOf(db, accountId, id),
    days: await store.sumsByDay(db, accountId, id, since),
    sources: figures.map((row) => presentSource(row, addresses.get(row.source) ?? [])),
    reporters: (await store.reportersOf(db, accountId, id, since)).map((row) => ({
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
  tools: BimiTools,
): Promise<void> {
  await refreshBimi(db, accountId, await findDomain(db, accountId, id, tools.hosts), tools);
}

async function checklistOf(
  db: Reader,
  accountId: number,
  domain: DomainAuthentication,
  known: Pick<ChecklistFacts, 'isReverseConfirmed' | 'compliance'> & {
    figures: readonly Figures[];
  },
): Promise<CheckItem[]> {
  const to = clock.now();
  const from = new Date(to.getTime() - ADVICE_DAYS * 86_400_000);
  const { complaints } = await readSetbacks(db, accountId, from, to);
  const { figures, isReverseConfirmed, compliance } = known;
  return checklistFor({
    ...{ domain, isReverseConfirmed, compliance },
    signals: await signalMeans(db, accountId, domain.id),
    seeds: await countEncrypted(db, accountId, domain.domain, from),
    ours: figures.find(({ source }) => source === OURS) ?? { messages: 0, aligned: 0 },
    sent: await readSentBetween(db, accountId, from, to),
    complaints,
  });
}

function presentSource(row: Figures, addresses: string[]): Source {
  const [kind = '', name = ''] = row.source.split(/:(.*)/s);
  return {
    source: row.source,
    kind: kind as Source['kind'],
    name,
    verdict: row.verdict,
    title: row.title,
    suggestion: suggestedTitle(row.source),
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
  const shown = title || suggestedTitle(source);
  if (verdict === 'known' && shown === '') throw invalid({ title: ['errors.fields.required'] });
  const { userId } = caller;
  const at = clock.now();
  await store.saveDecision(tx, caller.accountId, {
    ...{ domainId, source, verdict, title: shown, userId, at },
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
    data: (await newestFiles(db, accountId, MAX_FILES)).map(presentFile),
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
