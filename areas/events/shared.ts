// Limits of custom events that the server and the screens share.
export const MAX_NAME_LENGTH = 64;
export const MAX_DESCRIPTION = 500;
/** Maximum number of event types of an account. */
export const MAX_EVENTS = 500;
/** Maximum size of one text property. */
export const MAX_PROPERTY_BYTES = 2048;
/** Maximum size of all properties of an event as JSON. */
export const MAX_PROPERTIES_BYTES = 8192;
export const MAX_PROPERTIES = 100;
/** Maximum number of days in a chart. */
export const MAX_CHART_DAYS = 366;
