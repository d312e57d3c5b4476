// Measures the health of an account's domains and announces new and worse causes.
import { listDomainAuthentication, type SendingHosts } from '#areas/domains/server/index.ts';
import { MAILBOXES } from '#areas/subscribers/shared.ts';
import { listReportingMailboxes } from '#areas/tracking/server/index.ts';
import { clock } from '#platform/server/clock.ts';
import {
  type Db,
  inTransaction,
  type Reader,
  type Tx,
} from '#platform/server/database/database.ts';
import { ADVICE_DAYS, addDays } from '../advice.ts';
import { MIN_ALIGNED, MIN_REPORTED } from '../checklist.ts';
import type { Blocklist } from '../dns/blocklists.ts';
import { readSendingState } from '../dns/sending-state.ts';
import { healthChanged } from '../events.ts';
import { listSourceSums } from '../overview.sql.ts';
import { readFreshCompliance, findHighSpamRate } from '../signals/figures.ts';
import { readSignals } from '../signals/signals.sql.ts';
import { OWN_SOURCE } from '../sources.ts';
import {
  type MeasuredCause,
  computeDomainHealth,
  type DomainHealthState,
  listNewCauses,
  computeHealth,
  type HealthState,
  type Volume,
} from './health.ts';
import * as store from './health.sql.ts';
import { findOpenShortfalls } from './placement.ts';

/** The value of `mailbox` for domain-wide causes. */
export const WHOLE_DOMAIN = -1;
const WINDOW_DAYS = 7;
const WAITING_MS = 4 * 3_600_000;
const REPORTING_MS = 180 * 86_400_000;
/** The maximum age of campaigns in comparisons of opens. */
const PAST_MS = 400 * 86_400_000;
const MAX_PAST = 60;
const SHORTFALL_MS = 30 * 86_400_000;
/**
 * Health at a mailbox provider that is no longer measured is deleted if its state began this long
 * ago. Domain-wide health is deleted immediately.
 */
const UNUSED_MS = 30 * 86_400_000;

export type HealthDependencies = {
  hosts: SendingHosts;
  lists: readonly Blocklist[];
  ownIps: readonly string[];
};

type MeasuredHealth = Omit<store.HealthRow, 'measuredAt'>;

const NO_RESULTS: Omit<Volume, 'isReporting'> = {
  ...{ accepted: 0, failed: 0, waiting: 0, hard: 0, policy: 0, complaints: 0 },
};

/** Measures the health and returns the states of domains at mailbox providers. */
export function measureHealth(
  db: Db,
  accountId: number,
  tools: HealthDependencies,
): Promise<HealthState[]> {
  return inTransaction(db, async (tx) => {
    const now = clock.now();
    const storedRows = await store.listHealth(tx, accountId);
    const measuredRows = [
      ...(await measureMailboxes(tx, accountId, storedRows, tools.hosts, now)),
      ...(await measureDomains(tx, accountId, storedRows, tools)),
    ];
    const formatKey = (row: { domain: string; mailbox: number }) => `${row.domain} ${row.mailbox}`;
    const storedByKey = new Map(storedRows.map((row) => [formatKey(row), row]));
    await store.saveHealth(
      tx,
      accountId,
      measuredRows.map((row) => ({ ...row, at: now })),
    );
    for (const row of measuredRows) {
      const causes = listNewCauses(storedByKey.get(formatKey(row)), row);
      if (causes.length > 0) await announce(tx, accountId, row, causes);
    }
    const measuredKeys = new Set(measuredRows.map(formatKey));
    for (const row of storedRows) {
      const isOld = now.getTime() - new Date(row.since).getTime() > UNUSED_MS;
      if (!measuredKeys.has(formatKey(row)) && (isOld || row.mailbox === WHOLE_DOMAIN)) {
        await store.deleteHealth(tx, accountId, row.domain, row.mailbox);
      }
    }
    return measuredRows.filter(({ mailbox }) => mailbox !== WHOLE_DOMAIN).map(({ state }) => state);
  });
}

async function announce(
  tx: Tx,
  accountId: number,
  { domain, mailbox, state }: MeasuredHealth,
  causes: MeasuredCause[],
): Promise<void> {
  const healthState = {
    accountId,
    domain,
    mailbox: mailbox === WHOLE_DOMAIN ? null : mailbox,
    state,
  };
  await healthChanged.announce(tx, { ...healthState, causes });
}

/**
 * Measures providers that received email in the last seven days, whose previous state was not
 * `no_data`, or that have causes measured elsewhere.
 */
async function measureMailboxes(
  tx: Tx,
  accountId: number,
  storedRows: readonly store.HealthRow[],
  hosts: SendingHosts,
  now: Date,
): Promise<MeasuredHealth[]> {
  const day = addDays(now.toISOString().slice(0, 10), 1 - WINDOW_DAYS);
  const waitingSince = new Date(now.getTime() - WAITING_MS);
  const rows = await store.readVolumes(tx, accountId, { day, waitingSince });
  const since = new Date(now.getTime() - REPORTING_MS);
  const reporting = await listReportingMailboxes(tx, accountId, since);
  const volumes = new Map(rows.map((row) => [`${row.domain} ${row.mailbox}`, row]));
  const externalCauses = await findExternalCauses(tx, accountId, hosts, now);
  const earlierRows = storedRows.filter(
    (row) => row.mailbox !== WHOLE_DOMAIN && row.state !== 'no_data',
  );
  for (const { domain, mailbox } of [...earlierRows, ...externalCauses]) {
    const key = `${domain} ${mailbox}`;
    if (!volumes.has(key)) volumes.set(key, { ...NO_RESULTS, domain, mailbox });
  }
  return [...volumes.values()].map((row) => {
    const isReporting = reporting.has(row.mailbox);
    const isOf = (location: { domain: string; mailbox: number }) =>
      location.domain === row.domain && location.mailbox === row.mailbox;
    const causes = externalCauses.filter(isOf).map(({ cause }) => cause);
    const health = computeHealth(storedRows.find(isOf), { ...row, isReporting }, now, causes);
    const counts = { sent: row.accepted + row.failed, isReporting };
    return { ...health, domain: row.domain, mailbox: row.mailbox, figures: counts };
  });
}

type ExternalCause = { domain: string; mailbox: number; cause: Omit<MeasuredCause, 'since'> };

/** Finds opens below expectation, high spam rates at Gmail, and unmet requirements of Gmail. */
async function findExternalCauses(
  db: Reader,
  accountId: number,
  hosts: SendingHosts,
  now: Date,
): Promise<ExternalCause[]> {
  const since = new Date(now.getTime() - PAST_MS);
  const opens = await store.readOpens(db, accountId, { since, limit: MAX_PAST });
  const isRecent = (at: Date) => now.getTime() - at.getTime() < SHORTFALL_MS;
  const shortfalls = [...new Set(opens.map(({ domain }) => domain))].flatMap((domain) =>
    [...findOpenShortfalls(opens.filter((row) => row.domain === domain))]
      .filter(([, { startedAt }]) => isRecent(startedAt))
      .map(([mailbox, { level, count, of, startedAt }]) => ({
        ...{ domain, mailbox },
        cause: { cause: 'opens' as const, level, count, of, newestAt: startedAt.toISOString() },
      })),
  );
  const rates = await findSpamRates(db, accountId, hosts, now);
  return [...shortfalls, ...rates, ...(await findUnmetRequirements(db, accountId, hosts, rates))];
}

/** Postmaster Tools reports a rate without a number of emails, so it is stored per 100,000. */
const RATE_BASE = 100_000;

async function findSpamRates(
  db: Reader,
  accountId: number,
  hosts: SendingHosts,
  now: Date,
): Promise<ExternalCause[]> {
  const day = addDays(now.toISOString().slice(0, 10), -WINDOW_DAYS);
  const signals = await readSignals(db, accountId, day);
  if (signals.length === 0) return [];
  return (await listDomainAuthentication(db, accountId, hosts)).flatMap(({ id, domain }) => {
    const highRate = findHighSpamRate(
      signals.filter(({ domainId }) => domainId === id),
      now,
    );
    if (!highRate) return [];
    const count = Math.round(highRate.rate * RATE_BASE);
    const cause = { cause: 'spam_rate' as const, level: highRate.level, count, of: RATE_BASE };
    return [{ domain, mailbox: MAILBOXES.gmail, cause }];
  });
}

/**
 * Returns the requirements that Gmail considers unmet. The spam rate requirement is omitted if the
 * measured spam rate is already a cause, because both are the same problem.
 */
async function findUnmetRequirements(
  db: Reader,
  accountId: number,
  hosts: SendingHosts,
  rates: readonly ExternalCause[],
): Promise<ExternalCause[]> {
  const unmet = (await readFreshCompliance(db, accountId)).filter(({ isMet }) => isMet === false);
  if (unmet.length === 0) return [];
  return (await listDomainAuthentication(db, accountId, hosts)).flatMap(({ id, domain }) => {
    const isMeasured = rates.some((rate) => rate.domain === domain);
    return unmet
      .filter(({ domainId }) => domainId === id)
      .filter(({ requirement }) => !isMeasured || requirement !== 'user_reported_spam_rate')
      .map(({ requirement: detail }) => ({
        ...{ domain, mailbox: MAILBOXES.gmail },
        cause: { cause: 'compliance' as const, level: 'act' as const, count: 0, of: 0, detail },
      }));
  });
}

/**
 * Measures causes that affect every mailbox provider: blocklists, alignment and stopped campaigns.
 */
async function measureDomains(
  tx: Tx,
  accountId: number,
  storedRows: readonly store.HealthRow[],
  { hosts, lists, ownIps }: HealthDependencies,
): Promise<MeasuredHealth[]> {
  const now = clock.now();
  const stoppedByDomain = new Map(
    (await store.countStopped(tx, accountId)).map((row) => [row.domain, row.count]),
  );
  const measuredRows: MeasuredHealth[] = [];
  for (const domain of await listDomainAuthentication(tx, accountId, hosts)) {
    const { blocklists } = await readSendingState(tx, accountId, domain, { lists, ownIps });
    const causes: Omit<MeasuredCause, 'since'>[] = blocklists
      .filter(({ state }) => state === 'listed')
      .map(({ list, subject, is_blocking: isBlocking }) => ({
        ...{ cause: 'blocklist' as const, level: isBlocking ? 'act' : 'watch' },
        ...{ count: 0, of: 0, detail: `${list}: ${subject}` },
      }));
    const failing = await findFailingAlignment(tx, accountId, domain.id, now);
    if (failing) causes.push({ cause: 'alignment', level: 'act', ...failing });
    const count = stoppedByDomain.get(domain.domain) ?? 0;
    if (count > 0) causes.push({ cause: 'stopped', level: 'act', count, of: 0 });
    const storedRow = storedRows.find(
      (row) => row.domain === domain.domain && row.mailbox === WHOLE_DOMAIN,
    );
    const health: DomainHealthState = computeDomainHealth(storedRow, causes, now);
    measuredRows.push({ ...health, domain: domain.domain, mailbox: WHOLE_DOMAIN, figures: {} });
  }
  return measuredRows;
}

/**
 * Counts the emails of this installation that failed DMARC. Returns undefined if too few emails
 * were reported or enough of them passed.
 */
async function findFailingAlignment(
  db: Reader,
  accountId: number,
  domainId: number,
  now: Date,
): Promise<{ count: number; of: number } | undefined> {
  const day = addDays(now.toISOString().slice(0, 10), 1 - ADVICE_DAYS);
  const sources = await listSourceSums(db, accountId, domainId, day);
  const ownSource = sources.find(({ source }) => source === OWN_SOURCE);
  if (!ownSource || ownSource.messages < MIN_REPORTED) return undefined;
  if (ownSource.aligned / ownSource.messages >= MIN_ALIGNED) return undefined;
  return { count: ownSource.messages - ownSource.aligned, of: ownSource.messages };
}
