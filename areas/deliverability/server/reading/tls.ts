// Reads a report of SMTP TLS (RFC 8460). All fields may be absent or null, except for the date
// range and at least one of policies and report ID.
import { MAX_COUNT, MAX_JSON_BYTES, ReportError } from './limits.ts';
import { parseDomain, parseName, parseSeconds } from './values.ts';

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

type ParsedJson = Record<string, unknown>;

export async function readTls(bytes: AsyncIterable<Buffer>): Promise<TlsReport> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > MAX_JSON_BYTES) throw new ReportError('unpacked_too_large');
    chunks.push(chunk);
  }
  const report = toObject(parseJson(Buffer.concat(chunks)));
  const policies = readList(getField(report, 'policies')).slice(0, MAX_POLICIES).map(toObject);
  const hasShape =
    getField(report, 'policies') !== undefined || getField(report, 'report-id') !== undefined;
  if (!hasShape) throw new ReportError('no_report');
  const range = toObject(getField(report, 'date-range'));
  const begin = parseSeconds(toText(getField(range, 'start-datetime')));
  const end = parseSeconds(toText(getField(range, 'end-datetime')));
  if (begin === undefined || end === undefined || end < begin) throw new ReportError('no_range');
  const domains = policies.map((policy) =>
    parseDomain(toText(getField(toObject(getField(policy, 'policy')), 'policy-domain'))),
  );
  return {
    kind: 'tls',
    organization: parseName(toText(getField(report, 'organization-name'))),
    reportId: parseName(toText(getField(report, 'report-id'))),
    domain: domains.find((domain) => domain !== '') ?? '',
    begin,
    end,
    rows: addUp(policies.flatMap(createRows)),
  };
}

function parseJson(bytes: Buffer): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes).replaceAll('\0', ''));
  } catch {
    throw new ReportError('damaged');
  }
}

function createRows(policy: ParsedJson): TlsRow[] {
  const type = parseName(
    toText(getField(toObject(getField(policy, 'policy')), 'policy-type')),
  ).toLowerCase();
  const summary = toObject(getField(policy, 'summary'));
  const base = { policy: type || 'unknown' };
  const failures = readList(getField(policy, 'failure-details'))
    .slice(0, MAX_FAILURES)
    .map(toObject)
    .map((failure) => ({
      ...base,
      result: parseName(toText(getField(failure, 'result-type'))).toLowerCase() || 'unknown',
      sessions: readCount(getField(failure, 'failed-session-count')),
    }));
  const failedCount = readCount(getField(summary, 'total-failure-session-count'));
  const explainedCount = failures.reduce((sum, { sessions }) => sum + sessions, 0);
  const succeededCount = readCount(getField(summary, 'total-successful-session-count'));
  return [
    { ...base, result: 'success', sessions: succeededCount },
    ...failures,
    { ...base, result: 'unknown', sessions: Math.max(0, failedCount - explainedCount) },
  ].filter(({ sessions }) => sessions > 0);
}

function addUp(rows: readonly TlsRow[]): TlsRow[] {
  const rowsByKey = new Map<string, TlsRow>();
  for (const row of rows) {
    const key = `${row.policy}\n${row.result}`;
    const existingRow = rowsByKey.get(key);
    if (existingRow)
      existingRow.sessions = Math.min(MAX_COUNT, existingRow.sessions + row.sessions);
    else rowsByKey.set(key, { ...row });
  }
  return [...rowsByKey.values()].slice(0, MAX_FAILURES);
}

/** Returns a field of an object. Some reporters write names with underscores or capitals. */
function getField(object: ParsedJson, name: string): unknown {
  if (Object.hasOwn(object, name)) return object[name] ?? undefined;
  const key = Object.keys(object)
    .slice(0, 100)
    .find((candidate) => candidate.toLowerCase().replaceAll('_', '-') === name);
  return key === undefined ? undefined : (object[key] ?? undefined);
}

const toObject = (value: unknown): ParsedJson =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as ParsedJson) : {};

function readList(value: unknown): unknown[] {
  if (value === undefined) return [];
  return Array.isArray(value) ? value : [value];
}

const toText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : '';

function readCount(value: unknown): number {
  const number = Number(toText(value) || 0);
  if (number > MAX_COUNT) throw new ReportError('count_too_large');
  return Number.isFinite(number) && number > 0 ? Math.floor(number) : 0;
}
