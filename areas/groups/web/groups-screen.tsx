// The screen of groups and their counts, with actions on a group.
import { Text } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { copyText } from '#platform/web/clipboard.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { TableColumn } from '#platform/web/ui/data-table.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import type { Group } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { DeleteGroup } from './delete-group.tsx';
import { api, LIST_PATH, toMembersPath } from './queries.ts';

const SORTS = ['title', 'created', 'modified'] as const;
const COUNTS = [
  'recipient_count',
  'active_subscribers',
  'unsubscribed_count',
  'bounced_count',
] as const;

export default function GroupsScreen() {
  const t = useTexts('groups');
  const list = useListAddress({ sorts: SORTS, direction: 'asc' });
  const groups = useQuery({
    ...api.query('GET /client-api/api/tags', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  useLiveInvalidation('group', LIST_PATH);
  const [deleting, setDeleting] = useState<Group>();
  const actions = useActions(setDeleting);
  const create = useCreate();
  const columns = useColumns();
  return (
    <ListPage
      title={t('title')}
      create={{ onClick: () => void create(), label: t('create.action') }}
      empty={{ icon: IconTags, title: t('empty.title'), text: t('empty.text') }}
      query={groups}
      list={list}
      rowId={(group) => group.id}
      getRowName={(group) => group.title}
      getRowLink={(group) => toMembersPath(group.id)}
      search={t('find')}
      columns={columns}
      actions={actions}
    >
      {deleting && <DeleteGroup group={deleting} onClose={() => setDeleting(undefined)} />}
    </ListPage>
  );
}

function useColumns(): TableColumn<Group>[] {
  const t = useTexts('groups');
  const { number, date } = useFormats();
  return [
    {
      id: 'title',
      header: t('columns.title'),
      sort: 'title',
      cell: (group) => (
        <>
          <bdi>{group.title}</bdi>
          {group.is_public && (
            <Text component="span" size="xs" c="dimmed" ms="xs">
              {t('public.mark')}
            </Text>
          )}
        </>
      ),
    },
    ...COUNTS.map((name, index) => ({
      id: name,
      header: t(`columns.${name}`),
      align: 'end' as const,
      isWide: index > 0,
      cell: (group: Group) => number(group[name]),
    })),
    {
      id: 'created',
      header: t('columns.created'),
      sort: 'created',
      align: 'end',
      isWide: true,
      cell: (group) => <time dateTime={group.created}>{date(group.created)}</time>,
    },
  ];
}

function useCreate() {
  const t = useTexts('groups');
  return async () => {
    const title = await promptInput({
      type: 'text',
      title: t('create.title'),
      label: t('fields.title'),
      placeholder: t('fields.example'),
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('create.confirm'),
      send: (title) => api('POST /client-api/api/tags', { body: { title } }),
    });
    if (title === undefined) return;
    toast(t('create.done', { title }));
    await invalidate(LIST_PATH);
  };
}

function useActions(onDelete: (group: Group) => void): RowAction<Group>[] {
  const t = useTexts('groups');
  const navigate = useNavigate();
  const rename = async (group: Group) => {
    const title = await promptInput({
      type: 'text',
      title: t('rename.title', { title: group.title }),
      label: t('fields.title'),
      value: group.title,
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('rename.confirm'),
      send: (title) =>
        api('PATCH /client-api/api/tags/{id}', { params: { id: group.id }, body: { title } }),
    });
    if (title !== undefined) await invalidate(LIST_PATH, '/client-api/api/subscribers');
  };
  const offer = useAction(
    ({ id, is_public }: Group) =>
      api('PATCH /client-api/api/tags/{id}', { params: { id }, body: { is_public: !is_public } }),
    {
      invalidates: [LIST_PATH],
      onDone: (_, { is_public, title }) =>
        toast(t(is_public ? 'public.hidden' : 'public.offered', { title })),
    },
  );
  return [
    { label: t('acts.open'), run: (group) => void navigate({ to: toMembersPath(group.id) }) },
    { label: t('acts.rename'), run: (group) => void rename(group) },
    {
      label: t('acts.offer'),
      isHidden: (group) => group.is_public,
      run: (group) => offer.mutate(group),
    },
    {
      label: t('acts.hide'),
      isHidden: (group) => !group.is_public,
      run: (group) => offer.mutate(group),
    },
    { label: t('acts.copyId'), run: (group) => void copyText(group.id) },
    { label: t('acts.delete'), isDanger: true, run: onDelete },
  ];
}
