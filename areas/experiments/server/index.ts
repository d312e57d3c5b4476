// Public interface of experiments: shares and statistics, without tables of their own.
export { newcombe, type Proportion, proportionRate, wilson } from '../intervals.ts';
export { type ExperimentRanges, type PlaceRange, placesExcept, rangesOf } from '../ranges.ts';
export { earlyWinner, SPLIT_THRESHOLD } from './evidence.ts';
export { finalVerdict, type Verdict } from './final-verdict.ts';
export { incrementalEffect } from './incremental-effect.ts';
export { PLACES } from '../shared.ts';
export { drawPlace } from './place.ts';
export { placeExpression } from './place.sql.ts';
export { type Revenue, revenueVerdict, seededRandom } from './revenue.ts';
