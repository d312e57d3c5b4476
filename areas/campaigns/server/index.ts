// Public interface of campaigns for higher areas and main/.
import { approvalKinds } from '#areas/approvals/server/index.ts';
import {
  broadcastApprovals,
  calendarEntries,
  createDuePoller,
  createExperimentPoller,
  createListeners,
  createSeriesPoller,
  listRecurringBroadcasts,
  recurring,
} from '#areas/broadcasts/server/index.ts';
import { contentsInUse, imageUsedBy, readSendingOptions } from '#areas/content/server/index.ts';
import { domainUsedBy } from '#areas/domains/server/index.ts';
import { fieldUsedBy } from '#areas/fields/server/index.ts';
import { groupDeleted, groupUsedBy } from '#areas/groups/server/index.ts';
import {
  campaignsNamed,
  segmentDeleted,
  segmentInForce,
  segmentUsedBy,
} from '#areas/segments/server/index.ts';
import { type Area, handleQuestion, on } from '#platform/server/area.ts';
import type { Config } from '#platform/server/config.ts';
import {
  addressesErased,
  contentsNamingAddresses,
  eraseFromTexts,
} from '#platform/server/erasure/erasure.ts';
import { searchIn, searchQuestion } from '#platform/server/search/search.ts';
import { campaignAdapter } from './adapter.ts';
import { createPlannedCampaigns } from './calendar-entries.ts';
import {
  listContentsOfCampaigns,
  rewriteTitles,
  selectSearchableCampaigns,
} from './campaigns.sql.ts';
import { publicCampaignRoutes } from './public-routes.ts';
import { resendPoller } from './resend.ts';
import { resendApproval } from './resend-approval.ts';
import { campaignRoutes } from './routes.ts';
import {
  findCampaignsFromDomain,
  findCampaignsSentBySegment,
  findCampaignsUsingField,
  findCampaignsUsingGroup,
  findCampaignsUsingImage,
  findCampaignsUsingSegment,
  findCampaignsWithAddress,
  findSegmentCampaigns,
  removeGroup,
  removeSegment,
} from './uses.ts';

export function area(config: Config): Area {
  const options = readSendingOptions(config);
  const adapter = campaignAdapter(options);
  return {
    name: 'campaigns',
    description:
      'Email campaigns: content, recipients, schedules, experiments, resends and recurring campaigns.',
    routes: [...campaignRoutes(options), ...publicCampaignRoutes(options)],
    pollers: [
      createDuePoller(adapter),
      createExperimentPoller(adapter),
      resendPoller(options),
      createSeriesPoller(adapter),
    ],
    eventHandlers: [
      on(groupDeleted, removeGroup),
      on(segmentDeleted, removeSegment),
      on(addressesErased, eraseFromTexts(rewriteTitles)),
      ...createListeners(adapter),
    ],
    questionHandlers: [
      handleQuestion(searchQuestion, searchIn('campaign', 'campaign', selectSearchableCampaigns)),
      handleQuestion(domainUsedBy, findCampaignsFromDomain),
      handleQuestion(fieldUsedBy, findCampaignsUsingField),
      handleQuestion(contentsNamingAddresses, findCampaignsWithAddress),
      handleQuestion(groupUsedBy, findCampaignsUsingGroup),
      handleQuestion(segmentUsedBy, findCampaignsUsingSegment),
      handleQuestion(segmentInForce, findCampaignsSentBySegment),
      handleQuestion(campaignsNamed, findSegmentCampaigns),
      handleQuestion(imageUsedBy, findCampaignsUsingImage),
      handleQuestion(contentsInUse, listContentsOfCampaigns),
      handleQuestion(calendarEntries, createPlannedCampaigns(adapter)),
      handleQuestion(recurring, listRecurringBroadcasts(adapter, 'email')),
      handleQuestion(approvalKinds, async () => [
        ...broadcastApprovals(adapter),
        resendApproval(options),
      ]),
    ],
  };
}

export { replaceTags } from '#platform/tag-fallbacks.ts';
export { listCampaignsSentBetween } from './campaigns.sql.ts';
export { getCampaignRow } from './campaigns.ts';
export { campaignCreated, resendNotStarted } from './events.ts';
export { readPublicCampaigns } from './public-routes.ts';
export { listCampaignGroupRows } from './recipients.ts';
export { readSentFigures } from './sent-figures.ts';
export { findSegmentCampaigns } from './uses.ts';
export { findChosenVariant, listCampaignVariants } from './variants.ts';
