// Parts of experiments with their texts, loaded by campaigns that use them.
import { late } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

async function withTexts<Module>(load: Promise<Module>): Promise<Module> {
  const [module] = await Promise.all([load, areaTexts(['experiments'])]);
  return module;
}

export const ExperimentEntry = late(() => withTexts(import('./experiment-entry.tsx')));
export const ExperimentProgress = late(() => withTexts(import('./experiment-progress.tsx')));
export const ExperimentReport = late(() => withTexts(import('./experiment-report.tsx')));
export const ExperimentSetup = late(() => withTexts(import('./experiment-setup.tsx')));
export const ExperimentSummary = late(() => withTexts(import('./experiment-summary.tsx')));
