// Loaded with its texts by the reports of campaigns.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const CampaignPlacements = lazyWithRetry(async () => {
  const load = import('./campaign-placements.tsx');
  const [module] = await Promise.all([load, areaTexts(['signals'])]);
  return module;
});
