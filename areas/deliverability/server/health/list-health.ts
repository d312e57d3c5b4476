// Provides the data of the health screen: domains, mailbox providers and causes.
import { toUnicodeDomain } from '#platform/domain-display.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { DomainHealth, HealthCause } from '../../contract.ts';
import type { MeasuredCause, HealthState } from './health.ts';
import { type HealthRow, listHealth as listRows } from './health.sql.ts';
import { getMailboxName } from './mailbox-names.ts';
import { WHOLE_DOMAIN } from './measure.ts';

const WORST_FIRST: readonly HealthState[] = ['stopped', 'act', 'watch', 'no_data', 'good'];
const RANK = new Map(WORST_FIRST.map((state, index) => [state, index]));
const getRank = (state: HealthState) => RANK.get(state) ?? WORST_FIRST.length;

export async function listHealth(db: Reader, accountId: number): Promise<DomainHealth[]> {
  const domains = new Map<string, HealthRow[]>();
  for (const row of await listRows(db, accountId)) {
    domains.set(row.domain, [...(domains.get(row.domain) ?? []), row]);
  }
  return [...domains].map(([domain, rows]) => presentDomain(domain, rows));
}

function presentDomain(domain: string, rows: readonly HealthRow[]): DomainHealth {
  const domainRow = rows.find((row) => row.mailbox === WHOLE_DOMAIN);
  const mailboxes = rows.filter((row) => row.mailbox !== WHOLE_DOMAIN);
  return {
    domain_name: domain,
    shown_name: toUnicodeDomain(domain),
    state: findWorst(rows, mailboxes),
    causes: (domainRow?.causes ?? []).map(presentCause),
    mailboxes: mailboxes
      .map((row) => ({
        mailbox: getMailboxName(row.mailbox),
        state: row.state,
        since: row.since,
        sent: row.figures.sent ?? 0,
        reports_complaints: row.figures.isReporting ?? false,
        causes: row.causes.map(presentCause),
      }))
      .sort((a, b) => getRank(a.state) - getRank(b.state) || b.sent - a.sent),
    measured:
      rows
        .map((row) => row.measuredAt.toISOString())
        .sort()
        .at(-1) ?? null,
  };
}

/**
 * Returns the worst state with a problem. Without problems, the domain is `good` if it is good at
 * any mailbox provider, even if others have no data.
 */
function findWorst(rows: readonly HealthRow[], mailboxes: readonly HealthRow[]): HealthState {
  const unhealthyRows = rows.filter(({ state }) => getRank(state) < getRank('no_data'));
  const [worst] = unhealthyRows.map(({ state }) => state).sort((a, b) => getRank(a) - getRank(b));
  if (worst) return worst;
  return mailboxes.some(({ state }) => state === 'good') ? 'good' : 'no_data';
}

const presentCause = ({ cause, level, since, count, of, detail }: MeasuredCause): HealthCause => ({
  ...{ cause, level, since, count, of },
  detail: detail ?? null,
});
