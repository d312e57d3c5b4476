// Constants of reports that server and web share.

/**
 * Actions of subscribers and results of their copies. A report has a list of subscribers for each.
 */
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
export type ReportAction = (typeof ACTIONS)[number];

/** The eight metrics of an overview, in order. */
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

/** The action whose list a metric opens, if it has one. */
export const ACTION_OF: Partial<Record<FigureName, ReportAction>> = {
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
 * Interactions that orders are attributed to, and the default attribution window of each in hours.
 */
export const WINDOW_HOURS = {
  email_click: 120,
  email_open: 120,
  sms_click: 120,
  sms_delivery: 12,
} as const;
export type Interaction = keyof typeof WINDOW_HOURS;
export const TOUCHES = Object.keys(WINDOW_HOURS) as Interaction[];
/** Longest window in hours, which is thirty days. */
export const MAX_WINDOW = 720;

/** Choices of how many days a public link to a report is valid. */
export const LINK_DAYS = [7, 30, 90] as const;

/** File formats of the whole report. */
export const REPORT_FORMATS = ['csv', 'pdf'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
