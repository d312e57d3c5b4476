// What both halves of the reports know.

/** What people did, or what happened to their copy: each a list of people. */
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

/** The eight figures of an overview, in their order. */
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

/** The list behind a figure, where there is one. */
export const ACTION_OF: Partial<Record<FigureName, Action>> = {
  opens: 'opens',
  clicks: 'clicks',
  hard_bounces: 'hard_bounces',
  soft_bounces: 'soft_bounces',
  unsubscribes: 'unsubscribes',
  complaints: 'complaints',
};

/** The last campaigns before this one, whose average stands beside its figures. */
export const AVERAGE_OF = 10;

/** Mailbox domains shown one by one. */
export const DOMAINS_MOST = 20;

/** What leads people to buy, and for how many hours after it an order is its doing; 0 would be never. */
export const WINDOW_HOURS = {
  email_click: 120,
  email_open: 120,
  sms_click: 120,
  sms_delivery: 12,
} as const;
export type Touch = keyof typeof WINDOW_HOURS;
export const TOUCHES = Object.keys(WINDOW_HOURS) as Touch[];
/** Thirty days. */
export const WINDOW_MOST = 720;

/** For how many days a public link to a report may work. */
export const LINK_DAYS = [7, 30, 90] as const;

/** The whole report as a file. */
export const REPORT_FORMATS = ['csv', 'pdf'] as const;
export type ReportFormat = (typeof REPORT_FORMATS)[number];
