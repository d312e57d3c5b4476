// Limits of the calendar that the server and the screens share.

/** Maximum number of days of one response: two months with complete first and last weeks. */
export const MAX_DAYS = 75;
