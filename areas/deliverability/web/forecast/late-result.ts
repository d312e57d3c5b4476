// Forecast compared with the results, lazy-loaded by the campaign report.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const ForecastResult = lazyWithRetry(async () => {
  const load = import('./forecast-result.tsx');
  const [module] = await Promise.all([load, areaTexts(['forecast'])]);
  return module;
});
