// Enums, limits and rules of SMS for browser and server.
import { STATUSES as BROADCAST_STATUSES } from '../broadcasts/shared.ts';

export const STATUSES = BROADCAST_STATUSES;
export type SmsStatus = (typeof STATUSES)[number];

/** Step where the user continues a draft: settings, recipients or review. */
export const STEPS = ['step1', 'step3', 'step4'] as const;
export type SmsStep = (typeof STEPS)[number];

export const PER_PAGE = 10;
export const MAX_TITLE_LENGTH = 255;
/**
 * Ten GSM-7 parts have 1,530 characters. A text may have more: values can be shorter than merge
 * tags.
 */
export const MAX_TEXT_LENGTH = 2_000;
export const MAX_PREFIX = 40;
export const MAX_ADD_ON = 120;
export const MAX_USE_CASE = 200;
export const MAX_TESTS = 5;

export const PHONE_KINDS = ['toll_free', 'long_code', 'short_code', 'alphanumeric'] as const;
export type PhoneKind = (typeof PHONE_KINDS)[number];
export const PHONE_STATUSES = ['draft', 'pending', 'active', 'rejected', 'released'] as const;
export type PhoneStatus = (typeof PHONE_STATUSES)[number];
export const VERIFICATION_STATUSES = [
  'draft',
  'submitted',
  'in_review',
  'approved',
  'rejected',
] as const;
export type VerificationStatus = (typeof VERIFICATION_STATUSES)[number];

/** Countries whose carriers drop SMS from alphanumeric sender IDs. */
export const NO_NAMES = ['US', 'CA'] as const;

/** The only countries that SMS from toll-free numbers reach. */
export const TOLL_FREE_COUNTRIES = ['US', 'CA', 'PR', 'VI', 'GU'] as const;

/** Returns whether carriers deliver SMS from this kind of sender to a country. */
export function canReach(kind: PhoneKind | undefined, country: string | undefined): boolean {
  const isListed = (list: readonly string[]) => country !== undefined && list.includes(country);
  if (kind === 'alphanumeric') return !isListed(NO_NAMES);
  if (kind === 'toll_free') return country === undefined || isListed(TOLL_FREE_COUNTRIES);
  return true;
}

/** Keyword that the opt-out text must contain; replies are checked for it. */
export const STOP_KEYWORD = 'STOP';
export const LINK_TAG = '{{unsubscribe_link}}';

export const OPT_IN_KINDS = ['web_form', 'paper', 'verbal', 'keyword', 'checkout'] as const;
export const VOLUMES = ['10', '100', '1000', '10000', '100000', '250000', '500000'] as const;
export const REGISTRATION_TYPES = ['EIN', 'CBN', 'VAT', 'OTHER'] as const;

/** The current version of the terms; accounts that accepted an older one must accept again. */
export const TERMS_VERSION = '2026-11-01';

export const FLAGS = ['TRUE', 'FALSE'] as const;
export type SmsFlag = (typeof FLAGS)[number];
