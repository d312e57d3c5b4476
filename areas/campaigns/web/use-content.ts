// The content of a campaign while it is being written: saves by itself, keeps what is not saved,
// and never writes over what another tab saved.
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState } from 'react';
import { ApiError } from '#platform/web/api.ts';
import { showError } from '#platform/web/errors.ts';
import { touch } from '#platform/web/queries.ts';
import type { Saving } from '#platform/web/ui/save-state.tsx';
import { useUnsaved } from '#platform/web/use-unsaved.ts';
import type { Content } from '../contract.ts';
import { api, touchesOf } from './queries.ts';

export type EditorKind = 'html' | 'text';
export type Draft = {
  html: string;
  plainText: string | null;
  /** Custom HTML: its style sheets are written into its elements when the mail is made. */
  inlineCss: boolean;
};

const PAUSE_MS = 1500;
const EMPTY: Draft = { html: '', plainText: null, inlineCss: false };

const draftOf = (content: Pick<Content, 'html' | 'plain_text' | 'inline_css'>): Draft => ({
  html: content.html ?? '',
  plainText: content.plain_text,
  inlineCss: content.inline_css,
});

export interface ContentEditing {
  draft: Draft | undefined;
  error: unknown;
  change: (change: Partial<Draft>) => void;
  saving: Saving;
  savedAt: Date | undefined;
  /** Saves what is left now; false if it could not. */
  flush: () => Promise<boolean>;
  /** Another tab saved something newer. */
  isStale: boolean;
  /** Takes theirs, or saves ours over it. */
  settle: (whose: 'theirs' | 'ours') => Promise<void>;
}

export function useContent(id: string, kind: EditorKind): ContentEditing {
  const loaded = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/content', { params: { id } }),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 0,
  });
  const [draft, setDraft] = useState<Draft>();
  const [saving, setSaving] = useState<Saving>('saved');
  const [savedAt, setSavedAt] = useState<Date>();
  const [isStale, setStale] = useState(false);
  const [isDirty, setDirty] = useState(false);
  const held = useRef({
    draft,
    revision: 0,
    isDirty: false,
    running: undefined as Promise<boolean> | undefined,
  });

  useEffect(() => {
    const content = loaded.data?.data;
    if (content === undefined || held.current.draft !== undefined) return;
    const first = draftOf(content);
    held.current.revision = content.revision;
    held.current.draft = first;
    setDraft(first);
    setSavedAt(content.saved_at ? new Date(content.saved_at) : undefined);
  }, [loaded.data]);

  const save = useCallback(async (): Promise<boolean> => {
    const now = held.current;
    if (now.draft === undefined || !now.isDirty) return true;
    const sent = now.draft;
    now.isDirty = false;
    setSaving('saving');
    try {
      const body = {
        revision: now.revision,
        editor: kind,
        html: kind === 'html' ? sent.html : null,
        plain_text: sent.plainText,
        ...(kind === 'html' ? { inline_css: sent.inlineCss } : {}),
        // The design step has warned of what is left behind.
        confirm_switch: true,
      };
      const { data } = await api('PUT /client-api/api/campaigns/{id}/content', {
        params: { id },
        body,
      });
      now.revision = data.revision;
      setSavedAt(new Date(data.saved_at ?? Date.now()));
      setDirty(now.isDirty);
      setSaving(now.isDirty ? 'unsaved' : 'saved');
      void touch(...touchesOf(id));
      return true;
    } catch (error) {
      now.isDirty = true;
      setSaving('failed');
      if (error instanceof ApiError && error.code === 'stale_revision') setStale(true);
      else if (!(error instanceof ApiError) || error.status !== 0) showError(error);
      return false;
    }
  }, [id, kind]);

  const flush = useCallback(async (): Promise<boolean> => {
    const now = held.current;
    while (now.running) await now.running;
    now.running = save().finally(() => {
      now.running = undefined;
    });
    return now.running;
  }, [save]);

  const change = useCallback((part: Partial<Draft>) => {
    const now = held.current;
    now.draft = { ...(now.draft ?? EMPTY), ...part };
    now.isDirty = true;
    setDraft(now.draft);
    setDirty(true);
    setSaving('unsaved');
  }, []);

  useEffect(() => {
    if (!isDirty || isStale || draft === undefined) return;
    const timer = setTimeout(() => void flush(), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [draft, isDirty, isStale, flush]);

  useUnsaved<Draft>({
    name: `campaign:${id}:content`,
    unsaved: isDirty ? draft : undefined,
    restore: change,
  });

  const settle = async (whose: 'theirs' | 'ours') => {
    const { data } = await api('GET /client-api/api/campaigns/{id}/content', { params: { id } });
    held.current.revision = data.revision;
    setStale(false);
    if (whose === 'ours') {
      await flush();
      return;
    }
    const theirs = draftOf(data);
    held.current.draft = theirs;
    held.current.isDirty = false;
    setDraft(theirs);
    setDirty(false);
    setSaving('saved');
  };

  return { draft, error: loaded.error, change, saving, savedAt, flush, isStale, settle };
}
