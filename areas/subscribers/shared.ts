// Shared definitions of subscribers: channels, statuses, reasons, and mailbox providers for
// queueing emails.

/** Email, transactional email, SMS, transactional SMS. */
export const CHANNELS = ['email', 'temail', 'sms', 'tsms'] as const;
export type Channel = (typeof CHANNELS)[number];

export const STATUSES = [
  'active',
  'bounced',
  'unsubscribed',
  'reported',
  'non-subscribed',
] as const;
export type SubscriptionStatus = (typeof STATUSES)[number];

/** Returns which of a subscriber's two addresses a channel uses. */
export function getAddressField(channel: Channel): 'email' | 'phone' {
  return channel === 'email' || channel === 'temail' ? 'email' : 'phone';
}

/**
 * The actor or cause of a status change. A change by the subscriber is undone only by the
 * subscriber: see `isPersonal`.
 */
export const CHANGE_REASONS = [
  // the subscriber
  'link',
  'one_click',
  'preferences',
  'mailto',
  'stop',
  'form',
  'complaint',
  // delivery feedback, imports and stores
  'hard_bounce',
  'import',
  'import_undone',
  'store',
  // the account's users and programs
  'owner',
  'api',
  'workflow',
  'reactivated',
  'suppression_removed',
  'address_changed',
  'erased',
] as const;
export type ChangeReason = (typeof CHANGE_REASONS)[number];

const THE_ACCOUNTS: ReadonlySet<string> = new Set(['owner', 'api', 'workflow', 'address_changed']);

/**
 * Returns whether a change for this reason is treated as the subscriber's own, which only the
 * subscriber may undo. This includes imported opt-outs, because their cause is unknown.
 */
export function isPersonal(reason: ChangeReason): boolean {
  return !THE_ACCOUNTS.has(reason);
}

/**
 * Reasons of suppressions, from weakest to strongest: a stronger reason replaces a weaker one,
 * never the reverse.
 */
export const SUPPRESSION_REASONS = [
  'bounced',
  'manual',
  'unsubscribed',
  'reported',
  'erased',
] as const;
export type SuppressionReason = (typeof SUPPRESSION_REASONS)[number];

/**
 * Returns whether the account may remove a suppression with this reason. Only the subscriber can
 * end an unsubscribe; a complaint or erasure never ends.
 */
export function mayBeLifted(reason: SuppressionReason): boolean {
  return reason === 'bounced' || reason === 'manual';
}

/** Returns the status of a subscriber whose address is suppressed. */
export function toSubscriptionStatus(reason: SuppressionReason): SubscriptionStatus {
  if (reason === 'bounced' || reason === 'reported') return reason;
  return 'unsubscribed';
}

export const CONSENT_KINDS = ['attested', 'given', 'confirmed', 'withdrawn'] as const;
export type ConsentKind = (typeof CONSENT_KINDS)[number];

export const MAX_NAME_LENGTH = 255;
/** Maximum words of a search. */
export const MAX_SEARCH_WORDS = 5;

/**
 * The numbers of mailbox providers. A subscriber's number determines the lane of emails to the
 * subscriber. The numbers are stored, so they must never change.
 */
const PROVIDERS = {
  other: 0,
  gmail: 1,
  microsoft: 2,
  yahoo: 3,
  apple: 4,
  mailru: 5,
  yandex: 6,
  gmx: 7,
  proton: 8,
  comcast: 9,
  orange: 10,
  inboxlv: 11,
} as const;

/**
 * Hosts that receive email for their customers' domains; recognized only by the domains' mail
 * exchangers.
 */
const HOSTS = {
  workspace: 12,
  microsoft365: 13,
  zoho: 14,
  ionos: 15,
  ovh: 16,
  godaddy: 17,
  onecom: 18,
  hostinger: 19,
  fastmail: 20,
  proofpoint: 21,
  mimecast: 22,
} as const;
export type MailHost = keyof typeof HOSTS;

export const MAILBOXES = { ...PROVIDERS, ...HOSTS } as const;
export type Mailbox = keyof typeof MAILBOXES;

/** Numbers from this value up are hosts. */
export const FIRST_HOST = HOSTS.workspace;

/** Returns the number of a mailbox without a lookup of its domain: `other` instead of a host. */
export const excludeHost = (mailbox: number) => (mailbox >= FIRST_HOST ? MAILBOXES.other : mailbox);

const DOMAINS: Record<Exclude<Mailbox, MailHost | 'other'>, string> = {
  gmail: 'gmail.com googlemail.com google.com',
  microsoft:
    'outlook.com hotmail.com live.com msn.com passport.com windowslive.com hotmail.co.uk hotmail.fr hotmail.de hotmail.it hotmail.es hotmail.se hotmail.no outlook.de outlook.fr outlook.es outlook.it outlook.se outlook.no live.co.uk live.fr live.nl live.se live.no live.dk',
  yahoo:
    'yahoo.com ymail.com rocketmail.com aol.com aim.com verizon.net yahoo.co.uk yahoo.fr yahoo.de yahoo.it yahoo.es yahoo.se yahoo.no yahoo.ca yahoo.com.br yahoo.co.in yahoo.in yahoo.com.au myyahoo.com',
  apple: 'icloud.com me.com mac.com privaterelay.appleid.com',
  mailru: 'mail.ru bk.ru list.ru inbox.ru internet.ru',
  yandex: 'yandex.ru yandex.com ya.ru yandex.by yandex.kz narod.ru',
  gmx: 'gmx.de gmx.net gmx.at gmx.ch gmx.com web.de mail.com 1und1.de',
  proton: 'proton.me protonmail.com protonmail.ch pm.me',
  comcast: 'comcast.net xfinity.com',
  orange: 'orange.fr wanadoo.fr',
  inboxlv: 'inbox.lv inbox.lt inbox.ee',
};

const byDomain = new Map<string, number>(
  Object.entries(DOMAINS).flatMap(([mailbox, domains]) =>
    domains.split(' ').map((domain): [string, number] => [domain, MAILBOXES[mailbox as Mailbox]]),
  ),
);

/**
 * Returns the provider of an address's key (lower case), by its domain only, without a network
 * lookup.
 */
export function getMailbox(emailKey: string): number {
  return byDomain.get(emailKey.slice(emailKey.lastIndexOf('@') + 1)) ?? MAILBOXES.other;
}
