// Topics and limits of outgoing webhooks.
export const MAX_ENDPOINTS = 50;
export const MAX_URL = 2000;

export const TOPICS = [
  'subscribers/new',
  'subscribers/updated',
  'subscribers/unsubscribed',
  'groups/new',
  'groups/new-subscriber',
  'groups/unsubscribed',
  'campaigns/new',
  'campaigns/sent',
  'experiments/decided',
  'deliverability/changed',
  'bounces/new',
  'emails/delivered',
  'emails/opened',
  'emails/clicked',
  'emails/bounced',
  'emails/complained',
  'sms/delivered',
  'sms/replied',
  'forms/submitted',
  'workflows/finished',
  'events/new',
  'approvals/new',
  'approvals/decided',
  'comments/new',
  'audit/new',
] as const;
export type Topic = (typeof TOPICS)[number];
/** Topics whose endpoint is bound to one group. */
export const GROUP_TOPICS: readonly Topic[] = ['groups/new-subscriber', 'groups/unsubscribed'];

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Delays before the first retry of a failed delivery, before the second, and so on. */
export const RETRY_MS = [
  5_000,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  8 * HOUR_MS,
  8 * HOUR_MS,
] as const;
/** An endpoint that fails for this long is disabled. */
export const DISABLE_AFTER_MS = 5 * 24 * HOUR_MS;
export const RESPONSE_TIMEOUT_MS = 15_000;
/** How long a completed delivery and its attempts are stored. */
export const RETENTION_MS = 30 * 24 * HOUR_MS;
/** Concurrent deliveries to one endpoint. */
export const MAX_CONCURRENT_DELIVERIES = 5;
/** Maximum number of characters that are stored of a body and of a response. */
export const MAX_STORED_BODY = 2048;
export const MAX_STORED_RESPONSE = 2048;
export const SECRET_OVERLAP_MS = 24 * HOUR_MS;
