// Calculates best hours: the beginning of the three consecutive hours with the most opens and
// clicks. The hours of the whole account have a fixed weight, so they matter most for subscribers
// with few actions. Pure functions.

const HOURS_PER_DAY = 24;
/** The account's hours have the weight of this many of the subscriber's actions. */
const PRIOR_ACTIONS = 5;
/** Minimum number of actions for a best hour. */
export const MIN_ACTIONS = 3;

/** Weights of actions by hour of the day: 1 for each open, 2 for each click. */
export type HourWeights = readonly number[];

export const zeroHours = (): number[] => Array.from({ length: HOURS_PER_DAY }, () => 0);

const weightAt = (hours: HourWeights, hour: number) =>
  hours[(hour + HOURS_PER_DAY) % HOURS_PER_DAY] ?? 0;

/**
 * Moves half of each hour's weight to its two neighbors because subscribers do not read email at
 * exact hours.
 */
const smoothWeights = (hours: HourWeights): number[] =>
  hours.map(
    (weight, hour) => weightAt(hours, hour - 1) / 4 + weight / 2 + weightAt(hours, hour + 1) / 4,
  );

const sumOf = (hours: HourWeights) => hours.reduce((total, weight) => total + weight, 0);

/** Returns the start of the best three consecutive hours; the earliest one if several are equal. */
function bestOf(scores: HourWeights): number {
  let bestHour = 0;
  const three = (hour: number) =>
    weightAt(scores, hour) + weightAt(scores, hour + 1) + weightAt(scores, hour + 2);
  for (let hour = 1; hour < HOURS_PER_DAY; hour++) {
    // Sums that should be equal may differ by rounding.
    if (three(hour) > three(bestHour) + 1e-9) bestHour = hour;
  }
  return bestHour;
}

export const findBestHourOfAccount = (hours: HourWeights): number => bestOf(smoothWeights(hours));

/** `account` contains the weights of the whole account. */
export function findBestHourOfSubscriber(hours: HourWeights, account: HourWeights): number {
  const total = sumOf(hours);
  const accountTotal = sumOf(account);
  const personal = smoothWeights(hours);
  const usualWeights = smoothWeights(account);
  const scores = personal.map((weight, hour) => {
    const expectedFraction =
      accountTotal === 0 ? 1 / HOURS_PER_DAY : weightAt(usualWeights, hour) / accountTotal;
    return (weight + PRIOR_ACTIONS * expectedFraction) / (total + PRIOR_ACTIONS);
  });
  return bestOf(scores);
}
