// Marketing tasks as recorded sequences of tool calls: the calls that an assistant makes for a
// task, and the expected result. `$name` refers to a value from an earlier step.
import { beforeAll, expect, test } from 'vitest';
import { encodeId } from '#platform/ids.ts';
import { type Assistant, assistant } from '#testing/setup/mcp.ts';
import {
  type ReportedCampaignFixture,
  sendReportedCampaign,
} from '#testing/worlds/reported-campaign.ts';
import type { ToolRow } from './tools/tool.ts';

type ToolStep = { tool: string; input?: ToolRow; save?: Record<string, string>; result?: ToolRow };

let fixture: ReportedCampaignFixture;
let agent: Assistant;
const savedValues = new Map<string, unknown>();
let sentBefore: number;

beforeAll(async () => {
  fixture = await sendReportedCampaign();
  const { owner } = fixture;
  const input = { title: 'Tasks', validity_days: 30, scopes: ['read', 'people', 'drafts'] };
  const { token } = (await owner.post('/client-api/api/tokens', input)).body.data;
  agent = await assistant(fixture.server, token);
  const [, friends, others] = fixture.groups;
  const field = await owner.post('/client-api/api/fields', { title: 'Size', type: 'number' });
  sentBefore = await countMessages();
  savedValues.set('sent', fixture.campaign);
  savedValues.set('friends', encodeId('group', friends as number));
  savedValues.set('others', encodeId('group', others as number));
  savedValues.set('person', encodeId('subscriber', fixture.ids[0] as number));
  savedValues.set('size', field.body.data.id);
});

async function countMessages(): Promise<number> {
  const { db } = fixture.server;
  const query = db.selectFrom('messages').select('id').where('account_id', '=', fixture.accountId);
  return (await query.execute()).length;
}

const anything = expect.anything();
const rows = (...expectedRows: ToolRow[]) => ({
  rows: expect.arrayContaining(expectedRows.map((row) => expect.objectContaining(row))),
});
const textBlocks = (text: string) => [{ type: 'text', text: text }];
const draft = (title: string, overrides: ToolRow = {}): ToolStep => ({
  tool: 'draft_campaign',
  input: { title, subject: title, blocks: textBlocks('Hello'), ...overrides },
  save: { draft: 'id', revision: 'revision' },
  result: { title, status: 'DRAFT' },
});
const count = (
  type: string,
  operator: string,
  values: string[],
  overrides: ToolRow = {},
): ToolStep => ({
  tool: 'count_people',
  input: { conditions: [{ type, operator, values, ...overrides }] },
  result: { sentence: expect.any(String), subscribers: expect.any(Number) },
});
const report = (breakdown?: string): ToolStep => ({
  tool: 'get_report',
  input: { campaign_id: '$sent', ...(breakdown && { by: breakdown }) },
  result: {
    overview: expect.objectContaining({ recipients: 40 }),
    ...(breakdown && { [breakdown]: anything }),
  },
});
const recipients = (input: ToolRow): ToolStep => ({
  tool: 'set_recipients',
  input: { campaign_id: '$draft', ...input },
  result: { recipients: expect.objectContaining({ count: expect.any(Number) }) },
});
const workflow = (title: string, input: ToolRow): ToolStep => ({
  tool: 'draft_workflow',
  input: { title, ...input },
  save: { workflow: 'id' },
  result: { title, status: 'DRAFT' },
});
const segment = (title: string, type: string, operator: string, values: string[]): ToolStep => ({
  tool: 'create_segment',
  input: { title, conditions: [{ type, operator, values }] },
  save: { segment: 'id' },
  result: { title },
});
const email = (subject: string) => ({ type: 'email', subject, blocks: textBlocks('Hi') });

const TASKS: [string, ...ToolStep[]][] = [
  [
    'How is the account doing?',
    { tool: 'account_overview', result: { account: anything, usage: anything } },
  ],
  [
    'How was the first week of March?',
    {
      tool: 'account_overview',
      input: { from: '2026-03-01', to: '2026-03-07' },
      result: { subscribers: expect.objectContaining({ from: '2026-03-01' }) },
    },
  ],
  ['Who am I working for?', { tool: 'account_overview', result: { you: anything } }],
  [
    'How did the last campaign do?',
    { tool: 'list_campaigns', result: rows({ title: 'Spring' }) },
    report(),
  ],
  ['Which hours worked?', report('times')],
  ['Phones or computers?', report('devices')],
  ['Where are readers?', report('countries')],
  ['How does Gmail treat us?', report('domains')],
  ['Which group responded?', report('groups')],
  [
    'Which link was clicked most?',
    { tool: 'report_links', input: { campaign_id: '$sent' }, result: { total: 3 } },
  ],
  [
    'Find the spring campaign',
    { tool: 'search', input: { query: 'Spring' }, save: { found: 'results.0.id' } },
    { tool: 'fetch', input: { id: '$found' }, result: { title: 'Spring' } },
  ],
  [
    'Show sent campaigns',
    { tool: 'list_campaigns', input: { status: 'SENT' }, result: rows({ status: 'SENT' }) },
  ],
  [
    'Show SMS drafts',
    { tool: 'list_campaigns', input: { channel: 'sms', status: 'DRAFT' }, result: { rows: [] } },
  ],
  [
    'What did the spring campaign say?',
    { tool: 'get_campaign', input: { campaign_id: '$sent' }, result: { status: 'SENT' } },
  ],
  [
    'Which groups do we have?',
    { tool: 'list_groups_and_fields', result: { groups: anything, fields: anything } },
  ],
  [
    'Is there a field for the size?',
    {
      tool: 'list_groups_and_fields',
      input: { search: 'Size' },
      result: { fields: [expect.objectContaining({ title: 'Size', merge_tag: '{{size}}' })] },
    },
  ],
  ['How many friends are there?', count('tag', 'have', ['$friends'])],
  ['How many are not friends?', count('tag', 'not-have', ['$friends'])],
  ['How many opened in the last month?', count('open', 'months', ['1'])],
  ['How many never clicked?', count('not-click', 'all', [])],
  ['How many are inactive for half a year?', count('not_active_subscribers', 'months', ['6'])],
  ['How many joined this year?', count('created', 'after', ['2026-01-01'])],
  ['How many have a size above 40?', count('number', 'more-than', ['40'], { field: '$size' })],
  [
    'How many friends opened?',
    {
      tool: 'count_people',
      input: {
        conditions: [
          { type: 'tag', operator: 'have', values: ['$friends'] },
          { type: 'open', operator: 'all', join: 'and' },
        ],
      },
      result: { subscribers: expect.any(Number) },
    },
  ],
  [
    'Save a segment of inactive readers',
    segment('Inactive', 'not_active_subscribers', 'months', ['6']),
  ],
  [
    'Save a segment of friends and list it',
    segment('Friends only', 'tag', 'have', ['$friends']),
    { tool: 'list_segments', result: rows({ title: 'Friends only' }) },
  ],
  [
    'Find a reader by address',
    { tool: 'find_people', input: { search: '@' }, result: { total: 40 } },
  ],
  [
    'Show the next readers',
    { tool: 'find_people', input: { search: '@' }, save: { next: 'next_cursor' } },
    {
      tool: 'find_people',
      input: { search: '@', cursor: '$next' },
      result: { rows: expect.any(Array), next_cursor: null },
    },
  ],
  [
    'Show readers of a segment',
    segment('Shown', 'tag', 'have', ['$friends']),
    { tool: 'find_people', input: { segment_id: '$segment' }, result: { total: 35 } },
  ],
  [
    'Show one reader',
    {
      tool: 'get_person',
      input: { person_id: '$person' },
      result: { id: anything, activity: anything, untrusted: anything },
    },
  ],
  [
    'Why is the email missing?',
    {
      tool: 'why_not_received',
      input: { campaign_id: '$sent', person_id: '$person' },
      result: { answer: anything, steps: anything },
    },
  ],
  ['Draft a newsletter', draft('News')],
  [
    'Draft with a heading, a button and a divider',
    draft('Sale', {
      blocks: [
        { type: 'heading', text: 'Sale' },
        { type: 'divider' },
        { type: 'button', text: 'Shop', url: 'https://tea.example/sale' },
      ],
    }),
    {
      tool: 'preview_campaign',
      input: { campaign_id: '$draft' },
      result: {
        untrusted: expect.objectContaining({ text: expect.stringContaining('Sale') }),
      },
    },
  ],
  [
    'Greet readers by name',
    draft('Named', { blocks: textBlocks('Hello {{ firstname | fallback: "you" }}') }),
    { tool: 'check_campaign', input: { campaign_id: '$draft' }, result: { findings: anything } },
  ],
  [
    'Change the subject',
    draft('Old'),
    {
      tool: 'edit_campaign',
      input: { campaign_id: '$draft', revision: '$revision', subject: 'New' },
      result: { subject: 'New' },
    },
  ],
  [
    'Rewrite the content',
    draft('Text'),
    {
      tool: 'edit_campaign',
      input: { campaign_id: '$draft', blocks: textBlocks('Better') },
      result: { editor: 'editor' },
    },
  ],
  [
    'Add a preview text',
    draft('Pre'),
    {
      tool: 'edit_campaign',
      input: { campaign_id: '$draft', preheader: 'Fresh' },
      result: { preheader: 'Fresh' },
    },
  ],
  ['Send it to friends', draft('For friends'), recipients({ groups: ['$friends'] })],
  [
    'Send it to all but others',
    draft('For most'),
    recipients({ all_subscribers: true, excluded_groups: ['$others'] }),
  ],
  [
    'Send it to a segment',
    segment('Chosen', 'tag', 'have', ['$friends']),
    draft('For a segment'),
    recipients({ segments: ['$segment'] }),
  ],
  [
    'How many would get it?',
    draft('Counted'),
    recipients({ groups: ['$friends'] }),
    {
      tool: 'estimate_send',
      input: { campaign_id: '$draft' },
      result: { count: expect.any(Number), excluded: anything },
    },
  ],
  [
    'Is it ready?',
    draft('Checked'),
    {
      tool: 'check_campaign',
      input: { campaign_id: '$draft' },
      result: {
        findings: expect.arrayContaining([expect.objectContaining({ severity: 'error' })]),
      },
    },
  ],
  [
    'Draft an SMS',
    {
      tool: 'draft_sms',
      input: { title: 'Sale', text: 'Sale today' },
      save: { draft: 'id' },
      result: { status: 'DRAFT', text: 'Sale today' },
    },
    recipients({ channel: 'sms', groups: ['$friends'] }),
  ],
  [
    'Change an SMS',
    { tool: 'draft_sms', input: { title: 'Late' }, save: { sms: 'id' } },
    {
      tool: 'draft_sms',
      input: { sms_id: '$sms', text: 'Now' },
      result: { text: 'Now' },
    },
    {
      tool: 'check_campaign',
      input: { campaign_id: '$sms', channel: 'sms' },
      result: { findings: anything },
    },
  ],
  [
    'Which workflows run?',
    { tool: 'list_workflows', input: { status: 'ACTIVE' }, result: { rows: [] } },
  ],
  [
    'Build a welcome series from a recipe',
    workflow('Welcome', { recipe: 'welcome' }),
    { tool: 'list_workflows', result: rows({ title: 'Welcome' }) },
  ],
  [
    'Build a series for a group',
    workflow('Friends series', {
      trigger: 'LIST_ADD',
      trigger_group_id: '$friends',
      steps: [email('One'), { type: 'delay', amount: 3, unit: 'DAYS' }, email('Two')],
    }),
    {
      tool: 'forecast_workflow',
      input: { workflow_id: '$workflow' },
      result: { entered: expect.any(Number) },
    },
  ],
  [
    'Try it with a sample person',
    workflow('Tried', { trigger: 'LIST_ADD', trigger_group_id: '$friends', steps: [email('One')] }),
    { tool: 'dry_run_workflow', input: { workflow_id: '$workflow' }, result: { steps: anything } },
  ],
  ['Which forms work?', { tool: 'form_figures', result: { rows: [] } }],
  [
    'Is our sending healthy?',
    {
      tool: 'sending_health',
      input: { from: '2026-01-01', to: '2026-03-31' },
      result: { health: anything, domains: anything, sending: anything },
    },
  ],
];

/** Replaces references in the input by values of earlier steps. */
function resolve(value: unknown): unknown {
  if (typeof value === 'string' && value.startsWith('$')) return savedValues.get(value.slice(1));
  if (Array.isArray(value)) return value.map(resolve);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, resolve(part)]));
}

const getPath = (value: unknown, path: string): unknown =>
  path.split('.').reduce<unknown>((node, name) => (Object(node) as ToolRow)[name], value);

test('the tests cover fifty tasks', () => {
  expect(TASKS).toHaveLength(50);
  expect(new Set(TASKS.map(([task]) => task)).size).toBe(50);
});

test.each(TASKS)('%s', async (_, ...steps) => {
  for (const { tool, input = {}, save = {}, result = {} } of steps) {
    const reply = await agent.tool(tool, resolve(input) as ToolRow);
    expect(reply.isError, `${tool}: ${reply.text}`).toBe(false);
    expect(reply.value).toMatchObject(result);
    for (const [name, path] of Object.entries(save)) {
      const value = getPath(reply.value, path);
      expect(value, `${tool} ${path}`).toBeTruthy();
      savedValues.set(name, value);
    }
  }
});

test('no task has sent anything or granted access', async () => {
  const { owner } = fixture;
  const count = async (path: string) =>
    (await owner.get(`/client-api/api/${path}`)).body.data.length;
  const sentCampaigns = await owner.get('/client-api/api/campaigns?status=SENT&no_paginate=1');
  expect(sentCampaigns.body.data).toHaveLength(1);
  const scheduledCampaigns = await owner.get(
    '/client-api/api/campaigns?status=SCHEDULED&no_paginate=1',
  );
  expect(scheduledCampaigns.body.data).toHaveLength(0);
  expect(await count('tokens')).toBe(1);
  expect(await count('webhooks')).toBe(0);
  expect(await countMessages()).toBe(sentBefore);
});
