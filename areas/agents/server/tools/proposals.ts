// Tools that request actions that a user must approve: sending a campaign or activating a workflow.
import { z } from 'zod';
import * as input from './schemas.ts';
import { defineTool, pickProperties, type ToolRow, toRows, type Tool } from './tool.ts';

const MAX_NOTE_LENGTH = 400;
const note = z.string().max(MAX_NOTE_LENGTH).optional().describe('A note for the users who decide');
const proposal_id = input.id('request for approval');

const createProposalResult = (approval: string, extra: ToolRow = {}): ToolRow => ({
  status: 'waiting_for_approval',
  proposal_id: approval,
  ...extra,
  message: 'Nothing was sent. A user of the account decides; get_proposal returns the state.',
});

const proposeSend = defineTool({
  name: 'propose_send',
  title: 'Propose to send a campaign',
  description:
    'Requests that a user sends or schedules a draft. Nothing is sent before a user has approved it. Changing the draft ends the request.',
  input: z.strictObject({
    campaign_id: input.id('draft'),
    channel: z.enum(['email', 'sms']).default('email'),
    schedule_time: z
      .string()
      .max(19)
      .nullable()
      .default(null)
      .describe(
        'YYYY-MM-DD HH:MM:SS in the time zone of the account; null means immediately after the approval',
      ),
    note,
    idempotency_key: input.idempotencyKey,
  }),
  kind: 'proposals',
  calls: [
    'GET /campaigns/{id}',
    'GET /sms/campaign/{id}',
    'GET /campaigns/{id}/subscribers',
    'GET /sms/campaign/{id}/subscribers',
  ],
  proposedCalls: ['POST /campaigns/{id}/schedule', 'POST /sms/campaign/{id}/schedule'],
  async run({ campaign_id: id, channel, schedule_time, note: noteText }, calls) {
    const base = channel === 'sms' ? ('sms/campaign' as const) : ('campaigns' as const);
    const params = { id };
    const { revision } = await calls.call(`GET /${base}/{id}`, { params });
    const { count } = await calls.call(`GET /${base}/{id}/subscribers`, { params });
    await calls.spend('emails', Number(count));
    const approval = await calls.propose(`POST /${base}/{id}/schedule`, {
      params,
      query: { note: noteText },
      body: { schedule_time, revision },
    });
    return createProposalResult(approval, { recipients: count });
  },
});

const proposeActivation = defineTool({
  name: 'propose_activation',
  title: 'Propose to activate a workflow',
  description:
    'Requests that a user activates a draft of a workflow. Nothing starts before a user has approved it.',
  input: z.strictObject({
    workflow_id: input.id('workflow'),
    note,
    idempotency_key: input.idempotencyKey,
  }),
  kind: 'proposals',
  calls: [],
  proposedCalls: ['PATCH /workflows/{id}/activate'],
  run: async ({ workflow_id: id, note: noteText }, { propose }) =>
    createProposalResult(
      await propose('PATCH /workflows/{id}/activate', {
        params: { id },
        query: { note: noteText },
      }),
    ),
});

const presentProposal = (row: ToolRow): ToolRow => ({
  ...pickProperties(row, 'id', 'kind', 'state', 'subject', 'scheduled', 'recipients', 'asked_at'),
  ...pickProperties(
    row,
    'expires_at',
    'decided_at',
    'reason',
    'note',
    'findings',
    'hosts',
    'ceiling',
  ),
});

const getProposal = defineTool({
  name: 'get_proposal',
  title: 'Get a request for approval',
  description: 'The state of a request, or without `proposal_id` the newest requests.',
  input: z.strictObject({ proposal_id: proposal_id.optional() }),
  kind: 'read',
  calls: ['GET /approvals', 'GET /approvals/{id}'],
  async run({ proposal_id: id }, { call }) {
    if (id !== undefined)
      return presentProposal(await call('GET /approvals/{id}', { params: { id } }));
    return { proposals: toRows(await call('GET /approvals')).map(presentProposal) };
  },
});

const withdrawProposal = defineTool({
  name: 'withdraw_proposal',
  title: 'Withdraw a request for approval',
  description: 'Ends an open request made with this token or connection.',
  input: z.strictObject({ proposal_id, idempotency_key: input.idempotencyKey }),
  kind: 'drafts',
  calls: ['POST /approvals/{id}/withdraw'],
  run: async ({ proposal_id: id }, { call }) =>
    presentProposal(await call('POST /approvals/{id}/withdraw', { params: { id } })),
});

export const proposalTools: readonly Tool[] = [
  proposeSend,
  getProposal,
  withdrawProposal,
  proposeActivation,
];
