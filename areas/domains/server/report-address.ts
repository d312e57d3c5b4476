// Creates and reads the address where a domain receives reports of other mail servers (DMARC, TLS),
// and adds it to the domain's DMARC record. A signed token in the address names account and domain.
import { timingSafeEqual } from 'node:crypto';
import { computeKeyedHash } from '#platform/server/secrets.ts';
import { type SendingHosts, parseTags } from './dns-check.ts';

export type ReportRecipient = { accountId: number; domainId: number };

const PURPOSE = 'report address';
/** The token is hexadecimal, because some reporters change an address to lower case. */
const LOCAL = /^r\+([0-9a-f]{20})([0-9a-f]{20})$/i;
const ID_BYTES = 5;
const SIGNATURE_CHARACTERS = 20;

const sign = (ids: string) =>
  computeKeyedHash(PURPOSE, ids).toString('hex').slice(0, SIGNATURE_CHARACTERS);

export function createReportToken({ accountId, domainId }: ReportRecipient): string {
  const ids = Buffer.alloc(2 * ID_BYTES);
  ids.writeUIntBE(accountId, 0, ID_BYTES);
  ids.writeUIntBE(domainId, ID_BYTES, ID_BYTES);
  const hex = ids.toString('hex');
  return hex + sign(hex);
}

/** Returns the account and domain of an address; undefined unless this installation issued it. */
export function readReportAddress(address: string): ReportRecipient | undefined {
  const [, ids = '', signature = ''] = LOCAL.exec(address.slice(0, address.lastIndexOf('@'))) ?? [];
  if (ids === '') return undefined;
  const expected = Buffer.from(sign(ids.toLowerCase()));
  if (!timingSafeEqual(expected, Buffer.from(signature.toLowerCase()))) return undefined;
  const bytes = Buffer.from(ids, 'hex');
  return {
    accountId: bytes.readUIntBE(0, ID_BYTES),
    domainId: bytes.readUIntBE(ID_BYTES, ID_BYTES),
  };
}

/**
 * Creates the address where a domain receives reports; undefined on an installation that receives
 * no email. The address is below the domain's own name, so that it needs no authorization record
 * (RFC 9990, section 4).
 */
export function createReportAddress(
  domain: string,
  recipient: ReportRecipient,
  { bounceHost, receivesReports }: SendingHosts,
): string | undefined {
  if (!bounceHost || !receivesReports) return undefined;
  const isOwnHost = domain === bounceHost || bounceHost === `bounce.${domain}`;
  return `r+${createReportToken(recipient)}@${isOwnHost ? bounceHost : `bounce.${domain}`}`;
}

/** Returns whether a DMARC record requests aggregate reports to the address. */
export function requestsReports(record: string, address: string): boolean {
  return (parseTags(record).get('rua') ?? '')
    .toLowerCase()
    .split(',')
    .some((uri) => uri.trim().replace(/!\d+[kmgt]?$/, '') === `mailto:${address}`);
}

const STRICT = new Set(['quarantine', 'reject']);

/**
 * Builds the DMARC record to publish: the current one plus the address as a receiver.
 * @param isInherited whether the current record belongs to a parent domain; then only its policy
 * and receivers are adopted
 */
export function buildDmarcRecord(
  current: string | undefined,
  address: string | undefined,
  isInherited = false,
): string {
  const uri = address && `mailto:${address}`;
  if (current === undefined) return `v=DMARC1; p=none${uri ? `; rua=${uri}` : ''}`;
  if (!uri || requestsReports(current, address)) return current;
  const tags = parseTags(current);
  const receivers = [tags.get('rua'), uri].filter(Boolean).join(',');
  if (isInherited) {
    const policy = (tags.get('sp') ?? tags.get('p') ?? '').toLowerCase();
    return `v=DMARC1; p=${STRICT.has(policy) ? policy : 'none'}; rua=${receivers}`;
  }
  const parts = current
    .split(';')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
  const isReceivers = (tag: string) => /^rua\s*=/i.test(tag);
  const newTags = parts.some(isReceivers)
    ? parts.map((tag) => (isReceivers(tag) ? `rua=${receivers}` : tag))
    : [...parts, `rua=${uri}`];
  return newTags.join('; ');
}
