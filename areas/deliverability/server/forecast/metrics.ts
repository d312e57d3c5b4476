// Metrics of forecasts: how many results were inside their 80 % intervals.
import { counter } from '#platform/server/metrics.ts';

export const comparedCounter = counter(
  'forecast_results_total',
  'Results of campaigns compared with their forecasts',
  ['metric', 'result'],
);
