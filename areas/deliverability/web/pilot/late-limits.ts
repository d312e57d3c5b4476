// Autopilot limits of a campaign, lazy-loaded by the sending panel and the report.
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { areaTexts } from '#platform/web/texts/texts.ts';

export const CampaignLimits = lazyWithRetry(async () => {
  const load = import('./campaign-limits.tsx');
  const [module] = await Promise.all([load, areaTexts(['pilot'])]);
  return module;
});
