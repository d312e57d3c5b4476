// Email campaigns: the calls of specification section 7 'Campaigns', and our own beside them
// (pause, resume, cancel, duplicate, second tries). Composing stands in composing-contract.ts.
import { defineCalls } from '#platform/contract.ts';
import { draftCalls } from './drafts-contract.ts';
import { recipientCalls } from './recipients-contract.ts';
import { sendingCalls } from './sending-contract.ts';

export type { ComposingFinding as Finding } from '../content/composing-contract.ts';
export type { Campaign, Recipients } from './campaign-contract.ts';

export const calls = defineCalls({
  ...draftCalls,
  ...recipientCalls,
  ...sendingCalls,
});
