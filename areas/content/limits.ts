// What content may be, and the merge tags that always exist: shared by server and screens.

/** Gmail hides what follows in a longer HTML part. */
export const CLIP_BYTES = 102 * 1024;
/** HTML and plain text longer than this are refused. */
export const MAX_CONTENT_BYTES = 1024 * 1024;
/** Of custom HTML that is brought in from a file or an address: its bytes, its pictures, names in an answer. */
export const BROUGHT_MOST_BYTES = 20 * 1024 * 1024;
export const BROUGHT_MOST_PICTURES = 60;
export const BROUGHT_NAMED_MOST = 20;
export const BROUGHT_ADDRESS_MOST = 2000;
/** What made a content: the builder, somebody's own HTML, plain text. */
export const CONTENT_KINDS = ['editor', 'html', 'text'] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];
/** Where what is wrong with an email is resolved; the last two only where it goes to many. */
export const FINDING_STEPS = ['settings', 'content', 'account', 'recipients', 'warm_up'] as const;
export const EMAIL_MOST = 254;
/** Addresses of one test email. */
export const TESTS_MOST = 10;
export const MAX_SUBJECT = 255;
export const MAX_PREHEADER = 255;
/** Of the sender's name. */
export const MAX_NAME = 100;
/** Longest merge tag between its braces, and most filters in one. */
export const MAX_TAG = 500;
export const MAX_FILTERS = 10;
/** Of one part of a message: each is filled in for each person. */
export const MAX_TAGS = 2000;

/** Merge tags that the message fills in itself; all others name a column or field of the person. */
export const SYSTEM_TAGS = [
  'unsubscribe_link',
  'unsubscribe_text',
  'browser_preview',
  'preferences_url',
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

/** What a template is for, in the order in which the gallery shows them. */
export const TEMPLATE_PURPOSES = [
  'newsletter',
  'announcement',
  'promotion',
  'welcome',
  'event',
  'store',
  'feedback',
  'season',
  'letter',
] as const;
export type TemplatePurpose = (typeof TEMPLATE_PURPOSES)[number];

/** Sections that an account may keep, and how long their titles may be. */
export const SECTIONS_MOST = 500;
export const SECTION_TITLE_MOST = 255;
/** Templates of its own that an account may keep. */
export const SAVED_TEMPLATES_MOST = 200;
export const TEMPLATE_TITLE_MOST = 255;
export const BRAND_COLOURS = 12;

/** What images are kept as. SVG is refused: it is a program, and mail programs do not show it. */
export const IMAGE_FORMATS = ['png', 'jpg', 'gif', 'webp'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];
export const IMAGES_PER_PAGE = 24;
/** Of the file that comes in, and of one that is kept. */
export const IMAGE_MOST_BYTES = 20 * 1024 * 1024;
/** Before it is made smaller: whatever claims more is not unpacked. All frames count. */
export const IMAGE_MOST_PIXELS = 100_000_000;
export const IMAGE_MOST_PIXELS_SIDE = 20_000;
/** Kept images are at most as wide and high as this. */
export const IMAGE_KEPT_SIDE = 2400;
/** Days after which the files of an image out of the library go, if nothing names it any more. */
export const IMAGE_KEPT_DAYS = 30;
/** Of one account. */
export const IMAGES_MOST = 20_000;

/** Files that every copy of an email carries: how many, their bytes together, and from when on that is worth a warning. */
export const ATTACHED_MOST = 10;
export const ATTACHED_MOST_BYTES = 5 * 1024 * 1024;
export const ATTACHED_HEAVY_BYTES = 1024 * 1024;
/** Percent-encoded, the longest name still fits a line of a header. */
export const ATTACHED_NAME_MOST = 100;
/** Days after which the file of one that was removed, or whose email was deleted, goes. */
export const ATTACHED_KEPT_DAYS = 30;

/** Events of one email: each copy carries a calendar file of each. */
export const EVENTS_MOST = 5;

/** Coupon pools of an account, codes of a pool, letters of a code, codes that are made at once. */
export const POOLS_MOST = 200;
export const CODES_MOST = 1_000_000;
export const CODE_MOST = 100;
export const GENERATED_MOST = 100_000;
