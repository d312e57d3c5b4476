// Tools about the whole account: statistics, search, groups, fields and deliverability.
import { z } from 'zod';
import { Day } from '#platform/contract.ts';
import { invalid } from '#platform/server/errors.ts';
import { cleanText } from '../untrusted.ts';
import * as input from './schemas.ts';
import {
  type ToolCallName,
  defineTool,
  pickProperties,
  type ToolRow,
  toRows,
  type Tool,
} from './tool.ts';

const period = {
  from: Day.optional().describe('The first day, YYYY-MM-DD; by default 30 days ago'),
  to: Day.optional().describe('The last day'),
};

const overview = defineTool({
  name: 'account_overview',
  title: 'Account overview',
  description:
    'Subscribers, sending, engagement, revenue and monthly usage of the account in a period, and campaigns that stopped. Start here.',
  input: z.strictObject(period),
  kind: 'read',
  calls: [
    'GET /users',
    'GET /accounts/dashboard_subscribers',
    'GET /accounts/dashboard_engagement',
    'GET /accounts/dashboard_sending',
    'GET /accounts/dashboard_earned',
    'GET /accounts/dashboard_usage',
    'GET /accounts/dashboard_stopped',
  ],
  async run({ from, to }, { call }) {
    const query = { ...(from && { from }), ...(to && { to }) };
    const { account, user } = await call('GET /users');
    const subscribers = await call('GET /accounts/dashboard_subscribers', { query });
    const { days: _, ...growth } = subscribers;
    return {
      account: pickProperties(
        account,
        'title',
        'website',
        'timezone',
        'language',
        'subscriber_count',
      ),
      you: pickProperties(user, 'name', 'surname', 'email', 'language'),
      subscribers: growth,
      engagement: await call('GET /accounts/dashboard_engagement', { query }),
      sending: await call('GET /accounts/dashboard_sending', { query }),
      revenue: await call('GET /accounts/dashboard_earned', { query }),
      usage: await call('GET /accounts/dashboard_usage'),
      stopped_campaigns: await call('GET /accounts/dashboard_stopped'),
    };
  },
});

/**
 * Subscribers and orders are excluded, because they identify subscribers: every subscriber shown
 * must count against the subscriber budget, and this tool does not count.
 */
const SEARCHED_TYPES = [
  'campaign',
  'sms',
  'workflow',
  'segment',
  'group',
  'field',
  'form',
  'template',
];
const SCREENS: Record<string, string> = { sms: 'sms', template: 'templates' };

const search = defineTool({
  name: 'search',
  title: 'Search the account',
  description:
    'Finds campaigns, SMS, workflows, segments, groups, fields, forms and templates by title. The tool `fetch` accepts the `id` of a campaign, SMS, workflow, segment or group.',
  input: z.strictObject({ query: z.string().min(1).max(255).describe('Words of a title') }),
  kind: 'read',
  calls: ['GET /search'],
  async run({ query }, { call }) {
    const matches = toRows(await call('GET /search', { query: { search: query } }));
    return {
      results: matches
        .filter(({ kind }) => SEARCHED_TYPES.includes(String(kind)))
        .map(({ kind, id, title, detail }) => ({
          id: `${String(kind)}/${String(id)}`,
          title,
          detail,
        })),
    };
  },
});

const CALL_BY_TYPE: Record<string, ToolCallName> = {
  campaign: 'GET /campaigns/{id}',
  sms: 'GET /sms/campaign/{id}',
  workflow: 'GET /workflows/{id}',
  segment: 'GET /filters/{id}',
  group: 'GET /tags/{id}',
};
/** Fields that are long or technical; other tools return them. */
const OMITTED = ['account_id', 'thumbnail_url', 'settings', 'steps', 'figures', 'conditions'];

const fetch = defineTool({
  name: 'fetch',
  title: 'Fetch a search result',
  description: 'Returns a campaign, SMS, workflow, segment or group that search has found.',
  input: z.strictObject({
    id: z.string().max(80).describe('`id` of a result of search, such as campaign/AbCdEf'),
  }),
  kind: 'read',
  calls: Object.values(CALL_BY_TYPE),
  async run({ id }, { call }) {
    const [kind = '', ownId = ''] = id.split('/');
    const name = Object.hasOwn(CALL_BY_TYPE, kind) ? CALL_BY_TYPE[kind] : undefined;
    if (!name) throw invalid({ id: ['errors.fields.choice'] });
    const item = await call(name, { params: { id: ownId } });
    const metadata = Object.fromEntries(
      Object.entries(item).filter(([property]) => !OMITTED.includes(property)),
    );
    return {
      id,
      title: item.title,
      text: JSON.stringify(metadata),
      url: `/${SCREENS[kind] ?? `${kind}s`}/${ownId}`,
      metadata,
    };
  },
});

const groupsAndFields = defineTool({
  name: 'list_groups_and_fields',
  title: 'List groups and fields',
  description: 'All groups and their counts, and all custom fields and their merge tags.',
  input: z.strictObject({ search: input.search }),
  kind: 'read',
  calls: ['GET /tags', 'GET /fields'],
  async run({ search: words }, { call }) {
    const query = { limit: 100, ...(words && { search: words }) };
    const groups = toRows(await call('GET /tags', { query }));
    const fields = toRows(await call('GET /fields', { query }));
    return {
      groups: groups.map((row) =>
        pickProperties(
          row,
          'id',
          'title',
          'recipient_count',
          'active_subscribers',
          'active_phone_count',
        ),
      ),
      fields: fields.map((row) => ({
        ...pickProperties(row, 'id', 'title', 'type'),
        merge_tag: `{{${String(row.name)}}}`,
      })),
    };
  },
});

const sendingHealth = defineTool({
  name: 'sending_health',
  title: 'Sending health',
  description:
    'Health of each sending domain at each mailbox provider, its DNS records, and bounces and complaints of a period.',
  input: z.strictObject(period),
  kind: 'read',
  calls: ['GET /deliverability/health', 'GET /domains', 'GET /accounts/dashboard_sending'],
  async run({ from, to }, { call }) {
    const query = { ...(from && { from }), ...(to && { to }) };
    const domains = toRows(await call('GET /domains', { query: { limit: 50 } }));
    return {
      health: toRows(await call('GET /deliverability/health')).map(cleanCauses),
      domains: domains.map((row) =>
        pickProperties(row, 'domain_name', 'verified', 'alignment', 'checked'),
      ),
      sending: await call('GET /accounts/dashboard_sending', { query }),
    };
  },
});

/** Marks the details of causes as untrusted. They name a blocklist and its subject, for example. */
const cleanCauses = (row: ToolRow): ToolRow => ({
  ...row,
  causes: toRows(row.causes).map(({ detail, ...cause }) => ({
    ...cause,
    untrusted: { detail: typeof detail === 'string' ? cleanText(detail) : null },
  })),
  mailboxes: toRows(row.mailboxes).map((mailbox) =>
    pickProperties(mailbox, 'mailbox', 'state', 'sent'),
  ),
});

const formFigures = defineTool({
  name: 'form_figures',
  title: 'Form figures',
  description:
    'Without `form_id`, the views and sign-ups of all forms; with it, the statistics of one form by device and page.',
  input: z.strictObject({
    form_id: input.id('form').optional(),
    days: z.number().int().min(1).max(365).default(30),
    cursor: input.cursor,
  }),
  kind: 'read',
  calls: ['GET /forms', 'GET /forms/{id}/chart'],
  async run({ form_id, days, cursor }, { call, list }) {
    if (form_id === undefined) {
      const page = await list('GET /forms', {}, cursor);
      return {
        ...page,
        rows: page.rows.map((row) =>
          pickProperties(row, 'id', 'type', 'title', 'is_active', 'views', 'sign_ups', 'modified'),
        ),
      };
    }
    const chart = await call('GET /forms/{id}/chart', {
      params: { id: form_id },
      query: { days },
    });
    return {
      totals: chart.totals,
      devices: chart.devices,
      // Visitors' browsers report the pages, so they are untrusted.
      pages: toRows(chart.pages)
        .slice(0, 20)
        .map(({ page, ...figures }) => ({
          ...figures,
          untrusted: { page: cleanText(String(page)) },
        })),
    };
  },
});

export const accountTools: readonly Tool[] = [
  overview,
  search,
  fetch,
  groupsAndFields,
  sendingHealth,
  formFigures,
];
