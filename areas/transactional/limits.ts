// Numbers and words of transactional email that server and screens share.
import { MAX_NAME, MAX_PREHEADER, MAX_SUBJECT } from '../content/limits.ts';

export const TITLE_MOST = 255;
export const SUBJECT_MOST = MAX_SUBJECT;
export const PREHEADER_MOST = MAX_PREHEADER;
export const NAME_MOST = MAX_NAME;
export const EMAILS_MOST = 1000;
/** Attachments of one email, and their bytes together. */
export const ATTACHMENTS_MOST = 10;
export const ATTACHMENT_BYTES_MOST = 10 * 1024 * 1024;
/** Of one call: attachments travel as base64. */
export const SEND_BODY_MOST = 14 * 1024 * 1024;
export const HEADERS_MOST = 50;

/** What became of an email: each a list of its report. */
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

/** How a program sends: the tabs of the setup, by names that no language changes. */
export const WAYS: Record<string, string> = {
  curl: 'curl',
  node: 'Node.js',
  php: 'PHP',
  python: 'Python',
  smtp: 'SMTP',
};

/** Of one account, for SMTP. */
export const SMTP_USERS_MOST = 20;
/** Recipients of one mail that is handed in; more are asked to come again. */
export const SMTP_RECIPIENTS_MOST = 100;
/** Bytes of one mail that is handed in. */
export const SMTP_MAIL_MOST = 14 * 1024 * 1024;

/** Titles that an account's transactional texts are counted under. */
export const TEXT_TITLES_MOST = 1000;

/**
 * What became of a transactional text: `sent` until its provider tells more, `unknown` where nobody knows whether it
 * left, which is never sent again by itself.
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
