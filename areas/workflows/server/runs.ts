// Lists the subscribers of a workflow, their current step and the steps they passed.
import type { ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { buildListResponse } from '#platform/server/database/lists.ts';
import type { WorkflowRun } from '../contract.ts';
import * as store from './runs/runs.sql.ts';
import { requireWorkflowRow } from './workflows.ts';

export async function listRuns(
  db: Reader,
  accountId: number,
  id: number,
  query: {
    list: ListRequest<'entered' | 'ended'>;
    state?: 'inside' | 'ended' | undefined;
    subscriber?: number | undefined;
  },
) {
  await requireWorkflowRow(db, accountId, id);
  const { search } = query.list;
  const filter = { state: query.state, subscriberId: query.subscriber, search };
  const order = { column: query.list.order, direction: query.list.direction };
  return buildListResponse(
    query.list,
    {
      rows: (slice) => store.listRuns(db, accountId, id, filter, { ...order, slice }),
      total: () => store.countRuns(db, accountId, id, filter),
    },
    present,
  );
}

/** Omits the id of the message from a note because it is internal. */
const shownNote = (trailNote: string) => (trailNote.startsWith('message:') ? 'sent' : trailNote);

function present(row: store.ListedRun): WorkflowRun {
  return {
    subscriber_id: encodeId('subscriber', row.subscriber_id),
    email: row.email,
    pass: row.pass,
    step_id: encodeId('step', row.step_id),
    entered_at: row.entered_at.toISOString(),
    wake_at: row.wake_at?.toISOString() ?? null,
    ended_at: row.ended_at?.toISOString() ?? null,
    held_for: row.held_for,
    outcome: row.outcome,
    goal_at: row.goal_at?.toISOString() ?? null,
    trail: row.trail.map(([step, at, trailNote]) => ({
      ...{
        step_id: encodeId('step', step),
        at: new Date(at).toISOString(),
        note: shownNote(trailNote),
      },
    })),
  };
}

/** Deletes the runs of erased subscribers. */
export const eraseSubscribers = (tx: Tx, event: { accountId: number; subscriberIds: number[] }) =>
  store.deleteRuns(tx, event.accountId, event.subscriberIds);
