// The list of workflows with folders, labels and bulk actions.
import { encodeId } from '#platform/ids.ts';
import { type ItemOwner, readPlaceFilter, attachPlaces } from '#areas/folders/server/index.ts';
import type { ListMeta, ListRequest } from '#platform/contract.ts';
import { cutText } from '#platform/server/clean-text.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { ListedWorkflow } from '../contract.ts';
import { MAX_TITLE_LENGTH, type WorkflowStatus } from '../shared.ts';
import { lockWorkflow } from './editing/steps.ts';
import * as workflows from './workflows.ts';
import { listExistingWorkflows } from './workflows.sql.ts';

type Query = Parameters<typeof readPlaceFilter>[0] & {
  list: ListRequest<'modified' | 'created' | 'title'>;
  status?: WorkflowStatus | undefined;
};

export async function listWithPlaces(
  tx: Tx,
  accountId: number,
  { list, status, ...place }: Query,
): Promise<{ data: ListedWorkflow[]; meta?: ListMeta | undefined }> {
  const filter = { list, status, place: readPlaceFilter(place) };
  const page = await workflows.listWorkflows(tx, accountId, filter);
  return attachPlaces(tx, accountId, 'workflow', page);
}

export const workflowItems: ItemOwner = {
  area: 'workflows',
  kind: 'workflow',
  base: '/client-api/api/workflows',
  describeItem: async (db, accountId, id) => {
    const { title } = await workflows.requireWorkflowRow(db, accountId, id);
    return { title, path: `/automation/builder/${encodeId('workflow', id)}` };
  },
  filterExisting: listExistingWorkflows,
  duplicate: async (tx, caller, id, copyOf) => {
    const { title } = await workflows.requireWorkflowRow(tx, caller.accountId, id);
    const copy = cutText(copyOf(title), MAX_TITLE_LENGTH);
    return (await workflows.duplicateWorkflow(tx, caller, id, copy)).id;
  },
  // A draft with people inside was active: deleting it would end their runs.
  deleteDraft: async (tx, accountId, id) => {
    const { status } = await lockWorkflow(tx, accountId, id);
    const { people } = await workflows.readWorkflow(tx, accountId, id);
    if (status !== 'DRAFT' || people.inside > 0) return false;
    await workflows.deleteWorkflow(tx, accountId, id);
    return true;
  },
};
