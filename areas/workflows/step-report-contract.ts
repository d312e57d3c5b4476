// Report of one EMAIL step: engagement per person, and links. Its totals are part of the workflow's
// report.
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
import { STEP_ACTIONS } from './shared.ts';

/** Engagement of one person across all their runs; the person is null once deleted. */
const StepAct = z.object({
  subscriber: z.object({ id: Id, email: z.string().nullable() }).nullable(),
  /** First occurrence. */
  at: Instant,
  /** Number of opens or clicks. */
  count: z.number().nullable(),
  /** False if all opens and clicks were automated. */
  is_human: z.boolean().nullable(),
});
export type StepAct = z.infer<typeof StepAct>;

/** Clicks by people, without link scanners. */
const StepLink = z.object({ url: z.string(), clicks: z.number(), people: z.number() });

const BASE = '/client-api/api/workflows/{id}/steps/{stepId}';
const params = z.object({ id: idOf('workflow'), stepId: idOf('step') });

export const stepReportCalls = defineCalls({
  listStepActions: {
    method: 'GET',
    path: `${BASE}/actions`,
    caller: 'account',
    requiredRight: 'people',
    summary: 'List recipients of an email step',
    description:
      'Returns the recipients with one kind of activity: an open, click, hard or soft bounce, unsubscribe or complaint.',
    params,
    query: listQuery(
      { sorts: ['at', 'email'], direction: 'desc' },
      { action: z.enum(STEP_ACTIONS).default('opens') },
    ),
    response: listResponse(StepAct),
  },
  listStepLinks: {
    method: 'GET',
    path: `${BASE}/links`,
    caller: 'account',
    summary: 'List links of an email step',
    description: 'Includes their clicks.',
    params,
    response: dataResponse(z.array(StepLink)),
  },
});
