// Public interface of experiments: shares and statistics; the area has no tables.
export { newcombe, type Proportion, proportionRate, wilson } from '../intervals.ts';
export { type ExperimentRanges, type BucketRange, excludeRange, computeRanges } from '../ranges.ts';
export { findEarlyWinner, SPLIT_THRESHOLD } from './evidence.ts';
export { computeFinalVerdict, type ExperimentVerdict } from './final-verdict.ts';
export { computeIncrementalEffect } from './incremental-effect.ts';
export { BUCKET_COUNT } from '../shared.ts';
export { computeBucket } from './bucket.ts';
export { bucketExpression } from './bucket.sql.ts';
export { type Revenue, computeRevenueVerdict, createSeededRandom } from './revenue.ts';
