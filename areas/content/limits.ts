// What content may be, and the merge tags that always exist: shared by server and screens.

/** Gmail hides what follows in a longer HTML part. */
export const CLIP_BYTES = 102 * 1024;
/** HTML and plain text longer than this are refused. */
export const MAX_CONTENT_BYTES = 1024 * 1024;
export const MAX_SUBJECT = 255;
export const MAX_PREHEADER = 255;
/** Longest merge tag between its braces, and most filters in one. */
export const MAX_TAG = 500;
export const MAX_FILTERS = 10;

/** Merge tags that the message fills in itself; all others name a column or field of the person. */
export const SYSTEM_TAGS = [
  'unsubscribe_link',
  'unsubscribe_text',
  'browser_preview',
  'subject',
  'preheader',
  'postal_address',
  'company',
] as const;
export type SystemTag = (typeof SYSTEM_TAGS)[number];

/** Columns of a subscriber that merge tags may name. */
export const PERSON_TAGS = ['email', 'firstname', 'lastname', 'phone'] as const;

export const FILTER_NAMES = [
  'default',
  'fallback',
  'upcase',
  'downcase',
  'capitalize',
  'strip',
  'truncate',
  'append',
  'prepend',
  'round',
  'date',
] as const;
export type FilterName = (typeof FILTER_NAMES)[number];
