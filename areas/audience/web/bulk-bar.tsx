// Bulk actions on selected subscribers: groups, statuses, a field's value, export and deletion.
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Suspense, useState } from 'react';
import { ExportButton } from '#areas/exports/web/index.ts';
import { queryAllGroups, createGroup } from '#areas/groups/web/index.ts';
import { showError } from '#platform/web/errors/errors.ts';
import { notice, toast, undoable } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useRights } from '#platform/web/session/rights.ts';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { SelectionBar } from '#platform/web/ui/selection-bar.tsx';
import { api, type Bulk, SUBSCRIBER_QUERIES } from './queries.ts';
import { RequestDeletion } from './request-deletion.tsx';
import type { ListSelection } from './selection.ts';

const SetField = lazyWithRetry(() => import('./set-field.tsx'));

interface BulkBarProps {
  selection: ListSelection;
  /** Number of subscribers on all pages. */
  total: number;
}

export function BulkBar({ selection, total }: BulkBarProps) {
  const t = useTexts('audience');
  const actions = useBulkActions(selection);
  const onDone = useCompletion(selection);
  const [isSetting, setSetting] = useState(false);
  const mayDelete = useRights().has('people.delete');
  const { count, isAll } = selection;
  return (
    <SelectionBar
      label={t('bulk.label')}
      selectedText={t('bulk.selected', { count })}
      extension={
        !isAll &&
        count < total && (
          <Button variant="subtle" size="compact-sm" onClick={selection.selectAll}>
            {t('bulk.selectAll', { count: total })}
          </Button>
        )
      }
      deselectLabel={t('bulk.deselect')}
      clear={selection.clear}
    >
      <Button variant="default" size="xs" onClick={() => void actions.add()}>
        {t('bulk.add')}
      </Button>
      <Button variant="default" size="xs" onClick={() => void actions.remove()}>
        {t('bulk.remove')}
      </Button>
      <Button variant="default" size="xs" onClick={() => void actions.unsubscribe()}>
        {t('bulk.unsubscribe')}
      </Button>
      <Button variant="default" size="xs" onClick={() => void actions.reactivate()}>
        {t('bulk.reactivate')}
      </Button>
      <Button variant="default" size="xs" onClick={() => setSetting(true)}>
        {t('bulk.setField')}
      </Button>
      <ExportButton choice={selection.requestBody} count={count} size="xs" leftSection={null} />
      {mayDelete ? (
        <Button variant="default" size="xs" c="danger" onClick={() => void actions.delete()}>
          {t('bulk.delete')}
        </Button>
      ) : (
        <RequestDeletion selection={selection.requestBody} size="xs" />
      )}
      {isSetting && (
        <Suspense>
          <SetField selection={selection} onClose={() => setSetting(false)} onDone={onDone} />
        </Suspense>
      )}
    </SelectionBar>
  );
}

function useBulkActions(selection: ListSelection) {
  const t = useTexts('audience');
  const finish = useCompletion(selection);
  const undoUnsubscribe = useUndo(selection);
  const { count, requestBody } = selection;
  const countValues = { count };
  const move = useGroupChange(selection);
  const runConfirmed = async (
    name: 'unsubscribe' | 'delete' | 'reactivate',
    run: () => Promise<Bulk>,
    typedCount?: string,
  ) => {
    let result: Bulk | undefined;
    const isDone = await confirm({
      title: t(`bulk.${name}Title`, countValues),
      message: t(`bulk.${name}Message`, countValues),
      confirm: t(`bulk.${name}Confirm`, countValues),
      isDanger: name !== 'reactivate',
      ...(typedCount ? { requiredText: typedCount } : {}),
      run: async () => {
        result = await run();
      },
    });
    if (!isDone || !result) return;
    const message = t(`bulk.${name}Done`, { count: result.count });
    const chosenIds = requestBody.subscribers;
    if (name === 'unsubscribe' && chosenIds && !result.queued && result.count === count) {
      await invalidate(...SUBSCRIBER_QUERIES);
      undoable(message, () => void undoUnsubscribe(chosenIds));
    } else await finish(result, message, name === 'delete');
  };
  return {
    add: () => move('add'),
    remove: () => move('remove'),
    unsubscribe: () =>
      runConfirmed('unsubscribe', () =>
        api('POST /client-api/api/unsubscribes', { body: requestBody }),
      ),
    reactivate: () =>
      runConfirmed('reactivate', () =>
        api('POST /client-api/api/subscribers/reactivate', { body: requestBody }),
      ),
    delete: () =>
      runConfirmed(
        'delete',
        () => api('DELETE /client-api/api/subscribers', { body: requestBody }),
        String(count),
      ),
  };
}

/** Adds the selected subscribers to groups, or removes them from groups. */
function useGroupChange(selection: ListSelection) {
  const t = useTexts('audience');
  const finish = useCompletion(selection);
  const chooseGroups = useGroupsDialog(selection);
  const body = { ...selection.requestBody, trigger_automation: false };
  const change = (action: 'add' | 'remove', tagId: string) =>
    action === 'add'
      ? api('POST /client-api/api/subscribers/groups/{tagId}', { params: { tagId }, body })
      : api('DELETE /client-api/api/subscribers/groups/{tagId}', { params: { tagId }, body });
  return async (action: 'add' | 'remove') => {
    for (const group of await chooseGroups(action)) {
      try {
        const result = await change(action, group.id);
        await finish(result, t(`bulk.${action}Done`, { count: result.count, group: group.title }));
      } catch (error) {
        showError(error);
      }
    }
  };
}

function useUndo(selection: ListSelection) {
  const t = useTexts('audience');
  const finish = useCompletion(selection);
  return async (subscribers: string[]) => {
    try {
      const result = await api('POST /client-api/api/unsubscribes/undo', { body: { subscribers } });
      await finish(result, t('bulk.undoDone', { count: result.count }));
    } catch (error) {
      showError(error);
    }
  };
}

/** Refreshes the queries and reports the result, with the skipped subscribers by reason. */
function useCompletion(selection: ListSelection) {
  const t = useTexts('audience');
  return async (result: Bulk, message: string, isDeleted = false) => {
    if (isDeleted) selection.clear();
    await invalidate(...SUBSCRIBER_QUERIES);
    const skippedReasons = Object.entries(result.skipped).map(([why, count]) =>
      t(`skipped.${why}`, { count }),
    );
    if (result.queued) notice(t('bulk.queued'));
    else if (skippedReasons.length > 0) notice([message, ...skippedReasons].join(' '));
    else toast(message);
  };
}

/**
 * Maximum number of groups per action; each needs a separate call. All subscribers of a filter can
 * be added to or removed from only one group at a time, because the first call could change which
 * subscribers the filter matches.
 */
const MAX_GROUPS = 10;

/**
 * Returns the groups that the user chooses; none if the user closes the dialog, or if there are no
 * groups to remove subscribers from.
 */
function useGroupsDialog({ count, isAll }: ListSelection) {
  const t = useTexts('audience');
  const groups = useQuery(queryAllGroups()).data?.data ?? [];
  return async (action: 'add' | 'remove') => {
    if (groups.length === 0 && action === 'remove') {
      notice(t('bulk.noGroups'));
      return [];
    }
    const createdGroups: { id: string; title: string }[] = [];
    const create = async (title: string) => {
      const id = await createGroup(title);
      if (id !== undefined) createdGroups.push({ id, title });
      return id;
    };
    const ids = await promptInput({
      type: 'multiselect',
      title: t(`bulk.${action}Title`, { count }),
      label: t('bulk.groups'),
      options: groups.map((group) => ({ value: group.id, label: group.title })),
      ...(action === 'add' ? { onCreate: create } : {}),
      maxValues: isAll ? 1 : MAX_GROUPS,
      confirm: t(`bulk.${action}`),
    });
    return [...groups, ...createdGroups].filter((group) => ids?.includes(group.id));
  };
}
