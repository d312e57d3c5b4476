// Exports of the deliverability area for the screens of campaigns and reports.
export { ForecastResult } from './forecast/late-result.ts';
export { SendForecast } from './forecast/late-forecast.ts';
export { ExclusionHint } from './forecast/late-hint.ts';
export { CampaignLimits } from './pilot/late-limits.ts';
export { CampaignPlacements } from './placements/late-placements.ts';
