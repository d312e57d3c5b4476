// API calls and paths of workflow screens.
import { useQuery } from '@tanstack/react-query';
import { type ResponseOf, client } from '#platform/web/api/api.ts';
import type { ownCalls } from '../contract.ts';

export const api = client<typeof ownCalls>();
export const LIST_PATH = '/client-api/api/workflows';
/** Base path of the calls that compose a step's email. */
export const STEP_EMAILS = '/client-api/api/workflow_steps';

export type ResponseOfWhole = ResponseOf<typeof ownCalls, 'GET /client-api/api/workflows/{id}'>;
export type WholeWorkflow = ResponseOfWhole['data'];

export const WORKFLOWS = '/automation/index';
export const builderPath = (id: string) => `/automation/builder/${id}`;
export const buildReportPath = (id: string) => `/automation/${id}/report`;
/**
 * Returns the path of the report on a message step; the report on an SMS is a screen of the SMS
 * area.
 */
export const buildStepReportPath = (id: string, step: { id: string; type: string }) =>
  step.type === 'SMS'
    ? `/transactional/sms/${step.id}/report`
    : `${buildReportPath(id)}/${step.id}`;
const EDITORS = { editor: 'editor', html: 'custom_html', text: 'plain_text' } as const;
export const buildEmailPath = (id: string, step: string, kind: keyof typeof EDITORS = 'editor') =>
  `${builderPath(id)}/email/${step}/${EDITORS[kind]}`;

export const workflowQuery = (id: string) =>
  api.query('GET /client-api/api/workflows/{id}', { params: { id } });

export const useWorkflow = (id: string) => useQuery(workflowQuery(id));
