// Loaded with its texts by campaigns with an experiment. It is a separate file because the parts of
// one file are loaded together.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const ExperimentProgress = lazyWithRetry(async () => {
  const load = import('./experiment-progress.tsx');
  const [module] = await Promise.all([load, areaTexts(['experiments'])]);
  return module;
});
