// Provides the data of the health screen: domains, and each mailbox provider with its causes.
import { toUnicodeDomain } from '#platform/domain-display.ts';
import type { Reader } from '#platform/server/database/database.ts';
import type { DomainHealth, HealthCause } from '../../contract.ts';
import type { Cause, State } from './health.ts';
import { type HealthRow, listHealth as listRows } from './health.sql.ts';
import { nameOfMailbox } from './mailbox-names.ts';
import { WHOLE } from './measure.ts';

const WORST_FIRST: readonly State[] = ['stopped', 'act', 'watch', 'no_data', 'good'];
const RANK = new Map(WORST_FIRST.map((state, index) => [state, index]));
const rankOf = (state: State) => RANK.get(state) ?? WORST_FIRST.length;

export async function listHealth(db: Reader, accountId: number): Promise<DomainHealth[]> {
  const domains = new Map<string, HealthRow[]>();
  for (const row of await listRows(db, accountId)) {
    domains.set(row.domain, [...(domains.get(row.domain) ?? []), row]);
  }
  return [...domains].map(([domain, rows]) => presentDomain(domain, rows));
}

function presentDomain(domain: string, rows: readonly HealthRow[]): DomainHealth {
  const whole = rows.find((row) => row.mailbox === WHOLE);
  const mailboxes = rows.filter((row) => row.mailbox !== WHOLE);
  return {
    domain_name: domain,
    shown_name: toUnicodeDomain(domain),
    state: worstOf(rows, mailboxes),
    causes: (whole?.causes ?? []).map(presentCause),
    mailboxes: mailboxes
      .map((row) => ({
        mailbox: nameOfMailbox(row.mailbox),
        state: row.state,
        since: row.since,
        sent: row.figures.sent ?? 0,
        reports_complaints: row.figures.isReporting ?? false,
        causes: row.causes.map(presentCause),
      }))
      .sort((a, b) => rankOf(a.state) - rankOf(b.state) || b.sent - a.sent),
    measured:
      rows
        .map((row) => row.measuredAt.toISOString())
        .sort()
        .at(-1) ?? null,
  };
}

/** A domain is good only if it is good at one mailbox provider or more, and worse at none. */
function worstOf(rows: readonly HealthRow[], mailboxes: readonly HealthRow[]): State {
  const bad = rows.filter(({ state }) => rankOf(state) < rankOf('no_data'));
  const [worst] = bad.map(({ state }) => state).sort((a, b) => rankOf(a) - rankOf(b));
  if (worst) return worst;
  return mailboxes.some(({ state }) => state === 'good') ? 'good' : 'no_data';
}

const presentCause = ({ cause, level, since, count, of, detail }: Cause): HealthCause => ({
  ...{ cause, level, since, count, of },
  detail: detail ?? null,
});
