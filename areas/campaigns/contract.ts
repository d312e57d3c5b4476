// Calls for email campaigns. Composing is in composing-contract.ts.
import { defineCalls } from '#platform/contract.ts';
import { draftCalls } from './drafts-contract.ts';
import { recipientCalls } from '../broadcasts/recipients-contract.ts';
import { sendingCalls } from '../broadcasts/sending-contract.ts';
import { forecastCalls } from '../deliverability/forecast-contract.ts';
import { campaignLimitCalls } from '../deliverability/pilot-contract.ts';
import { placementCalls } from '../deliverability/placement-contract.ts';
import { Campaign as CampaignSchema } from './campaign-contract.ts';
import { CAMPAIGNS_PATH } from './composing-contract.ts';
import { experimentCalls } from './experiment-contract.ts';
import { resendCalls } from './resend-contract.ts';

export type { ComposingFinding as Finding } from '../content/composing-contract.ts';
export type { Campaign } from './campaign-contract.ts';
export type { ListedCampaign } from './drafts-contract.ts';

/** The calls that campaigns implement themselves. */
export const ownCalls = defineCalls({
  ...draftCalls,
  ...resendCalls,
  ...forecastCalls(CAMPAIGNS_PATH, 'campaign'),
  ...campaignLimitCalls(CAMPAIGNS_PATH, 'campaign'),
  ...placementCalls(CAMPAIGNS_PATH, 'campaign'),
});

export const calls = defineCalls({
  ...ownCalls,
  ...experimentCalls,
  ...recipientCalls(CAMPAIGNS_PATH, 'campaign'),
  ...sendingCalls(CAMPAIGNS_PATH, 'campaign', CampaignSchema),
});
