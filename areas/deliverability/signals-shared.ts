// Bounds of connected services, shared by server and web.
export const MAX_KEY = 10_000;
export const MAX_EMAIL = 320;
export const MAX_HOST = 255;
export const MAX_SEEDS = 20;
export const IMAP_PORT = 993;

/** IMAP servers of widespread mailbox providers, by the domain of the address. */
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
