// Actions on a broadcast in its list: deleting it with undo, and duplicating it.
import { showError } from '#platform/web/errors/errors.ts';
import { toast, undoable } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Broadcast } from './ui.ts';

type NamedBroadcast = Pick<Broadcast, 'id' | 'title'>;

export function useListActs(calls: {
  /** The query of the list. */
  list: string;
  remove: (id: string) => Promise<unknown>;
  restore: (id: string) => Promise<unknown>;
  duplicate: (id: string, title: string) => Promise<unknown>;
}) {
  const { list } = calls;
  const t = useTexts('broadcasts');
  return {
    remove: async ({ id, title }: NamedBroadcast) => {
      try {
        await calls.remove(id);
        undoable(t('list.deleted', { title }), () => {
          void calls
            .restore(id)
            .then(() => invalidate(list))
            .catch(showError);
        });
      } catch (error) {
        showError(error);
      }
      await invalidate(list);
    },
    duplicate: async ({ id, title }: NamedBroadcast) => {
      await calls
        .duplicate(id, t('copyOf', { title }))
        .then(() => toast(t('duplicated', { title })))
        .catch(showError);
      await invalidate(list);
    },
  };
}
