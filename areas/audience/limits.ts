// What both halves know about the list of people, its bulk actions and one person's history.

/** The kinds of events in a person's history that a call returns by default (specification section 3). */
export const DEFAULT_HISTORY_ACTIONS = [
  'clicked',
  'opened',
  'got',
  'sent',
  'unsubscribed',
  'bounced',
  'spam',
] as const;
/** With SMS replies and custom events. */
export const HISTORY_ACTIONS = [...DEFAULT_HISTORY_ACTIONS, 'replied', 'event'] as const;
export type HistoryAction = (typeof HISTORY_ACTIONS)[number];

/** Ids that one call may name. */
export const IDS_MOST = 10_000;
/** People a bulk act changes within its call; what is beyond goes on in the background. */
export const BULK_NOW_MOST = 100_000;
export const HISTORY_PAGE = 25;
/** Default merge tags that may stand in place of a field's id. */
export const OWN_FIELDS = ['email', 'phone', 'firstname', 'lastname'] as const;
export type OwnField = (typeof OWN_FIELDS)[number];
/** People whom one call of the public API may name. */
export const PUBLIC_PEOPLE_MOST = 10_000;
/** Addresses that one call may put on the list of suppressions. */
export const SUPPRESSIONS_MOST = 10_000;
/** Of a file of such addresses. */
export const SUPPRESSION_FILE_MB = 20;
/** The same of the public API, where one that is removed is a transaction of several steps. */
export const PUBLIC_SUPPRESSIONS_MOST = 1_000;

/** A year in squares, and so many more that the first week is whole. */
export const ENGAGEMENT_DAYS = 371;
