// Reads a report of SMTP TLS (RFC 8460). Any field may be absent or null.
import { MAX_COUNT, MAX_JSON_BYTES, ReportError } from './limits.ts';
import { domainIn, nameIn, secondsIn } from './values.ts';

export type TlsRow = {
  policy: string;
  /** `success`, or the type of the failure. */
  result: string;
  sessions: number;
};

export type TlsReport = {
  kind: 'tls';
  organization: string;
  reportId: string;
  /** The domain of the report; empty if it contains none. */
  domain: string;
  begin: number;
  end: number;
  rows: TlsRow[];
};

const MAX_POLICIES = 1000;
const MAX_FAILURES = 1000;

type Json = Record<string, unknown>;

export async function readTls(bytes: AsyncIterable<Buffer>): Promise<TlsReport> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of bytes) {
    size += piece.length;
    if (size > MAX_JSON_BYTES) throw new ReportError('unpacked_too_large');
    pieces.push(piece);
  }
  const report = objectIn(parsed(Buffer.concat(pieces)));
  const policies = listIn(field(report, 'policies')).slice(0, MAX_POLICIES).map(objectIn);
  const hasShape =
    field(report, 'policies') !== undefined || field(report, 'report-id') !== undefined;
  if (!hasShape) throw new ReportError('no_report');
  const range = objectIn(field(report, 'date-range'));
  const begin = secondsIn(textIn(field(range, 'start-datetime')));
  const end = secondsIn(textIn(field(range, 'end-datetime')));
  if (begin === undefined || end === undefined || end < begin) throw new ReportError('no_range');
  const domains = policies.map((policy) =>
    domainIn(textIn(field(objectIn(field(policy, 'policy')), 'policy-domain'))),
  );
  return {
    kind: 'tls',
    organization: nameIn(textIn(field(report, 'organization-name'))),
    reportId: nameIn(textIn(field(report, 'report-id'))),
    domain: domains.find((domain) => domain !== '') ?? '',
    begin,
    end,
    rows: addUp(policies.flatMap(rowsOf)),
  };
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes).replaceAll('\0', ''));
  } catch {
    throw new ReportError('damaged');
  }
}

function rowsOf(policy: Json): TlsRow[] {
  const type = nameIn(
    textIn(field(objectIn(field(policy, 'policy')), 'policy-type')),
  ).toLowerCase();
  const summary = objectIn(field(policy, 'summary'));
  const base = { policy: type || 'unknown' };
  const failures = listIn(field(policy, 'failure-details'))
    .slice(0, MAX_FAILURES)
    .map(objectIn)
    .map((failure) => ({
      ...base,
      result: nameIn(textIn(field(failure, 'result-type'))).toLowerCase() || 'unknown',
      sessions: countIn(field(failure, 'failed-session-count')),
    }));
  const failed = countIn(field(summary, 'total-failure-session-count'));
  const explained = failures.reduce((sum, { sessions }) => sum + sessions, 0);
  const succeeded = countIn(field(summary, 'total-successful-session-count'));
  return [
    { ...base, result: 'success', sessions: succeeded },
    ...failures,
    { ...base, result: 'unknown', sessions: Math.max(0, failed - explained) },
  ].filter(({ sessions }) => sessions > 0);
}

function addUp(rows: readonly TlsRow[]): TlsRow[] {
  const sums = new Map<string, TlsRow>();
  for (const row of rows) {
    const key = `${row.policy}\n${row.result}`;
    const known = sums.get(key);
    if (known) known.sessions = Math.min(MAX_COUNT, known.sessions + row.sessions);
    else sums.set(key, { ...row });
  }
  return [...sums.values()].slice(0, MAX_FAILURES);
}

/** Returns a field of an object. Some reporters write names with underscores or capitals. */
function field(object: Json, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name] ?? undefined;
  const key = Object.keys(object)
    .slice(0, 100)
    .find((candidate) => candidate.toLowerCase().replaceAll('_', '-') === name);
  return key === undefined ? undefined : (object[key] ?? undefined);
}

const objectIn = (value: unknown): Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {};

function listIn(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

const textIn = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function countIn(value: unknown): number {
  const number = Number(textIn(value) || 0);
  if (number > MAX_COUNT) throw new ReportError('count_too_large');
  return Number.isFinite(number) && number > 0 ? Math.floor(number) : 0;
}
