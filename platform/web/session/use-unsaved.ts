// An editor's unsaved edits, per user and account: stored when the tab is hidden or the session
// ends, and restored when the same user opens the same object again. With `onLeave`, edits are also
// stored within half a second. When the user then leaves the editor, they are saved, and remain
// stored only if saving fails. With `onLeave: 'store'`, they remain stored and are not saved.
import { useEffect, useRef } from 'react';
import { notice } from '../errors/notices.tsx';
import { useSession } from './session.ts';
import { text } from '../texts/texts.ts';
import { discardUnsaved, saveUnsaved, readUnsaved, watchUnsaved } from '../unsaved.ts';

/**
 * Milliseconds from an edit until it is stored. A reload or a crash may lose the edits of this
 * time.
 */
const STORE_DELAY_MS = 500;

export interface UnsavedOptions<Edit> {
  /** The edited object: `campaign:abc:settings`. */
  name: string;
  /** Unsaved edits; undefined if there are none. */
  unsaved: Edit | undefined;
  /** Restores edits stored here earlier. */
  restore: (edit: Edit) => void;
  /** Returns to the saved values; offered when edits are restored. */
  discard?: () => void;
  /**
   * How edits are treated when the user leaves the editor: saved, and stored for the next visit if
   * saving fails; or, with `store`, only stored.
   */
  onLeave?: LeaveHandlers<Edit> | 'store';
}

interface LeaveHandlers<Edit> {
  /** The currently unsaved edits, even if they are not rendered yet. */
  getUnsaved: () => Edit | undefined;
  /** False if saving failed. */
  save: () => Promise<boolean>;
}

export function useUnsaved<Edit>(options: UnsavedOptions<Edit>): void {
  const { user, account } = useSession();
  useUnsavedIfSignedIn(`${user.id}/${account.id}`, options);
}

/**
 * Works like `useUnsaved` on screens where a session is optional; nothing is stored without an
 * owner.
 */
export function useUnsavedIfSignedIn<Edit>(
  owner: string | undefined,
  { name, unsaved, restore, discard, onLeave }: UnsavedOptions<Edit>,
): void {
  const isSaved = unsaved === undefined;
  const wasUnsaved = useRef(false);
  const latest = useRef({ unsaved, restore, discard, onLeave });
  latest.current = { unsaved, restore, discard, onLeave };

  useEffect(() => {
    if (owner === undefined) return;
    let isHere = true;
    pendingLeaves.delete(`${owner}/${name}`);
    void readUnsaved(owner, name).then((edit) => {
      if (!isHere || edit === undefined) return;
      latest.current.restore(edit as Edit);
      const { discard: run } = latest.current;
      const action = run && { label: text('platform:unsaved.discard'), run };
      notice(text('platform:unsaved.restored'), {
        id: `restored:${name}`,
        ...(action ? { action } : {}),
      });
    });
    const stop = watchUnsaved(owner, name, () => latest.current.unsaved);
    return () => {
      isHere = false;
      stop();
      const end = endingOf(latest.current);
      if (end?.getUnsaved() !== undefined) void leave(owner, name, end);
      else if (end && wasUnsaved.current) void discardUnsaved(owner, name);
    };
  }, [owner, name]);

  useEffect(() => {
    if (owner !== undefined && isSaved && wasUnsaved.current) void discardUnsaved(owner, name);
    wasUnsaved.current = !isSaved;
  }, [isSaved, owner, name]);

  const timer = useRef<number>(undefined);
  useEffect(() => {
    if (owner === undefined || isSaved || onLeave === undefined || timer.current !== undefined)
      return;
    timer.current = window.setTimeout(() => {
      timer.current = undefined;
      const edit = latest.current.unsaved;
      if (edit !== undefined) void saveUnsaved(owner, name, edit);
    }, STORE_DELAY_MS);
  }, [owner, name, unsaved, isSaved, onLeave]);
  useEffect(() => {
    const cancel = () => {
      window.clearTimeout(timer.current);
      timer.current = undefined;
    };
    return cancel;
  }, [owner, name]);
}

function endingOf<Edit>({
  unsaved,
  onLeave,
}: Pick<UnsavedOptions<Edit>, 'unsaved' | 'onLeave'>): LeaveHandlers<Edit> | undefined {
  if (onLeave !== 'store') return onLeave;
  return { getUnsaved: () => unsaved, save: async () => false };
}

/**
 * The last closed editor of each object, while it saves: only this editor determines what remains
 * stored.
 */
const pendingLeaves = new Map<string, object>();

/**
 * Stores the edits before it saves them, because the page may close before the response arrives.
 */
async function leave<Edit>(
  owner: string,
  name: string,
  handlers: LeaveHandlers<Edit>,
): Promise<void> {
  const edit = handlers.getUnsaved();
  if (edit === undefined) return;
  const key = `${owner}/${name}`;
  pendingLeaves.set(key, handlers);
  const writing = saveUnsaved(owner, name, edit);
  const isSaved = await handlers.save();
  await writing;
  if (pendingLeaves.get(key) !== handlers) return;
  pendingLeaves.delete(key);
  const remainingEdit = handlers.getUnsaved();
  if (isSaved || remainingEdit === undefined) await discardUnsaved(owner, name);
  else await saveUnsaved(owner, name, remainingEdit);
}
