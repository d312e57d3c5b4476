// Constants of reports that the server and the screens share.

/** Actions of subscribers, and events of their copies: each has a list of subscribers. */
export const ACTIONS = [
  'opens',
  'clicks',
  'unopens',
  'hard_bounces',
  'soft_bounces',
  'unsubscribes',
  'complaints',
  'not_sent',
] as const;
export type Action = (typeof ACTIONS)[number];

/** The eight figures of an overview, in order. */
export const FIGURES = [
  'sent',
  'delivered',
  'opens',
  'clicks',
  'hard_bounces',
  'soft_bounces',
  'unsubscribes',
  'complaints',
] as const;
export type FigureName = (typeof FIGURES)[number];

/** The list behind a figure, if there is one. */
export const ACTION_OF: Partial<Record<FigureName, Action>> = {
  opens: 'opens',
  clicks: 'clicks',
  hard_bounces: 'hard_bounces',
  soft_bounces: 'soft_bounces',
  unsubscribes: 'unsubscribes',
  complaints: 'complaints',
};

/** Number of earlier campaigns in the average. */
export const AVERAGE_OF = 10;

/** Number of mailbox domains shown individually. */
export const MAX_DOMAINS = 20;

/**
 * Events that orders are attributed to, and for how many hours after each; 0 hours would attribute
 * none.
 */
export const WINDOW_HOURS = {
  email_click: 120,
  email_open: 120,
  sms_click: 120,
  sms_delivery: 12,
} as const;
export type Interaction = keyof typeof WINDOW_HOURS;
export const TOUCHES = Object.keys(WINDOW_HOURS) as Interaction[];
/** Thirty days, in hours. */
export const MAX_WINDOW = 720;

/** Validity of a public link to a report in days. */
export const LINK_DAYS = [7, 30, 90] as const;

/** File formats of the whole report. */
export const REPORT_FORMATS = ['csv', 'pdf'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
