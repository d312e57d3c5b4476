// Metrics of received reports, the autopilot, blocklists and health. Once all files of reports are
// processed, the number of received files equals the sum of parsed, duplicate, unreadable and
// foreign files. A file may contain several reports.
import { counter, type MetricSample, registerMetrics } from '#platform/server/metrics.ts';

export const receivedFiles = counter('report_files_total', 'Files of reports received', ['origin']);
const processedFiles = counter(
  'report_files_settled_total',
  'Files of reports processed, by state',
  ['state'],
);
const settledReports = counter(
  'reports_total',
  'DMARC and TLS reports by result; files without a report count as one',
  ['kind', 'result'],
);

/** Counts a processed file and its reports, after the transaction that stores them. */
export function countSettled(
  state: string,
  results: readonly { kind: string; outcome: string }[],
): void {
  processedFiles.inc({ state });
  for (const { kind, outcome } of results) settledReports.inc({ kind, result: outcome });
}

export const pilotMoves = counter(
  'pilot_moves_total',
  'Moves of the autopilot, made or suggested',
  ['move', 'state'],
);

const countByList = new Map<string, number>();

/** Sets the number of listed addresses and domains of a blocklist at its last check. */
export function setListed(list: string, count: number): void {
  countByList.set(list, count);
}

let healthCounts: ReadonlyMap<string, number> = new Map();

/**
 * Sets the number of domain and mailbox provider pairs per state, across all accounts, at the last
 * measurement.
 */
export function setHealth(counts: ReadonlyMap<string, number>): void {
  healthCounts = counts;
}

const readChecks = async (): Promise<MetricSample[]> => [
  {
    kind: 'gauge',
    name: 'blocklist_listed',
    help: 'Own addresses and domains on a blocklist',
    values: [...countByList].map(([list, value]) => ({ labels: { list }, value })),
  },
  {
    kind: 'gauge',
    name: 'domain_health',
    help: 'Sending domains at mailbox providers by state',
    values: [...healthCounts].map(([state, value]) => ({ labels: { state }, value })),
  },
];

/** Publishes the blocklists and the health that this process has checked. */
export const exposeChecks = () => registerMetrics(readChecks);
