// A workflow, its tree and its parsed settings, as used by the engine and dry runs.
import type { z } from 'zod';
import { type SubscriberLocation, resolveSubscriberZone } from '#areas/subscribers/server/index.ts';
import { Settings } from '../../workflows-contract.ts';
import type { StepTree } from '../steps/tree.ts';
import type { WorkflowRow } from '../workflows.sql.ts';

export type WorkflowSettings = z.output<typeof Settings>;

export const readWorkflowSettings = (row: Pick<WorkflowRow, 'settings'>): WorkflowSettings =>
  Settings.parse(row.settings);

export type RunnableWorkflow = { row: WorkflowRow; tree: StepTree; settings: WorkflowSettings };
/** Active workflows of one account by id. */
export type ActiveWorkflows = ReadonlyMap<number, RunnableWorkflow>;

/** Returns the time zone of the subscriber if known, otherwise of the account. */
export const getZone = (location: SubscriberLocation | undefined, accountZone: string): string =>
  (location && resolveSubscriberZone(location)) ?? accountZone;
