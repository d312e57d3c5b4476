// States, reasons and limits of delivery that the server and the screens share.

/** States of a recipient; each recipient has exactly one. */
export const RECIPIENT_STATES = [
  'pending',
  'handing_over',
  'accepted',
  'deferred',
  'failed',
  'skipped',
  'unknown',
] as const;
export type RecipientState = (typeof RECIPIENT_STATES)[number];

export const MESSAGE_STATES = [
  'preparing',
  'sending',
  'paused',
  'waiting',
  'cancelled',
  'finished',
] as const;
export type MessageState = (typeof MESSAGE_STATES)[number];

/**
 * Reasons why a selected subscriber gets no copy. The audience excludes and counts these
 * subscribers. If a status, a pause or a suppression changes later, the recipient is skipped at the
 * handoff.
 */
export const EXCLUSIONS = [
  'excluded',
  'excluded_segment',
  'received_before',
  'no_address',
  'unsubscribed',
  'bounced',
  'reported',
  'non_subscribed',
  'paused',
  'suppressed',
  /** In the holdout group of an experiment; would have got a copy otherwise. */
  'held_out',
] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** Reasons why a recipient is skipped at the handoff. */
export const SKIPS = [
  ...EXCLUSIONS,
  'deleted',
  'erased',
  'cancelled',
  /** SMS only: the sender's number or name may not be used, or not in the recipient's country. */
  'phone_not_active',
  'no_credit',
] as const;

/**
 * Reasons why a copy waits in the ledger until an instant. The wait does not count as a failed
 * attempt.
 */
export const DELAY_REASONS = ['quiet_hours', 'no_credit'] as const;
export type DelayReason = (typeof DELAY_REASONS)[number];

/** Reasons why a message is paused or waiting. */
export const STATE_REASONS = [
  /** Paused by its owner. */
  'owner',
  /** Paused: the relay refuses the sender; `state_details` contains its reply. */
  'sender_refused',
  /** Waiting: the relay is unreachable or requests a delay; resumes automatically. */
  'relay_unreachable',
  /** Waiting: an hourly or daily limit of the relays is used up. */
  'relay_limit',
  /** Waiting: the sending domain is warming up, and the cap of the day is used up. */
  'warm_up',
  /** Paused by the circuit breaker, like the next two; `state_details` contains the counts. */
  'bounces_high',
  'complaints_high',
  /**
   * Too many copies were refused because of the message or its sender; `state_details` also
   * contains a relay's reply.
   */
  'mails_refused',
  /** Paused: the frozen content can no longer be compiled. */
  'content_unsendable',
  /** Paused: the job that writes the recipients was abandoned; a resume adds it again. */
  'audience_failed',
  /** Paused: the sender is no longer verified, for example because its domain was removed. */
  'sender_not_verified',
  /**
   * Paused: the monthly emails of the plan are used up; resumes automatically with a larger plan or
   * a new month.
   */
  'plan_limit',
  /** Paused: the operator suspended the account; resumes automatically once the suspension ends. */
  'account_suspended',
] as const;
export type StateReason = (typeof STATE_REASONS)[number];

/**
 * Number of subscribers in the first slice of an audience, which is small so that sending starts
 * soon.
 */
export const FIRST_SLICE_RECIPIENTS = 10_000;
export const SLICE_RECIPIENTS = 100_000;

/**
 * Thresholds of the circuit breaker: the maximum fraction, and the number of copies from which it
 * applies. Gmail and Yahoo ask bulk senders to keep complaints below 0.1 % and never reach 0.3 %;
 * relay providers close accounts with 5 to 10 % bounces.
 */
export const BREAKER = {
  bounceShare: 0.05,
  bouncesAfter: 200,
  complaintShare: 0.003,
  complaintsAfter: 1_000,
  refusedShare: 0.5,
  refusedAfter: 200,
} as const;

/**
 * Thresholds at which providers act, by the reason why a campaign was stopped. Amazon SES reviews
 * accounts at 5 % bounces or 0.1 % complaints and may stop them at 10 and 0.5 %
 * (docs.aws.amazon.com/ses: reputation metrics messages); Gmail and Yahoo as above.
 */
export const PROVIDER_LIMITS = {
  bounces_high: [
    { name: 'review', share: BREAKER.bounceShare },
    { name: 'stop', share: 0.1 },
  ],
  complaints_high: [
    { name: 'wanted', share: 0.001 },
    { name: 'spam', share: BREAKER.complaintShare },
    { name: 'stop', share: 0.005 },
  ],
} as const;

/** Fraction of the month's emails that triggers a warning by email. */
export const LIMIT_NEAR = 0.9;
