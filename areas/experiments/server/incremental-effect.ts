// Incremental effect of a message: all subscribers selected for it against the holdout, by
// intention to treat.
import { type Interval, newcombe, type Proportion, proportionRate, Z_95 } from '../intervals.ts';
import { capAmounts, type Revenue, welch } from './revenue.ts';

export interface Effect {
  /**
   * For buyers, the share of recipients who bought minus the share of the holdout who bought. For
   * revenue, the average revenue per recipient minus the average per subscriber of the holdout.
   */
  difference: number;
  interval: Interval;
  /** Whether the interval excludes 0. */
  isClear: boolean;
}

export interface IncrementalEffect {
  buyers: Effect;
  revenue: Effect;
}

/**
 * Compares the subscribers selected as recipients with the holdout. A recipient counts even if the
 * message did not arrive, and an order within the period even if it is not attributed to the
 * message. Otherwise the groups would differ in more than the message. Returns undefined while a
 * group is empty.
 */
export function computeIncrementalEffect(
  recipients: Revenue,
  holdout: Revenue,
  cap?: number,
): IncrementalEffect | undefined {
  if (recipients.subscriberCount <= 0 || holdout.subscriberCount <= 0) return undefined;
  const [buyers, holdoutBuyers] = [countBuyers(recipients), countBuyers(holdout)];
  const [cappedSelected, cappedHoldout] = [capRevenue(recipients, cap), capRevenue(holdout, cap)];
  return {
    buyers: createEffect(
      proportionRate(buyers) - proportionRate(holdoutBuyers),
      newcombe(buyers, holdoutBuyers, Z_95),
    ),
    revenue: createEffect(
      averageRevenue(cappedSelected) - averageRevenue(cappedHoldout),
      welch(cappedSelected, cappedHoldout, Z_95),
    ),
  };
}

const countBuyers = ({ subscriberCount, amounts }: Revenue): Proportion => ({
  accepted: subscriberCount,
  acted: amounts.length,
});

const capRevenue = ({ subscriberCount, amounts }: Revenue, cap: number | undefined): Revenue => ({
  subscriberCount,
  amounts: capAmounts(amounts, cap),
});

const averageRevenue = ({ subscriberCount, amounts }: Revenue) =>
  amounts.reduce((sum, amount) => sum + amount, 0) / subscriberCount;

function createEffect(difference: number, interval: Interval): Effect {
  return { difference, interval, isClear: interval.low > 0 || interval.high < 0 };
}
