// Decides the next move of the autopilot at one mailbox provider, from the account's own delivery
// results and opens. The autopilot limits the hourly rate or the audience. It raises or ends only
// limits that it has set itself. The functions are pure.
import { wilson } from '#areas/experiments/server/index.ts';
import type { PilotCause, PilotMove } from '../../pilot-shared.ts';
import {
  countAttempts,
  type DaySums,
  collectEvidence,
  type PilotReading,
  type ResultSums,
} from './readings.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The lowest hourly limit outside a pause. */
export const MIN_PER_HOUR = 50;
/** The hourly limit of a pause, enough to find out whether the provider accepts email again. */
export const PROBES_PER_HOUR = 20;
/** After a user undoes a move, the autopilot makes no move for this time. */
export const HOLD_MS = 7 * DAY_MS;
const MOVE_INTERVAL_MS = 30 * MINUTE_MS;
const MAX_MOVES_PER_DAY = 4;
const MAX_ATTEMPTS = 2_000;
const MIN_ATTEMPTS = 200;
const MIN_FOR_COMPLAINTS = 1_000;
const MAX_THROTTLED = 0.1;
const MAX_REFUSED = 0.1;
const MAX_COMPLAINTS = 0.003;
/** Results are clean if no share exceeds this fraction of its maximum above. */
const CLEAN = 0.5;
const CLEAN_MS = 2 * HOUR_MS;
const RAISE = 1.25;
/**
 * A limit ends at this multiple of the rate before it, except for the first limit of a new domain.
 */
const END_AT = 2;
const CLEAN_OPENS = { cause: 'clean', count: 0, of: 0 } as const;
/** The normal quantile of a two-sided 80 % interval. */
const Z_80 = 1.2815515655446004;

export type PilotState = {
  /** The hourly limit; null without a limit. */
  perHour: number | null;
  endsAtPerHour: number | null;
  isPaused: boolean;
  isEngagedOnly: boolean;
  /** Start of the newest campaign that led to a move by its opens. */
  opensAt: number | null;
  /** The instants of the moves within a day, oldest first. */
  moves: readonly number[];
  heldUntil: number | null;
};

export type PilotDecision = {
  move: PilotMove;
  cause: PilotCause;
  /** The number of events, such as deferrals, among `of` attempts. */
  count: number;
  of: number;
  nextLimits: Pick<PilotState, 'perHour' | 'endsAtPerHour' | 'isPaused' | 'isEngagedOnly'>;
  /** Start of the campaign that led to the move by its opens. */
  opensAt?: number;
};

/** Opens below expectation, as in the health of the domain. */
export type Shortfall = {
  level: 'watch' | 'act';
  count: number;
  of: number;
  /** The start of the newest campaign with the shortfall. */
  startedAt: number;
};

type PilotInputs = {
  readings: readonly PilotReading[];
  days: DaySums;
  /** Whether the provider sends complaint reports. Without them the rate is unknown. */
  isReporting: boolean;
  opens?: Shortfall | undefined;
  now: number;
};

/** Returns the next move; undefined if nothing changes. */
export function decideMove(state: PilotState, inputs: PilotInputs): PilotDecision | undefined {
  const { now } = inputs;
  const recent = state.moves.filter((at) => at > now - DAY_MS);
  const lastMoveAt = recent.at(-1) ?? Number.NEGATIVE_INFINITY;
  if (state.heldUntil !== null && state.heldUntil > now) return undefined;
  if (recent.length >= MAX_MOVES_PER_DAY || now - lastMoveAt < MOVE_INTERVAL_MS) return undefined;
  const windowStart = Math.max(lastMoveAt, now - DAY_MS);
  const window = { from: windowStart, attempts: MAX_ATTEMPTS };
  const evidence = collectEvidence(inputs.readings, inputs.days, window);
  return (
    (evidence && decreaseRate(state, evidence.sums, inputs)) ??
    changeAudience(state, inputs.opens) ??
    increaseRate(state, lastMoveAt, inputs)
  );
}

/**
 * If opens are far enough below expectation to require action, only engaged subscribers get emails
 * until the shortfall ends. Each campaign leads to only one such move. During a pause, no such move
 * is made, because a pause already limits emails to engaged subscribers.
 */
function changeAudience(
  state: PilotState,
  opens: Shortfall | undefined,
): PilotDecision | undefined {
  const { perHour, endsAtPerHour, isPaused, isEngagedOnly, opensAt } = state;
  if (isPaused) return undefined;
  const nextLimits = { perHour, endsAtPerHour, isPaused, isEngagedOnly: !isEngagedOnly };
  if (isEngagedOnly) return opens ? undefined : { move: 'widen', ...CLEAN_OPENS, nextLimits };
  if (opens?.level !== 'act' || opens.startedAt <= (opensAt ?? 0)) return undefined;
  const { count, of: total, startedAt } = opens;
  return {
    move: 'narrow',
    cause: 'opens',
    count,
    of: total,
    nextLimits,
    opensAt: startedAt,
  };
}

function decreaseRate(
  state: PilotState,
  sums: ResultSums,
  inputs: PilotInputs,
): PilotDecision | undefined {
  const attempts = countAttempts(sums);
  const { accepted, policy, throttled, complaints } = sums;
  const reportableCount = inputs.isReporting ? accepted : 0;
  const base = computeRateBefore(state, inputs);
  const endsAtPerHour = state.endsAtPerHour ?? Math.ceil(base * END_AT);
  const { isEngagedOnly } = state;
  const stop = { perHour: PROBES_PER_HOUR, endsAtPerHour, isPaused: true, isEngagedOnly };
  if (!state.isPaused && isAbove(policy, attempts, MAX_REFUSED, MIN_ATTEMPTS)) {
    return { move: 'pause', cause: 'refusals', count: policy, of: attempts, nextLimits: stop };
  }
  if (!state.isPaused && isAbove(complaints, reportableCount, MAX_COMPLAINTS, MIN_FOR_COMPLAINTS)) {
    return {
      move: 'pause',
      cause: 'complaints',
      count: complaints,
      of: reportableCount,
      nextLimits: stop,
    };
  }
  const perHour = Math.max(MIN_PER_HOUR, Math.floor(base / 2));
  const isLower = state.perHour === null ? perHour < base : perHour < state.perHour;
  if (!isLower || !isAbove(throttled, attempts, MAX_THROTTLED, MIN_ATTEMPTS)) return undefined;
  const nextLimits = { perHour, endsAtPerHour, isPaused: false, isEngagedOnly };
  return {
    move: 'slow',
    cause: 'deferrals',
    count: throttled,
    of: attempts,
    nextLimits,
  };
}

/**
 * Raises or ends the limit, or ends a pause, if the results of at least two hours since the last
 * move are clean and have enough attempts.
 */
function increaseRate(
  state: PilotState,
  lastMove: number,
  { readings, days, now }: PilotInputs,
): PilotDecision | undefined {
  const { perHour, endsAtPerHour, isEngagedOnly } = state;
  if (perHour === null) return undefined;
  const least = Math.min(MIN_ATTEMPTS, perHour);
  const older = readings.filter(({ at }) => at <= now - CLEAN_MS);
  const window = { from: Math.max(lastMove, now - DAY_MS), attempts: least };
  const sums = collectEvidence(older, days, window)?.sums;
  const attempts = sums ? countAttempts(sums) : 0;
  if (!sums || attempts < least) return endUnprovenPause(state, attempts, now - lastMove);
  const isClean =
    sums.throttled <= attempts * MAX_THROTTLED * CLEAN &&
    sums.policy <= attempts * MAX_REFUSED * CLEAN &&
    sums.complaints <= attempts * MAX_COMPLAINTS * CLEAN;
  if (!isClean) return undefined;
  const clean = { cause: 'clean' as const, count: 0, of: attempts };
  if (state.isPaused) {
    const nextLimits = { perHour: MIN_PER_HOUR, endsAtPerHour, isPaused: false, isEngagedOnly };
    return { move: 'resume', ...clean, nextLimits };
  }
  const next = Math.ceil(perHour * RAISE);
  const isOver = endsAtPerHour !== null && next >= endsAtPerHour;
  const limit = isOver ? { perHour: null, endsAtPerHour: null } : { perHour: next, endsAtPerHour };
  const nextLimits = { ...limit, isPaused: false, isEngagedOnly };
  return { move: isOver ? 'end' : 'raise', ...clean, nextLimits };
}

/**
 * Ends a pause after a day even if there were too few attempts to judge: if all remaining recipients
 * wait for the end of the pause, there will be no further attempts.
 */
function endUnprovenPause(
  { isPaused, endsAtPerHour, isEngagedOnly }: PilotState,
  attempts: number,
  sinceMs: number,
): PilotDecision | undefined {
  if (!isPaused || sinceMs < DAY_MS) return undefined;
  const nextLimits = { perHour: MIN_PER_HOUR, endsAtPerHour, isPaused: false, isEngagedOnly };
  return { move: 'resume', cause: 'clean', count: 0, of: attempts, nextLimits };
}

/**
 * Returns the hourly limit; without a limit, the attempts of the last hour, but at least
 * MIN_PER_HOUR.
 */
function computeRateBefore({ perHour }: PilotState, { readings, days, now }: PilotInputs): number {
  if (perHour !== null) return perHour;
  const hour = collectEvidence(readings, days, { from: now - HOUR_MS, attempts: Infinity });
  return Math.max(MIN_PER_HOUR, hour ? countAttempts(hour.sums) : 0);
}

/**
 * Creates the first limit of a domain that is new at a provider. It is raised while results are
 * clean.
 */
export const createFirstLimit = (target: number): PilotDecision['nextLimits'] => ({
  perHour: MIN_PER_HOUR,
  endsAtPerHour: Math.max(MIN_PER_HOUR * END_AT, target),
  isPaused: false,
  isEngagedOnly: false,
});

/**
 * Returns whether there are enough results, and the lower bound of the share's 80 % interval is
 * above a limit.
 */
function isAbove(count: number, total: number, limit: number, minimum: number): boolean {
  return (
    total >= minimum && wilson({ accepted: total, acted: Math.min(count, total) }, Z_80).low > limit
  );
}
