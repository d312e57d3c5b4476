// Calculates best hours: the beginning of the three consecutive hours with the most opens and
// clicks. For a subscriber with few of them, those of the whole account count as well. Pure
// functions.

const HOURS_PER_DAY = 24;
/** The account's hours count as much as this number of the subscriber's actions. */
const PRIOR_ACTIONS = 5;
/** Number of actions from which on a subscriber has a best hour. */
export const MIN_ACTIONS = 3;

/** Weights of actions by hour of the day: 1 for each open, 2 for each click. */
export type HourWeights = readonly number[];

export const noHours = (): number[] => Array.from({ length: HOURS_PER_DAY }, () => 0);

const at = (hours: HourWeights, hour: number) => hours[(hour + HOURS_PER_DAY) % HOURS_PER_DAY] ?? 0;

/** Adds half of the neighboring hours' weight, since people do not read email at exact hours. */
const smoothed = (hours: HourWeights): number[] =>
  hours.map((weight, hour) => at(hours, hour - 1) / 4 + weight / 2 + at(hours, hour + 1) / 4);

const sumOf = (hours: HourWeights) => hours.reduce((sum, weight) => sum + weight, 0);

/** The first of the best three consecutive hours; of equal ones, the earliest. */
function bestOf(scores: HourWeights): number {
  let best = 0;
  const three = (hour: number) => at(scores, hour) + at(scores, hour + 1) + at(scores, hour + 2);
  for (let hour = 1; hour < HOURS_PER_DAY; hour++) {
    // Sums that should be equal may differ by rounding.
    if (three(hour) > three(best) + 1e-9) best = hour;
  }
  return best;
}

export const bestHourOfAccount = (hours: HourWeights): number => bestOf(smoothed(hours));

/** `account` contains the weights of the whole account. */
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
