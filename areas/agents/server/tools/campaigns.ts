// Tools about email and SMS campaigns: drafts, recipients, checks, tests and reports. No tool sends
// a campaign.
import { z } from 'zod';
import { invalid } from '#platform/server/errors.ts';
import { cleanValue } from '../untrusted.ts';
import { createDocument } from './blocks.ts';
import * as input from './schemas.ts';
import {
  type ToolCalls,
  defineTool,
  pickProperties,
  type ToolRow,
  toRows,
  type Tool,
} from './tool.ts';

const campaign_id = input.id('campaign');
const STATUSES = ['DRAFT', 'SCHEDULED', 'SENT'] as const;

const settings = {
  title: z.string().max(255).optional().describe('The name inside the account'),
  subject: z.string().max(255).optional(),
  preheader: z
    .string()
    .max(255)
    .optional()
    .describe('The text that inboxes show after the subject'),
  from_name: z.string().max(100).optional(),
  from_email: z.string().max(254).optional().describe('An address of a verified domain'),
};

/** Returns the fields of a campaign that assistants get. */
const presentCampaign = (row: ToolRow): ToolRow => ({
  ...pickProperties(
    row,
    'id',
    'title',
    'subject',
    'preheader',
    'from_name',
    'from_email',
    'status',
  ),
  ...pickProperties(row, 'revision', 'editor', 'scheduled_at', 'sent_at', 'send_to_all', 'created'),
  ...pickProperties(row, 'text', 'sender', 'modified'),
  groups: toRows(row.tags).map(({ id }) => id),
  excluded_groups: toRows(row.exclude_tags).map(({ id }) => id),
  segments: toRows(row.filters).map(({ id }) => id),
  excluded_segments: toRows(row.exclude_filters).map(({ id }) => id),
});

const listCampaigns = defineTool({
  name: 'list_campaigns',
  title: 'List campaigns',
  description: 'Email campaigns or SMS campaigns, newest first.',
  input: z.strictObject({
    channel: z.enum(['email', 'sms']).default('email'),
    status: z.enum(STATUSES).optional(),
    search: input.search,
    cursor: input.cursor,
  }),
  kind: 'read',
  calls: ['GET /campaigns', 'GET /sms/campaign'],
  async run({ channel, status, search, cursor }, { list }) {
    const name = channel === 'sms' ? 'GET /sms/campaign' : 'GET /campaigns';
    const page = await list(name, { query: { status, search } }, cursor);
    return { ...page, rows: page.rows.map(presentCampaign) };
  },
});

/** Returns the text of an email, which may contain third-party text in imported HTML. */
async function readPlainText({ call }: ToolCalls, id: string) {
  const preview = await call('GET /campaigns/{id}/plain_preview', { params: { id } });
  return cleanValue({ text: preview.text });
}

const getCampaign = defineTool({
  name: 'get_campaign',
  title: 'Get a campaign',
  description: 'Settings, recipients and the beginning of the text of an email campaign.',
  input: z.strictObject({ campaign_id }),
  kind: 'read',
  calls: ['GET /campaigns/{id}', 'GET /campaigns/{id}/plain_preview'],
  async run({ campaign_id: id }, calls) {
    const row = await calls.call('GET /campaigns/{id}', { params: { id } });
    return {
      ...presentCampaign(row),
      untrusted: row.editor === null ? null : await readPlainText(calls, id),
    };
  },
});

/** Replaces the content of a draft if the draft still has this revision. */
async function saveBlocks(
  { call }: ToolCalls,
  id: string,
  blocks: readonly input.BlockInput[],
  revision: unknown,
): Promise<void> {
  await call('PUT /campaigns/{id}/content', {
    params: { id },
    body: { editor: 'editor', document: createDocument(blocks), revision },
  });
}

const draftCampaign = defineTool({
  name: 'draft_campaign',
  title: 'Draft a campaign',
  description:
    'Creates an email campaign with content. It has no recipients yet (set_recipients) and is not sent (propose_send).',
  input: z.strictObject({
    ...settings,
    title: z.string().min(1).max(255),
    subject: z.string().min(1).max(255),
    blocks: input.blocks,
    idempotency_key: input.idempotencyKey,
  }),
  kind: 'drafts',
  calls: ['POST /campaigns', 'PUT /campaigns/{id}/content', 'GET /campaigns/{id}'],
  async run({ blocks, ...given }, calls) {
    const body = pickProperties(given, ...Object.keys(settings));
    const { id } = await calls.call('POST /campaigns', { body });
    const params = { id: String(id) };
    const campaign = await calls.call('GET /campaigns/{id}', { params });
    // If this call is a repeated one, its draft already exists and has its content.
    if (campaign.editor === null) await saveBlocks(calls, params.id, blocks, campaign.revision);
    return presentCampaign(await calls.call('GET /campaigns/{id}', { params }));
  },
});

const editCampaign = defineTool({
  name: 'edit_campaign',
  title: 'Edit a draft',
  description:
    'Changes settings of a draft, or replaces its content. A campaign that waits for approval returns to draft.',
  input: z.strictObject({
    campaign_id,
    revision: input.revision,
    ...settings,
    blocks: input.blocks.optional().describe('Replaces the whole content'),
    idempotency_key: input.idempotencyKey,
  }),
  kind: 'drafts',
  calls: ['GET /campaigns/{id}', 'PATCH /campaigns/{id}', 'PUT /campaigns/{id}/content'],
  async run({ campaign_id: id, revision, blocks, ...given }, calls) {
    const params = { id };
    const changes = pickProperties(given, ...Object.keys(settings));
    if (blocks === undefined && Object.keys(changes).length === 0)
      throw invalid({ blocks: ['errors.fields.required'] });
    let latest: unknown =
      revision ?? (await calls.call('GET /campaigns/{id}', { params })).revision;
    if (Object.keys(changes).length > 0) {
      const body = { ...changes, revision: latest };
      latest = (await calls.call('PATCH /campaigns/{id}', { params, body })).revision;
    }
    if (blocks) await saveBlocks(calls, id, blocks, latest);
    return presentCampaign(await calls.call('GET /campaigns/{id}', { params }));
  },
});

const SETS = [
  ['groups', 'tags/set', 'tags_arr'],
  ['excluded_groups', 'exclude_tags/set', 'tags_arr'],
  ['segments', 'filters/set', 'filters_arr'],
  ['excluded_segments', 'exclude_filters/set', 'filters_arr'],
] as const;

const setRecipients = defineTool({
  name: 'set_recipients',
  title: 'Set recipients of a draft',
  description:
    'Sets who receives an email or SMS draft: groups, segments, exclusions, or all subscribers. Lists that are left out stay as they are.',
  input: z.strictObject({
    campaign_id,
    channel: z.enum(['email', 'sms']).default('email'),
    groups: input.ids('groups').optional(),
    excluded_groups: input.ids('groups').optional(),
    segments: input.ids('segments').optional(),
    excluded_segments: input.ids('segments').optional(),
    all_subscribers: z.boolean().optional(),
    idempotency_key: input.idempotencyKey,
  }),
  kind: 'drafts',
  calls: [
    ...(['campaigns', 'sms/campaign'] as const).flatMap((base) => [
      ...SETS.map(([, path]) => `POST /${base}/{id}/${path}` as const),
      `GET /${base}/{id}/subscribers` as const,
    ]),
  ],
  async run({ campaign_id: id, channel, all_subscribers, ...lists }, { call }) {
    const base = channel === 'sms' ? ('sms/campaign' as const) : ('campaigns' as const);
    const params = { id };
    for (const [name, path, key] of SETS) {
      const list = lists[name];
      const toAll = name === 'groups' && all_subscribers !== undefined;
      if (list === undefined && !toAll) continue;
      await call(`POST /${base}/{id}/${path}`, {
        params,
        body: { [key]: list ?? [], ...(toAll && { send_to_all: all_subscribers }) },
      });
    }
    return { recipients: await call(`GET /${base}/{id}/subscribers`, { params }) };
  },
});

const checkCampaign = defineTool({
  name: 'check_campaign',
  title: 'Check a draft',
  description:
    'Errors, warnings and tips before sending, the worst first. The links of the email are not opened.',
  input: z.strictObject({ campaign_id, channel: z.enum(['email', 'sms']).default('email') }),
  kind: 'read',
  calls: ['GET /campaigns/{id}/checks', 'GET /sms/campaign/{id}/checks'],
  async run({ campaign_id: id, channel }, { call }) {
    const params = { id };
    return channel === 'sms'
      ? call('GET /sms/campaign/{id}/checks', { params })
      : { findings: await call('GET /campaigns/{id}/checks', { params }) };
  },
});

const previewCampaign = defineTool({
  name: 'preview_campaign',
  title: 'Preview a campaign',
  description:
    'Subject, preheader and text as a subscriber sees them. Without the right to see subscribers, they contain sample values.',
  input: z.strictObject({ campaign_id }),
  kind: 'read',
  calls: ['GET /campaigns/{id}/plain_preview'],
  optionalCalls: ['GET /campaigns/{id}/preview_people'],
  async run({ campaign_id: id }, { call, isAllowed, spend }) {
    if (isAllowed('GET /campaigns/{id}/preview_people')) await spend('people', 1);
    const preview = await call('GET /campaigns/{id}/plain_preview', { params: { id } });
    return { untrusted: cleanValue(pickProperties(preview, 'subject', 'preheader', 'text')) };
  },
});

const estimateSend = defineTool({
  name: 'estimate_send',
  title: 'Estimate a send',
  description: 'Recipients and exclusions of a draft, counted now, with reasons.',
  input: z.strictObject({ campaign_id, channel: z.enum(['email', 'sms']).default('email') }),
  kind: 'read',
  calls: ['GET /campaigns/{id}/subscribers', 'GET /sms/campaign/{id}/subscribers'],
  async run({ campaign_id: id, channel }, { call }) {
    const base = channel === 'sms' ? ('sms/campaign' as const) : ('campaigns' as const);
    return call(`GET /${base}/{id}/subscribers`, { params: { id } });
  },
});

const sendTest = defineTool({
  name: 'send_test',
  title: 'Send a test email to members',
  description:
    'Sends a test email of a draft to users of the account, by default to the user of this token or connection. Other addresses are impossible.',
  input: z.strictObject({
    campaign_id,
    user_ids: input.ids('users of the account').optional(),
    idempotency_key: input.idempotencyKey,
  }),
  kind: 'drafts',
  calls: ['GET /account_users', 'POST /campaigns/{id}/test'],
  async run({ campaign_id: id, user_ids }, { call }) {
    const users = toRows(await call('GET /account_users', { query: { limit: 1000 } }));
    const recipients = users.filter(({ id: user, is_you }) =>
      user_ids ? user_ids.includes(String(user)) : is_you === true,
    );
    if (recipients.length === 0 || (user_ids && recipients.length < new Set(user_ids).size))
      throw invalid({ user_ids: ['errors.fields.choice'] });
    const emails = recipients.map(({ email }) => email);
    return call('POST /campaigns/{id}/test', { params: { id }, body: { emails } });
  },
});

const BREAKDOWNS = ['times', 'devices', 'countries', 'domains', 'groups'] as const;

const getReport = defineTool({
  name: 'get_report',
  title: 'Get the report of a campaign',
  description: 'Totals of a sent email campaign, and one breakdown.',
  input: z.strictObject({ campaign_id, by: z.enum(BREAKDOWNS).optional() }),
  kind: 'read',
  calls: [
    'GET /campaigns/{id}/report/overview',
    ...BREAKDOWNS.map((breakdown) => `GET /campaigns/{id}/report/${breakdown}` as const),
  ],
  async run({ campaign_id: id, by }, { call }) {
    const params = { id };
    const overview = await call('GET /campaigns/{id}/report/overview', { params });
    if (!by) return { overview };
    return { overview, [by]: await call(`GET /campaigns/{id}/report/${by}`, { params }) };
  },
});

const reportLinks = defineTool({
  name: 'report_links',
  title: 'Links of a campaign',
  description: 'Links of a sent email campaign and their clicks, most clicked first.',
  input: z.strictObject({ campaign_id, cursor: input.cursor }),
  kind: 'read',
  calls: ['GET /campaigns/{id}/report/clicks'],
  run: ({ campaign_id: id, cursor }, { list }) =>
    list('GET /campaigns/{id}/report/clicks', { params: { id } }, cursor),
});

const draftSms = defineTool({
  name: 'draft_sms',
  title: 'Draft an SMS campaign',
  description:
    'Creates an SMS campaign, or changes a draft. It is not sent; recipients are set with set_recipients.',
  input: z.strictObject({
    sms_id: input.id('SMS draft to change; without it a new one is created').optional(),
    revision: input.revision,
    title: z.string().max(255).optional(),
    text: z.string().max(2000).optional(),
    idempotency_key: input.idempotencyKey,
  }),
  kind: 'drafts',
  calls: ['POST /sms/campaign', 'GET /sms/campaign/{id}', 'PATCH /sms/campaign/{id}'],
  async run({ sms_id, revision, ...given }, { call }) {
    const body = pickProperties(given, 'title', 'text');
    if (sms_id === undefined) return presentCampaign(await call('POST /sms/campaign', { body }));
    const params = { id: sms_id };
    const newest = revision ?? (await call('GET /sms/campaign/{id}', { params })).revision;
    const change = { params, body: { ...body, revision: newest } };
    return presentCampaign(await call('PATCH /sms/campaign/{id}', change));
  },
});

export const campaignTools: readonly Tool[] = [
  listCampaigns,
  getCampaign,
  draftCampaign,
  editCampaign,
  setRecipients,
  checkCampaign,
  previewCampaign,
  estimateSend,
  sendTest,
  getReport,
  reportLinks,
  draftSms,
];
