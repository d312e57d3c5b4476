// Defines the message kinds and their common properties.

/**
 * Which of the subscriber's statuses is checked at the handoff: marketing, transactional or none.
 */
export type Permission = 'marketing' | 'transactional' | 'none';

/**
 * Priorities of single sends. Lower numbers are sent first; `marketing` single sends alternate with
 * campaigns.
 */
export const PRIORITY = { awaited: 0, confirmation: 1, marketing: 2 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

export type KindRules = {
  channel: 'email' | 'sms';
  /**
   * With `none`, no status is checked, and a hard bounce of an address without a subscriber adds no
   * suppression.
   */
  permission: Permission;
  /**
   * Whether copies may use the part of hourly and daily sending limits that is reserved for urgent
   * messages.
   */
  mayUseReserve: boolean;
  /** Priority of single sends of this kind. */
  priority: Priority;
  /**
   * Whether copies count as sent by the account. If false, they are left out of the number of sent
   * emails, delivery health, the attribution of orders, and the contact guard. Each of these four
   * leaves out further kinds for its own reasons.
   */
  isCounted: boolean;
  /**
   * Whether workflows send messages of this kind. An account has a maximum number of unfinished
   * copies of these kinds, counted across all of its workflows.
   */
  isAutomated: boolean;
  /**
   * Whether the product itself sends messages of this kind. They use the installation's relays, are
   * not tracked, and are in no list except the history of a subscriber who received one.
   */
  isOwn: boolean;
};

const awaited = {
  priority: PRIORITY.awaited,
  isCounted: true,
  isAutomated: false,
  isOwn: false,
} as const;
const marketing = {
  permission: 'marketing',
  mayUseReserve: false,
  priority: PRIORITY.marketing,
  isCounted: true,
  isAutomated: false,
  isOwn: false,
} as const;
const transactional = { ...awaited, permission: 'transactional', mayUseReserve: true } as const;
const test = { ...awaited, permission: 'none', mayUseReserve: false } as const;
const confirmation = {
  ...transactional,
  priority: PRIORITY.confirmation,
} as const;

export const MESSAGE_KINDS = {
  /** An email campaign. */
  campaign: { channel: 'email', ...marketing },
  /** A test email to an address that the author typed, or a copy to a seed mailbox. */
  test: { channel: 'email', ...test },
  /**
   * A system email to a user, such as a password reset. Also a store's consent request to a visitor
   * if the domain of the account owner's email address is not verified.
   */
  letter: {
    channel: 'email',
    permission: 'none',
    mayUseReserve: true,
    priority: PRIORITY.awaited,
    isCounted: false,
    isAutomated: false,
    isOwn: true,
  },
  /** An email step of a workflow. */
  workflow: { channel: 'email', ...marketing, isAutomated: true },
  /** A transactional email through the API or SMTP: a receipt, a shipping note. */
  transactional: { channel: 'email', ...transactional },
  /**
   * An email after a sign-up: the confirmation request of double opt-in, the prize of a wheel, or
   * the form's coupon. Also a store's consent request to a visitor if the domain of the account
   * owner's email address is verified.
   */
  confirmation: { channel: 'email', ...confirmation },
  sms_campaign: { channel: 'sms', ...marketing },
  sms_test: { channel: 'sms', ...test },
  /** An automatic response to STOP, START or HELP. */
  sms_reply: { channel: 'sms', ...test },
  /** A user's answer to a subscriber's SMS; only a suppression prevents it. */
  sms_answer: { channel: 'sms', ...awaited, permission: 'none', mayUseReserve: true },
  /**
   * A code sent to a number that an account adds as a sender. Entering it proves that the account
   * controls the number, so the product must not show the code anywhere else.
   */
  sms_code: { channel: 'sms', ...test, isCounted: false, isOwn: true },
  sms_workflow: { channel: 'sms', ...marketing, isAutomated: true },
  sms_transactional: { channel: 'sms', ...transactional },
  sms_confirmation: { channel: 'sms', ...confirmation },
} as const satisfies Record<string, KindRules>;

export type MessageKind = keyof typeof MESSAGE_KINDS;
export type MessageChannel = KindRules['channel'];

/** Returns the channel of the kind's copies. */
export const channelOfKind = (kind: MessageKind) => MESSAGE_KINDS[kind].channel;

export const getMessageKindRules = (kind: MessageKind): KindRules => MESSAGE_KINDS[kind];

/** Returns the kinds that match the predicate, for SQL statements. */
export const filterKinds = (matches: (rules: KindRules) => boolean): MessageKind[] =>
  (Object.keys(MESSAGE_KINDS) as MessageKind[]).filter((kind) => matches(MESSAGE_KINDS[kind]));
