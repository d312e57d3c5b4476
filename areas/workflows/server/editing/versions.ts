// Versions of a tree: their differences from the current tree, and restoring one as a new version.
import { readMember } from '#areas/accounts/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import type { Reader, Tx } from '#platform/server/database/database.ts';
import { AppError, notFound } from '#platform/server/errors.ts';
import type { StepType } from '../../shared.ts';
import { findVersion } from '../history.sql.ts';
import { changeTree, readTree, type StepEditor } from './steps.ts';
import { diffTrees } from './tree-changes.ts';
import { readSteps, removeSteps, updateStep } from '../steps/steps.sql.ts';
import { StepTree } from '../steps/tree.ts';
import { listVersions } from '../workflows.sql.ts';

async function readVersionTree(db: Reader, accountId: number, id: number, number: number) {
  const version = await findVersion(db, accountId, id, number);
  if (!version) throw notFound();
  return { version, steps: version.tree };
}

/** Versions, newest first; an author is named only while that user is a member of the account. */
export async function presentVersions(db: Reader, accountId: number, id: number) {
  const rows = await listVersions(db, accountId, id);
  const userIds = [...new Set(rows.flatMap((row) => row.created_by ?? []))];
  const users = await Promise.all(userIds.map((userId) => readMember(db, accountId, userId)));
  const authors = new Map(
    users.flatMap((user) => {
      if (!user) return [];
      const name = [user.name, user.surname].filter(Boolean).join(' ');
      return [[user.id, name || user.email] as const];
    }),
  );
  return rows.map((row) => ({
    ...{ number: row.number, created: row.created_at.toISOString(), steps: row.steps },
    author: authors.get(row.created_by ?? 0) ?? null,
  }));
}

export async function readVersion(db: Reader, accountId: number, id: number, number: number) {
  const { version, steps } = await readVersionTree(db, accountId, id, number);
  const currentSteps = (await readTree(db, accountId, id)).listOrdered();
  return {
    number,
    created: version.created_at.toISOString(),
    steps: steps.map((step) => ({
      id: encodeId('step', step.id),
      type: step.type as StepType,
      parent_id: step.parent_id === null ? null : encodeId('step', step.parent_id),
      condition_path: step.condition_path,
      data: step.data as Record<string, unknown>,
    })),
    changes: diffTrees(currentSteps, steps).map(({ step, change }) => ({
      ...{ step_id: encodeId('step', step.id), type: step.type as StepType, change },
    })),
  };
}

/**
 * Restores a version. Subscribers at a removed step move to the nearest remaining step below it.
 * Without `withContent` emails keep their current content.
 */
export async function restoreVersion(
  tx: Tx,
  caller: StepEditor,
  id: number,
  number: number,
  withContent: boolean,
): Promise<void> {
  await changeTree(tx, caller, id, async (tree, row) => {
    const { accountId } = caller;
    const { steps } = await readVersionTree(tx, accountId, id, number);
    const changes = diffTrees(tree.listOrdered(), steps);
    const changesTrigger = changes.some(
      ({ step, change }) => step.type === 'trigger' && change === 'changed',
    );
    if (changesTrigger && row.status === 'ACTIVE') throw new AppError('workflow_active');
    const remainingIds = new Set(steps.map((step) => step.id));
    const at = clock.now();
    for (const { step, change } of changes) {
      if (change !== 'removed') continue;
      const successor = findNextStaying(tree, step.id, remainingIds);
      await removeSteps(tx, accountId, [step.id], successor, at);
    }
    const revisions = new Map(
      (await readSteps(tx, accountId, [id], 'all')).map((step) => [step.id, step.revision]),
    );
    for (const { step, change } of changes) {
      if (change === 'removed') continue;
      const { parent_id, condition_path, content_id, content_revision, content_kind } = step;
      await updateStep(tx, accountId, step.id, {
        ...{ parent_id, condition_path },
        ...(withContent && { content_id, content_revision }),
        ...(withContent && content_kind !== undefined && { content_kind }),
        ...{ data: JSON.stringify(step.data), removed_at: null, heir_id: null, problem: null },
        revision: (revisions.get(step.id) ?? 0) + 1,
      });
    }
  });
}

function findNextStaying(
  tree: StepTree,
  id: number,
  remainingIds: ReadonlySet<number>,
): number | null {
  const below = tree.listBranch(id).slice(1);
  return below.find((step) => remainingIds.has(step.id))?.id ?? null;
}
