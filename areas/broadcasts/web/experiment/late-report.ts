// The report of an experiment and its strings, loaded on first use. Other parts of the experiment
// have loaders of their own, so that only the needed files are loaded.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const ExperimentReport = lazyWithRetry(async () => {
  const load = import('./experiment-report.tsx');
  const [module] = await Promise.all([load, areaTexts(['experiments'])]);
  return module;
});
