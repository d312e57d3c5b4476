// Activates, deactivates, renames and deletes workflows in the list and in the builder.
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { showAutomationError } from './automation-error.ts';
import type { Workflow } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { api, LIST_PATH } from './queries.ts';

type StatusRow = Pick<Workflow, 'id' | 'title' | 'people'>;

export function useStatusActions() {
  const t = useTexts('workflows');
  /**
   * Shows the error and returns false if the activation is refused. Missing settings are reported
   * earlier, by the review.
   */
  const activate = async ({ id, title }: StatusRow): Promise<boolean> => {
    const isDone = await api('PATCH /client-api/api/workflows/{id}/activate', {
      params: { id },
    }).then(
      () => true,
      (error: unknown) => {
        showAutomationError(error);
        return false;
      },
    );
    if (isDone) toast(t('activated', { title }));
    await invalidate(LIST_PATH);
    return isDone;
  };
  const deactivate = async ({ id, title, people }: StatusRow) => {
    const run = () =>
      api('PATCH /client-api/api/workflows/{id}/deactivate', { params: { id } }).then(() =>
        toast(t('deactivated', { title })),
      );
    await confirm({
      title: t('deactivate.title', { title }),
      message: t('deactivate.message', { count: people.inside }),
      confirm: t('acts.deactivate'),
      run,
    });
    await invalidate(LIST_PATH);
  };
  const rename = async ({ id, title }: StatusRow) => {
    await promptInput({
      type: 'text',
      title: t('rename.title'),
      label: t('rename.label'),
      value: title,
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('rename.confirm'),
      send: (value) =>
        api('PATCH /client-api/api/workflows/{id}', {
          params: { id },
          body: { title: String(value) },
        }),
    });
    await invalidate(LIST_PATH);
  };
  const remove = ({ id, title, people }: StatusRow) =>
    confirm({
      title: t('delete.title', { title }),
      message: t('delete.message', { count: people.inside }),
      confirm: t('delete.confirm'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/workflows/{id}', { params: { id } }),
    });
  return { activate, deactivate, rename, remove };
}
