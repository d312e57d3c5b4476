// Limits and enumerations of transactional email, shared by server and web.
import { MAX_NAME, MAX_PREHEADER, MAX_SUBJECT } from '../content/shared.ts';

export const TITLE_MOST = 255;
export const SUBJECT_MOST = MAX_SUBJECT;
export const PREHEADER_MOST = MAX_PREHEADER;
export const NAME_MOST = MAX_NAME;
export const EMAILS_MOST = 1000;
/** Maximum attachments of one email, and maximum total bytes. */
export const ATTACHMENTS_MOST = 10;
export const ATTACHMENT_BYTES_MOST = 10 * 1024 * 1024;
/** Maximum bytes of one call: attachments are base64. */
export const SEND_BODY_MOST = 14 * 1024 * 1024;
export const HEADERS_MOST = 50;

/** Results of an email; each has a list in its report. */
export const ACTIVITIES = [
  'sent',
  'opens',
  'clicks',
  'bounces',
  'unsubscribes',
  'spam',
  'not_sent',
] as const;
export type Activity = (typeof ACTIVITIES)[number];

export const PERIODS = ['day', 'week', 'month', 'year'] as const;
export type Period = (typeof PERIODS)[number];

/** Ways for programs to send: the tabs of the setup, with names equal in every language. */
export const WAYS: Record<string, string> = {
  curl: 'curl',
  node: 'Node.js',
  php: 'PHP',
  python: 'Python',
  smtp: 'SMTP',
};

/** Maximum SMTP users per account. */
export const SMTP_USERS_MOST = 20;
/** Maximum recipients of one submitted email; further ones get a temporary refusal. */
export const SMTP_RECIPIENTS_MOST = 100;
/** Maximum bytes of one submitted email. */
export const SMTP_MAIL_MOST = 14 * 1024 * 1024;

/** Maximum titles for the statistics of an account's transactional SMS. */
export const TEXT_TITLES_MOST = 1000;

/**
 * States of a transactional SMS: `sent` until the provider reports more; `unknown` if a failure
 * leaves it unclear whether it was sent, and then it is never retried automatically.
 */
export const TEXT_STATES = [
  'queued',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'skipped',
  'unknown',
] as const;
export type TextState = (typeof TEXT_STATES)[number];
