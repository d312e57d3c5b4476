// Limits for the dashboard, shared by server and client.

/** Fractions of the monthly allowance that turn its bar amber and red. */
export const USAGE_AMBER = 0.8;
export const USAGE_RED = 0.9;

/**
 * Hard bounces as a share of sent emails: above amber, providers throttle; above red, they refuse.
 */
export const BOUNCES_AMBER = 0.02;
export const BOUNCES_RED = 0.05;
/** Complaints: the rates that Gmail and Yahoo recommend and require. */
export const COMPLAINTS_AMBER = 0.001;
export const COMPLAINTS_RED = 0.003;

export const DAYS_DEFAULT = 30;
export const MAX_DAYS = 731;
/** Maximum number of campaigns in a panel. */
export const PANEL_ROWS = 5;
