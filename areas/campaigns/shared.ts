// Limits and terms of campaigns, shared by the server and the screens.

export { MAX_NAME_LENGTH, MAX_PREHEADER, MAX_SUBJECT } from '../content/shared.ts';
export { type BroadcastStatus as CampaignStatus, STATUSES } from '../broadcasts/shared.ts';
export { CONTENT_KINDS, type ContentKind, MAX_EMAIL } from '../content/shared.ts';

export const PER_PAGE = 5;
export const MAX_TITLE_LENGTH = 255;

/**
 * The steps of editing (settings, design, recipients, review); a campaign stores the current one.
 */
export const STEPS = ['step1', 'editor', 'step3', 'step4'] as const;
export type CampaignStep = (typeof STEPS)[number];

/** Minimum and maximum delay of a resend, in hours after the campaign's last email. */
export const MIN_RESEND_HOURS = 12;
export const MAX_RESEND_HOURS = 168;
export const RESEND_STATES = ['waiting', 'started', 'cancelled', 'failed'] as const;
