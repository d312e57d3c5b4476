// Endpoints for the dashboard: statistics of the audience, sending, groups, revenue and usage,
// stopped campaigns, and the branded test email.
import { z } from 'zod';
import { dataResponse, Day, defineCalls, Id } from '#platform/contract.ts';

/** First and last day in the account's time zone; defaults to the last thirty days. */
const Range = z.strictObject({ from: Day.optional(), to: Day.optional() });

/**
 * The numbers of subscribers who became reachable (by email, SMS or both), and who are no longer
 * reachable.
 */
const Changes = {
  /** Subscribers who became reachable: new and returning ones. */
  added: z.number(),
  /** Unsubscribed, bounced and complained. */
  lost: z.number(),
  /** Deleted, or set to not subscribed by the account. */
  removed: z.number(),
};

export const Growth = z.object({
  from: Day,
  to: Day,
  /** Reachable at the end of the range, counted as in `dashboard_reachable`. */
  total: z.number(),
  ...Changes,
  unsubscribed: z.number(),
  bounced: z.number(),
  complained: z.number(),
  days: z.array(z.object({ day: Day, total: z.number(), ...Changes })),
});
export type Growth = z.infer<typeof Growth>;

export const SendingStats = z.object({
  from: Day,
  to: Day,
  sent: z.number(),
  hard_bounces: z.number(),
  soft_bounces: z.number(),
  complaints: z.number(),
  unsubscribes: z.number(),
});
export type SendingStats = z.infer<typeof SendingStats>;

/**
 * Email campaigns sent in the range; opens and clicks count delivered emails opened or clicked by
 * people, never by machines.
 */
export const Engagement = z.object({
  from: Day,
  to: Day,
  campaigns: z.number(),
  delivered: z.number(),
  human_opens: z.number(),
  human_clicks: z.number(),
});
export type Engagement = z.infer<typeof Engagement>;

/** Up to five groups, ranked by delivered emails in the range, then by latest change. */
export const GroupRows = z.object({
  from: Day,
  to: Day,
  /** Whether the counts of some campaigns are still being computed. */
  is_counting: z.boolean(),
  groups: z.array(
    z.object({
      id: Id,
      title: z.string(),
      /** Members reachable by email. */
      members: z.number(),
      /** Current members who joined in the range. */
      joined: z.number(),
      delivered: z.number(),
      human_opens: z.number(),
      human_clicks: z.number(),
    }),
  ),
});
export type GroupRows = z.infer<typeof GroupRows>;

export const Usage = z.object({
  /** The plan's current month in the account's time zone, as on the billing page. */
  from: Day,
  to: Day,
  sent: z.number(),
  /** Null if there is no limit or the installation has no billing. */
  limit: z.number().nullable(),
});
export type Usage = z.infer<typeof Usage>;

const Amount = z.number();

/**
 * Revenue of connected stores in the range, by currency: attributed to emails, attributed to SMS,
 * and in total (`all`).
 */
export const EarnedTotals = z.object({
  from: Day,
  to: Day,
  has_store: z.boolean(),
  currencies: z.array(
    z.object({
      /** Empty if the store did not report it. */
      currency: z.string(),
      email: Amount,
      sms: Amount,
      all: Amount,
      /** Orders attributed to emails and SMS. */
      orders: z.number(),
    }),
  ),
});
export type EarnedTotals = z.infer<typeof EarnedTotals>;

export const StoppedCampaign = z.object({
  id: Id,
  title: z.string(),
  reason: z.enum([
    'sender_refused',
    'bounces_high',
    'complaints_high',
    'mails_refused',
    'content_unsendable',
    'audience_failed',
    'sender_not_verified',
    'plan_limit',
  ]),
});

export const calls = defineCalls({
  dashboardSubscribers: {
    method: 'GET',
    path: '/client-api/api/accounts/dashboard_subscribers',
    caller: 'account',
    summary: 'Get subscriber growth by day',
    description: 'Returns reachable, new, lost and removed subscribers.',
    query: Range,
    response: dataResponse(Growth),
  },
  dashboardSending: {
    method: 'GET',
    path: '/client-api/api/accounts/dashboard_sending',
    caller: 'account',
    summary: 'Get sending totals',
    description: 'Returns the numbers of emails sent, bounces, complaints and unsubscribes.',
    query: Range,
    response: dataResponse(SendingStats),
  },
  dashboardEngagement: {
    method: 'GET',
    path: '/client-api/api/accounts/dashboard_engagement',
    caller: 'account',
    summary: 'Get opens and clicks of sent campaigns',
    description: 'Returns the sums over the reports of all email campaigns sent in the range.',
    query: Range,
    response: dataResponse(Engagement),
  },
  dashboardGroups: {
    method: 'GET',
    path: '/client-api/api/accounts/dashboard_groups',
    caller: 'account',
    summary: 'List groups with growth and open rate',
    description:
      'Returns up to five groups, ranked by emails delivered in the range, then by latest change. Opens and clicks are summed over the Groups tabs of up to 50 campaign reports.',
    query: Range,
    response: dataResponse(GroupRows),
  },
  dashboardEarned: {
    method: 'GET',
    path: '/client-api/api/accounts/dashboard_earned',
    caller: 'account',
    summary: 'Get revenue attributed to messages',
    description:
      'Returns the revenue of connected stores by currency: attributed to emails, attributed to SMS, and in total.',
    query: Range,
    response: dataResponse(EarnedTotals),
  },
  dashboardUsage: {
    method: 'GET',
    path: '/client-api/api/accounts/dashboard_usage',
    caller: 'account',
    summary: 'Get emails sent this month',
    description: "Includes the plan's limit, if there is one.",
    response: dataResponse(Usage),
  },
  dashboardStopped: {
    method: 'GET',
    path: '/client-api/api/accounts/dashboard_stopped',
    caller: 'account',
    summary: 'List stopped campaigns awaiting a decision',
    description: 'Returns the newest three, the newest first.',
    response: dataResponse(z.array(StoppedCampaign)),
  },
  sendFirstEmail: {
    method: 'POST',
    path: '/client-api/api/accounts/first_email',
    caller: 'account',
    summary: 'Send a branded test email',
    description:
      'Sends the email to the current user in the colors and with the logo of the given website. The brand settings that the account has not chosen are set to these values.',
    isPersonal: true,
    body: z.strictObject({
      website: z
        .url({ protocol: /^https?$/ })
        .max(255)
        .optional(),
    }),
    response: dataResponse(
      z.object({
        email: z.string(),
        subject: z.string(),
        /** Null if there is no website or its server does not respond. */
        website: z
          .object({ name: z.string(), has_logo: z.boolean(), has_colour: z.boolean() })
          .nullable(),
      }),
    ),
    errors: { email_not_verified: 409 },
    transaction: 'own',
  },
});
