// Actions on one item or several: archive, folder, labels, copies, deletion of drafts.
import { invalidate, queryClient } from '#platform/web/api/queries.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { toast, undoable } from '#platform/web/errors/notices.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import type { BulkResponse } from '../items-contract.ts';
import type { BulkAction, ItemKind } from '../shared.ts';
import {
  listLabelsQuery,
  createFolder,
  createLabel,
  listFoldersQuery,
  createItemApi,
} from './queries.ts';

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
    target: { folder?: string | null; label?: string } = {},
  ): Promise<BulkResponse> => {
    const body = { action, ids: [...ids], ...target };
    const idempotencyKey = crypto.randomUUID();
    const call = 'POST /client-api/api/campaigns/bulk' as const;
    const { data } = await createItemApi(base)(call, { body, idempotencyKey });
    await invalidate(base);
    return data;
  };
  const showDone = (action: BulkAction, { ids, skipped }: BulkResponse) => {
    const message = t(`done.${action}`, { count: ids.length });
    toast(skipped > 0 ? `${message}\n${t('skipped', { count: skipped })}` : message);
  };
  /**
   * Archives items. Like the other actions, resolves to whether it succeeded and otherwise shows
   * the error.
   */
  const archive = async (ids: readonly string[]): Promise<boolean> => {
    try {
      const result = await send('archive', ids);
      undoable(t('done.archive', { count: result.ids.length }), () => {
        void send('unarchive', result.ids).catch(showError);
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

/**
 * Returns the actions with a dialog. Each resolves to whether it was completed and shows any error.
 */
export function useItemDialogs(place: ItemPlace) {
  const t = useTexts('folders');
  const { send, showDone }: ItemActions = useItemActions(place);
  const { kind } = place;
  const move = async (ids: readonly string[]): Promise<boolean> => {
    const { data: folders } = await queryClient.fetchQuery(listFoldersQuery(kind));
    const choice = await promptInput({
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
    return choice !== undefined;
  };
  const label = async (
    action: 'add_label' | 'remove_label',
    ids: readonly string[],
  ): Promise<boolean> => {
    const { data: labels } = await queryClient.fetchQuery(listLabelsQuery());
    const isAdded = action === 'add_label';
    const choice = await promptInput({
      type: 'select',
      title: t(isAdded ? 'acts.addLabel' : 'acts.removeLabel'),
      label: t('label'),
      options: labels.map(({ id, title }) => ({ value: id, label: title })),
      ...(isAdded ? { onCreate: (title: string) => createLabel(title, labels.length) } : {}),
      confirm: t(isAdded ? 'add' : 'remove'),
      send: async (value) => showDone(action, await send(action, ids, { label: value })),
    });
    return choice !== undefined;
  };
  const deleteDrafts = useDeleteDrafts(place);
  const showErrors = (dialog: Promise<boolean>): Promise<boolean> =>
    dialog.catch((error: unknown) => {
      showError(error);
      return false;
    });
  return {
    move: (ids: readonly string[]) => showErrors(move(ids)),
    addLabel: (ids: readonly string[]) => showErrors(label('add_label', ids)),
    removeLabel: (ids: readonly string[]) => showErrors(label('remove_label', ids)),
    deleteDrafts: (ids: readonly string[]) => showErrors(deleteDrafts(ids)),
  };
}

function useDeleteDrafts(place: ItemPlace) {
  const t = useTexts('folders');
  const { send, showDone }: ItemActions = useItemActions(place);
  return async (ids: readonly string[]): Promise<boolean> => {
    let result: BulkResponse | undefined;
    const isDone = await confirm({
      title: t('deleteDrafts.title'),
      message: t('deleteDrafts.message', { count: ids.length }),
      confirm: t('acts.deleteDrafts'),
      isDanger: true,
      run: async () => {
        result = await send('delete_drafts', ids);
      },
    });
    if (isDone && result) showDone('delete_drafts', result);
    return isDone;
  };
}
