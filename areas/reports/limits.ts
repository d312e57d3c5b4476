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

/** Campaigns before this one that its account's average is made of. */
export const AVERAGE_OF = 20;

/** Mailbox domains shown one by one. */
export const DOMAINS_MOST = 20;
