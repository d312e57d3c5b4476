// The door of campaigns: what higher floors and main/ may call.
import { imageUsedBy, sendingOptions } from '#areas/content/server/index.ts';
import {
  messageChanged,
  messageFinished,
  messageProgressed,
  messageStarted,
} from '#areas/delivery/server/index.ts';
import { domainUsedBy } from '#areas/domains/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { groupDeleted, groupUsedBy } from '#areas/groups/server/index.ts';
import { campaignsNamed, segmentDeleted, segmentUsedBy } from '#areas/segments/server/index.ts';
import { type Area, answer, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { campaignPoller } from './due-campaigns.ts';
import { campaignChanged, campaignFinished, campaignStarted } from './listeners.ts';
import { resendPoller } from './resend.ts';
import { campaignRoutes } from './routes.ts';
import {
  campaignsFromDomain,
  campaignsUsingField,
  campaignsUsingGroup,
  campaignsUsingImage,
  campaignsUsingSegment,
  forgetGroup,
  forgetSegment,
  tellCampaigns,
} from './uses.ts';

export function area(config: Config): Area {
  const options = sendingOptions(config);
  return {
    name: 'campaigns',
    routes: campaignRoutes(options),
    pollers: [campaignPoller(options), resendPoller(options)],
    listens: [
      on(groupDeleted, forgetGroup),
      on(segmentDeleted, forgetSegment),
      on(messageStarted, campaignStarted),
      on(messageProgressed, campaignChanged),
      on(messageChanged, campaignChanged),
      on(messageFinished, campaignFinished),
    ],
    answers: [
      answer(domainUsedBy, campaignsFromDomain),
      answer(fieldUsedBy, campaignsUsingField),
      answer(groupUsedBy, campaignsUsingGroup),
      answer(segmentUsedBy, campaignsUsingSegment),
      answer(campaignsNamed, tellCampaigns),
      answer(imageUsedBy, campaignsUsingImage),
    ],
  };
}

export { readGroups as campaignGroupRows } from './campaigns.sql.ts';
export { campaignRow } from './campaigns.ts';
export { campaignNotStarted } from './events.ts';
export { tellCampaigns } from './uses.ts';
