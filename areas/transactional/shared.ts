// Limits and enumerations of transactional email, shared by server and web.

export { MAX_NAME_LENGTH, MAX_PREHEADER, MAX_SUBJECT } from '../content/shared.ts';
export const MAX_TITLE_LENGTH = 255;
export const MAX_EMAILS = 1000;
/** Attachment limits of one email: maximum count and total bytes. */
export const MAX_ATTACHMENTS = 10;
export const MAX_ATTACHMENT_BYTES = 10 * 1024 * 1024;
/** Maximum bytes of one call, which contains its attachments as base64. */
export const MAX_SEND_BODY = 14 * 1024 * 1024;
export const MAX_HEADERS = 50;
/** Maximum number of a template's variables. */
export const MAX_VARIABLES = 200;
/** Maximum characters of a sample value. */
export const MAX_SAMPLE = 5_000;
/** Maximum items of a sample that is a list. */
export const MAX_SAMPLE_ITEMS = 50;
/** Matches names of merge tags, with dots between levels: `order.number`. */
export const VARIABLE_NAME = /^[A-Za-z_][\w-]{0,49}(?:\.[A-Za-z_][\w-]{0,49}){0,4}$/;

/** Kinds of activity; a report lists the recipients of each. */
export const ACTIVITIES = [
  'sent',
  'opens',
  'clicks',
  'bounces',
  'unsubscribes',
  'spam',
  'not_sent',
] as const;
export type TransactionalActivity = (typeof ACTIVITIES)[number];

export const PERIODS = ['day', 'week', 'month', 'year'] as const;
export type Period = (typeof PERIODS)[number];

/**
 * Methods of sending for programs, with the same name in every language. Each has a tab in the
 * setup.
 */
export const SEND_METHODS: Record<string, string> = {
  curl: 'curl',
  node: 'Node.js',
  php: 'PHP',
  python: 'Python',
  smtp: 'SMTP',
};

/** Maximum SMTP users per account. */
export const MAX_SMTP_USERS = 20;
/** Maximum recipients of one submitted email; further ones are refused temporarily. */
export const MAX_SMTP_RECIPIENTS = 100;
/** Maximum bytes of one submitted email. */
export const MAX_SMTP_EMAIL_BYTES = 14 * 1024 * 1024;

/** Maximum titles that group an account's transactional SMS statistics. */
export const MAX_SMS_TITLES = 1000;

/**
 * States of a transactional SMS. It is `sent` until the provider reports more, and `unknown` if a
 * failure leaves it unclear whether it was sent; such an SMS is never sent again automatically.
 */
export const SMS_STATES = [
  'queued',
  'sent',
  'delivered',
  'undelivered',
  'failed',
  'skipped',
  'unknown',
] as const;
export type TextState = (typeof SMS_STATES)[number];
