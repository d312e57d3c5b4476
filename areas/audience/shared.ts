// Definitions that the server and the screens of subscribers share: limits of calls, files, views,
// notes and emails, the kinds of events in a subscriber's history, and the engagement chart's days.

/** The kinds of events that a subscriber's history returns by default. */
export const DEFAULT_HISTORY_ACTIONS = [
  'clicked',
  'opened',
  'got',
  'sent',
  'unsubscribed',
  'bounced',
  'spam',
] as const;
/** All kinds, including SMS replies and custom events. */
export const HISTORY_ACTIONS = [...DEFAULT_HISTORY_ACTIONS, 'replied', 'event'] as const;
export type HistoryAction = (typeof HISTORY_ACTIONS)[number];

/** Maximum number of ids in one call. */
export const MAX_IDS = 10_000;
/**
 * Maximum number of subscribers that a bulk action changes within its call; the rest are changed in
 * the background.
 */
export const MAX_BULK_NOW = 100_000;
export const HISTORY_PAGE = 25;
/** Built-in fields, accepted instead of the id of a custom field. */
export const OWN_FIELDS = ['email', 'phone', 'firstname', 'lastname'] as const;
export type OwnField = (typeof OWN_FIELDS)[number];
/** Maximum number of subscribers in one call of the public API. */
export const MAX_PUBLIC_PEOPLE = 10_000;
/** Maximum number of addresses that one call may suppress. */
export const MAX_SUPPRESSIONS = 10_000;
/** Maximum size of a file with addresses to suppress. */
export const SUPPRESSION_FILE_MB = 20;
/**
 * Maximum number of addresses in one call of the public API, lower because each removal takes
 * several statements.
 */
export const MAX_PUBLIC_SUPPRESSIONS = 1_000;

/** Days of the engagement chart: 53 columns of seven days, the fewest that cover a year. */
export const ENGAGEMENT_DAYS = 371;
/** Maximum lengths of the subject and text of an email to one subscriber. */
export const MAX_SUBJECT = 255;
export const MAX_TEXT_LENGTH = 20_000;
/** Maximum number of saved views of an account. */
export const MAX_VIEWS = 100;
export const MAX_VIEW_TITLE = 100;
/** Maximum number of notes about one subscriber. */
export const MAX_NOTES = 200;
export const MAX_NOTE_LENGTH = 2000;
