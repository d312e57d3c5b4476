// Loaded with its texts by the review of a draft. It is a separate file because the parts of one
// file are loaded together.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const SendForecast = lazyWithRetry(async () => {
  const load = import('./send-forecast.tsx');
  const [module] = await Promise.all([load, areaTexts(['forecast'])]);
  return module;
});
