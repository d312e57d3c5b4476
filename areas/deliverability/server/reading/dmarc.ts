// Reads DMARC aggregate reports in the formats of RFC 7489, its drafts, and RFC 9990. Elements are
// matched by their local names in any order, and unknown elements are ignored. Rows that differ
// only in messages are added up while the file is read, so that memory depends only on the number
// of distinct rows.
import { SaxesParser } from 'saxes';
import {
  MAX_COUNT,
  MAX_DEPTH,
  MAX_RECORDS,
  MAX_REPAIRS,
  MAX_ROWS,
  MAX_TEXT_LENGTH,
  ReportError,
} from './limits.ts';
import {
  parseAddress,
  parseDomain,
  parseName,
  getOrganizationalDomain,
  parseSeconds,
} from './values.ts';

/** The sum of a report's rows with identical values of these fields. */
export type DmarcRow = {
  address: string;
  headerFrom: string;
  dkimDomain: string;
  selector: string;
  spfDomain: string;
  /** Whether each check passed, regardless of the domain. */
  dkimPassed: boolean;
  spfPassed: boolean;
  /** Whether each check passed for the organization in the From header, according to the report. */
  dkimAligned: boolean;
  spfAligned: boolean;
  disposition: 'none' | 'quarantine' | 'reject';
  /**
   * The reason why the receiver did not apply the policy, usually because the email was forwarded.
   */
  override: 'none' | 'forwarded' | 'mailing_list' | 'other';
  /** Whether this row is the sum of rows beyond the limit that have the same results. */
  isRest: boolean;
  messages: number;
};

export type DmarcReport = {
  kind: 'dmarc';
  organization: string;
  reportId: string;
  domain: string;
  policy: 'none' | 'quarantine' | 'reject';
  begin: number;
  end: number;
  rows: DmarcRow[];
  repairs: Repair[];
};

export type Repair = 'syntax' | 'encoding' | 'control_characters' | 'values' | 'rows';

/**
 * @param ourSelectors the DKIM selectors of this installation. If several signatures pass and none
 * of them is aligned, a signature with one of these selectors is preferred
 */
export async function readDmarc(
  bytes: AsyncIterable<Buffer>,
  ourSelectors: readonly string[],
): Promise<DmarcReport> {
  const reader = new DmarcReader(new Set(ourSelectors));
  const parser = new SaxesParser({ position: false });
  parser.on('doctype', () => {
    throw new ReportError('doctype');
  });
  parser.on('error', () => reader.addRepair('syntax'));
  parser.on('opentag', ({ name }) => reader.openElement(getLocalName(name)));
  parser.on('closetag', () => reader.closeElement());
  parser.on('text', (text) => reader.addText(text));
  parser.on('cdata', (text) => reader.addText(text));
  for await (const text of decodeChunks(bytes, (repair) => reader.addRepair(repair)))
    parser.write(text);
  parser.close();
  return reader.createReport();
}

const getLocalName = (name: string) =>
  name.slice(name.indexOf(':') + 1, MAX_TEXT_LENGTH).toLowerCase();

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g;

/**
 * A bare ampersand. The parser would read everything up to the next semicolon, including elements,
 * as the name of an entity.
 */
const BARE_AMPERSAND = /&(?!#?[a-z0-9]{1,10};)/gi;
const MAX_ENTITY = 13;

/**
 * Decodes the text by its byte order mark, its zero bytes or its XML declaration, otherwise as
 * UTF-8, and repairs errors.
 */
async function* decodeChunks(
  bytes: AsyncIterable<Buffer>,
  onRepair: (repair: Repair) => void,
): AsyncGenerator<string> {
  let decoder: TextDecoder | undefined;
  let pendingText = '';
  const clean = (chunk: string, isLast: boolean) => {
    const text = pendingText + chunk;
    // An entity may continue in the next piece.
    const start = text.lastIndexOf('&');
    const end = isLast || start < 0 || start < text.length - MAX_ENTITY ? text.length : start;
    pendingText = text.slice(end);
    const completeText = text.slice(0, end);
    const cleanedText = completeText.replace(CONTROL, '');
    if (cleanedText !== completeText) onRepair('control_characters');
    if (decoder?.encoding === 'utf-8' && completeText.includes('\ufffd')) onRepair('encoding');
    const escapedText = cleanedText.replace(BARE_AMPERSAND, '&amp;');
    if (escapedText !== cleanedText) onRepair('syntax');
    return escapedText;
  };
  for await (const chunk of bytes) {
    decoder ??= createDecoder(chunk);
    for (let start = 0; start < chunk.length; start += 65_536) {
      const slice = chunk.subarray(start, start + 65_536);
      yield clean(decoder.decode(slice, { stream: true }), false);
    }
  }
  if (decoder) yield clean(decoder.decode(), true);
}

function createDecoder(head: Buffer): TextDecoder {
  if (head[0] === 0xff && head[1] === 0xfe) return new TextDecoder('utf-16le');
  if (head[0] === 0xfe && head[1] === 0xff) return new TextDecoder('utf-16be');
  if (head[1] === 0 && head[0] !== 0) return new TextDecoder('utf-16le');
  if (head[0] === 0 && head[1] !== 0) return new TextDecoder('utf-16be');
  const declaredEncoding = /^\W*<\?xml[^>]{0,200}encoding\s*=\s*["']([\w-]{1,40})/i.exec(
    head.subarray(0, 400).toString('latin1'),
  )?.[1];
  // A declaration of UTF-16 is wrong if the text has one byte per character.
  if (declaredEncoding === undefined || /^utf-?(8|16)/i.test(declaredEncoding))
    return new TextDecoder('utf-8');
  try {
    return new TextDecoder(declaredEncoding);
  } catch {
    return new TextDecoder('utf-8');
  }
}

type AuthResult = { domain: string; selector: string; hasPassed: boolean };
type OpenRecord = {
  fields: Map<string, string>;
  overrides: { type: string; comment: string }[];
  dkim: AuthResult[];
  spf: AuthResult[];
};

class DmarcReader {
  private readonly path: string[] = [];
  private text = '';
  private readonly fields = new Map<string, string>();
  private record: OpenRecord | undefined;
  /** The fields of the list item that is being read: a reason or an authentication result. */
  private listItem = new Map<string, string>();
  /**
   * Messages by the key of a row, which contains its other fields. As objects, 100,000 rows used
   * three times the memory.
   */
  private readonly rows = new Map<string, number>();
  private readonly repairs = new Set<Repair>();
  private repairCount = 0;
  private recordCount = 0;
  private hasFeedback = false;
  private readonly ourSelectors: ReadonlySet<string>;

  constructor(ourSelectors: ReadonlySet<string>) {
    this.ourSelectors = ourSelectors;
  }

  addRepair(repair: Repair): void {
    this.repairs.add(repair);
    this.repairCount += 1;
    if (this.repairCount > MAX_REPAIRS) throw new ReportError('damaged');
  }

  addText(text: string): void {
    if (this.text.length < MAX_TEXT_LENGTH)
      this.text += text.slice(0, MAX_TEXT_LENGTH - this.text.length);
  }

  openElement(name: string): void {
    if (this.path.length >= MAX_DEPTH) throw new ReportError('too_deep');
    this.path.push(name);
    this.text = '';
    if (name === 'feedback') this.hasFeedback = true;
    else if (name === 'record') {
      this.recordCount += 1;
      if (this.recordCount > MAX_RECORDS) throw new ReportError('too_many_records');
      this.record = { fields: new Map(), overrides: [], dkim: [], spf: [] };
    } else if (this.isItem(name)) this.listItem = new Map();
  }

  /**
   * Returns whether the element is a list item. `policy_evaluated/dkim` is a value, and
   * `auth_results/dkim` is a list item.
   */
  private isItem(name: string): boolean {
    if (name === 'reason') return true;
    return (name === 'dkim' || name === 'spf') && this.path.at(-2) === 'auth_results';
  }

  closeElement(): void {
    const [name = '', parent = ''] = [this.path.at(-1), this.path.at(-2)];
    const text = this.text.trim();
    const isItem = this.isItem(name);
    this.path.pop();
    this.text = '';
    if (!this.record) {
      this.setIfAbsent(this.fields, `${parent}/${name}`, text);
    } else if (name === 'record') {
      this.addRow(this.record);
      this.record = undefined;
    } else if (isItem) {
      this.addItem(this.record, name);
    } else {
      if (this.listItem.size < 20) this.listItem.set(name, text);
      this.setIfAbsent(this.record.fields, `${parent}/${name}`, text);
    }
  }

  private setIfAbsent(fields: Map<string, string>, key: string, text: string): void {
    if (text !== '' && !fields.has(key) && fields.size < 200) fields.set(key, text);
  }

  private addItem(record: OpenRecord, name: string): void {
    const value = (key: string) => (this.listItem.get(key) ?? '').toLowerCase();
    if (name === 'reason') {
      record.overrides.push({ type: value('type'), comment: value('comment') });
    } else {
      const hasPassed = value('result') === 'pass';
      const result = {
        domain: parseDomain(value('domain')),
        selector: parseName(value('selector')),
        hasPassed,
      };
      const list = name === 'dkim' ? record.dkim : record.spf;
      if (list.length < 100) list.push(result);
    }
    this.listItem = new Map();
  }

  private addRow(record: OpenRecord): void {
    const value = (key: string) => (record.fields.get(key) ?? '').toLowerCase();
    const messages = this.parseCount(value('row/count'));
    if (messages === 0) return;
    const headerFrom = parseDomain(
      value('identifiers/header_from') || value('identities/header_from'),
    );
    const organization = getOrganizationalDomain(headerFrom);
    const isAligned = (result: AuthResult) =>
      getOrganizationalDomain(result.domain) === organization;
    const dkim = findBestResult(record.dkim, (result) => [
      result.hasPassed && isAligned(result),
      result.hasPassed && this.ourSelectors.has(result.selector),
      result.hasPassed,
    ]);
    const spf = findBestResult(record.spf, (result) => [
      result.hasPassed && isAligned(result),
      result.hasPassed,
    ]);
    const address = parseAddress(value('row/source_ip'));
    if (address === '') this.repairs.add('values');
    this.addCount({
      address,
      headerFrom,
      dkimDomain: dkim?.domain ?? '',
      selector: dkim?.selector ?? '',
      spfDomain: spf?.domain ?? '',
      dkimPassed: dkim?.hasPassed ?? false,
      spfPassed: spf?.hasPassed ?? false,
      dkimAligned: value('policy_evaluated/dkim') === 'pass',
      spfAligned: value('policy_evaluated/spf') === 'pass',
      disposition: parsePolicy(value('policy_evaluated/disposition')),
      override: findOverride(record.overrides),
      isRest: false,
      messages,
    });
  }

  /**
   * Returns the number of messages in a record; 0 for an invalid number. Records with 0 messages
   * are skipped.
   */
  private parseCount(text: string): number {
    const number = /^\d{1,12}(\.0*)?$/.test(text) ? Number(text) : Number.NaN;
    if (number > MAX_COUNT) throw new ReportError('count_too_large');
    if (Number.isNaN(number)) this.repairs.add('values');
    return Number.isNaN(number) ? 0 : Math.floor(number);
  }

  private addCount(row: DmarcRow): void {
    const key = formatKey(row);
    this.rows.set(key, Math.min(MAX_COUNT, (this.rows.get(key) ?? 0) + row.messages));
  }

  /** Returns the rows with the most messages and the sums of the other rows. */
  private listLargestRows(): DmarcRow[] {
    const { rows } = this;
    const countMessages = (key: string) => rows.get(key) ?? 0;
    const keys = [...rows.keys()];
    if (keys.length > MAX_ROWS) keys.sort((a, b) => countMessages(b) - countMessages(a));
    const rests = new Map<string, DmarcRow>();
    for (const key of keys.splice(MAX_ROWS)) addToRest(rests, parseKey(key, countMessages(key)));
    return [...keys.map((key) => parseKey(key, countMessages(key))), ...rests.values()];
  }

  createReport(): DmarcReport {
    if (!this.hasFeedback) throw new ReportError('no_report');
    const field = (key: string) => this.fields.get(key);
    const domain = parseDomain(field('policy_published/domain'));
    if (domain === '') throw new ReportError('no_domain');
    const begin = parseSeconds(field('date_range/begin'));
    const end = parseSeconds(field('date_range/end'));
    if (begin === undefined || end === undefined || end < begin) throw new ReportError('no_range');
    const rows = this.listLargestRows();
    if (rows.some(({ isRest }) => isRest)) this.repairs.add('rows');
    const address = field('report_metadata/email') ?? '';
    return {
      kind: 'dmarc',
      organization:
        parseName(field('report_metadata/org_name')) ||
        parseDomain(address.slice(address.lastIndexOf('@') + 1)),
      reportId: parseName(field('report_metadata/report_id')),
      domain,
      policy: parsePolicy((field('policy_published/p') ?? '').toLowerCase()),
      begin,
      end,
      rows,
      repairs: [...this.repairs],
    };
  }
}

/** Returns the rows with the most messages and the sums of the other rows by result. */
export function selectLargestRows(rows: readonly DmarcRow[], limit: number): DmarcRow[] {
  if (rows.length <= limit) return [...rows];
  const sortedRows = rows.toSorted((a, b) => b.messages - a.messages);
  const rests = new Map<string, DmarcRow>();
  for (const row of sortedRows.slice(limit)) addToRest(rests, row);
  return [...sortedRows.slice(0, limit), ...rests.values()];
}

/** Adds a row to the sum of the remaining rows with the same results. */
function addToRest(rests: Map<string, DmarcRow>, row: DmarcRow): void {
  const { dkimAligned, spfAligned, dkimPassed, spfPassed, override, messages } = row;
  const remainderRow: DmarcRow = {
    ...{ address: '', headerFrom: '', dkimDomain: '', selector: '', spfDomain: '' },
    ...{ dkimAligned, spfAligned, dkimPassed, spfPassed, override },
    disposition: 'none',
    isRest: true,
    messages,
  };
  const key = formatKey(remainderRow);
  const remainder = rests.get(key);
  if (remainder) remainder.messages = Math.min(MAX_COUNT, remainder.messages + messages);
  else rests.set(key, remainderRow);
}

const listKeyValues = (row: DmarcRow) =>
  [
    row.address,
    row.headerFrom,
    row.dkimDomain,
    row.selector,
    row.spfDomain,
    row.dkimPassed,
    row.spfPassed,
    row.dkimAligned,
    row.spfAligned,
    row.disposition,
    row.override,
    row.isRest,
  ] as const;

/**
 * Returns all fields of a row except its messages, as a new string that does not retain the text of
 * the file.
 */
const formatKey = (row: DmarcRow) => JSON.stringify(listKeyValues(row));

function parseKey(key: string, messages: number): DmarcRow {
  const rowKey: ReturnType<typeof listKeyValues> = JSON.parse(key);
  const [address, headerFrom, dkimDomain, selector, spfDomain, dkimPassed, spfPassed] = rowKey;
  const [, , , , , , , dkimAligned, spfAligned, disposition, override, isRest] = rowKey;
  return {
    ...{ address, headerFrom, dkimDomain, selector, spfDomain, dkimPassed, spfPassed },
    ...{ dkimAligned, spfAligned, disposition, override, isRest, messages },
  };
}

/** Returns the result that meets the earliest criterion; if none meets any, the first result. */
function findBestResult(
  results: readonly AuthResult[],
  criteria: (result: AuthResult) => boolean[],
): AuthResult | undefined {
  const rank = (result: AuthResult) => {
    const position = criteria(result).indexOf(true);
    return position < 0 ? Number.POSITIVE_INFINITY : position;
  };
  return results.reduce<AuthResult | undefined>(
    (bestResult, result) => (bestResult && rank(bestResult) <= rank(result) ? bestResult : result),
    undefined,
  );
}

function parsePolicy(text: string): 'none' | 'quarantine' | 'reject' {
  return text === 'quarantine' || text === 'reject' ? text : 'none';
}

function findOverride(overrides: OpenRecord['overrides']): DmarcRow['override'] {
  if (overrides.some(({ type }) => type === 'mailing_list')) return 'mailing_list';
  const isForwarded = overrides.some(
    ({ type, comment }) =>
      type === 'forwarded' ||
      type === 'trusted_forwarder' ||
      (type === 'local_policy' && /\barc\s*=\s*pass\b/.test(comment)),
  );
  if (isForwarded) return 'forwarded';
  return overrides.length > 0 ? 'other' : 'none';
}
