// What is being written: saves by itself, keeps what is not saved, tries again after a failure, and never
// writes over what another tab saved.
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '#platform/web/api.ts';
import { showError } from '#platform/web/errors.ts';
import type { Saving } from '#platform/web/ui/save-state.tsx';
import { useUnsaved } from '#platform/web/use-unsaved.ts';

const PAUSE_MS = 1500;
const RETRY_MS = 15_000;

export interface Kept<Value> {
  value: Value;
  revision: number;
  saved_at: string | null;
}

export interface AutosaveSource<Value> {
  /** What is edited, for what is kept in the browser: `campaign:abc:document`. */
  name: string;
  load: () => Promise<Kept<Value>>;
  /**
   * A newer revision elsewhere is the error `stale_revision`. `isSettled`: the author has seen that
   * there is one, and wants this one.
   */
  save: (value: Value, revision: number, isSettled: boolean) => Promise<Omit<Kept<Value>, 'value'>>;
}

export interface Autosave<Value> {
  value: Value | undefined;
  /** Another number: the value was replaced from outside the editor. */
  generation: number;
  error: unknown;
  change: (value: Value) => void;
  saving: Saving;
  savedAt: Date | undefined;
  /** Saves what is left now; false if it could not. */
  flush: () => Promise<boolean>;
  /** Another tab saved something newer. */
  isStale: boolean;
  /** Takes theirs, or saves ours over it. */
  settle: (whose: 'theirs' | 'ours') => Promise<void>;
}

type Held<Value> = {
  value: Value | undefined;
  revision: number;
  isDirty: boolean;
  isSettled: boolean;
  running: Promise<boolean> | undefined;
};

export function useAutosave<Value>(source: AutosaveSource<Value>): Autosave<Value> {
  const loaded = useQuery({
    queryKey: ['autosave', source.name],
    queryFn: source.load,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [value, setValue] = useState<Value>();
  const [generation, setGeneration] = useState(0);
  const [saving, setSaving] = useState<Saving>('saved');
  const [savedAt, setSavedAt] = useState<Date>();
  const [isStale, setStale] = useState(false);
  const [isDirty, setDirty] = useState(false);
  const held = useRef<Held<Value>>({
    value: undefined,
    revision: 0,
    isDirty: false,
    isSettled: false,
    running: undefined,
  });
  const calls = useRef(source);
  calls.current = source;

  const take = useCallback((kept: Kept<Value>) => {
    Object.assign(held.current, {
      value: kept.value,
      revision: kept.revision,
      isDirty: false,
    });
    setValue(kept.value);
    setGeneration((now) => now + 1);
    setDirty(false);
    setSaving('saved');
    setSavedAt(kept.saved_at ? new Date(kept.saved_at) : undefined);
  }, []);

  useEffect(() => {
    if (loaded.data && held.current.value === undefined) take(loaded.data);
  }, [loaded.data, take]);

  const save = useCallback(async (): Promise<boolean> => {
    const now = held.current;
    if (now.value === undefined || !now.isDirty) return true;
    now.isDirty = false;
    setSaving('saving');
    try {
      const { revision, saved_at } = await calls.current.save(
        now.value,
        now.revision,
        now.isSettled,
      );
      Object.assign(now, { revision, isSettled: false });
      setSavedAt(new Date(saved_at ?? Date.now()));
      setDirty(now.isDirty);
      setSaving(now.isDirty ? 'unsaved' : 'saved');
      return true;
    } catch (error) {
      now.isDirty = true;
      setSaving('failed');
      if (error instanceof ApiError && error.code === 'stale_revision') setStale(true);
      else if (!(error instanceof ApiError) || error.status !== 0) showError(error);
      return false;
    }
  }, []);

  const flush = useCallback(async (): Promise<boolean> => {
    const now = held.current;
    while (now.running) await now.running;
    now.running = save().finally(() => {
      now.running = undefined;
    });
    return now.running;
  }, [save]);

  const change = useCallback((changed: Value) => {
    held.current.value = changed;
    held.current.isDirty = true;
    setValue(changed);
    setDirty(true);
    setSaving('unsaved');
  }, []);

  useEffect(() => {
    if (!isDirty || isStale || value === undefined) return;
    const timer = setTimeout(() => void flush(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [value, isDirty, isStale, flush]);

  useRetries(saving === 'failed' && !isStale, flush);

  useUnsaved<Value>({
    name: source.name,
    unsaved: isDirty ? value : undefined,
    restore: (edit) => {
      change(edit);
      setGeneration((now) => now + 1);
    },
  });

  const settle = async (whose: 'theirs' | 'ours') => {
    const kept = await calls.current.load();
    setStale(false);
    if (whose === 'theirs') return take(kept);
    Object.assign(held.current, { revision: kept.revision, isSettled: true });
    await flush();
  };

  return {
    value,
    generation,
    error: loaded.error,
    change,
    saving,
    savedAt,
    flush,
    isStale,
    settle,
  };
}

/** After a failure: when the network is back, and now and then; and always when tab or screen are left. */
function useRetries(isFailed: boolean, flush: () => Promise<boolean>): void {
  useEffect(() => {
    const leave = () => {
      if (document.visibilityState === 'hidden') void flush();
    };
    document.addEventListener('visibilitychange', leave);
    return () => {
      document.removeEventListener('visibilitychange', leave);
      // Leaving the screen by a link waits for no pause.
      void flush();
    };
  }, [flush]);
  useEffect(() => {
    if (!isFailed) return;
    const again = () => void flush();
    const timer = setInterval(again, RETRY_MS);
    window.addEventListener('online', again);
    return () => {
      clearInterval(timer);
      window.removeEventListener('online', again);
    };
  }, [isFailed, flush]);
}
