// Public interface of experiments: shares and statistics, without tables of their own.
export { type Interval, newcombe, type Proportion, rateOf, wilson } from '../intervals.ts';
export {
  type ExperimentRanges,
  type ExperimentShares,
  type PlaceRange,
  rangesOf,
} from '../ranges.ts';
export { MAX_VARIANTS, MIN_PEOPLE_PER_VARIANT, MIN_VARIANTS, PLACES } from '../shared.ts';
export { isTooCoarse, suggestedTestShare, visibleDifference } from '../visible-difference.ts';
export { EARLY_THRESHOLD, earlyWinner, lnEvidence, SPLIT_THRESHOLD } from './evidence.ts';
export { finalVerdict, type Verdict } from './final-verdict.ts';
export { type Effect, type IncrementalEffect, incrementalEffect } from './incremental-effect.ts';
export { placeOf } from './place.ts';
export { placeExpression } from './place.sql.ts';
export { MIN_BUYERS, type Revenue, revenueVerdict } from './revenue.ts';
