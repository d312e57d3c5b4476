// Limits of accounts and sessions that both halves know.

export const PASSWORD_LEAST = 10;
export const PASSWORD_MOST = 200;
export const NAME_LEAST = 2;
export const NAME_MOST = 64;
/** Of an account or a token. */
export const TITLE_MOST = 255;
export const URL_MOST = 255;
export const ADDRESS_MOST = 255;
/** Predictions of an address at once. */
export const PREDICTIONS_MOST = 5;
/** Milliseconds of rest before an address is asked about, and characters at least. */
export const PREDICT_DEBOUNCE_MS = 150;
export const PREDICT_LEAST = 3;

/** Seconds a session cookie lasts before it is refreshed. */
export const TOKEN_TTL_SECONDS = 900;
/** Days a session lasts without use. */
export const SESSION_DAYS = 30;
/** Days an API token may last; null is forever. */
export const TOKEN_VALIDITIES = [1, 7, 30] as const;
/** How dates are written; auto: as the reader's language writes them. */
export const DATE_FORMATS = [
  'auto',
  'YYYY-MM-DD',
  'DD.MM.YYYY',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
] as const;
/** Days an invitation can be accepted. */
export const INVITATION_DAYS = 14;
/** Of the address at which a browser takes notices, and how many browsers of a user are told. */
export const ENDPOINT_MOST = 1024;
export const PUSH_BROWSERS_MOST = 20;
export const PASSKEYS_MOST = 20;
export const PASSKEY_NAME_MOST = 64;
