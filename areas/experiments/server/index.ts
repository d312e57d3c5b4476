// Public interface of experiments: shares and statistics, without tables of their own.
export { newcombe, type Proportion, proportionRate, wilson } from '../intervals.ts';
export { type ExperimentRanges, type PlaceRange, excludeRange, computeRanges } from '../ranges.ts';
export { findEarlyWinner, SPLIT_THRESHOLD } from './evidence.ts';
export { computeFinalVerdict, type ExperimentVerdict } from './final-verdict.ts';
export { computeIncrementalEffect } from './incremental-effect.ts';
export { PLACES } from '../shared.ts';
export { drawPlace } from './place.ts';
export { placeExpression } from './place.sql.ts';
export { type Revenue, computeRevenueVerdict, createSeededRandom } from './revenue.ts';
