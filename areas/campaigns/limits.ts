// Numbers and words of campaigns that server and screens share.
import { MAX_PREHEADER, MAX_SUBJECT } from '../content/limits.ts';

export { CONTENT_KINDS, type ContentKind, EMAIL_MOST, TESTS_MOST } from '../content/limits.ts';

export const PER_PAGE = 5;
export const TITLE_MOST = 255;
export const SUBJECT_MOST = MAX_SUBJECT;
export const PREHEADER_MOST = MAX_PREHEADER;
export const NAME_MOST = 100;
export const UTM_MOST = 100;
/** Groups in, or groups out. */
export const GROUPS_MOST = 500;
/** Segments in, or segments out: each is read for every person. */
export const SEGMENTS_MOST = 20;
/** Later than this, a start asks its owner. */
export const LATE_MS = 60 * 60 * 1000;

export const STATUSES = ['DRAFT', 'SCHEDULED', 'SENT'] as const;
export type CampaignStatus = (typeof STATUSES)[number];

/** The step to continue with: settings, design, recipients, review. */
export const STEPS = ['step1', 'editor', 'step3', 'step4'] as const;
export type Step = (typeof STEPS)[number];

/** A resend leaves so many hours after the first mail. */
export const RESEND_HOURS_LEAST = 12;
export const RESEND_HOURS_MOST = 168;
export const RESEND_STATES = ['waiting', 'started', 'cancelled', 'failed'] as const;
