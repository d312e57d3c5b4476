// Calls for the workflow screens.
import { defineCalls } from '#platform/contract.ts';
import { insightCalls } from './insight-contract.ts';
import { stepReportCalls } from './step-report-contract.ts';
import { stepCalls } from './steps-contract.ts';
import { guardCalls, workflowCalls } from './workflows-contract.ts';

export type {
  WorkflowForecast,
  WorkflowFullReport,
  WorkflowSplit,
  WorkflowTrial,
} from './insight-contract.ts';
export type { StepAct } from './step-report-contract.ts';
export type { WorkflowStep, StepData } from './steps-contract.ts';
export type {
  ListedWorkflow,
  Workflow,
  WorkflowReport,
  WorkflowRun,
} from './workflows-contract.ts';

/** Base path of the content calls that compose a step's email. */
export const WORKFLOW_STEPS_PATH = '/client-api/api/workflow_steps';
export const ownCalls = defineCalls({
  ...workflowCalls,
  ...stepCalls,
  ...guardCalls,
  ...insightCalls,
  ...stepReportCalls,
});
