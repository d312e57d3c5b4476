// Content, previews, checks and test emails of campaigns: the calls of content under the paths of
// campaigns.
import { composingCalls } from '../content/composing-contract.ts';
import { notDraft } from './campaign-contract.ts';

export const CAMPAIGN_CALLS = '/client-api/api/campaigns';
export const LOCK_ERRORS = notDraft;
export const emailCalls = composingCalls(CAMPAIGN_CALLS, 'campaign', LOCK_ERRORS);
