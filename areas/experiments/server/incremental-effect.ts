// Incremental effect of a message: all people selected for it against the holdout, by intention to treat.
import { type Interval, newcombe, type Proportion, proportionRate, Z_95 } from '../intervals.ts';
import { capAmounts, type Revenue, welch } from './revenue.ts';

export interface Effect {
  /** Per person, chosen minus held out: rates for buyers, an amount for revenue. */
  difference: number;
  interval: Interval;
  /** The interval excludes 0. */
  isClear: boolean;
}

export interface IncrementalEffect {
  buyers: Effect;
  revenue: Effect;
}

/**
 * Both groups are all people selected, whether or not the message arrived, with all orders of the
 * period, attributed or not: only then do the groups differ by nothing but the message. Undefined
 * while a group is empty.
 */
export function incrementalEffect(
  chosen: Revenue,
  heldOut: Revenue,
  cap?: number,
): IncrementalEffect | undefined {
  if (chosen.people <= 0 || heldOut.people <= 0) return undefined;
  const [buyers, heldBuyers] = [buyersOf(chosen), buyersOf(heldOut)];
  const [sent, held] = [capped(chosen, cap), capped(heldOut, cap)];
  return {
    buyers: effect(
      proportionRate(buyers) - proportionRate(heldBuyers),
      newcombe(buyers, heldBuyers, Z_95),
    ),
    revenue: effect(perPerson(sent) - perPerson(held), welch(sent, held, Z_95)),
  };
}

const buyersOf = ({ people, amounts }: Revenue): Proportion => ({
  accepted: people,
  acted: amounts.length,
});

const capped = ({ people, amounts }: Revenue, cap: number | undefined): Revenue => ({
  people,
  amounts: capAmounts(amounts, cap),
});

const perPerson = ({ people, amounts }: Revenue) =>
  amounts.reduce((sum, amount) => sum + amount, 0) / people;

function effect(difference: number, interval: Interval): Effect {
  return { difference, interval, isClear: interval.low > 0 || interval.high < 0 };
}
