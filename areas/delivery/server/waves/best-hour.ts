// The best hour of a subscriber: the beginning of the three hours with the most opens and clicks.
// While a subscriber has few of them, the account's hours count as well. Pure.

const HOURS_PER_DAY = 24;
/** Weight of the account's hours, in actions of a subscriber. */
const PRIOR_ACTIONS = 5;
/** With fewer actions, a subscriber has no best hour. */
export const MIN_ACTIONS = 3;

/** Opens (1) and clicks (2) by hour of the day. */
export type HourWeights = readonly number[];

export const noHours = (): number[] => Array.from({ length: HOURS_PER_DAY }, () => 0);

const at = (hours: HourWeights, hour: number) => hours[(hour + HOURS_PER_DAY) % HOURS_PER_DAY] ?? 0;

/** Neighboring hours count half: people do not read email at exact hours. */
const smoothed = (hours: HourWeights): number[] =>
  hours.map((weight, hour) => at(hours, hour - 1) / 4 + weight / 2 + at(hours, hour + 1) / 4);

const sumOf = (hours: HourWeights) => hours.reduce((sum, weight) => sum + weight, 0);

/** The hour that begins the best three hours; the earliest of equal ones. */
function bestOf(scores: HourWeights): number {
  let best = 0;
  const three = (hour: number) => at(scores, hour) + at(scores, hour + 1) + at(scores, hour + 2);
  for (let hour = 1; hour < HOURS_PER_DAY; hour++) {
    // Equal sums may differ in the last bits.
    if (three(hour) > three(best) + 1e-9) best = hour;
  }
  return best;
}

export const bestHourOfAccount = (hours: HourWeights): number => bestOf(smoothed(hours));

/** `account`: the weights of the whole account. */
export function bestHourOfSubscriber(hours: HourWeights, account: HourWeights): number {
  const total = sumOf(hours);
  const accountTotal = sumOf(account);
  const personal = smoothed(hours);
  const usual = smoothed(account);
  const scores = personal.map((weight, hour) => {
    const expected = accountTotal === 0 ? 1 / HOURS_PER_DAY : at(usual, hour) / accountTotal;
    return (weight + PRIOR_ACTIONS * expected) / (total + PRIOR_ACTIONS);
  });
  return bestOf(scores);
}
