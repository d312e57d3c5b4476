// An editor's unsaved edits, per user and account: stored when the tab is hidden or the session
// ends, restored when the same user opens the same object again. With `guard`, leaving the screen
// asks; with `leaving`, it saves, and edits that could not be saved are stored too.
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { notice } from '../errors/notices.tsx';
import { useSession } from './session.ts';
import { text } from '../texts/texts.ts';
import { confirm } from '../ui/confirm.tsx';
import { forgetUnsaved, saveUnsaved, readUnsaved, watchUnsaved } from '../unsaved.ts';

export interface UnsavedOptions<Edit> {
  /** The edited object: `campaign:abc:settings`. */
  name: string;
  /** Unsaved edits; undefined if there are none. */
  unsaved: Edit | undefined;
  /** Restores edits stored here earlier. */
  restore: (edit: Edit) => void;
  /** Leaving the screen with unsaved edits asks first. */
  guard?: boolean;
  /** Leaving the screen saves pending edits if possible. */
  leaving?: Leaving<Edit>;
}

interface Leaving<Edit> {
  /** Edits not saved at this moment, rendered or not. */
  left: () => Edit | undefined;
  /** False if saving failed. */
  save: () => Promise<boolean>;
}

export function useUnsaved<Edit>(options: UnsavedOptions<Edit>): void {
  const { name, unsaved, restore, guard, leaving } = options;
  const session = useSession();
  const owner = `${session.user.id}/${session.account.id}`;
  const latest = useRef({ unsaved, restore, leaving });
  latest.current = { unsaved, restore, leaving };

  useEffect(() => {
    let isHere = true;
    leavings.delete(`${owner}/${name}`);
    void readUnsaved(owner, name).then((edit) => {
      if (!isHere || edit === undefined) return;
      latest.current.restore(edit as Edit);
      notice(text('platform:unsaved.restored'), { id: `restored:${name}` });
    });
    const stop = watchUnsaved(owner, name, () => latest.current.unsaved);
    return () => {
      isHere = false;
      stop();
      if (latest.current.leaving) void leave(owner, name, latest.current.leaving);
    };
  }, [owner, name]);

  const isSaved = unsaved === undefined;
  const wasUnsaved = useRef(false);
  useEffect(() => {
    if (isSaved && wasUnsaved.current) void forgetUnsaved(owner, name);
    wasUnsaved.current = !isSaved;
  }, [isSaved, owner, name]);

  useBlocker({
    disabled: !guard || isSaved,
    enableBeforeUnload: false,
    shouldBlockFn: async ({ current, next }) => {
      // Another tab or page of the same screen: it is not left.
      if (current.pathname === next.pathname) return false;
      const isLeaving = await confirm({
        title: text('platform:unsaved.title'),
        message: text('platform:unsaved.message'),
        confirm: text('platform:unsaved.leave'),
        isDanger: true,
      });
      if (isLeaving) await forgetUnsaved(owner, name);
      return !isLeaving;
    },
  });
}

/** Editors that were left and are still saving: only the last one decides what remains stored. */
const leavings = new Map<string, object>();

/** Stored before it is saved: the response may not arrive while the page is open. */
async function leave<Edit>(owner: string, name: string, leaving: Leaving<Edit>): Promise<void> {
  const edit = leaving.left();
  if (edit === undefined) return;
  const key = `${owner}/${name}`;
  leavings.set(key, leaving);
  const written = saveUnsaved(owner, name, edit);
  const isSaved = await leaving.save();
  await written;
  if (leavings.get(key) !== leaving) return;
  leavings.delete(key);
  if (isSaved) await forgetUnsaved(owner, name);
  else await saveUnsaved(owner, name, leaving.left());
}
