// The forecast of a draft, lazy-loaded by the review. It is not in late-result.ts, which the
// campaign report loads, because each file is loaded as a whole.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const SendForecast = lazyWithRetry(async () => {
  const load = import('./send-forecast.tsx');
  const [module] = await Promise.all([load, areaTexts(['forecast'])]);
  return module;
});
