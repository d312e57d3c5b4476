// The health of a domain at a mailbox provider, from the account's own delivery results of seven
// days and from causes that are measured elsewhere. A rate is an alarm only if its 80 % interval is
// above the limit. Its alarm ends after two days with a rate below three quarters of the limit, or
// with too few results. Without causes, too few results count as no data, never as good.
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
type Level = 'watch' | 'act';
export type State = 'good' | 'watch' | 'act' | 'stopped' | 'no_data';

export type Cause = {
  cause: CauseName;
  level: Level;
  since: string;
  /**
   * The time since which the rate has been below three quarters of its limit or has had too few
   * results; otherwise absent.
   */
  lowSince?: string;
  /**
   * The number of events at the last measurement, among `of` emails (among `of` expected opens for
   * `opens`). Both are 0 for causes without a share.
   */
  count: number;
  of: number;
  /** The blocklist with its subject, or Gmail's requirement. */
  detail?: string;
  /** The start of the newest campaign with this cause; only for opens. */
  newestAt?: string;
};

export type HealthFigures = { sent: number; isReporting: boolean };

type Rule = {
  watch: number;
  act: number;
  /** The smallest `of` that is evidence. */
  minimum: number;
  count: (volume: Volume) => number;
  of: (volume: Volume) => number;
};

const attempted = ({ accepted, failed }: Volume) => accepted + failed;

export const RULES: Readonly<Record<(typeof RATE_CAUSES)[number], Rule>> = {
  complaints: {
    ...{ watch: 0.001, act: 0.003, minimum: 1_000 },
    count: ({ complaints }) => complaints,
    of: ({ accepted, isReporting }) => (isReporting ? accepted : 0),
  },
  bounces: { watch: 0.02, act: 0.05, minimum: 200, count: ({ hard }) => hard, of: attempted },
  refusals: { watch: 0.02, act: 0.1, minimum: 200, count: ({ policy }) => policy, of: attempted },
  waiting: {
    ...{ watch: 0.05, act: 0.2, minimum: 200 },
    count: ({ waiting }) => waiting,
    of: (volume) => attempted(volume) + volume.waiting,
  },
};

/** The normal quantile of a two-sided 80 % interval. */
const Z_80 = 1.2815515655446004;
const RECOVERED = 0.75;
const RECOVERY_MS = 2 * 86_400_000;

export type Health = { state: State; causes: Cause[]; since: string };

/** Returns the causes that are new, or worse than before. */
export const newCauses = (before: Health | undefined, after: Health): Cause[] =>
  after.causes.filter(({ cause, level, detail }) => {
    const known = before?.causes.find(
      (stored) => stored.cause === cause && stored.detail === detail,
    );
    return !known || (known.level === 'watch' && level === 'act');
  });

/** @param found the causes measured elsewhere, which end when they are no longer found */
export function nextHealth(
  before: Health | undefined,
  volume: Volume,
  now: Date,
  found: readonly Omit<Cause, 'since'>[] = [],
): Health {
  const rates = RATE_CAUSES.flatMap((cause) => {
    const known = before?.causes.find((stored) => stored.cause === cause);
    return nextCause(cause, known, volume, now) ?? [];
  });
  const causes = [...rates, ...sinceOf(before, found, now)];
  const hasData = RATE_CAUSES.some((cause) => RULES[cause].of(volume) >= RULES[cause].minimum);
  return healthOf(before, causes, hasData, now);
}

/**
 * Causes of the whole domain are facts and not rates, so each ends as soon as it is no longer
 * found.
 */
export function domainHealth(
  before: Health | undefined,
  facts: readonly Omit<Cause, 'since'>[],
  now: Date,
): Health {
  return healthOf(before, sinceOf(before, facts, now), false, now);
}

const sinceOf = (
  before: Health | undefined,
  facts: readonly Omit<Cause, 'since'>[],
  now: Date,
): Cause[] =>
  facts.map((fact) => {
    const known = before?.causes.find(
      ({ cause, detail }) => cause === fact.cause && detail === fact.detail,
    );
    return { ...fact, since: known?.since ?? now.toISOString() };
  });

function healthOf(
  before: Health | undefined,
  causes: Cause[],
  hasData: boolean,
  now: Date,
): Health {
  const state = stateOf(causes, hasData);
  const since = before?.state === state ? before.since : now.toISOString();
  return { state, causes, since };
}

function stateOf(causes: readonly Cause[], hasData: boolean): State {
  if (causes.some(({ cause }) => cause === 'stopped')) return 'stopped';
  if (causes.some(({ level }) => level === 'act')) return 'act';
  if (causes.length > 0) return 'watch';
  return hasData ? 'good' : 'no_data';
}

function nextCause(
  cause: (typeof RATE_CAUSES)[number],
  known: Cause | undefined,
  volume: Volume,
  now: Date,
): Cause | undefined {
  const rule = RULES[cause];
  const of = rule.of(volume);
  // The emails of late bounces and complaints may be older than the counted ones.
  const count = Math.min(rule.count(volume), of);
  const isKnown = of >= rule.minimum;
  const low = isKnown ? wilson({ accepted: of, acted: count }, Z_80).low : 0;
  const measured: Level | undefined =
    low >= rule.act ? 'act' : low >= rule.watch ? 'watch' : undefined;
  if (!known) {
    return measured && { cause, level: measured, since: now.toISOString(), count, of };
  }
  const base = { cause, since: known.since, count, of };
  if (measured === 'act' || measured === known.level) return { ...base, level: measured };
  const isLow = !isKnown || count / of < RECOVERED * rule[known.level];
  if (!isLow) return { ...base, level: known.level };
  const lowSince = known.lowSince ?? now.toISOString();
  if (now.getTime() - new Date(lowSince).getTime() < RECOVERY_MS) {
    return { ...base, level: known.level, lowSince };
  }
  return measured && { ...base, level: measured };
}
