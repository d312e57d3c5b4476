// Loaded with its texts by the reports of campaigns.
import { late } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const CampaignPlacements = late(async () => {
  const load = import('./campaign-placements.tsx');
  const [module] = await Promise.all([load, areaTexts(['signals'])]);
  return module;
});
