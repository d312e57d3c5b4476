// Draft of a step's settings. In a draft workflow it is saved automatically, at the latest when the
// panel closes; in an active one it is an edit of the builder that waits to be applied.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import type { WorkflowStep } from '../../contract.ts';
import { useBuilder } from '../use-builder.ts';

const PAUSE_MS = 700;

type DraftData = Record<string, unknown>;

export interface StepDraft {
  data: DraftData;
  change: (change: DraftData) => void;
  isDirty: boolean;
  isSaving: boolean;
  save: () => Promise<void>;
  discard: () => void;
}

export function useStepDraft(step: WorkflowStep): StepDraft {
  const { isActive, edits } = useBuilder();
  const saving = useSavingDraft(step);
  const edit = useEdit(step);
  // An edit that remains after a deactivation still has to be applied or discarded.
  return isActive || edits[step.id] !== undefined ? edit : saving;
}

/** Manages the edit of a step in an active workflow. */
function useEdit(step: WorkflowStep): StepDraft {
  const { edits, editStep, save } = useBuilder();
  const [isSaving, setSaving] = useState(false);
  const editedData = edits[step.id];
  return {
    data: editedData ?? step.data,
    isDirty: editedData !== undefined,
    isSaving,
    change: (change) => {
      const next = omitUndefined({ ...(editedData ?? step.data), ...change });
      editStep(step.id, isSame(next, step.data) ? undefined : next);
    },
    discard: () => editStep(step.id),
    save: async () => {
      if (editedData === undefined) return;
      setSaving(true);
      if (await save(step, editedData)) editStep(step.id);
      setSaving(false);
    },
  };
}

/** Manages the settings of a step in a draft workflow, which are saved automatically. */
function useSavingDraft(step: WorkflowStep): StepDraft {
  const { save: send, isActive, editStep } = useBuilder();
  const [data, setData] = useState<DraftData>(step.data);
  const [isDirty, setDirty] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const latest = useRef({ data, isDirty: false, isSaving: false, isActive, step });
  latest.current.isActive = isActive;
  latest.current.step = step;

  const save = useCallback(async () => {
    const now = latest.current;
    if (!now.isDirty) return;
    now.isDirty = false;
    now.isSaving = true;
    setDirty(false);
    setSaving(true);
    const isDone = await send(now.step, omitUndefined(now.data));
    now.isSaving = false;
    setSaving(false);
    if (isDone) return;
    now.isDirty = true;
    setDirty(true);
  }, [send]);

  useEffect(() => {
    if (!isDirty || isActive) return undefined;
    const timer = setTimeout(() => void save(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [data, isDirty, isActive, save]);

  useEffect(
    () => () => {
      if (!latest.current.isActive) void save();
    },
    [save],
  );

  const updateData = useCallback((next: DraftData, dirty: boolean) => {
    Object.assign(latest.current, { data: next, isDirty: dirty });
    setData(next);
    setDirty(dirty);
  }, []);

  // If the workflow is activated before the draft is saved, the draft becomes an edit to apply.
  const { id } = step;
  useEffect(() => {
    const { data: unsaved, isDirty: wasDirty, step: currentStep } = latest.current;
    if (!isActive || !wasDirty) return;
    editStep(id, omitUndefined(unsaved));
    updateData(currentStep.data, false);
  }, [isActive, id, editStep, updateData]);

  useUnsaved<DraftData>({
    name: `workflow-step:${step.id}`,
    unsaved: isDirty ? data : undefined,
    restore: (stored) => (isActive ? editStep(id, stored) : updateData(stored, true)),
  });
  const isOwn = isDirty || isSaving;
  return {
    ...{ data: isOwn ? data : step.data, isDirty, isSaving, save },
    change: (change) => {
      const { isDirty: wasDirty, isSaving: wasSaving, data: ownData } = latest.current;
      updateData({ ...(wasDirty || wasSaving ? ownData : step.data), ...change }, true);
    },
    discard: () => updateData(step.data, false),
  };
}

const omitUndefined = (data: DraftData): DraftData =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));

/** Ignores the order of keys, which the server's JSON does not preserve. */
const isSame = (a: DraftData, b: DraftData) => canonical(a) === canonical(b);

const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, entry) =>
    entry !== null && typeof entry === 'object' && !Array.isArray(entry)
      ? Object.fromEntries(Object.entries(entry).sort(([x], [y]) => (x < y ? -1 : 1)))
      : entry,
  );
