// Autosave: saves during editing, stores unsaved edits, retries after failures, and never
// overwrites a version that another tab saved. This also applies to edits stored in the browser
// days ago, because they record the revision they are based on. A save with a lost response is
// repeated unchanged before anything newer: an identical repeat has no effect, and its response
// returns the revision.
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { ApiError, isRefusal } from '#platform/web/api/api.ts';
import { showError } from '#platform/web/errors/errors.ts';
import type { Saving } from '#platform/web/ui/save-state.tsx';
import { flushUnsaved } from '#platform/web/unsaved.ts';
import { useUnsaved } from '#platform/web/session/use-unsaved.ts';

/** Default pause between the last key and the save. */
const PAUSE_MS = 1500;
const RETRY_MS = 15_000;

export interface SavedValue<Value> {
  value: Value;
  revision: number;
  saved_at: string | null;
}

export interface AutosaveSource<Value> {
  /** Key of edits stored in the browser: `campaign:abc:document`. */
  name: string;
  /** Pause between the last change and its save. */
  pauseMs?: number;
  load: () => Promise<SavedValue<Value>>;
  /**
   * Throws `stale_revision` if another tab or user saved a newer revision. `isSettled`: the author
   * has seen that revision and chose this version.
   */
  save: (
    value: Value,
    revision: number,
    isSettled: boolean,
  ) => Promise<Omit<SavedValue<Value>, 'value'>>;
  /** Reports a failed save if the shared message is too general. */
  reportFailure?: (error: unknown) => void;
}

export interface Autosave<Value> {
  value: Value | undefined;
  /** A new number means the value was replaced from outside the editor. */
  generation: number;
  /** The error of the initial load. */
  error: unknown;
  /** Repeats the initial load after an error. */
  reload: () => void;
  change: (value: Value) => void;
  /** Changes the current value, even if it is not rendered yet. */
  update: (edit: (now: Value | undefined) => Value) => void;
  saving: Saving;
  savedAt: Date | undefined;
  /** Saves pending edits now; false if that failed. */
  flush: () => Promise<boolean>;
  /** Another tab saved a newer version. */
  isStale: boolean;
  /** Loads the other version, or overwrites it with the local one. */
  resolveConflict: (version: 'theirs' | 'ours') => Promise<void>;
}

type EditState<Value> = {
  value: Value | undefined;
  revision: number;
  isDirty: boolean;
  isSettled: boolean;
  pendingSave: Promise<boolean> | undefined;
  /** The value of a save with an unknown result. */
  unconfirmed: { value: Value } | undefined;
};

/** An edit stored in the browser, and its base revision. */
type Edit<Value> = { value: Value; revision: number };

export function useAutosave<Value>(source: AutosaveSource<Value>): Autosave<Value> {
  const savedQuery = useQuery({
    queryKey: ['autosave', source.name],
    queryFn: source.load,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const { pauseMs = PAUSE_MS } = source;
  const [value, setValue] = useState<Value>();
  const [generation, setGeneration] = useState(0);
  const { saving, savedAt, isDirty, isStale, isRefused, flush, actions } = useSaves(source);

  const applySaved = useCallback(
    (saved: SavedValue<Value>) => {
      actions.setSaved(saved);
      setValue(saved.value);
      setGeneration((now) => now + 1);
    },
    [actions],
  );
  useEffect(() => {
    if (savedQuery.data && actions.now().value === undefined) applySaved(savedQuery.data);
  }, [savedQuery.data, actions, applySaved]);

  const change = useCallback(
    (changedValue: Value) => {
      actions.setLocal(changedValue);
      setValue(changedValue);
    },
    [actions],
  );

  useEffect(() => {
    if (!isDirty || isStale || isRefused || value === undefined) return;
    const timer = setTimeout(() => void flush(), pauseMs);
    return () => clearTimeout(timer);
  }, [value, isDirty, isStale, isRefused, flush, pauseMs]);
  useRetries(saving === 'failed' && !isStale && !isRefused, flush);
  useStoreOnFailure(saving);
  useUnsaved<Edit<Value>>({
    name: source.name,
    unsaved:
      isDirty && value !== undefined ? { value, revision: actions.now().revision } : undefined,
    restore: (edit) => {
      actions.restore(edit);
      change(edit.value);
      setGeneration((now) => now + 1);
    },
    // Leaving the screen through a link saves without the pause.
    onLeave: { getUnsaved: actions.unsaved, save: flush },
  });

  const resolveConflict = async (version: 'theirs' | 'ours') => {
    const savedValue = await source.load().catch(showError);
    if (!savedValue) return;
    actions.setBase(savedValue.revision, version === 'ours');
    if (version === 'theirs') return applySaved(savedValue);
    await flush();
  };
  const update = (edit: (now: Value | undefined) => Value) => change(edit(actions.now().value));
  const loading = { error: savedQuery.error, reload: () => void savedQuery.refetch() };
  const conflict = { isStale, resolveConflict };
  return { ...loading, ...conflict, value, generation, change, update, saving, savedAt, flush };
}

/**
 * Stores unsaved edits as soon as a save fails, because a reload may leave no time for it later.
 */
function useStoreOnFailure(saving: Saving): void {
  useEffect(() => {
    if (saving === 'failed') void flushUnsaved();
  }, [saving]);
}

/** Returns the local value, its save state, and a function that saves immediately. */
function useSaves<Value>(source: AutosaveSource<Value>) {
  const [saving, setSaving] = useState<Saving>('saved');
  const [savedAt, setSavedAt] = useState<Date>();
  const [isStale, setStale] = useState(false);
  const [isDirty, setDirty] = useState(false);
  const [isRefused, setRefused] = useState(false);
  const stateRef = useRef<EditState<Value>>({
    value: undefined,
    revision: 0,
    isDirty: false,
    isSettled: false,
    pendingSave: undefined,
    unconfirmed: undefined,
  });
  const calls = useRef(source);
  calls.current = source;

  const save = useCallback(async (): Promise<boolean> => {
    const now = stateRef.current;
    if (now.value === undefined || !now.isDirty) return true;
    now.isDirty = false;
    setSaving('saving');
    try {
      const { value: latest, unconfirmed } = now;
      if (unconfirmed && unconfirmed.value !== latest) {
        await sendAgain(now, unconfirmed.value, calls.current);
      }
      const savedTime = await send(now, latest, calls.current);
      setSavedAt(new Date(savedTime ?? Date.now()));
      setDirty(now.isDirty);
      setSaving(now.isDirty ? 'unsaved' : 'saved');
      return true;
    } catch (error) {
      now.isDirty = true;
      setSaving('failed');
      setRefused(isRefusal(error));
      if (isStaleRevision(error)) setStale(true);
      else if (!(error instanceof ApiError) || error.status !== 0) {
        (calls.current.reportFailure ?? showError)(error);
      }
      return false;
    }
  }, []);

  const flush = useCallback(async (): Promise<boolean> => {
    const now = stateRef.current;
    while (now.pendingSave) await now.pendingSave;
    now.pendingSave = save().finally(() => {
      now.pendingSave = undefined;
    });
    return now.pendingSave;
  }, [save]);

  const actions = useMemo(
    () => createActions(stateRef, { setDirty, setRefused, setSaving, setSavedAt, setStale }),
    [],
  );
  return { saving, savedAt, isDirty, isStale, isRefused, flush, actions };
}

type Setters = {
  setDirty: (isOn: boolean) => void;
  setRefused: (isOn: boolean) => void;
  setSaving: (saving: Saving) => void;
  setSavedAt: (at: Date | undefined) => void;
  setStale: (isOn: boolean) => void;
};

/** Creates operations on the local value that also update the component's state. */
function createActions<Value>(stateRef: { current: EditState<Value> }, setters: Setters) {
  const { setDirty, setRefused, setSaving, setSavedAt, setStale } = setters;
  return {
    now: () => stateRef.current,
    /** Applies a local edit. */
    setLocal: (value: Value) => {
      Object.assign(stateRef.current, { value, isDirty: true });
      setDirty(true);
      setRefused(false);
      setSaving('unsaved');
    },
    /** Applies the server's version. */
    setSaved: ({ value, revision, saved_at: savedTime }: SavedValue<Value>) => {
      Object.assign(stateRef.current, { value, revision, isDirty: false });
      setDirty(false);
      setSaving('saved');
      setSavedAt(savedTime ? new Date(savedTime) : undefined);
    },
    /** The edit that is not saved, or whose save is in progress. */
    unsaved: (): Edit<Value> | undefined => {
      const { value, revision, isDirty: isLeft, pendingSave } = stateRef.current;
      return value !== undefined && (isLeft || pendingSave) ? { value, revision } : undefined;
    },
    /**
     * Restores an edit that the browser stored. The edit counts as unconfirmed, because its save
     * may have reached the server after the user left the screen.
     */
    restore: ({ value, revision }: Edit<Value>) => {
      Object.assign(stateRef.current, { revision, isSettled: false, unconfirmed: { value } });
      setStale(false);
    },
    /** Sets the base revision of the next save. */
    setBase: (revision: number, isSettled: boolean) => {
      Object.assign(stateRef.current, { revision, isSettled });
      setStale(false);
    },
  };
}

async function send<Value>(state: EditState<Value>, value: Value, { save }: AutosaveSource<Value>) {
  state.unconfirmed = { value };
  try {
    const { revision, saved_at } = await save(value, state.revision, state.isSettled);
    Object.assign(state, { revision, isSettled: false, unconfirmed: undefined });
    return saved_at;
  } catch (error) {
    if (isRefusal(error)) state.unconfirmed = undefined;
    throw error;
  }
}

/**
 * Repeats a save with an unknown result. A refusal other than `stale_revision` settles that result
 * and is ignored, because a newer value is saved next.
 */
async function sendAgain<Value>(
  state: EditState<Value>,
  value: Value,
  source: AutosaveSource<Value>,
) {
  try {
    await send(state, value, source);
  } catch (error) {
    if (!isRefusal(error) || isStaleRevision(error)) throw error;
  }
}

function isStaleRevision(error: unknown): boolean {
  return error instanceof ApiError && error.code === 'stale_revision';
}

/**
 * Retries failed saves at intervals and when the network returns, and saves pending edits whenever
 * the tab is hidden.
 */
function useRetries(isFailed: boolean, flush: () => Promise<boolean>): void {
  useEffect(() => {
    const leave = () => {
      if (document.visibilityState === 'hidden') void flush();
    };
    document.addEventListener('visibilitychange', leave);
    return () => document.removeEventListener('visibilitychange', leave);
  }, [flush]);
  useEffect(() => {
    if (!isFailed) return;
    const flushAgain = () => void flush();
    const timer = setInterval(flushAgain, RETRY_MS);
    window.addEventListener('online', flushAgain);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', flushAgain);
    };
  }, [isFailed, flush]);
}
