// Limits and names for deliverability, used by the server and the screens.
import type { Mailbox } from '#areas/subscribers/shared.ts';

export const MAX_SOURCE = 600;
export const MAX_TITLE_LENGTH = 100;
/** The maximum size of an uploaded file in megabytes. */
export const MAX_UPLOAD_MEGABYTES = 10;
/** Received files are listed for this many days. */
export const FILES_DAYS = 60;
export const FILE_STATES = ['waiting', 'parsed', 'duplicate', 'unreadable', 'foreign'] as const;
export const PERIODS = [7, 30, 90] as const;

/** Names of mailbox providers, the same in all languages. */
export const MAILBOX_TITLES: Readonly<Record<Exclude<Mailbox, 'other'>, string>> = {
  gmail: 'Gmail',
  microsoft: 'Outlook',
  yahoo: 'Yahoo',
  apple: 'iCloud',
  mailru: 'Mail.ru',
  yandex: 'Yandex',
  gmx: 'GMX',
  proton: 'Proton',
  comcast: 'Comcast',
  orange: 'Orange',
  inboxlv: 'Inbox.lv',
  workspace: 'Google Workspace',
  microsoft365: 'Microsoft 365',
  zoho: 'Zoho',
  ionos: 'IONOS',
  ovh: 'OVHcloud',
  godaddy: 'GoDaddy',
  onecom: 'one.com',
  hostinger: 'Hostinger',
  fastmail: 'Fastmail',
  proofpoint: 'Proofpoint',
  mimecast: 'Mimecast',
};
