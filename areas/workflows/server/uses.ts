// References of workflows to resources of other areas, which lower areas query before a deletion.
import {
  listContentsNaming,
  listContentsWithAddress,
  lineNames,
  type NamedResource,
} from '#areas/content/server/index.ts';
import { needsProof } from '#areas/delivery/server/sender/index.ts';
import { parseSenderDomain } from '#areas/domains/server/index.ts';
import type { Condition } from '#areas/segments/shared.ts';
import { namesEvent, namesField, namesGroup } from '#areas/segments/server/index.ts';
import { namesAddress } from '#platform/server/erasure/addresses.ts';
import { encodeId } from '#platform/ids.ts';
import type { Right } from '#platform/rights.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { readWorkflowSettings } from './runs/active.ts';
import { readSteps, type WorkflowStepRow } from './steps/steps.sql.ts';
import { getStepData } from './steps/tree.ts';
import { listAllWorkflows, type WorkflowRow } from './workflows.sql.ts';

const MAX_NAMED = 20;

type ResourceUse = { kind: string; id: string; title: string };
type LoadedWorkflow = { row: WorkflowRow; steps: WorkflowStepRow[] };

/** Returns up to `MAX_NAMED` existing workflows, including drafts, that refer to the resource. */
async function findUses(
  tx: Tx,
  accountId: number,
  isUsing: (workflow: LoadedWorkflow) => boolean,
): Promise<ResourceUse[]> {
  const rows = await listAllWorkflows(tx, accountId);
  const ids = rows.map((row) => row.id);
  const steps = Map.groupBy(await readSteps(tx, accountId, ids), (step) => step.workflow_id);
  return rows
    .filter((row) => isUsing({ row, steps: steps.get(row.id) ?? [] }))
    .slice(0, MAX_NAMED)
    .map((row) => ({ kind: 'workflow', id: encodeId('workflow', row.id), title: row.title }));
}

/** Lists conditions of the entry filter, the goal and all steps. */
function listConditions({ row, steps }: LoadedWorkflow): Condition[] {
  const { entry_conditions: entry, goal } = readWorkflowSettings(row);
  const stepConditions = steps.flatMap((step) => {
    const { conditions = [] } = getStepData(step, 'CONDITION');
    const { until } = getStepData(step, 'delay');
    return [...conditions, ...(until?.conditions ?? [])];
  });
  return [...entry, ...(goal?.conditions ?? []), ...stepConditions];
}

const NAMES = [
  'listId',
  'group',
  'from_group',
  'segment',
  'field',
  'event',
  'form',
  'store',
  'product',
] as const;

/** Returns true if the step itself refers to this id. */
function namesId(step: WorkflowStepRow, id: string): boolean {
  const data = step.data as Record<string, unknown>;
  const { fields = [] } = getStepData(step, 'trigger');
  return NAMES.some((name) => data[name] === id) || fields.includes(id);
}

/** Returns a predicate: whether an email of the workflow refers to the resource. */
async function createContentFilter(
  tx: Tx,
  accountId: number,
  resource: NamedResource,
): Promise<(w: LoadedWorkflow) => boolean> {
  const rows = await listAllWorkflows(tx, accountId);
  const steps = await readSteps(
    tx,
    accountId,
    rows.map((row) => row.id),
  );
  const ids = steps.map((step) => step.content_id);
  const contents = await listContentsNaming(tx, accountId, resource, ids);
  return ({ steps: workflowSteps }) =>
    workflowSteps.some((step) => step.content_id !== null && contents.has(step.content_id));
}

export async function listWorkflowsUsingGroup(
  tx: Tx,
  { accountId, groupId }: { accountId: number; groupId: number },
): Promise<ResourceUse[]> {
  const id = encodeId('group', groupId);
  const isShown = await createContentFilter(tx, accountId, { group: groupId });
  return findUses(
    tx,
    accountId,
    (workflow) =>
      workflow.steps.some((step) => namesId(step, id)) ||
      listConditions(workflow).some(namesGroup(groupId)) ||
      isShown(workflow),
  );
}

export async function listWorkflowsUsingSegment(
  tx: Tx,
  question: { accountId: number; segmentId: number },
): Promise<ResourceUse[]> {
  return findUses(tx, question.accountId, await namesSegment(tx, question));
}

/** Handles the `segment.inForce` query. */
export async function listActiveUsingSegment(
  tx: Tx,
  question: { accountId: number; segmentId: number },
): Promise<(ResourceUse & { right: Right })[]> {
  const isUsing = await namesSegment(tx, question);
  const isActive = ({ row }: LoadedWorkflow) => row.status === 'ACTIVE';
  const uses = await findUses(
    tx,
    question.accountId,
    (workflow) => isActive(workflow) && isUsing(workflow),
  );
  return uses.map((use) => ({ ...use, right: 'send' }));
}

async function namesSegment(
  tx: Tx,
  { accountId, segmentId }: { accountId: number; segmentId: number },
): Promise<(workflow: LoadedWorkflow) => boolean> {
  const id = encodeId('segment', segmentId);
  const isShown = await createContentFilter(tx, accountId, { segment: segmentId });
  return (workflow) => workflow.steps.some((step) => namesId(step, id)) || isShown(workflow);
}

export async function listWorkflowsUsingField(
  tx: Tx,
  { accountId, fieldId, name }: { accountId: number; fieldId: number; name: string },
): Promise<ResourceUse[]> {
  const id = encodeId('field', fieldId);
  const isShown = await createContentFilter(tx, accountId, { field: name });
  const isWritten = (step: WorkflowStepRow) => {
    const { subject = '', preheader = '' } = getStepData(step, 'EMAIL');
    const { text = '' } = getStepData(step, 'SMS');
    return lineNames(`${subject} ${preheader} ${text}`, name);
  };
  return findUses(
    tx,
    accountId,
    (workflow) =>
      workflow.steps.some((step) => namesId(step, id) || isWritten(step)) ||
      listConditions(workflow).some(namesField(fieldId)) ||
      isShown(workflow),
  );
}

export async function listWorkflowsUsingEvent(
  tx: Tx,
  { accountId, eventId }: { accountId: number; eventId: number },
): Promise<ResourceUse[]> {
  const id = encodeId('custom_event', eventId);
  return findUses(
    tx,
    accountId,
    (workflow) =>
      workflow.steps.some((step) => namesId(step, id)) ||
      listConditions(workflow).some(namesEvent(eventId)),
  );
}

export async function listWorkflowsUsingImage(
  tx: Tx,
  { accountId, fileKey }: { accountId: number; fileKey: string },
): Promise<ResourceUse[]> {
  return findUses(tx, accountId, await createContentFilter(tx, accountId, { image: fileKey }));
}

/** Lists active workflows that send from the domain. */
export async function listWorkflowsFromDomain(
  tx: Tx,
  { accountId, domain }: { accountId: number; domain: string },
): Promise<ResourceUse[]> {
  if (!needsProof()) return [];
  return findUses(
    tx,
    accountId,
    ({ row, steps }) =>
      row.status === 'ACTIVE' &&
      steps.some(
        (step) => parseSenderDomain(getStepData(step, 'EMAIL').from_email ?? '') === domain,
      ),
  );
}

/** Handles the `addresses.contents_naming` query. */
export async function listWorkflowsWithAddress(
  tx: Tx,
  { accountId, addresses }: { accountId: number; addresses: readonly string[] },
): Promise<ResourceUse[]> {
  const rows = await listAllWorkflows(tx, accountId);
  const ids = rows.map((row) => row.id);
  const contentIds = (await readSteps(tx, accountId, ids)).map((step) => step.content_id);
  const contents = await listContentsWithAddress(tx, accountId, addresses, contentIds);
  const isWritten = (step: WorkflowStepRow) =>
    (step.content_id !== null && contents.has(step.content_id)) ||
    namesAddress(JSON.stringify(step.data), addresses);
  return findUses(tx, accountId, ({ steps }) => steps.some(isWritten));
}
