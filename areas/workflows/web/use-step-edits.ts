// Changes to steps of an active workflow that are not applied yet. The browser stores them until
// they are applied or discarded: when the builder opens again, they are restored and marked.
import { useCallback, useRef, useState } from 'react';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';

type StepData = Record<string, unknown>;

export interface StepEdits {
  /** Edited data by step; steps without an edit are left out. */
  edits: Readonly<Record<string, StepData>>;
  /** Without data, the edit of the step is removed. */
  editStep: (stepId: string, data?: StepData) => void;
  discardEdits: () => void;
}

export function useStepEdits(workflowId: string): StepEdits {
  const [edits, setEdits] = useState<StepEdits['edits']>({});
  const latest = useRef(edits);
  const put = useCallback((next: StepEdits['edits']) => {
    latest.current = next;
    setEdits(next);
  }, []);
  const isEmpty = Object.keys(edits).length === 0;
  const unsaved = () => (Object.keys(latest.current).length === 0 ? undefined : latest.current);
  useUnsaved<StepEdits['edits']>({
    name: `workflow-edits:${workflowId}`,
    unsaved: isEmpty ? undefined : edits,
    restore: (stored) => put({ ...stored, ...latest.current }),
    // Leaving the builder applies nothing, so the edits remain stored.
    leaving: { left: unsaved, save: () => Promise.resolve(false) },
  });
  const editStep = useCallback(
    (stepId: string, data?: StepData) => {
      const { [stepId]: _, ...others } = latest.current;
      put(data === undefined ? others : { ...others, [stepId]: data });
    },
    [put],
  );
  return { edits, editStep, discardEdits: useCallback(() => put({}), [put]) };
}
