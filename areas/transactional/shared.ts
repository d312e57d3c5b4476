// Limits and enumerations of transactional email, shared by server and web.

export { MAX_NAME, MAX_PREHEADER, MAX_SUBJECT } from '../content/shared.ts';
export const MAX_TITLE = 255;
export const MAX_EMAILS = 1000;
/** Maximum attachments of one email, and maximum total bytes. */
export const MAX_ATTACHMENTS = 10;
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;
/** Maximum bytes of one call: attachments are base64. */
export const MAX_SEND_BODY = 14 * 1024 * 1024;
export const MAX_HEADERS = 50;
/** Maximum variables of a template, and characters of a sample value. */
export const MAX_VARIABLES = 200;
export const MAX_SAMPLE = 5_000;
/** Maximum items of a list's sample. */
export const MAX_SAMPLE_ITEMS = 50;
/** Names as in merge tags, with dots between the levels: `order.number`. */
export const VARIABLE_NAME = /^[A-Za-z_][\w-]{0,49}(?:\.[A-Za-z_][\w-]{0,49}){0,4}$/;

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
export const SEND_METHODS: Record<string, string> = {
  curl: 'curl',
  node: 'Node.js',
  php: 'PHP',
  python: 'Python',
  smtp: 'SMTP',
};

/** Maximum SMTP users per account. */
export const MAX_SMTP_USERS = 20;
/** Maximum recipients of one submitted email; further ones get a temporary refusal. */
export const MAX_SMTP_RECIPIENTS = 100;
/** Maximum bytes of one submitted email. */
export const MAX_SMTP_MAIL = 14 * 1024 * 1024;

/** Maximum titles for the statistics of an account's transactional SMS. */
export const MAX_TEXT_TITLES = 1000;

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
