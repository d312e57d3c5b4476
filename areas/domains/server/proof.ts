// Derives a domain's verification from checks of its records. A single failed check does not end
// the verification.
import type { DnsCheck } from './dns-check.ts';

/** Contents of the column `dns_status`; `{}` before the first check. */
export type DnsStatus = Partial<Pick<DnsCheck, 'records' | 'alignment' | 'dmarc'>> & {
  /** Names of the key records last found; their keys sign emails. */
  signing?: string[];
  /** Time when the key records were first missing (ISO 8601). */
  missed_at?: string;
};

/**
 * Missing records end the verification after this time. They may be absent briefly during a zone
 * transfer and are checked again after five minutes.
 */
const LOST_AFTER_MS = 4 * 60_000;

/** Lists the names of the key records that the check found. */
const listFoundKeys = ({ records = [] }: DnsStatus): string[] =>
  records
    .filter((record) => record.purpose === 'dkim' && record.state === 'ok')
    .map((record) => record.name);

/**
 * Returns the names of the key records used for signing: those found by the last check or, if it
 * found none, those found by the last check that found any.
 */
export function listSigningNames(status: DnsStatus): Set<string> {
  const published = listFoundKeys(status);
  return new Set(published.length > 0 ? published : status.signing);
}

/** Returns verification and status after a check at `at`, derived from the previous ones. */
export function applyCheck(
  previous: { verifiedAt: Date | null; status: DnsStatus },
  { records, alignment, dmarc, isVerified }: DnsCheck,
  at: Date,
): { verifiedAt: Date | null; status: DnsStatus } {
  const { status: previousStatus, verifiedAt } = previous;
  const result = { records, alignment, dmarc };
  if (isVerified) {
    return { verifiedAt: verifiedAt ?? at, status: { ...result, signing: listFoundKeys(result) } };
  }
  const signing = previousStatus.signing ?? listFoundKeys(previousStatus);
  // An unresponsive resolver does not remove a verification.
  const isUnreachable = records.some((record) => record.required && record.state === 'unreachable');
  const missedAt =
    previousStatus.missed_at ?? (verifiedAt && !isUnreachable ? at.toISOString() : undefined);
  const status = { ...result, signing, ...(missedAt !== undefined && { missed_at: missedAt }) };
  const isLost = missedAt !== undefined && at.getTime() - Date.parse(missedAt) >= LOST_AFTER_MS;
  return { verifiedAt: isLost && !isUnreachable ? null : verifiedAt, status };
}
