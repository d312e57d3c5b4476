// Words and numbers of delivery that server and screens share.

/** A recipient is in exactly one of these. */
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
 * Why somebody gets no copy, in the order in which it is decided. The audience leaves them out and
 * counts them; whoever comes to be one of them later is skipped at the hand-over.
 */
export const EXCLUSIONS = [
  'excluded',
  'excluded_segment',
  'no_address',
  'unsubscribed',
  'bounced',
  'reported',
  'non_subscribed',
  'paused',
  'suppressed',
] as const;
export type Exclusion = (typeof EXCLUSIONS)[number];

/** Why a recipient was skipped at the hand-over. */
export const SKIPS = [
  ...EXCLUSIONS,
  'deleted',
  'erased',
  'cancelled',
  /** Of texts: the number or name that it comes from may not be used, at all or there. */
  'phone_not_active',
  'no_credit',
] as const;
export type Skip = (typeof SKIPS)[number];

/** Why a copy is held in the ledger until an instant, without an attempt. */
export const HOLDS = ['quiet_hours', 'no_credit'] as const;
export type Hold = (typeof HOLDS)[number];

/** Why a message is paused or waits. */
export const STATE_REASONS = [
  /** Paused by its owner. */
  'owner',
  /** Paused: the relay refuses this sender; `state_details` has its words. */
  'sender_refused',
  /** Waits: the relay cannot be reached, or wants us later; goes on by itself. */
  'relay_unreachable',
  /** Waits: as much as its relays may take this hour or day has left. */
  'relay_limit',
  /** Waits: the sending domain is being warmed up, and the day's cap is used. */
  'warm_up',
  /** Paused by the circuit breaker; `state_details` has the figures. */
  'bounces_high',
  'complaints_high',
  /** The same: most are refused for what they are; `state_details` has the relay's words, too. */
  'mails_refused',
  /** Paused: what was frozen can no longer be made into a mail, after a change of the installation. */
  'content_unsendable',
  /** Paused: its sender's domain was removed, or its records are gone. */
  'sender_not_verified',
  /** Paused: the month's emails of the account's plan are used up; goes on by itself with a larger plan or a new month. */
  'plan_limit',
  /** Paused: the operator suspended the account; goes on by itself once that is over. */
  'account_suspended',
] as const;
export type StateReason = (typeof STATE_REASONS)[number];

/** The first slice of an audience is small, so that the first copy leaves at once. */
export const FIRST_SLICE = 10_000;
export const SLICE = 100_000;

/**
 * Where a campaign stops by itself. Gmail and Yahoo tell bulk senders to keep complaints below 0.1 % and
 * never to reach 0.3 %; providers of relays close accounts from 5 to 10 % of bounces on.
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
 * Where providers step in, by what a campaign was stopped for. Amazon SES looks into accounts from 5 % of
 * bounces or 0.1 % of complaints on and may stop them at 10 and 0.5 % (docs.aws.amazon.com/ses: reputation
 * metrics messages); Gmail and Yahoo as above.
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

/** Share of the month's emails from which an account is told by a letter that they run out. */
export const LIMIT_NEAR = 0.9;
