// Workflows: the calls of specification section 7 'Workflows', and our own beside them.
import { defineCalls } from '#platform/contract.ts';
import { insightCalls } from './insight-contract.ts';
import { stepReportCalls } from './step-report-contract.ts';
import { stepCalls } from './steps-contract.ts';
import { guardCalls, workflowCalls } from './workflows-contract.ts';

export type { WorkflowForecast, WorkflowFullReport, WorkflowTrial } from './insight-contract.ts';
export type { StepAct } from './step-report-contract.ts';
export type { Step, StepData } from './steps-contract.ts';
export type { Workflow, WorkflowReport, WorkflowRun } from './workflows-contract.ts';

/** A step's email is composed at the addresses of steps, by content's calls. */
export const STEP_CALLS = '/client-api/api/workflow_steps';
export const ownCalls = defineCalls({
  ...workflowCalls,
  ...stepCalls,
  ...guardCalls,
  ...insightCalls,
  ...stepReportCalls,
});
