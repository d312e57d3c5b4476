// A document while it is being written: saves by itself, keeps what is not saved, tries again after a
// failure, and never writes over what another tab saved.
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '#platform/web/api.ts';
import { showError } from '#platform/web/errors.ts';
import type { Saving } from '#platform/web/ui/save-state.tsx';
import { useUnsaved } from '#platform/web/use-unsaved.ts';
import type { EmailDocument } from '../document.ts';

const PAUSE_MS = 1500;
const RETRY_MS = 15_000;

export interface KeptDocument {
  document: EmailDocument;
  revision: number;
  saved_at: string | null;
}

export interface DocumentSource {
  /** What is edited, for what is kept in the browser: `campaign:abc:document`. */
  name: string;
  load: () => Promise<KeptDocument>;
  /** A newer revision elsewhere is the error `stale_revision`. */
  save: (document: EmailDocument, revision: number) => Promise<Omit<KeptDocument, 'document'>>;
}

export interface DocumentEditing {
  document: EmailDocument | undefined;
  /** Another number: the document was replaced from outside the editor. */
  generation: number;
  error: unknown;
  change: (document: EmailDocument) => void;
  saving: Saving;
  savedAt: Date | undefined;
  flush: () => Promise<boolean>;
  isStale: boolean;
  settle: (whose: 'theirs' | 'ours') => Promise<void>;
}

type Held = {
  document: EmailDocument | undefined;
  revision: number;
  isDirty: boolean;
  running: Promise<boolean> | undefined;
};

export function useDocument(source: DocumentSource): DocumentEditing {
  const loaded = useQuery({
    queryKey: ['document', source.name],
    queryFn: source.load,
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [document, setDocument] = useState<EmailDocument>();
  const [generation, setGeneration] = useState(0);
  const [saving, setSaving] = useState<Saving>('saved');
  const [savedAt, setSavedAt] = useState<Date>();
  const [isStale, setStale] = useState(false);
  const [isDirty, setDirty] = useState(false);
  const held = useRef<Held>({
    document: undefined,
    revision: 0,
    isDirty: false,
    running: undefined,
  });
  const calls = useRef(source);
  calls.current = source;

  const take = useCallback((kept: KeptDocument) => {
    Object.assign(held.current, {
      document: kept.document,
      revision: kept.revision,
      isDirty: false,
    });
    setDocument(kept.document);
    setGeneration((now) => now + 1);
    setDirty(false);
    setSaving('saved');
    setSavedAt(kept.saved_at ? new Date(kept.saved_at) : undefined);
  }, []);

  useEffect(() => {
    if (loaded.data && held.current.document === undefined) take(loaded.data);
  }, [loaded.data, take]);

  const save = useCallback(async (): Promise<boolean> => {
    const now = held.current;
    if (now.document === undefined || !now.isDirty) return true;
    now.isDirty = false;
    setSaving('saving');
    try {
      const { revision, saved_at } = await calls.current.save(now.document, now.revision);
      now.revision = revision;
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

  const change = useCallback((changed: EmailDocument) => {
    held.current.document = changed;
    held.current.isDirty = true;
    setDocument(changed);
    setDirty(true);
    setSaving('unsaved');
  }, []);

  useEffect(() => {
    if (!isDirty || isStale || document === undefined) return;
    const timer = setTimeout(() => void flush(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [document, isDirty, isStale, flush]);

  useRetries(saving === 'failed' && !isStale, flush);

  useUnsaved<EmailDocument>({
    name: source.name,
    unsaved: isDirty ? document : undefined,
    restore: (edit) => {
      change(edit);
      setGeneration((now) => now + 1);
    },
  });

  const settle = async (whose: 'theirs' | 'ours') => {
    const kept = await calls.current.load();
    setStale(false);
    if (whose === 'theirs') return take(kept);
    held.current.revision = kept.revision;
    await flush();
  };

  return {
    document,
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
      if (window.document.visibilityState === 'hidden') void flush();
    };
    window.document.addEventListener('visibilitychange', leave);
    return () => {
      window.document.removeEventListener('visibilitychange', leave);
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
