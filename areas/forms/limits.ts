// Figures of forms that both halves know (specification, section 9).
export const PER_PAGE = 5;
export const TITLE_MOST = 255;
export const DELAY_SECONDS = 5;
export const SCROLL_PERCENT = 50;
export const FREQUENCY_DAYS = 30;
export const FREQUENCY_MINUTES = 43_200;
export const FORMS_MOST = 1_000;
export const CODES_MOST = 100_000;
/** Highest number of a slice's stock of codes: slices come and go, their codes stay theirs. */
export const STOCK_MOST = 9_999;

/** @param at where the slice stands */
export const stockOf = (slice: { stock?: number | undefined }, at: number): number =>
  slice.stock ?? at;

export const VISIBILITY = ['all', 'only', 'except'] as const;
export const SCHEDULES = ['always', 'between'] as const;
export const FREQUENCY_UNITS = ['minutes', 'hours', 'days'] as const;

/** Minutes of a frequency as its author writes it. */
export const MINUTES_OF = { minutes: 1, hours: 60, days: 1_440 } as const;

/** Where the editors of confirmation mails have their calls. */
export const MAIL_CALLS = '/client-api/api/confirmation-emails';
/** The variable of the link that confirms. */
export const CONFIRM_LINK = 'confirm_link';

/** Between the last change in the builder and its save. */
export const AUTOSAVE_MS = 8_000;
