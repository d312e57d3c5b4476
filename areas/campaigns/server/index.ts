// The door of campaigns: what higher floors and main/ may call.
export { readGroups as campaignGroupRows } from './campaigns.sql.ts';
export { campaignRow } from './campaigns.ts';
export { campaignPoller } from './due-campaigns.ts';
export { campaignNotStarted } from './events.ts';
export { campaignChanged, campaignFinished, campaignStarted } from './listeners.ts';
export type { SendingOptions } from './message.ts';
export { resendPoller } from './resend.ts';
export { campaignRoutes } from './routes.ts';
export {
  campaignsFromDomain,
  campaignsUsingField,
  campaignsUsingGroup,
  campaignsUsingImage,
  campaignsUsingSegment,
  forgetGroup,
  forgetSegment,
  tellCampaigns,
} from './uses.ts';
