// The health of a domain at a mailbox provider, from the account's own delivery results of seven
// days and from causes that are measured elsewhere. A rate is an alarm only if its 80 % interval is
// above the limit. Its alarm ends after two days with a rate below three quarters of the limit, or
// with too few results. Without causes, too few results are treated as no data, never as good.
import { wilson } from '#areas/experiments/server/index.ts';

/** The results of seven days at one mailbox provider. */
export type Volume = {
  accepted: number;
  failed: number;
  /** The number of emails that have been deferred for more than four hours. */
  waiting: number;
  hard: number;
  policy: number;
  complaints: number;
  /** Whether the provider has sent a complaint report within 180 days. */
  isReporting: boolean;
};

const RATE_CAUSES = ['complaints', 'bounces', 'refusals', 'waiting'] as const;
/** Causes at a mailbox provider that are measured elsewhere. */
type FoundCause = 'opens' | 'spam_rate' | 'compliance';
type DomainCause = 'blocklist' | 'alignment' | 'stopped';
type CauseName = (typeof RATE_CAUSES)[number] | FoundCause | DomainCause;
type CauseLevel = 'watch' | 'act';
export type HealthState = 'good' | 'watch' | 'act' | 'stopped' | 'no_data';

export type MeasuredCause = {
  cause: CauseName;
  level: CauseLevel;
  since: string;
  /**
   * When the rate fell below three quarters of its limit or had too few results; otherwise absent.
   */
  lowSince?: string;
  /**
   * The number of events at the last measurement, among `of` emails (among `of` expected opens for
   * `opens`). For causes without a share, `of` is 0. Their `count` is 0, too, except for `stopped`,
   * where it is the number of stopped messages.
   */
  count: number;
  of: number;
  /** The blocklist and the listed subject, or Gmail's requirement. */
  detail?: string;
  /** The start of the newest campaign with this cause; only for opens. */
  newestAt?: string;
};

export type HealthCounts = { sent: number; isReporting: boolean };

type CauseRule = {
  watch: number;
  act: number;
  /** The smallest total to be treated as evidence. */
  minimum: number;
  countEvents: (volume: Volume) => number;
  countTotal: (volume: Volume) => number;
};

const countAttempts = ({ accepted, failed }: Volume) => accepted + failed;

export const RULES: Readonly<Record<(typeof RATE_CAUSES)[number], CauseRule>> = {
  complaints: {
    ...{ watch: 0.001, act: 0.003, minimum: 1_000 },
    countEvents: ({ complaints }) => complaints,
    countTotal: ({ accepted, isReporting }) => (isReporting ? accepted : 0),
  },
  bounces: {
    watch: 0.02,
    act: 0.05,
    minimum: 200,
    countEvents: ({ hard }) => hard,
    countTotal: countAttempts,
  },
  refusals: {
    watch: 0.02,
    act: 0.1,
    minimum: 200,
    countEvents: ({ policy }) => policy,
    countTotal: countAttempts,
  },
  waiting: {
    ...{ watch: 0.05, act: 0.2, minimum: 200 },
    countEvents: ({ waiting }) => waiting,
    countTotal: (volume) => countAttempts(volume) + volume.waiting,
  },
};

/** The normal quantile of a two-sided 80 % interval. */
const Z_80 = 1.2815515655446004;
const RECOVERED = 0.75;
const RECOVERY_MS = 2 * 86_400_000;

export type DomainHealthState = { state: HealthState; causes: MeasuredCause[]; since: string };

/** Returns the causes that are new, or worse than before. */
export const listNewCauses = (
  before: DomainHealthState | undefined,
  after: DomainHealthState,
): MeasuredCause[] =>
  after.causes.filter(({ cause, level, detail }) => {
    const existingCause = before?.causes.find(
      (existing) => existing.cause === cause && existing.detail === detail,
    );
    return !existingCause || (existingCause.level === 'watch' && level === 'act');
  });

/** @param externalCauses causes measured elsewhere; they end once they are no longer found */
export function computeHealth(
  before: DomainHealthState | undefined,
  volume: Volume,
  now: Date,
  externalCauses: readonly Omit<MeasuredCause, 'since'>[] = [],
): DomainHealthState {
  const rates = RATE_CAUSES.flatMap((cause) => {
    const existingCause = before?.causes.find((existing) => existing.cause === cause);
    return computeCause(cause, existingCause, volume, now) ?? [];
  });
  const causes = [...rates, ...keepStartTimes(before, externalCauses, now)];
  const hasData = RATE_CAUSES.some(
    (cause) => RULES[cause].countTotal(volume) >= RULES[cause].minimum,
  );
  return createHealth(before, causes, hasData, now);
}

/** Domain-wide causes are not rates, so each ends as soon as it is no longer found. */
export function computeDomainHealth(
  before: DomainHealthState | undefined,
  causes: readonly Omit<MeasuredCause, 'since'>[],
  now: Date,
): DomainHealthState {
  return createHealth(before, keepStartTimes(before, causes, now), false, now);
}

const keepStartTimes = (
  before: DomainHealthState | undefined,
  causes: readonly Omit<MeasuredCause, 'since'>[],
  now: Date,
): MeasuredCause[] =>
  causes.map((newCause) => {
    const existingCause = before?.causes.find(
      ({ cause, detail }) => cause === newCause.cause && detail === newCause.detail,
    );
    return { ...newCause, since: existingCause?.since ?? now.toISOString() };
  });

function createHealth(
  before: DomainHealthState | undefined,
  causes: MeasuredCause[],
  hasData: boolean,
  now: Date,
): DomainHealthState {
  const state = computeState(causes, hasData);
  const since = before?.state === state ? before.since : now.toISOString();
  return { state, causes, since };
}

function computeState(causes: readonly MeasuredCause[], hasData: boolean): HealthState {
  if (causes.some(({ cause }) => cause === 'stopped')) return 'stopped';
  if (causes.some(({ level }) => level === 'act')) return 'act';
  if (causes.length > 0) return 'watch';
  return hasData ? 'good' : 'no_data';
}

function computeCause(
  cause: (typeof RATE_CAUSES)[number],
  existingCause: MeasuredCause | undefined,
  volume: Volume,
  now: Date,
): MeasuredCause | undefined {
  const rule = RULES[cause];
  const total = rule.countTotal(volume);
  // The emails of late bounces and complaints may be older than the counted ones.
  const count = Math.min(rule.countEvents(volume), total);
  const isKnown = total >= rule.minimum;
  const lowerBound = isKnown ? wilson({ accepted: total, acted: count }, Z_80).low : 0;
  const measuredLevel: CauseLevel | undefined =
    lowerBound >= rule.act ? 'act' : lowerBound >= rule.watch ? 'watch' : undefined;
  if (!existingCause) {
    return (
      measuredLevel && { cause, level: measuredLevel, since: now.toISOString(), count, of: total }
    );
  }
  const base = { cause, since: existingCause.since, count, of: total };
  if (measuredLevel === 'act' || measuredLevel === existingCause.level)
    return { ...base, level: measuredLevel };
  const isLow = !isKnown || count / total < RECOVERED * rule[existingCause.level];
  if (!isLow) return { ...base, level: existingCause.level };
  const lowSince = existingCause.lowSince ?? now.toISOString();
  if (now.getTime() - new Date(lowSince).getTime() < RECOVERY_MS) {
    return { ...base, level: existingCause.level, lowSince };
  }
  return measuredLevel && { ...base, level: measuredLevel };
}
