// What a look at a domain's records says of its proof: one look in vain takes nothing away yet.
import type { DnsCheck } from './dns-check.ts';

/** What the column `dns_status` holds; `{}` before the first look. */
export type DnsStatus = Partial<Pick<DnsCheck, 'records' | 'alignment'>> & {
  /** The names of the keys' records as they were last found: mails are signed with these. */
  signing?: string[];
  /** When the keys' records were first not found any more (ISO 8601). */
  missed_at?: string;
};

/** A record may be gone for a moment while its zone is moved: it is looked for again after five minutes. */
const LOST_AFTER_MS = 4 * 60_000;

/** The names of the records of keys that were found. */
const foundKeys = ({ records = [] }: DnsStatus): string[] =>
  records.filter((one) => one.purpose === 'dkim' && one.state === 'ok').map((one) => one.name);

/** The records that keys must have to sign: those found, else those found when it was last verified. */
export function signingNames(status: DnsStatus): Set<string> {
  const found = foundKeys(status);
  return new Set(found.length > 0 ? found : status.signing);
}

/** The proof and the status after a look `at`, from those before. */
export function afterLook(
  before: { verifiedAt: Date | null; status: DnsStatus },
  { records, alignment, isVerified }: DnsCheck,
  at: Date,
): { verifiedAt: Date | null; status: DnsStatus } {
  const { status: known, verifiedAt } = before;
  const seen = { records, alignment };
  if (isVerified) {
    return { verifiedAt: verifiedAt ?? at, status: { ...seen, signing: foundKeys(seen) } };
  }
  const signing = known.signing ?? foundKeys(known);
  // A resolver that does not answer takes nothing away that was proven before.
  const isUnreachable = records.some((one) => one.required && one.state === 'unreachable');
  const since = known.missed_at ?? (verifiedAt && !isUnreachable ? at.toISOString() : undefined);
  const status = { ...seen, signing, ...(since !== undefined && { missed_at: since }) };
  const isLost = since !== undefined && at.getTime() - Date.parse(since) >= LOST_AFTER_MS;
  return { verifiedAt: isLost && !isUnreachable ? null : verifiedAt, status };
}
