// Calls for the report of an email campaign (overview, clicks, recipients, groups, links), and for
// attribution.
import { z } from 'zod';
import {
  dataResponse,
  defineCalls,
  Id,
  idOf,
  Instant,
  listResponse,
  listQuery,
} from '#platform/contract.ts';
import { isConfirmed, modelErrors, ModelRequest } from '#areas/models/contract.ts';
import { Earned } from '#areas/stores/earned-contract.ts';
import { ACTIONS, LINK_DAYS, REPORT_FORMATS, MAX_WINDOW } from './shared.ts';

/** A count and its ratio (0 to 1) to the base that `Overview` names. */
export const Figure = z.object({ count: z.number(), share: z.number() });

/**
 * Opens or clicks: `count` is the number of subscribers with an event, and `total` the number of
 * events. Fields with `human` count only events by people.
 */
export const EngagementFigure = Figure.extend({
  human_count: z.number(),
  human_share: z.number(),
  total: z.number(),
  human_total: z.number(),
});

/**
 * `sent` counts copies that were handed to the mail server; its base is all recipients. `delivered`
 * counts copies that were accepted and did not bounce. The base of delivered copies and bounces is
 * the sent copies. Opens, clicks, unsubscribes and complaints count each subscriber once; their
 * base is the delivered copies. A click also counts as an open.
 */
export const Overview = z.object({
  campaign: z.object({
    id: Id,
    title: z.string(),
    subject: z.string(),
    from_name: z.string(),
    from_email: z.string(),
    sent_at: Instant.nullable(),
    finished_at: Instant.nullable(),
  }),
  /** The account's time zone, for days and hours. */
  zone: z.string(),
  /** The topic of live notifications about this report. */
  topic: z.string(),
  recipients: z.number(),
  /** Copies that still wait for the mail server. */
  remaining: z.number(),
  /** Copies that were skipped on purpose. */
  skipped: z.number(),
  /** Copies that the mail server may or may not have accepted. */
  unknown: z.number(),
  figures: z.object({
    sent: Figure,
    delivered: Figure,
    opens: EngagementFigure,
    clicks: EngagementFigure,
    hard_bounces: Figure,
    soft_bounces: Figure,
    unsubscribes: Figure,
    complaints: Figure,
  }),
  /** Revenue of the campaign by currency; null without a connected store. */
  earned: z.array(Earned).nullable(),
  /** The average rates of the account's latest earlier campaigns; null if there are none. */
  average: z
    .object({
      campaigns: z.number(),
      delivered: z.number(),
      opens: z.number(),
      human_opens: z.number(),
      clicks: z.number(),
      human_clicks: z.number(),
      hard_bounces: z.number(),
      soft_bounces: z.number(),
      unsubscribes: z.number(),
      complaints: z.number(),
    })
    .nullable(),
});
export type Overview = z.infer<typeof Overview>;

const DailyEngagement = z.object({
  opens: z.number(),
  human_opens: z.number(),
  clicks: z.number(),
  human_clicks: z.number(),
});

/** Events in the account's time zone, by day since the sending, and by hour of the day from 0 to 23. */
export const Times = z.object({
  zone: z.string(),
  days: z.array(DailyEngagement.extend({ day: z.iso.date() })),
  hours: z.array(DailyEngagement.extend({ hour: z.number() })),
});
export type Times = z.infer<typeof Times>;

export const Link = z.object({
  id: Id,
  position: z.number(),
  url: z.string(),
  label: z.string(),
  /** `clicks` count events, and `unique_clicks` subscribers who clicked. */
  clicks: z.number(),
  human_clicks: z.number(),
  unique_clicks: z.number(),
  unique_human_clicks: z.number(),
});
export type Link = z.infer<typeof Link>;

/**
 * The email as sent, with fallbacks instead of merge tags; null for an email of plain text. The URL
 * of each tracked link is `#link-<position>`; `links` contains the positions of each URL.
 */
export const Heatmap = z.object({
  html: z.string().nullable(),
  links: z.array(Link.extend({ positions: z.array(z.number()) })),
});
export type Heatmap = z.infer<typeof Heatmap>;

/** One entry in a list of a report. `subscriber` is null after the subscriber was deleted. */
export const RecipientAction = z.object({
  subscriber: z
    .object({
      id: Id,
      email: z.string().nullable(),
      firstname: z.string().nullable(),
      lastname: z.string().nullable(),
    })
    .nullable(),
  /** Time of the first event, or of the result of the copy. */
  at: Instant,
  /** Number of events, for opens and clicks. */
  count: z.number().nullable(),
  /** False if all events are by machines. */
  is_human: z.boolean().nullable(),
  /**
   * For bounces and copies that were not sent: the enhanced status code, the reply of the mail
   * server, and the reason that the product gives.
   */
  code: z.string().nullable(),
  reply: z.string().nullable(),
  reason: z.string().nullable(),
});
export type RecipientAction = z.infer<typeof RecipientAction>;

/** Figures of the current members of a group. A subscriber in two groups counts in both. */
export const GroupFiguresRow = z.object({
  group: z.object({ id: Id, title: z.string() }),
  sent: z.number(),
  delivered: z.number(),
  opens: z.number(),
  human_opens: z.number(),
  clicks: z.number(),
  human_clicks: z.number(),
  bounces: z.number(),
  unsubscribes: z.number(),
  complaints: z.number(),
});
export type GroupFiguresRow = z.infer<typeof GroupFiguresRow>;

/** Opens and clicks of a device or country; `value` is '' if it is unknown. */
export const SpreadRow = DailyEngagement.extend({ value: z.string() });
export type SpreadRow = z.infer<typeof SpreadRow>;

/** Figures of subscribers by the domain of their address; null combines all but the largest domains. */
export const DomainFiguresRow = GroupFiguresRow.omit({ group: true }).extend({
  domain: z.string().nullable(),
});
export type DomainFiguresRow = z.infer<typeof DomainFiguresRow>;

/** True while the sums of a large message are computed for the first time and there are no rows. */
const Counting = { is_counting: z.boolean() };

/** A public link to a report's statistics, which contain no personal data. */
export const ReportLink = z.object({ url: z.string(), expires: Instant });
export type ReportLink = z.infer<typeof ReportLink>;

const Hours = z.number().int().min(0).max(MAX_WINDOW);

/** Within how many hours after an event an order is attributed to it; 0 means never. */
export const AttributionWindows = z.strictObject({
  email_click: Hours,
  email_open: Hours,
  sms_click: Hours,
  sms_delivery: Hours,
});
export type AttributionWindows = z.infer<typeof AttributionWindows>;

const params = z.object({ id: idOf('campaign') });
const linkParams = z.object({ id: idOf('campaign'), link_id: idOf('link') });
const actions = {
  sorts: ['at', 'email'],
  order: 'at',
  sortAliases: { title: 'email' },
  direction: 'desc',
} as const;
/** The click counts without `human` in their names include clicks by machines. */
const LINK_SORTS = [
  'unique_human_clicks',
  'human_clicks',
  'unique_clicks',
  'clicks',
  'position',
  'url',
] as const;
export type LinkSort = (typeof LINK_SORTS)[number];
/**
 * The number of a variant in the campaign's experiment. It limits a report to the test recipients
 * of this variant, without the recipients who got it as the winner.
 */
const variant = { variant: z.coerce.number().int().min(1).max(8).optional() };
const action = {
  ...variant,
  action: z.enum(ACTIONS).default('opens'),
};
/** A campaign has no report before its first handoff. */
const errors = { not_sent_yet: 409 };

export const SummaryResponse = z.object({
  request: ModelRequest,
  summary: z.string().nullable(),
});
export type SummaryResponse = z.infer<typeof SummaryResponse>;

export const calls = defineCalls({
  summarizeReport: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/report/summary',
    caller: 'account',
    requiredRight: 'read',
    acceptsIdempotencyKey: false,
    transaction: 'own',
    slots: 'preview',
    summary: 'Get a summary of a report',
    description:
      "The account's model writes the summary from the subject, the sending time and the totals.",
    params,
    body: z.strictObject({ is_confirmed: isConfirmed }),
    response: dataResponse(SummaryResponse),
    errors: { ...errors, ...modelErrors },
  },
  streamSummary: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/report/summary/stream',
    caller: 'account',
    requiredRight: 'read',
    acceptsIdempotencyKey: false,
    transaction: 'own',
    slots: 'preview',
    summary: 'Get the streamed summary of a report',
    description:
      'Returns server-sent events: `text` with each part as a JSON string, then `answer` with the response of the call without `/stream`, or `error` with status and body. The request to the model ends with the connection.',
    params,
    body: z.strictObject({ is_confirmed: z.literal(true) }),
    errors: { ...errors, ...modelErrors },
  },
  getOverview: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/overview',
    caller: 'account',
    summary: 'Get statistics of a campaign',
    description: "Returns counts and rates, with the account's average.",
    params,
    query: z.object(variant),
    response: dataResponse(Overview),
    errors,
  },
  getTimes: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/times',
    caller: 'account',
    summary: 'Get opens and clicks over time',
    description: "Returns sums by day and by hour of the day, in the account's time zone.",
    params,
    query: z.object(variant),
    response: dataResponse(Times),
    errors,
  },
  listDevices: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/devices',
    caller: 'account',
    summary: 'Get opens and clicks by device',
    description: 'Returns the figures of desktops, mobile phones and tablets.',
    params,
    query: z.object(variant),
    response: dataResponse(z.array(SpreadRow)),
    errors,
  },
  listCountries: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/countries',
    caller: 'account',
    summary: 'Get opens and clicks by country',
    description: 'Countries are ISO 3166-1 alpha-2 codes.',
    params,
    query: z.object(variant),
    response: dataResponse(z.array(SpreadRow)),
    errors,
  },
  listDomains: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/domains',
    caller: 'account',
    summary: 'Get statistics by mailbox domain',
    description: 'Returns the largest domains first.',
    params,
    query: z.object(variant),
    response: dataResponse(z.array(DomainFiguresRow)).extend(Counting),
    errors,
  },
  listLinks: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/clicks',
    caller: 'account',
    summary: 'List links of a campaign with clicks',
    params,
    query: listQuery(
      {
        sorts: LINK_SORTS,
        order: 'unique_human_clicks',
        sortAliases: { title: 'url', created: 'position', modified: 'position' },
        direction: 'desc',
      },
      variant,
    ),
    response: listResponse(Link),
    errors,
  },
  getHeatmap: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/heatmap',
    caller: 'account',
    summary: 'Get the sent email with link clicks',
    params,
    query: z.object(variant),
    response: dataResponse(Heatmap),
    errors,
  },
  getLink: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/links/{link_id}',
    caller: 'account',
    summary: 'Get a link with its clicks',
    params: linkParams,
    query: z.object(variant),
    response: dataResponse(Link),
    errors,
  },
  listLinkClicks: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/links/{link_id}/clicks',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List subscribers who clicked a link',
    params: linkParams,
    query: listQuery(actions, variant),
    response: listResponse(RecipientAction),
    errors,
  },
  listActions: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/actions',
    caller: 'account',
    requiredRight: 'people',
    summary: 'List recipients of a campaign by activity',
    description:
      'Activities are opened, clicked, bounced, unsubscribed, complained, not opened and not sent.',
    params,
    query: listQuery(actions, action),
    response: listResponse(RecipientAction),
    errors,
  },
  exportActions: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/actions/export',
    caller: 'account',
    requiredRight: 'export',
    slots: 'export',
    summary: 'Export recipients of a campaign by activity',
    description: 'Returns a CSV file.',
    params,
    query: z.strictObject(action),
    errors,
    transaction: 'own',
  },
  exportReport: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/export',
    caller: 'account',
    requiredRight: 'export',
    transaction: 'own',
    slots: 'export',
    summary: 'Download a campaign report',
    description: "Returns a CSV or PDF file in the user's language.",
    params,
    query: z.strictObject({ format: z.enum(REPORT_FORMATS) }),
    errors,
  },
  getReportLink: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/link',
    caller: 'account',
    summary: 'Get the public link of a report',
    description: 'Returns null if there is no link.',
    params,
    response: dataResponse(ReportLink.nullable()),
    errors,
  },
  shareReport: {
    method: 'POST',
    path: '/client-api/api/campaigns/{id}/report/link',
    caller: 'account',
    summary: 'Create a public link to a report',
    description: 'The link expires after `days` and replaces an earlier one.',
    params,
    body: z.strictObject({ days: z.literal(LINK_DAYS) }),
    response: dataResponse(ReportLink),
    errors,
  },
  unshareReport: {
    method: 'DELETE',
    path: '/client-api/api/campaigns/{id}/report/link',
    caller: 'account',
    summary: 'Delete the public link of a report',
    description: 'Takes effect immediately.',
    params,
    errors,
    response: dataResponse(z.null()),
  },
  listGroups: {
    method: 'GET',
    path: '/client-api/api/campaigns/{id}/report/groups',
    caller: 'account',
    summary: 'Get statistics by group',
    params,
    query: listQuery({ sorts: ['title', 'sent'], order: 'title', direction: 'asc' }, variant),
    response: listResponse(GroupFiguresRow).extend(Counting),
    errors,
  },
  getAttribution: {
    method: 'GET',
    path: '/client-api/api/attribution',
    caller: 'account',
    summary: 'Get the attribution windows',
    description:
      'Returns for how many hours after a click, an open or a delivery an order is attributed to it.',
    response: dataResponse(AttributionWindows),
  },
  saveAttribution: {
    method: 'PUT',
    path: '/client-api/api/attribution',
    caller: 'account',
    requiredRight: 'settings',
    audit: ['email_click', 'email_open', 'sms_click', 'sms_delivery'],
    summary: 'Set the attribution windows',
    description: 'Windows are in hours and apply to orders placed after the change.',
    body: AttributionWindows,
    response: dataResponse(AttributionWindows),
  },
});
