// Actions on one item or several: archive, folder, labels, copies, deletion of drafts.
import { invalidate, queryClient } from '#platform/web/api/queries.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { toast, undoable } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import type { BulkAnswer } from '../items-contract.ts';
import type { BulkAction, ItemKind } from '../shared.ts';
import { allLabels, createFolder, createLabel, foldersOf, itemApi } from './queries.ts';

/** Value of the select's option that removes items from their folders; no folder has this id. */
const NO_FOLDER = 'none';

export interface ItemPlace {
  kind: ItemKind;
  /** The list's address; the calls of single items are below it. */
  base: string;
}

export function useItemActions({ base }: ItemPlace) {
  const t = useTexts('folders');
  const send = async (
    action: BulkAction,
    ids: readonly string[],
    more: { folder?: string | null; label?: string } = {},
  ): Promise<BulkAnswer> => {
    const body = { action, ids: [...ids], ...more };
    const idempotencyKey = crypto.randomUUID();
    const call = 'POST /client-api/api/campaigns/bulk' as const;
    const { data } = await itemApi(base)(call, { body, idempotencyKey });
    await invalidate(base);
    return data;
  };
  const showDone = (action: BulkAction, { ids, skipped }: BulkAnswer) => {
    const done = t(`done.${action}`, { count: ids.length });
    toast(skipped > 0 ? `${done}\n${t('skipped', { count: skipped })}` : done);
  };
  /** Like the other actions, resolves to whether it succeeded; otherwise the error is shown. */
  const archive = async (ids: readonly string[]): Promise<boolean> => {
    try {
      const answer = await send('archive', ids);
      undoable(t('done.archive', { count: answer.ids.length }), () => {
        void send('unarchive', answer.ids).catch(showError);
      });
      return true;
    } catch (error) {
      showError(error);
      return false;
    }
  };
  const run =
    (action: BulkAction) =>
    async (ids: readonly string[]): Promise<boolean> => {
      try {
        showDone(action, await send(action, ids));
        return true;
      } catch (error) {
        showError(error);
        return false;
      }
    };
  return { archive, unarchive: run('unarchive'), duplicate: run('duplicate'), send, showDone };
}

type ItemActions = ReturnType<typeof useItemActions>;

/** The actions with a dialog. Each resolves to whether the user completed it. */
export function useItemDialogs(place: ItemPlace) {
  const t = useTexts('folders');
  const { send, showDone }: ItemActions = useItemActions(place);
  const { kind } = place;
  const move = async (ids: readonly string[]): Promise<boolean> => {
    const { data: folders } = await queryClient.fetchQuery(foldersOf(kind));
    const chosen = await promptInput({
      type: 'select',
      title: t('acts.move'),
      label: t('folder'),
      options: [
        { value: NO_FOLDER, label: t('noFolder') },
        ...folders.map(({ id, title }) => ({ value: id, label: title })),
      ],
      onCreate: (title) => createFolder(kind, title),
      confirm: t('move'),
      send: async (value) =>
        showDone('move', await send('move', ids, { folder: value === NO_FOLDER ? null : value })),
    });
    return chosen !== undefined;
  };
  const label = async (
    action: 'add_label' | 'remove_label',
    ids: readonly string[],
  ): Promise<boolean> => {
    const { data: labels } = await queryClient.fetchQuery(allLabels());
    const isAdded = action === 'add_label';
    const chosen = await promptInput({
      type: 'select',
      title: t(isAdded ? 'acts.addLabel' : 'acts.removeLabel'),
      label: t('label'),
      options: labels.map(({ id, title }) => ({ value: id, label: title })),
      ...(isAdded ? { onCreate: (title: string) => createLabel(title, labels.length) } : {}),
      confirm: t(isAdded ? 'add' : 'remove'),
      send: async (value) => showDone(action, await send(action, ids, { label: value })),
    });
    return chosen !== undefined;
  };
  const deleteDrafts = useDeleteDrafts(place);
  const withShownError = (dialog: Promise<boolean>): Promise<boolean> =>
    dialog.catch((error: unknown) => {
      showError(error);
      return false;
    });
  return {
    move: (ids: readonly string[]) => withShownError(move(ids)),
    addLabel: (ids: readonly string[]) => withShownError(label('add_label', ids)),
    removeLabel: (ids: readonly string[]) => withShownError(label('remove_label', ids)),
    deleteDrafts: (ids: readonly string[]) => withShownError(deleteDrafts(ids)),
  };
}

function useDeleteDrafts(place: ItemPlace) {
  const t = useTexts('folders');
  const { send, showDone }: ItemActions = useItemActions(place);
  return async (ids: readonly string[]): Promise<boolean> => {
    let answer: BulkAnswer | undefined;
    const isDone = await confirm({
      title: t('deleteDrafts.title'),
      message: t('deleteDrafts.message', { count: ids.length }),
      confirm: t('acts.deleteDrafts'),
      isDanger: true,
      run: async () => {
        answer = await send('delete_drafts', ids);
      },
    });
    if (isDone && answer) showDone('delete_drafts', answer);
    return isDone;
  };
}
