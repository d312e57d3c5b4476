// Keys of mailboxes. Each mailbox gets one draw of a prize, although its address can be spelled in
// many ways: with tags, with dots, and with other domains of the same provider.
import { parseEmail } from '#areas/subscribers/server/index.ts';

type MailboxRule = {
  /** The canonical domain of all domains of the provider. */
  domain?: string;
  /** Characters before the @ that the provider ignores. */
  ignoredCharacters?: RegExp;
  /** A separator of tags besides the plus sign. */
  tagSeparator?: string;
};

const GMAIL: MailboxRule = { domain: 'gmail.com', ignoredCharacters: /\./g };
const PROTON: MailboxRule = { domain: 'proton.me', ignoredCharacters: /[._-]/g };
const YANDEX: MailboxRule = { domain: 'yandex.ru', ignoredCharacters: /[.-]/g };
const ICLOUD: MailboxRule = { domain: 'icloud.com' };
/**
 * A Yahoo name contains no hyphen: the part after a hyphen names a disposable address of the same
 * mailbox.
 */
const YAHOO: MailboxRule = { tagSeparator: '-' };

const RULES: Record<string, MailboxRule> = {
  'gmail.com': GMAIL,
  'googlemail.com': GMAIL,
  'proton.me': PROTON,
  'protonmail.com': PROTON,
  'protonmail.ch': PROTON,
  'pm.me': PROTON,
  'ya.ru': YANDEX,
  'icloud.com': ICLOUD,
  'me.com': ICLOUD,
  'mac.com': ICLOUD,
  'ymail.com': YAHOO,
  'rocketmail.com': YAHOO,
  'myyahoo.com': YAHOO,
};

function findRule(domain: string): MailboxRule {
  const rule = RULES[domain];
  if (rule) return rule;
  if (/^yandex\.(com|com\.tr|ru|by|kz|ua|uz)$/.test(domain)) return YANDEX;
  if (/^yahoo\.(com|co|com\.[a-z]{2}|co\.[a-z]{2}|[a-z]{2})$/.test(domain)) return YAHOO;
  return {};
}

/** Fastmail delivers `anything@name.fastmail.com` to `name@fastmail.com`. */
const FASTMAIL = /^([^.]+)\.(fastmail\.(?:com|fm|net|org|to))$/;

/**
 * Returns the same key for all spellings of one mailbox. Text after a plus sign is treated as a tag
 * for every provider, because nearly all of them deliver it to the untagged name. If it is not a
 * tag, the only effect is that two different subscribers share one draw.
 * @param address an email address or a phone number as typed
 */
export function toMailboxKey(address: string): string {
  const parsed = parseEmail(address);
  if (typeof parsed === 'string') return address.trim().toLowerCase();
  const separatorIndex = parsed.key.lastIndexOf('@');
  const [local, domain] = [
    parsed.key.slice(0, separatorIndex),
    parsed.key.slice(separatorIndex + 1),
  ];
  const [, owner, host] = FASTMAIL.exec(domain) ?? [];
  if (owner && host) return `${owner}@${host}`;
  const { domain: own = domain, ignoredCharacters, tagSeparator } = findRule(domain);
  const untagged = cutTag(tagSeparator ? cutTag(local, tagSeparator) : local, '+');
  const name = ignoredCharacters ? untagged.replace(ignoredCharacters, '') : untagged;
  return `${name || local}@${own}`;
}

/** Returns the name before its tag; a name that begins with the separator has no tag. */
function cutTag(local: string, separator: string): string {
  const separatorIndex = local.indexOf(separator);
  return separatorIndex > 0 ? local.slice(0, separatorIndex) : local;
}
