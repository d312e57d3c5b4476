// Limits of custom events that the server and the screens share.
export const NAME_MOST = 64;
export const DESCRIPTION_MOST = 500;
/** Event types of one account. */
export const EVENTS_MOST = 500;
/** Bytes of one text property; of all properties together, as JSON. */
export const PROPERTY_BYTES_MOST = 2048;
export const PROPERTIES_BYTES_MOST = 8192;
export const PROPERTIES_MOST = 100;
/** Maximum number of days in a chart. */
export const CHART_DAYS_MOST = 366;
