// Email campaigns: the calls of specification section 7 'Campaigns', and our own beside them
// (content, checks, test mails, pause, resume, cancel, duplicate, second tries).
import { defineCalls } from '#platform/contract.ts';
import { draftCalls } from './drafts-contract.ts';
import { recipientCalls } from './recipients-contract.ts';
import { reviewCalls } from './review-contract.ts';
import { sendingCalls } from './sending-contract.ts';

export type { Campaign, Content, Finding, Recipients } from './campaign-contract.ts';

export const calls = defineCalls({
  ...draftCalls,
  ...recipientCalls,
  ...sendingCalls,
  ...reviewCalls,
});
