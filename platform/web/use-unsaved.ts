// An editor's unsaved edits, per user and account: written down when the tab is hidden or the session ends,
// given back when the same user opens the same thing again. With `guard`, leaving the screen asks.
import { useBlocker } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { notice } from './notices.tsx';
import { useSession } from './session.ts';
import { text } from './texts.ts';
import { confirm } from './ui/confirm.tsx';
import { forgetUnsaved, readUnsaved, watchUnsaved } from './unsaved.ts';

export interface UnsavedOptions<Edit> {
  /** What is edited: `campaign:abc:settings`. */
  name: string;
  /** The edits that are not yet saved; undefined while all is. */
  unsaved: Edit | undefined;
  /** Takes edits back that were left here before. */
  restore: (edit: Edit) => void;
  /** Leaving the screen with unsaved edits asks first. */
  guard?: boolean;
}

export function useUnsaved<Edit>({ name, unsaved, restore, guard }: UnsavedOptions<Edit>): void {
  const session = useSession();
  const owner = `${session.user.id}/${session.account.id}`;
  const latest = useRef({ unsaved, restore });
  latest.current = { unsaved, restore };

  useEffect(() => {
    let isHere = true;
    void readUnsaved(owner, name).then((edit) => {
      if (!isHere || edit === undefined) return;
      latest.current.restore(edit as Edit);
      notice(text('platform:unsaved.restored'), { id: `restored:${name}` });
    });
    const stop = watchUnsaved(owner, name, () => latest.current.unsaved);
    return () => {
      isHere = false;
      stop();
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
    shouldBlockFn: async () => {
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
