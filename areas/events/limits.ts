// Numbers of custom events that both halves know.
export const NAME_MOST = 64;
export const DESCRIPTION_MOST = 500;
/** Kinds of events of one account. */
export const EVENTS_MOST = 500;
/** Bytes of one text among the properties; of all properties together, as JSON. */
export const PROPERTY_BYTES_MOST = 2048;
export const PROPERTIES_BYTES_MOST = 8192;
export const PROPERTIES_MOST = 100;
/** Days that a chart shows at most. */
export const CHART_DAYS_MOST = 366;
