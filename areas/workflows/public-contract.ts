// Calls for workflows in the public API.
import { z } from 'zod';
import { defineCalls, Id, idOf } from '#platform/contract.ts';
import { V2SuccessResponse, V2Time, v2List, v2Page } from '#platform/v2-contract.ts';
import { Report } from './workflows-contract.ts';

const PublicWorkflow = z.object({
  id: Id,
  user_id: Id.nullable(),
  account_id: Id,
  title: z.string(),
  status: z.string(),
  created: V2Time,
  modified: V2Time,
  emails_sent: z.number(),
  type: z.literal('automation'),
  description: z.string(),
  thumbnail: z.string().nullable(),
  workflow_category_id: Id.nullable(),
  index_report: Report.pick({
    sent: true,
    opened: true,
    clicked: true,
    open_rate: true,
    click_rate: true,
  }),
});
export type PublicWorkflow = z.infer<typeof PublicWorkflow>;

const PublicStep = z.object({
  id: Id,
  workflow_id: Id,
  parent_id: Id.nullable(),
  type: z.string(),
  trigger_type: z.string().nullable(),
  delay_type: z.string().nullable(),
  condition_path: z.string(),
  complete: z.boolean(),
  active_subscribers_count: z.number(),
  thumbnail_url: z.string().nullable(),
  trigger_definition: z.record(z.string(), z.unknown()).nullable(),
  children: z.array(Id),
});
export type PublicStep = z.infer<typeof PublicStep>;

const params = z.object({ id: idOf('workflow') });

export const publicCalls = defineCalls({
  listWorkflows: {
    method: 'GET',
    path: '/v2/workflows',
    caller: 'account',
    summary: 'List workflows with statistics',
    description:
      'Returns the newest workflows first. `title` limits the list to titles that begin with it, ignoring case. A deactivated workflow is `DRAFT`; `PAUSED` matches none.',
    query: v2List(
      { order: 'created', direction: 'desc' },
      { status: z.enum(['DRAFT', 'ACTIVE', 'PAUSED']).optional(), title: z.string().optional() },
    ),
    response: v2Page(PublicWorkflow),
  },
  readWorkflow: {
    method: 'GET',
    path: '/v2/workflows/{id}',
    caller: 'account',
    summary: 'Get a workflow with its report',
    description:
      '`report` holds totals and rates of all emails of the workflow, including those of removed steps.',
    params,
    response: z.object({ data: PublicWorkflow.extend({ report: Report }) }),
  },
  averageReport: {
    method: 'GET',
    path: '/v2/workflows/{id}/average_report',
    caller: 'account',
    summary: 'Get statistics of a workflow',
    description:
      'Returns only the `report` of `GET /v2/workflows/{id}`: totals and rates of all emails, including those of removed steps.',
    params,
    response: z.object({ success: z.literal(true), data: Report }),
  },
  listSteps: {
    method: 'GET',
    path: '/v2/workflows/{id}/steps',
    caller: 'account',
    summary: 'List steps of a workflow',
    description:
      'Returns 500 steps per page, beginning with the trigger. `batch_no` is the number of the page, starting at 0.',
    params,
    query: z.object({ batch_no: z.coerce.number().int().min(0).catch(0).default(0) }),
    response: z.array(PublicStep),
  },
  startWorkflow: {
    method: 'POST',
    path: '/v2/workflows/{id}/start',
    caller: 'account',
    requiredRight: 'transactional',
    summary: 'Start a workflow for a subscriber',
    description:
      'The workflow must be active and have an API trigger; otherwise the request returns 409 `workflow_not_active`. An unknown address is added as a subscriber.',
    params,
    body: z.object({ email: z.string().trim().max(320) }),
    response: V2SuccessResponse,
    errors: { workflow_not_active: 409 },
    example: { body: { email: 'ada@home.example' } },
  },
});
