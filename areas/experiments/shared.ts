// Limits of experiments, shared by server and web.

export const MIN_VARIANTS = 2;
export const MAX_VARIANTS = 8;

/** Fewer people per variant show no difference worth a decision. */
export const MIN_PEOPLE_PER_VARIANT = 100;

/** Places of people: shares are exact to a hundredth of a percent. */
export const PLACES = 10_000;
