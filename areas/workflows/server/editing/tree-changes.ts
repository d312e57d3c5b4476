// The differences between two trees of a workflow.
import type { StepRow } from '../steps/steps.sql.ts';

/** A step as stored in a version. */
export type StoredStep = Pick<
  StepRow,
  'id' | 'type' | 'parent_id' | 'condition_path' | 'data' | 'content_id' | 'content_revision'
> &
  Partial<Pick<StepRow, 'content_kind'>>;
type Changed = { step: StoredStep; change: 'added' | 'removed' | 'moved' | 'changed' };

/** Changes from one tree to the other, one per step: a moved and changed step counts as moved. */
export function changesBetween(from: readonly StoredStep[], to: readonly StoredStep[]): Changed[] {
  const before = new Map(from.map((step) => [step.id, step]));
  const after = new Set(to.map((step) => step.id));
  const removed = from.filter((step) => !after.has(step.id));
  return [
    ...to.flatMap((step): Changed[] => {
      const was = before.get(step.id);
      if (!was) return [{ step, change: 'added' }];
      const place = (kept: StoredStep) => `${kept.parent_id}/${kept.condition_path}`;
      const contentOf = (kept: StoredStep) =>
        canonical([kept.data, kept.content_id, kept.content_revision]);
      if (place(was) !== place(step)) return [{ step, change: 'moved' }];
      return contentOf(was) === contentOf(step) ? [] : [{ step, change: 'changed' }];
    }),
    ...removed.map((step) => ({ step, change: 'removed' as const })),
  ];
}

/** Canonical JSON, since jsonb does not preserve the order of keys. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_, entry) =>
    entry !== null && typeof entry === 'object' && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([a], [b]) => (a < b ? -1 : 1)))
      : entry,
  );
}
