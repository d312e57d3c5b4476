// Public interface of campaigns for higher areas and main/.
import { approvalKinds } from '#areas/approvals/server/index.ts';
import {
  broadcastApprovals,
  duePoller,
  experimentPoller,
  listensFor,
  seriesPoller,
  calendarEntries,
  recurring,
  recurringBroadcasts,
} from '#areas/broadcasts/server/index.ts';
import { contentsInUse, imageUsedBy, readSendingOptions } from '#areas/content/server/index.ts';
import { domainUsedBy } from '#areas/domains/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { groupDeleted, groupUsedBy } from '#areas/groups/server/index.ts';
import {
  campaignsNamed,
  contentsNamingAddresses,
  eraseFromTitles,
  segmentDeleted,
  segmentInForce,
  segmentUsedBy,
} from '#areas/segments/server/index.ts';
import { subscribersErased } from '#areas/subscribers/server/index.ts';
import { type Area, answer, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import { contentsOfCampaigns, rewriteTitles } from './campaigns.sql.ts';
import { campaignAdapter } from './adapter.ts';
import { plannedCampaigns } from './planned.ts';
import { resendPoller } from './resend.ts';
import { resendApproval } from './resend-approval.ts';
import { publicCampaignRoutes } from './public-routes.ts';
import { campaignRoutes } from './routes.ts';
import {
  campaignsFromDomain,
  campaignsUsingField,
  campaignsWithAddress,
  campaignsUsingGroup,
  campaignsUsingImage,
  campaignsSentBySegment,
  campaignsUsingSegment,
  removeGroup,
  removeSegment,
  findSegmentCampaigns,
} from './uses.ts';
import { searched, searchIn } from '#platform/server/search/search.ts';
import { searchableCampaigns } from './campaigns.sql.ts';

export function area(config: Config): Area {
  const options = readSendingOptions(config);
  const adapter = campaignAdapter(options);
  return {
    name: 'campaigns',
    routes: [...campaignRoutes(options), ...publicCampaignRoutes(options)],
    pollers: [
      duePoller(adapter),
      experimentPoller(adapter),
      resendPoller(options),
      seriesPoller(adapter),
    ],
    listens: [
      on(groupDeleted, removeGroup),
      on(segmentDeleted, removeSegment),
      on(subscribersErased, eraseFromTitles(rewriteTitles)),
      ...listensFor(adapter),
    ],
    answers: [
      answer(searched, searchIn('campaign', 'campaign', searchableCampaigns)),
      answer(domainUsedBy, campaignsFromDomain),
      answer(fieldUsedBy, campaignsUsingField),
      answer(contentsNamingAddresses, campaignsWithAddress),
      answer(groupUsedBy, campaignsUsingGroup),
      answer(segmentUsedBy, campaignsUsingSegment),
      answer(segmentInForce, campaignsSentBySegment),
      answer(campaignsNamed, findSegmentCampaigns),
      answer(imageUsedBy, campaignsUsingImage),
      answer(contentsInUse, contentsOfCampaigns),
      answer(calendarEntries, plannedCampaigns(adapter)),
      answer(recurring, recurringBroadcasts(adapter, 'email')),
      answer(approvalKinds, async () => [...broadcastApprovals(adapter), resendApproval(options)]),
    ],
  };
}

export { campaignRow } from './campaigns.ts';
export { campaignsSentBetween } from './campaigns.sql.ts';
export { campaignCreated, campaignNotStarted } from './events.ts';
export { publicCampaigns } from './public-routes.ts';
export { campaignGroupRows } from './recipients.ts';
export { readSentFigures } from './sent-figures.ts';
export { findSegmentCampaigns } from './uses.ts';
export { campaignVariants, chosenVariant } from './variants.ts';
export { withoutTags } from '#platform/tag-fallbacks.ts';
