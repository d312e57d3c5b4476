// Exclusion hint, lazy-loaded by the recipient step.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const ExclusionHint = lazyWithRetry(async () => {
  const load = import('./exclusion-hint.tsx');
  const [module] = await Promise.all([load, areaTexts(['forecast'])]);
  return module;
});
