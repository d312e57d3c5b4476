// The report of an EMAIL step: engagement per person, and links. Removed steps keep their report.
import { findLinksOfMessages } from '#areas/tracking/server/index.ts';
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader } from '#platform/server/database/database.ts';
import { notFound } from '#platform/server/errors.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { StepAct } from '../../contract.ts';
import type { StepAction } from '../../shared.ts';
import { findMessagesOfSteps } from '../runs/activity.sql.ts';
import { countStepActions, readStepActions, type StepActionRow } from './step-report.sql.ts';
import { readSteps } from '../steps/steps.sql.ts';
import { requireWorkflowRow } from '../workflows.ts';

type StepRef = { id: number; stepId: number };

/** Throws `not_found` if the workflow has no such EMAIL step. */
async function listMessageIds(db: Reader, accountId: number, { id, stepId }: StepRef) {
  await requireWorkflowRow(db, accountId, id);
  const steps = await readSteps(db, accountId, [id], 'all');
  if (!steps.some((step) => step.id === stepId && step.type === 'EMAIL')) throw notFound();
  return (await findMessagesOfSteps(db, accountId, [stepId])).map((message) => message.message_id);
}

export async function listStepActions(
  db: Reader,
  accountId: number,
  place: StepRef,
  { list, action }: { list: ListRequest<'at' | 'email'>; action: StepAction },
) {
  const messageIds = await listMessageIds(db, accountId, place);
  const actionSet = { accountId, messageIds, action, search: list.search };
  return buildListResponse(
    list,
    {
      rows: (slice) => readStepActions(db, actionSet, list, slice),
      total: () => countStepActions(db, actionSet),
    },
    present,
  );
}

export const listStepLinks = async (db: Reader, accountId: number, place: StepRef) =>
  findLinksOfMessages(db, accountId, await listMessageIds(db, accountId, place));

function present({ subscriber_id, is_known, email, at, count, is_human }: StepActionRow): StepAct {
  const subscriber = is_known ? { id: encodeId('subscriber', subscriber_id), email } : null;
  return { subscriber, at: at.toISOString(), count, is_human };
}
