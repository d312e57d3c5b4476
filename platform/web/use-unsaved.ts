// An editor's unsaved edits, per user and account: written down when the tab is hidden or the session ends,
// given back when the same user opens the same thing again. With `guard`, leaving the screen asks; with
// `leaving`, it saves, and what could not be saved waits as well.
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { notice } from './notices.tsx';
import { useSession } from './session.ts';
import { text } from './texts.ts';
import { confirm } from './ui/confirm.tsx';
import { forgetUnsaved, keepUnsaved, readUnsaved, watchUnsaved } from './unsaved.ts';

export interface UnsavedOptions<Edit> {
  /** What is edited: `campaign:abc:settings`. */
  name: string;
  /** The edits that are not yet saved; undefined while all is. */
  unsaved: Edit | undefined;
  /** Takes edits back that were left here before. */
  restore: (edit: Edit) => void;
  /** Leaving the screen with unsaved edits asks first. */
  guard?: boolean;
  /** Leaving the screen saves what is left by itself, as far as it can. */
  leaving?: Leaving<Edit>;
}

interface Leaving<Edit> {
  /** What is not saved at this moment, drawn or not yet. */
  left: () => Edit | undefined;
  /** False if it could not. */
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
      // Another tab or page of the same screen: nothing is left.
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

/** Editors that were left and are still saving: only the last to leave says what stays written down. */
const leavings = new Map<string, object>();

/** Written down before it is saved: nobody waits for an answer that may not come while the page is there. */
async function leave<Edit>(owner: string, name: string, leaving: Leaving<Edit>): Promise<void> {
  const edit = leaving.left();
  if (edit === undefined) return;
  const key = `${owner}/${name}`;
  leavings.set(key, leaving);
  const written = keepUnsaved(owner, name, edit);
  const isSaved = await leaving.save();
  await written;
  if (leavings.get(key) !== leaving) return;
  leavings.delete(key);
  if (isSaved) await forgetUnsaved(owner, name);
  else await keepUnsaved(owner, name, leaving.left());
}
