// Limits and names for connected services (Postmaster Tools, SNDS and the hosts of seed mailboxes),
// used by the server and the screens.
export const MAX_KEY = 10_000;
export const MAX_EMAIL = 320;
export const MAX_HOST = 255;
export const MAX_SEEDS = 20;
export const IMAP_PORT = 993;

/** Services whose mailboxes can be opened with a user's consent instead of a password. */
export const SEED_SERVICES = ['google', 'microsoft'] as const;
export type SeedService = (typeof SEED_SERVICES)[number];
/**
 * The OAuth `state` of a consent for a seed mailbox begins with this prefix. Consents for
 * Postmaster Tools return to the same page, and their `state` has no such prefix.
 */
export const SEED_STATE = 'seed.';

/** The IMAP servers of common mailbox providers, by the domain of the address. */
export const IMAP_HOSTS: Readonly<Record<string, string>> = {
  'gmail.com': 'imap.gmail.com',
  'googlemail.com': 'imap.gmail.com',
  'yahoo.com': 'imap.mail.yahoo.com',
  'aol.com': 'imap.aol.com',
  'icloud.com': 'imap.mail.me.com',
  'me.com': 'imap.mail.me.com',
  'gmx.com': 'imap.gmx.com',
  'gmx.net': 'imap.gmx.net',
  'gmx.de': 'imap.gmx.net',
  'web.de': 'imap.web.de',
  'mail.ru': 'imap.mail.ru',
  'yandex.ru': 'imap.yandex.ru',
  'yandex.com': 'imap.yandex.com',
  'orange.fr': 'imap.orange.fr',
  'inbox.lv': 'mail.inbox.lv',
  'comcast.net': 'imap.comcast.net',
};

/** Gmail's requirements for senders, with Google's names in lower case. */
export const REQUIREMENTS = [
  'spf',
  'dkim',
  'spf_and_dkim',
  'dmarc_policy',
  'dmarc_alignment',
  'message_formatting',
  'dns_records',
  'encryption',
  'user_reported_spam_rate',
  'one_click_unsubscribe',
  'honor_unsubscribe',
] as const;
export type Requirement = (typeof REQUIREMENTS)[number];

/** The reasons why Gmail considers unsubscribing insufficient. */
export const COMPLIANCE_REASONS = [
  'no_unsub_general',
  'no_unsub_spam_reports',
  'no_unsub_promo_spam_reports',
  'not_honoring',
  'not_honoring_too_few_campaigns',
  'not_honoring_too_many_campaigns',
] as const;
export type ComplianceReason = (typeof COMPLIANCE_REASONS)[number];
