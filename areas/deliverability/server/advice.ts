// Determines the next step for a domain's DMARC from the signed reports of 30 days. Unsigned
// reports are excluded, because anyone may send them.
import type { Advice } from '../contract.ts';

export const ADVICE_DAYS = 30;
const MIN_DAYS = 14;
const MIN_REPORTERS = 2;
const MIN_MESSAGES = 1000;
const ALIGNED_FOR_QUARANTINE = 0.98;
const ALIGNED_FOR_REJECT = 0.995;
/**
 * The maximum fraction of emails that come from an unknown source and pass DKIM or SPF for some
 * domain. Such a source is probably one of the owner's tools.
 */
const MAX_UNKNOWN = 0.005;
/**
 * The maximum fraction of emails forwarded by mailing lists, which change emails and break their
 * signatures (RFC 9989).
 */
const MAX_LISTS = 0.005;
/** Minimum messages before a source's rate is significant. */
const MIN_FOR_RATE = 100;
/** Minimum messages before the owner is prompted to identify a source. */
const MIN_TO_SUGGEST = 10;

export type SourceCounts = {
  source: string;
  verdict: 'ours' | 'known' | 'unknown' | 'abuse' | 'forwarded' | 'rest';
  title: string;
  messages: number;
  aligned: number;
  /** The number of emails that passed DKIM or SPF of any domain. */
  passed: number;
};

export type AdviceEvidence = {
  /** The policy; undefined before the first DNS check, null without a record. */
  policy: string | null | undefined;
  address: string | null;
  isRequested: boolean;
  /** The number of all reports, signed or not. */
  reports: number;
  /** The number of days within 30 days that signed reports cover. */
  coveredDays: number;
  reporters: number;
  sources: readonly SourceCounts[];
  mailingLists: number;
  /** All reports since this day show the policy `quarantine` or `reject`. */
  quarantineSince: string | undefined;
  today: string;
};

export function getAdvice(evidence: AdviceEvidence): Advice {
  return adviseFirstStep(evidence) ?? adviseOnSources(evidence) ?? adviseOnPolicy(evidence);
}

/** Returns the step to take before reports contain any evidence. */
function adviseFirstStep({
  policy,
  address,
  isRequested,
  reports,
  coveredDays,
}: AdviceEvidence): Advice | undefined {
  if (policy === null) return { code: 'publish' };
  if (reports === 0) {
    if (address === null) return { code: 'upload' };
    return { code: isRequested ? 'wait' : 'request' };
  }
  return coveredDays === 0 ? { code: 'unsigned' } : undefined;
}

function adviseOnSources({ sources }: AdviceEvidence): Advice | undefined {
  const alignedSource = findLargest(sources.filter(needsName), ({ aligned: count }) => count);
  if (alignedSource)
    return { code: 'name_source', source: alignedSource.source, messages: alignedSource.aligned };
  const failing = sources.filter((source) => isFailing(source));
  const ownSource = failing.find(({ verdict }) => verdict === 'ours');
  if (ownSource)
    return { code: 'fix_ours', share: computeRate(ownSource.aligned, ownSource.messages) };
  const failingSource = findLargest(failing, ({ messages, aligned: count }) => messages - count);
  if (!failingSource) return undefined;
  const { source, title, messages } = failingSource;
  return { code: 'fix_known', source, title, share: computeRate(failingSource.aligned, messages) };
}

const needsName = ({ verdict, aligned }: SourceCounts) =>
  verdict === 'unknown' && aligned >= MIN_TO_SUGGEST;

function isFailing({ verdict, messages, aligned }: SourceCounts): boolean {
  const isOwned = verdict === 'ours' || verdict === 'known';
  return isOwned && messages >= MIN_FOR_RATE && aligned < messages * ALIGNED_FOR_QUARANTINE;
}

function adviseOnPolicy(evidence: AdviceEvidence): Advice {
  const { policy, coveredDays, reporters, quarantineSince, today } = evidence;
  if (policy === 'reject') return { code: 'protected' };
  const { messages, ownedShare, unknownShare, listShare } = computeShares(evidence);
  const missing = {
    days: Math.max(0, MIN_DAYS - coveredDays),
    reporters: Math.max(0, MIN_REPORTERS - reporters),
    messages: Math.max(0, MIN_MESSAGES - messages),
  };
  if (missing.days + missing.reporters + missing.messages > 0) {
    return { code: 'more_evidence', ...missing };
  }
  if (unknownShare >= MAX_UNKNOWN) {
    const unknown = evidence.sources.filter(({ verdict }) => verdict === 'unknown');
    const source = findLargest(unknown, ({ passed }) => passed);
    if (source) return { code: 'check_unknown', source: source.source, messages: source.passed };
  }
  if (ownedShare < ALIGNED_FOR_QUARANTINE) return { code: 'below', share: ownedShare };
  if (policy !== 'quarantine') return { code: 'to_quarantine', share: ownedShare };
  if (listShare >= MAX_LISTS) return { code: 'stay_quarantine' };
  const rejectDay = addDays(quarantineSince ?? today, ADVICE_DAYS);
  if (rejectDay > today) return { code: 'later_reject', day: rejectDay };
  return ownedShare >= ALIGNED_FOR_REJECT
    ? { code: 'to_reject', share: ownedShare }
    : { code: 'below_reject', share: ownedShare };
}

/**
 * Calculates shares by verdict. Excludes forwarded email, because forwarding breaks its
 * checks, and abuse, because a policy is meant to refuse it.
 */
function computeShares({ sources, mailingLists }: AdviceEvidence) {
  const sumBy = (list: readonly SourceCounts[], select: (source: SourceCounts) => number) =>
    list.reduce((total, source) => total + select(source), 0);
  const ownSources = sources.filter(({ verdict }) => verdict === 'ours' || verdict === 'known');
  const unknown = sources.filter(({ verdict }) => verdict === 'unknown' || verdict === 'rest');
  const messages =
    sumBy(ownSources, (source) => source.messages) + sumBy(unknown, (source) => source.messages);
  return {
    messages,
    ownedShare: computeRate(
      sumBy(ownSources, (source) => source.aligned),
      sumBy(ownSources, (source) => source.messages),
    ),
    unknownShare: computeRate(
      sumBy(unknown, (source) => source.passed),
      messages,
    ),
    listShare: computeRate(mailingLists, messages),
  };
}

const computeRate = (count: number, total: number) => (total === 0 ? 0 : count / total);

function findLargest<T>(list: readonly T[], rank: (item: T) => number): T | undefined {
  return list.reduce<T | undefined>(
    (best, item) => (best === undefined || rank(item) > rank(best) ? item : best),
    undefined,
  );
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * 86_400_000).toISOString().slice(0, 10);
}
