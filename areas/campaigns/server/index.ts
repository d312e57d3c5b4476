// The door of campaigns: what higher floors and main/ may call.
export { campaignRow } from './campaigns.ts';
export { readGroups as campaignGroupRows } from './campaigns.sql.ts';
export { campaignPoller } from './due-campaigns.ts';
export {
  campaignChanged,
  campaignStarted,
  campaignsUsingField,
  campaignsUsingGroup,
  campaignsUsingImage,
  forgetGroup,
} from './listeners.ts';
export type { SendingOptions } from './message.ts';
export { resendPoller } from './resend.ts';
export { campaignRoutes } from './routes.ts';
export { campaignsUsingSegment, forgetSegment, tellCampaigns } from './segment-use.ts';
