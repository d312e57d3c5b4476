// Limits and terms of campaigns that the server and the screens share.
import { MAX_NAME, MAX_PREHEADER, MAX_SUBJECT } from '../content/shared.ts';

export { type BroadcastStatus as CampaignStatus, STATUSES } from '../broadcasts/shared.ts';
export { CONTENT_KINDS, type ContentKind, EMAIL_MOST } from '../content/shared.ts';

export const PER_PAGE = 5;
export const TITLE_MOST = 255;
export const SUBJECT_MOST = MAX_SUBJECT;
export const PREHEADER_MOST = MAX_PREHEADER;
export const NAME_MOST = MAX_NAME;
export const UTM_MOST = 100;

/** The step to continue with: settings, design, recipients, review. */
export const STEPS = ['step1', 'editor', 'step3', 'step4'] as const;
export type Step = (typeof STEPS)[number];

/** Minimum and maximum delay of a resend, in hours after the first email. */
export const RESEND_HOURS_LEAST = 12;
export const RESEND_HOURS_MOST = 168;
export const RESEND_STATES = ['waiting', 'started', 'cancelled', 'failed'] as const;
