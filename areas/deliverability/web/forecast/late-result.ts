// The forecast compared with the results, loaded with its texts by the report of a campaign.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const ForecastResult = lazyWithRetry(async () => {
  const load = import('./forecast-result.tsx');
  const [module] = await Promise.all([load, areaTexts(['forecast'])]);
  return module;
});
