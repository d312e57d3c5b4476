// Placements of a campaign's copies, lazy-loaded by the campaign report.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const CampaignPlacements = lazyWithRetry(async () => {
  const load = import('./campaign-placements.tsx');
  const [module] = await Promise.all([load, areaTexts(['signals'])]);
  return module;
});
