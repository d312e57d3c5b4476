// Limits, kinds and built-in merge tags of content, shared by server and web.

/** Gmail clips HTML parts longer than this. */
export const CLIP_BYTES = 102 * 1024;
/** Longer HTML and plain text is refused. */
export const MAX_CONTENT_BYTES = 1024 * 1024;
/**
 * Limits of imported custom HTML: bytes, images, missing references in the response, length of the
 * URL.
 */
export const MAX_HTML_IMPORT_BYTES = 20 * 1024 * 1024;
export const MAX_HTML_IMPORT_IMAGES = 60;
export const MAX_LISTED_MISSING_REFERENCES = 20;
export const MAX_HTML_IMPORT_URL = 2000;
/** Editors of a content: block editor, custom HTML, plain text. */
export const CONTENT_KINDS = ['editor', 'html', 'text'] as const;
export type ContentKind = (typeof CONTENT_KINDS)[number];
/** Screens where a finding can be fixed; the last two apply only to bulk emails. */
export const FINDING_STEPS = [
  'settings',
  'content',
  'account',
  'recipients',
  'warm_up',
  'plan',
] as const;
export const MAX_EMAIL = 254;
/** Maximum addresses of one test email. */
export const MAX_TESTS = 10;
/** Maximum length of the note above a test email. */
export const MAX_TEST_NOTE = 1000;
/** Maximum saved test recipients of an account and channel; the least recently used are dropped. */
export const MAX_TEST_RECIPIENTS = 50;
export const MAX_SUBJECT = 255;
export const MAX_PREHEADER = 255;
/** Maximum length of the sender's name. */
export const MAX_NAME_LENGTH = 100;
/** Maximum length of a merge tag between its braces, and maximum filters in one. */
export const MAX_TAG = 500;
export const MAX_FILTERS = 10;
/** Maximum merge tags of one part of a message; each is rendered per recipient. */
export const MAX_TAGS = 2000;

/**
 * Merge tags filled by the message; others refer to columns and fields of the subscriber, variables
 * of the email, and store data.
 */
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

/** Subscriber columns available as merge tags. */
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

/** Template purposes, in the order in which the gallery shows them. */
export const TEMPLATE_PURPOSES = [
  'transactional',
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

/** Maximum saved sections per account, and maximum length of their titles. */
export const MAX_SECTIONS = 500;
export const MAX_SECTION_TITLE = 255;
/** Maximum saved templates per account. */
export const MAX_SAVED_TEMPLATES = 200;
export const MAX_TEMPLATE_TITLE = 255;
export const MAX_BRAND_COLORS = 12;

/**
 * Formats of uploaded images; WebP is stored in one of the others. SVG is refused: it can contain
 * scripts, and mail clients do not show it.
 */
export const IMAGE_FORMATS = ['png', 'jpg', 'gif', 'webp'] as const;
export type ImageFormat = (typeof IMAGE_FORMATS)[number];
export const IMAGES_PER_PAGE = 24;
/** Maximum bytes of the uploaded file and of the stored one. */
export const MAX_IMAGE_BYTES = 20 * 1024 * 1024;
/**
 * Maximum pixels before resizing, summed across all frames; files that declare more are not
 * decoded.
 */
export const MAX_IMAGE_PIXELS = 100_000_000;
export const MAX_IMAGE_PIXELS_SIDE = 20_000;
/** Maximum width and height of stored images. */
export const STORED_IMAGE_SIDE = 2400;
/** URL of a library image; the groups are the id of its account and its key. */
export const LIBRARY_IMAGE =
  /^(?:https?:\/\/[^/]{1,300})?\/i\/([A-Za-z0-9]{1,60})\/([a-z0-9]{32})\.(?:png|jpg|gif|webp)$/;
/** Maximum length of a suggested alternative text. */
export const MAX_ALT = 255;
/** The files of a removed image are deleted after this many days if nothing refers to it. */
export const IMAGE_RETENTION_DAYS = 30;
/** Maximum images per account. */
export const MAX_IMAGES = 20_000;

/**
 * Attachments of an email: maximum count, maximum total bytes, and the total that triggers a
 * warning.
 */
export const MAX_ATTACHED = 10;
export const MAX_ATTACHED_BYTES = 5 * 1024 * 1024;
export const ATTACHED_HEAVY_BYTES = 1024 * 1024;
/** Maximum length of the name, which percent-encoded still fits one header line. */
export const MAX_ATTACHED_NAME = 100;
/** The file of a removed attachment or deleted email is deleted after this many days. */
export const ATTACHMENT_RETENTION_DAYS = 30;

/** Maximum events of one email: each adds a calendar file to every copy. */
export const MAX_EVENTS = 5;

/**
 * Maximum coupon pools per account, codes per pool, characters per code, codes generated in one
 * call.
 */
export const MAX_POOLS = 200;
export const MAX_CODES = 1_000_000;
export const MAX_CODE = 100;
export const MAX_GENERATED = 100_000;
