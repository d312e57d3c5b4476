// Limits of the calendar that the server and the screens share.

/** Days of one answer: two months and the weeks around them. */
export const MAX_DAYS = 75;
