// Calls for the content, previews, checks and test emails of campaigns. The content area defines
// them for any kind of email; here they get the paths of campaigns.
import { composingCalls } from '../content/composing-contract.ts';
import { notDraft } from './campaign-contract.ts';

export const CAMPAIGNS_PATH = '/client-api/api/campaigns';
export const LOCK_ERRORS = notDraft;
export const emailCalls = composingCalls(CAMPAIGNS_PATH, 'campaign', LOCK_ERRORS);
