// The progress of an experiment, loaded with its texts on first use. It is a separate file
// because everything in one file is loaded together.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const ExperimentProgress = lazyWithRetry(async () => {
  const load = import('./experiment-progress.tsx');
  const [module] = await Promise.all([load, areaTexts(['experiments'])]);
  return module;
});
