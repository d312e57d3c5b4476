// Limits of forms, shared by browser and server.
export const PER_PAGE = 5;
export const MAX_TITLE_LENGTH = 255;
export const DELAY_SECONDS = 5;
export const SCROLL_PERCENT = 50;
export const FREQUENCY_DAYS = 30;
export const FREQUENCY_MINUTES = 43_200;
export const MAX_FORMS = 1_000;
export const MAX_CODES = 100_000;
/**
 * The highest number that identifies a slice's code stock. Codes remain assigned to the number of
 * their stock when slices are added or removed.
 */
export const MAX_STOCK = 9_999;

/** @param index the index of the slice */
export const toCodePool = (slice: { stock?: number | undefined }, index: number): number =>
  slice.stock ?? index;

export const VISIBILITY = ['all', 'only', 'except'] as const;
export const SCHEDULES = ['always', 'between'] as const;
export const FREQUENCY_UNITS = ['minutes', 'hours', 'days'] as const;

/** Minutes per unit of a frequency. */
export const MINUTES_OF = { minutes: 1, hours: 60, days: 1_440 } as const;

/** Base path of the confirmation email's editor endpoints. */
export const CONFIRMATION_EMAILS_PATH = '/client-api/api/confirmation-emails';
/** The variable of the confirmation link. */
export const CONFIRM_LINK = 'confirm_link';

/** Milliseconds from the last change in the builder to its save. */
export const AUTOSAVE_MS = 8_000;
