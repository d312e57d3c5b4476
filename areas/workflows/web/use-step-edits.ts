// Changes to steps of an active workflow that are not applied yet. The browser stores them until
// they are applied or discarded: when the builder opens again, they are restored and marked.
import { useCallback, useRef, useState } from 'react';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';

type EditedData = Record<string, unknown>;

export interface StepEdits {
  /** Edited data by step; steps without an edit are left out. */
  edits: Readonly<Record<string, EditedData>>;
  /** Without data, the edit of the step is removed. */
  editStep: (stepId: string, data?: EditedData) => void;
  discardEdits: () => void;
}

export function useStepEdits(workflowId: string): StepEdits {
  const [edits, setEdits] = useState<StepEdits['edits']>({});
  const latest = useRef(edits);
  const updateEdits = useCallback((next: StepEdits['edits']) => {
    latest.current = next;
    setEdits(next);
  }, []);
  const isEmpty = Object.keys(edits).length === 0;
  const listUnsaved = () => (Object.keys(latest.current).length === 0 ? undefined : latest.current);
  useUnsaved<StepEdits['edits']>({
    name: `workflow-edits:${workflowId}`,
    unsaved: isEmpty ? undefined : edits,
    restore: (storedEdits) => updateEdits({ ...storedEdits, ...latest.current }),
    // Leaving the builder applies nothing, so the edits remain stored.
    onLeave: { getUnsaved: listUnsaved, save: () => Promise.resolve(false) },
  });
  const editStep = useCallback(
    (stepId: string, data?: EditedData) => {
      const { [stepId]: _, ...others } = latest.current;
      updateEdits(data === undefined ? others : { ...others, [stepId]: data });
    },
    [updateEdits],
  );
  return { edits, editStep, discardEdits: useCallback(() => updateEdits({}), [updateEdits]) };
}
