// Determines the DNS records of a sending domain and looks them up. DKIM: RFC 6376, section 3.6;
// SPF: RFC 7208; DMARC discovery by tree walk: RFC 9989.
import { Resolver } from 'node:dns/promises';
import type { DnsRecord } from '../contract.ts';

/** Hosts of this installation that DNS records point to. Records for an unset host are omitted. */
export type SendingHosts = {
  /** The host of links and pages (PUBLIC_URL). */
  trackingHost: string;
  /**
   * The host that receives bounces (BOUNCE_DOMAIN); the operator of the installation publishes an
   * SPF record there that lists the relays.
   */
  bounceHost: string | undefined;
  /**
   * Whether this installation receives email at `bounceHost`, including reports of other mail
   * servers.
   */
  receivesReports: boolean;
};

export type PublishedKey = { selector: string; publicKey: string };
export type RequiredRecord = Omit<DnsRecord, 'state' | 'found'>;

export type DnsCheck = {
  records: DnsRecord[];
  alignment: { dkim: boolean; spf: boolean; dmarc_policy: string | null; bimi: boolean };
  /** The domain's own or inherited DMARC record, in full length. */
  dmarc: { record: string; isInherited: boolean } | null;
  /** Whether at least one DKIM record is published, which is enough to sign. */
  isVerified: boolean;
};

const TIMEOUT_MS = 3000;
const MAX_FOUND = 300;

export function createResolver(servers?: string[]): Resolver {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: 2 });
  if (servers && servers.length > 0) resolver.setServers(servers);
  return resolver;
}

/** Returns the records to publish, in order of importance. */
export function requiredRecords(
  domain: string,
  keys: readonly PublishedKey[],
  hosts: SendingHosts,
): RequiredRecord[] {
  const records: RequiredRecord[] = keys.map((key) => ({
    purpose: 'dkim',
    required: true,
    type: 'TXT',
    name: `${key.selector}._domainkey.${domain}`,
    value: `v=DKIM1; k=rsa; p=${key.publicKey}`,
  }));
  if (hosts.bounceHost) {
    records.push({
      purpose: 'spf',
      required: false,
      type: 'TXT',
      name: domain,
      value: `v=spf1 include:${hosts.bounceHost} ~all`,
    });
    records.push({
      purpose: 'return_path',
      required: false,
      type: 'CNAME',
      name: `bounce.${domain}`,
      value: hosts.bounceHost,
    });
  }
  records.push({
    purpose: 'dmarc',
    required: false,
    type: 'TXT',
    name: `_dmarc.${domain}`,
    value: 'v=DMARC1; p=none',
  });
  if (!isLocalHost(hosts.trackingHost)) {
    records.push({
      purpose: 'tracking',
      required: false,
      type: 'CNAME',
      name: `links.${domain}`,
      value: hosts.trackingHost,
    });
  }
  return records.filter((record) => !namesItself(record));
}

/**
 * Returns whether a record would point to itself, as `bounce.x` would for the installation's own
 * domain. Such records are left out.
 */
function namesItself({ type, name, value }: RequiredRecord): boolean {
  return type === 'CNAME' ? name === value : value === `v=spf1 include:${name} ~all`;
}

function isLocalHost(host: string): boolean {
  return host === 'localhost' || /^[\d.]+$/.test(host) || host.includes(':');
}

type DnsLookup = { values: string[] } | { unreachable: true };

const ABSENT = new Set(['ENOTFOUND', 'ENODATA', 'NXDOMAIN']);

async function resolveRecord(work: Promise<string[]>): Promise<DnsLookup> {
  try {
    return { values: await work };
  } catch (error) {
    return ABSENT.has((error as { code?: string }).code ?? '')
      ? { values: [] }
      : { unreachable: true };
  }
}

const resolveTxtRecords = (resolver: Resolver, name: string) =>
  resolveRecord(
    resolver.resolveTxt(name).then((records) => records.map((chunks) => chunks.join(''))),
  );

const resolveCnames = (resolver: Resolver, name: string) =>
  resolveRecord(
    resolver
      .resolveCname(name)
      .then((targets) => targets.map((value) => value.toLowerCase().replace(/\.$/, ''))),
  );

/** Reads the tag list of a DKIM or DMARC record: `v=DKIM1; k=rsa; p=…` (RFC 6376, section 3.2). */
export function parseTags(record: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const tag of record.split(';')) {
    const separator = tag.indexOf('=');
    if (separator > 0)
      tags.set(tag.slice(0, separator).trim().toLowerCase(), tag.slice(separator + 1).trim());
  }
  return tags;
}

const ofPurpose: Record<'dkim' | 'spf' | 'dmarc', (value: string) => boolean> = {
  dkim: (value) => parseTags(value).has('p'),
  spf: (value) => /^v=spf1(\s|$)/i.test(value),
  dmarc: (value) => /^v=DMARC1\s*(;|$)/i.test(value),
};

function matches(required: RequiredRecord, value: string): boolean {
  if (required.purpose === 'dkim') {
    const readPublicKey = (text: string) => (parseTags(text).get('p') ?? '').replace(/\s+/g, '');
    return readPublicKey(value) === readPublicKey(required.value);
  }
  // An SPF record is right if it includes the bounce host, even if it differs from the proposed
  // one. Any DMARC record is right.
  if (required.purpose === 'spf') {
    const include = /include:(\S+)/.exec(required.value)?.[1] ?? '';
    return value
      .toLowerCase()
      .split(/\s+/)
      .some((term) => term.replace(/^\+/, '') === `include:${include}`);
  }
  return ofPurpose.dmarc(value);
}

async function checkRecord(resolver: Resolver, required: RequiredRecord): Promise<DnsRecord> {
  const lookup = await (required.type === 'TXT' ? resolveTxtRecords : resolveCnames)(
    resolver,
    required.name,
  );
  if ('unreachable' in lookup) return { ...required, state: 'unreachable', found: [] };
  const isKind =
    required.type === 'CNAME'
      ? () => true
      : ofPurpose[required.purpose as 'dkim' | 'spf' | 'dmarc'];
  const values = lookup.values.filter(isKind);
  const truncated = values.map((value) => value.slice(0, MAX_FOUND));
  if (values.length === 0) return { ...required, state: 'missing', found: [] };
  // Receivers treat two SPF records as an error (RFC 7208, section 4.5) and ignore two DMARC
  // records (RFC 9989, section 4.10), even if one of the two is correct.
  const isDouble = ['spf', 'dmarc'].includes(required.purpose) && values.length > 1;
  const isRight =
    required.type === 'CNAME'
      ? values.includes(required.value.toLowerCase())
      : values.some((value) => matches(required, value));
  return { ...required, state: isRight && !isDouble ? 'ok' : 'different', found: truncated };
}

/**
 * Finds the DMARC record that governs a domain: its own, or else the nearest one above it, with at
 * most eight lookups (RFC 9989, section 4.10). Returns undefined if there is no record or a lookup
 * fails.
 */
export async function findDmarc(resolver: Resolver, domain: string): Promise<string | undefined> {
  const labels = domain.split('.');
  const candidates = [labels];
  const ancestors = labels.length > 8 ? labels.slice(-7) : labels.slice(1);
  for (let start = 0; start < ancestors.length; start++) candidates.push(ancestors.slice(start));
  for (const candidate of candidates) {
    const lookup = await resolveTxtRecords(resolver, `_dmarc.${candidate.join('.')}`);
    if ('unreachable' in lookup) return undefined;
    const records = lookup.values.filter(ofPurpose.dmarc);
    if (records.length === 1) return records[0];
  }
  return undefined;
}

/**
 * Returns whether this DMARC record allows inboxes to show the domain's logo, because it rejects or
 * quarantines all failing email, including email of subdomains (BIMI,
 * draft-brand-indicators-for-message-identification, 'Domain Owner Actions').
 */
function allowsLogo(dmarc: string | undefined): boolean {
  const tags = parseTags(dmarc ?? '');
  const tag = (name: string) => tags.get(name)?.toLowerCase();
  const isStrict = (policy: string | undefined) => policy === 'quarantine' || policy === 'reject';
  const isForAll = (tag('pct') ?? '100') === '100' && tag('t') !== 'y';
  return isStrict(tag('p')) && isStrict(tag('sp') ?? tag('p')) && isForAll;
}

/**
 * Counts the SPF records of a name; receivers require exactly one (RFC 7208, section 4.5). Returns
 * undefined if DNS does not respond.
 */
async function countSpf(resolver: Resolver, name: string): Promise<number | undefined> {
  const lookup = await resolveTxtRecords(resolver, name);
  return 'unreachable' in lookup ? undefined : lookup.values.filter(ofPurpose.spf).length;
}

/**
 * Withholds the proposed SPF record until the name that it includes has exactly one SPF record.
 * Including a name without an SPF record is a permanent error (RFC 7208, section 5.2) and would
 * break the domain's other email.
 */
function withholdSpf(records: DnsRecord[], ourSpfCount: number | undefined): void {
  if (ourSpfCount === 1) return;
  const spf = records.find((record) => record.purpose === 'spf');
  if (spf) spf.state = ourSpfCount === undefined ? 'unreachable' : 'withheld';
}

/**
 * Returns the full DMARC record to show. If the domain itself has several, receivers ignore them
 * all; the first is shown as the one to keep.
 */
function presentDmarc(
  ownRecord: string | undefined,
  governing: string | undefined,
  isInherited: boolean,
): DnsCheck['dmarc'] {
  if (isInherited || ownRecord === undefined) {
    return governing === undefined ? null : { record: governing, isInherited };
  }
  // `ownRecord` may have been shortened for display.
  const record = governing?.startsWith(ownRecord) ? governing : ownRecord;
  return { record: record, isInherited: false };
}

/** Checks all records of a domain, with concurrent lookups. */
export async function checkDns(
  resolver: Resolver,
  domain: string,
  keys: readonly PublishedKey[],
  hosts: SendingHosts,
): Promise<DnsCheck> {
  const required = requiredRecords(domain, keys, hosts);
  const { bounceHost } = hosts;
  // The return path of emails has the host `bounce.…`, where receivers look up SPF through the
  // CNAME.
  const [governing, ourSpfCount, spfOfPath, ...records] = await Promise.all([
    findDmarc(resolver, domain),
    bounceHost ? countSpf(resolver, bounceHost) : undefined,
    bounceHost ? countSpf(resolver, `bounce.${domain}`) : undefined,
    ...required.map((record) => checkRecord(resolver, record)),
  ]);
  withholdSpf(records, ourSpfCount);
  const dmarc = records.find((record) => record.purpose === 'dmarc');
  // A policy of the parent organization covers this domain as well.
  const isInherited = dmarc?.state === 'missing' && governing !== undefined;
  if (dmarc && isInherited) {
    dmarc.state = 'ok';
    dmarc.found = [governing.slice(0, MAX_FOUND)];
  }
  const isOk = (purpose: DnsRecord['purpose']) =>
    records.some((record) => record.purpose === purpose && record.state === 'ok');
  return {
    records,
    alignment: {
      dkim: isOk('dkim'),
      spf: isOk('return_path') && spfOfPath === 1,
      dmarc_policy: governing ? (parseTags(governing).get('p') ?? 'none').toLowerCase() : null,
      bimi: allowsLogo(governing),
    },
    dmarc: presentDmarc(dmarc?.found[0], governing, isInherited),
    // One selector is enough to sign; the second is for the next key.
    isVerified: isOk('dkim'),
  };
}
