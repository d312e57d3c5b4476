// The kinds of messages: each fact that hangs on what a message is for stands here, and nowhere else.

/** Whose permission is asked at the hand-over: the marketing status of a person, or the one for what they ordered. */
export type Permission = 'marketing' | 'transactional' | 'none';

/** How urgent single sends are: the lower first. Those of 2 share the senders with campaigns. */
export const PRIORITY = { awaited: 0, confirmation: 1, marketing: 2 } as const;
export type Priority = (typeof PRIORITY)[keyof typeof PRIORITY];

export type KindFacts = {
  channel: 'email' | 'sms';
  /** `none`: users of the account, or whomever somebody typed; a refusal of theirs changes nobody's status. */
  permission: Permission;
  /** Of the limits of an hour or a day it may use what is kept for mails that somebody waits for. */
  mayUseReserve: boolean;
  /** Of its single sends; they never wait for a message with an audience, except those of 2. */
  priority: Priority;
  /** What the account sent: it counts in reports, in sending times and in contacts. */
  isCounted: boolean;
  /** Of workflows, which hand over as much as an account's unanswered copies leave room for. */
  isAutomated: boolean;
  /** The product's own: by the installation's relays, from its own sender, unmeasured, shown to nobody. */
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
  /** A campaign's mail. */
  campaign: { channel: 'email', ...marketing },
  /** A mail on trial, to whomever its author typed. */
  test: { channel: 'email', ...test },
  /** The product itself to its users: a new password, a verification. */
  letter: {
    channel: 'email',
    permission: 'none',
    mayUseReserve: true,
    priority: PRIORITY.awaited,
    isCounted: false,
    isAutomated: false,
    isOwn: true,
  },
  /** A step of a workflow. */
  workflow: { channel: 'email', ...marketing, isAutomated: true },
  /** By the API or SMTP: a receipt, a shipping note. */
  transactional: { channel: 'email', ...transactional },
  /** Asks whoever signed up by a form to confirm. */
  confirmation: { channel: 'email', ...confirmation },
  sms_campaign: { channel: 'sms', ...marketing },
  sms_test: { channel: 'sms', ...test },
  /** Our word back to whoever answered: that they have left, how to leave. */
  sms_reply: { channel: 'sms', ...test },
  sms_workflow: { channel: 'sms', ...marketing, isAutomated: true },
  sms_transactional: { channel: 'sms', ...transactional },
  sms_confirmation: { channel: 'sms', ...confirmation },
} as const satisfies Record<string, KindFacts>;

export type MessageKind = keyof typeof MESSAGE_KINDS;
export type Channel = KindFacts['channel'];

/** The facts of a kind. */
/** What its copies leave by. */
export const channelOf = (kind: MessageKind) => MESSAGE_KINDS[kind].channel;

export const factsOf = (kind: MessageKind): KindFacts => MESSAGE_KINDS[kind];

/** All kinds of which this holds, for statements. */
export const kindsWhere = (holds: (facts: KindFacts) => boolean): MessageKind[] =>
  (Object.keys(MESSAGE_KINDS) as MessageKind[]).filter((kind) => holds(MESSAGE_KINDS[kind]));
