// Limits and enumerations of billing, shared by server and web.

export const CURRENCIES = ['usd', 'eur'] as const;
export type Currency = (typeof CURRENCIES)[number];

/** Months of a period: one month or one year. */
export const DURATIONS = [1, 12] as const;
export type Duration = (typeof DURATIONS)[number];

export const DEFAULT_DURATION: Duration = 12;
export const DEFAULT_CURRENCY: Currency = 'usd';

/** Used fractions of a limit at which its bar turns amber and red. */
export const AMBER_FROM = 0.8;
export const RED_FROM = 0.9;

/** Offered amounts of SMS credit in whole units of the currency, and limits of a custom amount. */
export const CREDIT_PRESETS = [15, 50, 100, 200, 500] as const;
export const MIN_CREDIT = 5;
export const MAX_CREDIT = 10_000;

export const MAX_COUPON = 64;
export const MAX_VAT = 20;

export const ORDER_STATES = ['draft', 'paying', 'paid', 'failed', 'expired', 'refunded'] as const;

/** Features of plans besides limits; the operator's file lists each plan's features. */
export const FEATURES = [
  'no_branding',
  'sms',
  'webhooks',
  'group_performance',
  'seats_3',
  'seats_10',
  'sms_credit',
  'unlimited_emails',
] as const;
export type Feature = (typeof FEATURES)[number];

/** Hours after which an unpaid order expires. */
export const ORDER_HOURS = 24;
/**
 * Days after a period's end on which the stored card is charged, until a charge succeeds or must
 * not be repeated.
 */
export const RENEWAL_DAYS = [0, 1, 3, 5, 7] as const;
/** Days after a period's end when an unpaid plan ends; the account then has the free plan. */
export const GRACE_DAYS = 14;
