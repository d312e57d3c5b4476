// Message kinds: the only place for facts that depend on the kind of a message.

/**
 * The status that is checked at the handoff: the subscriber's marketing or transactional status.
 */
export type Permission = 'marketing' | 'transactional' | 'none';

/**
 * Priorities of single sends; lower numbers are sent first. Those of priority 2 share the senders
 * with campaigns.
 */
export const PRIORITY = { awaited: 0, confirmation: 1, marketing: 2 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

export type KindFacts = {
  channel: 'email' | 'sms';
  /**
   * `none`: the recipient is a user or a typed address; a rejection changes no subscriber's status.
   */
  permission: Permission;
  /**
   * Whether it may use the part of the hourly and daily limits that is reserved for urgent email.
   */
  mayUseReserve: boolean;
  /** Priority of single sends; only those of priority 2 wait for messages with an audience. */
  priority: Priority;
  /**
   * Whether the account is the sender; if so, its copies count in reports, sending times and
   * contacts.
   */
  isCounted: boolean;
  /**
   * Whether workflows send it. Their copies are limited by the account's maximum number of copies
   * without engagement.
   */
  isAutomated: boolean;
  /**
   * Whether the product itself sends it: through the installation's relays, from the installation's
   * address, not tracked, and hidden in all lists.
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
  /** A test email to an address that the author typed. */
  test: { channel: 'email', ...test },
  /** A system email to users: a password reset, a verification. */
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
  /** A confirmation request after a signup form (double opt-in). */
  confirmation: { channel: 'email', ...confirmation },
  sms_campaign: { channel: 'sms', ...marketing },
  sms_test: { channel: 'sms', ...test },
  /** An automatic reply to an SMS keyword: confirms the opt-out, explains how to opt out. */
  sms_reply: { channel: 'sms', ...test },
  /** A user's message in reply to a subscriber's SMS; only an opt-out prevents it. */
  sms_answer: { channel: 'sms', ...awaited, permission: 'none', mayUseReserve: true },
  /** A code to a number that an account registers: the account must not read it. */
  sms_code: { channel: 'sms', ...test, isCounted: false, isOwn: true },
  sms_workflow: { channel: 'sms', ...marketing, isAutomated: true },
  sms_transactional: { channel: 'sms', ...transactional },
  sms_confirmation: { channel: 'sms', ...confirmation },
} as const satisfies Record<string, KindFacts>;

export type MessageKind = keyof typeof MESSAGE_KINDS;
export type Channel = KindFacts['channel'];

/** Channel of the kind's copies. */
export const channelOfKind = (kind: MessageKind) => MESSAGE_KINDS[kind].channel;

export const messageKindFacts = (kind: MessageKind): KindFacts => MESSAGE_KINDS[kind];

/** Returns the kinds that match the predicate, for SQL statements. */
export const kindsWhere = (matches: (facts: KindFacts) => boolean): MessageKind[] =>
  (Object.keys(MESSAGE_KINDS) as MessageKind[]).filter((kind) => matches(MESSAGE_KINDS[kind]));
