// The forecast of a draft, loaded with its texts by the review. It is a separate file because
// everything in one file is loaded together.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const SendForecast = lazyWithRetry(async () => {
  const load = import('./send-forecast.tsx');
  const [module] = await Promise.all([load, areaTexts(['forecast'])]);
  return module;
});
