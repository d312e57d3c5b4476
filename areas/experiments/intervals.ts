// Confidence intervals of proportions, shared by server and web.

/** Two-sided quantiles of the standard normal distribution. */
export const Z_95 = 1.959963984540054;
export const Z_96 = 2.053748910631823;

export interface Interval {
  low: number;
  high: number;
}

/** Recipients who acted, out of all with an accepted copy. */
export interface Proportion {
  accepted: number;
  acted: number;
}

/**
 * Returns the share that acted, capped at 1, because recipients of copies with an unknown outcome
 * can act as well.
 */
export function proportionRate({ accepted, acted }: Proportion): number {
  return accepted > 0 ? Math.max(0, Math.min(1, acted / accepted)) : 0;
}

/**
 * Computes Wilson's score interval: it stays within 0 and 1 and has a width even if no recipient
 * acted.
 */
export function wilson(proportion: Proportion, z = Z_95): Interval {
  const n = proportion.accepted;
  if (n <= 0) return { low: 0, high: 1 };
  const p = proportionRate(proportion);
  const center = p + z ** 2 / (2 * n);
  const half = z * Math.sqrt((p * (1 - p)) / n + z ** 2 / (4 * n ** 2));
  const scale = 1 + z ** 2 / n;
  return { low: Math.max(0, (center - half) / scale), high: Math.min(1, (center + half) / scale) };
}

/** Computes Newcombe's hybrid score interval of the difference a − b of two proportions. */
export function newcombe(a: Proportion, b: Proportion, z = Z_95): Interval {
  const [rateA, rateB] = [proportionRate(a), proportionRate(b)];
  const [scoreA, scoreB] = [wilson(a, z), wilson(b, z)];
  const difference = rateA - rateB;
  return {
    low: difference - Math.hypot(rateA - scoreA.low, scoreB.high - rateB),
    high: difference + Math.hypot(scoreA.high - rateA, rateB - scoreB.low),
  };
}
