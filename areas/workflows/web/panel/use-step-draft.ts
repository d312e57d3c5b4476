// Draft of a step's settings. In a draft workflow it saves itself, at the latest when the panel
// closes; in an active one it waits for Apply.
import { useCallback, useEffect, useRef, useState } from 'react';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';
import type { Step } from '../../contract.ts';
import { useBuilder } from '../use-builder.ts';

const PAUSE_MS = 700;

type Data = Record<string, unknown>;

export interface StepDraft {
  data: Data;
  change: (change: Data) => void;
  isDirty: boolean;
  isSaving: boolean;
  save: () => Promise<void>;
  discard: () => void;
}

export function useStepDraft(step: Step): StepDraft {
  const { save: send, isActive } = useBuilder();
  const [data, setData] = useState<Data>(step.data);
  const [isDirty, setDirty] = useState(false);
  const [isSaving, setSaving] = useState(false);
  const latest = useRef({ data, isDirty: false, isActive, step });
  latest.current.isActive = isActive;
  latest.current.step = step;

  const save = useCallback(async () => {
    const now = latest.current;
    if (!now.isDirty) return;
    now.isDirty = false;
    setDirty(false);
    setSaving(true);
    const cleaned = withoutGaps(now.data);
    const isDone = await send(now.step, cleaned);
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

  const put = (next: Data, dirty: boolean) => {
    Object.assign(latest.current, { data: next, isDirty: dirty });
    setData(next);
    setDirty(dirty);
  };
  useUnsaved<Data>({
    name: `workflow-step:${step.id}`,
    unsaved: isDirty ? data : undefined,
    restore: (stored) => put(stored, true),
    guard: isActive,
  });
  return {
    ...{ data, isDirty, isSaving, save },
    change: (change) => put({ ...latest.current.data, ...change }, true),
    discard: () => put(step.data, false),
  };
}

const withoutGaps = (data: Data): Data =>
  Object.fromEntries(Object.entries(data).filter(([, value]) => value !== undefined));
