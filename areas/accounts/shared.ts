// Limits of accounts and sessions, shared by browser and server.

export const MIN_PASSWORD = 10;
export const MAX_PASSWORD = 200;
export const MIN_NAME_LENGTH = 2;
export const MAX_NAME_LENGTH = 64;
/** Maximum title length of an account or a token. */
export const MAX_TITLE_LENGTH = 255;
export const MAX_URL = 255;
export const MAX_ADDRESS = 255;
/** Maximum predictions per request. */
export const MAX_PREDICTIONS = 5;
/**
 * Predictions are requested after this many milliseconds without typing, for an input of at least
 * the minimum length.
 */
export const PREDICT_DEBOUNCE_MS = 150;
export const MIN_PREDICT = 3;

/** The lifetime of a session cookie in seconds; it is refreshed afterwards. */
export const TOKEN_TTL_SECONDS = 900;
/** Days until an unused session expires. */
export const SESSION_DAYS = 30;
/** The validities in days that an API token can have, besides an unlimited one. */
export const TOKEN_VALIDITIES = [1, 7, 30, 90, 365] as const;
/** How many hours the former secret of a rotated token still works. */
export const ROTATION_HOURS = 24;
/** The maximum number of IP networks of a token. */
export const MAX_NETWORKS = 20;
/** Date formats; `auto` is the format of the user's language. */
export const DATE_FORMATS = [
  'auto',
  'YYYY-MM-DD',
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
] as const;
/** Days until an invitation expires. */
export const INVITATION_DAYS = 14;
/**
 * The maximum length of a push endpoint, and the maximum number of browsers with notifications per
 * user.
 */
export const MAX_ENDPOINT = 1024;
export const MAX_PUSH_BROWSERS = 20;
export const MAX_PASSKEYS = 20;
export const MAX_PASSKEY_NAME = 64;

/** The built-in substitutes for external services, each with a separate page. */
export const TEST_TOOLS = ['inbox', 'phone', 'cards', 'shop', 'hooks'] as const;
export type TestTool = (typeof TEST_TOOLS)[number];
