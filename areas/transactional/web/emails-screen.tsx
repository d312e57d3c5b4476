// All transactional emails with statistics, and the actions of each.
import { Text } from '@mantine/core';
import { IconBolt } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { copyText } from '#platform/web/clipboard.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import type { Transactional } from '../contract.ts';
import { useTransactionalTabs } from './index.ts';
import { OtherEmails } from './other-emails.tsx';
import { api, LIST_PATH, transactionalPath } from './queries.ts';

const SORTS = ['created', 'modified', 'title'] as const;
const FIGURES = ['sent', 'opens', 'clicks', 'bounces'] as const;

export default function EmailsScreen() {
  const t = useTexts('transactional');
  const { number, date } = useFormats();
  const list = useListAddress({ sorts: SORTS, direction: 'desc' });
  const emails = useQuery({
    ...api.query('GET /client-api/api/transactional', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  return (
    <ListPage
      title={t('title')}
      tabs={useTransactionalTabs()}
      create={{ to: '/transactional/create', label: t('create') }}
      empty={{ icon: IconBolt, title: t('empty.title'), text: t('empty.text') }}
      above={<OtherEmails emails={emails.data?.other} />}
      query={emails}
      list={list}
      rowId={(email) => email.id}
      getRowName={(email) => email.title}
      getRowLink={(email) => transactionalPath(email.id, 'overview')}
      search={t('find')}
      columns={[
        {
          id: 'title',
          header: t('columns.title'),
          sort: 'title',
          cell: (email) => (
            <>
              <bdi>{email.title}</bdi>
              <Text size="xs" c="dimmed" truncate>
                <bdi>{email.subject || t('noSubject')}</bdi>
              </Text>
            </>
          ),
        },
        ...FIGURES.map((name, index) => ({
          id: name,
          header: t(`figures.${name}`),
          align: 'end' as const,
          isWide: index > 0,
          width: 110,
          cell: (email: Transactional) => number(email.figures[name]),
        })),
        {
          id: 'created',
          header: t('columns.created'),
          sort: 'created',
          align: 'end',
          isWide: true,
          width: 130,
          cell: (email) => <time dateTime={email.created}>{date(email.created)}</time>,
        },
      ]}
      actions={useActions()}
    />
  );
}

function useActions(): RowAction<Transactional>[] {
  const t = useTexts('transactional');
  const navigate = useNavigate();
  const duplicate = useAction(
    ({ id }: Transactional) =>
      api('POST /client-api/api/transactional/{id}/duplicate', { params: { id } }),
    { invalidates: [LIST_PATH], onDone: (_, { title }) => toast(t('duplicated', { title })) },
  );
  const remove = async ({ id, title }: Transactional) => {
    const isDone = await confirm({
      title: t('delete.title', { title }),
      message: t('delete.message'),
      confirm: t('delete.confirm'),
      run: () => api('DELETE /client-api/api/transactional/{id}', { params: { id } }),
    });
    if (isDone) await invalidate(LIST_PATH);
  };
  const openPart = (part: string) => (email: Transactional) =>
    void navigate({ to: transactionalPath(email.id, part) });
  return [
    { label: t('acts.setup'), run: openPart('overview') },
    { label: t('acts.settings'), run: openPart('edit') },
    { label: t('acts.design'), run: openPart('editor') },
    { label: t('acts.report'), run: openPart('report/activity') },
    { label: t('acts.copyId'), run: (email) => void copyText(email.id) },
    { label: t('acts.duplicate'), run: (email) => duplicate.mutate(email) },
    { label: t('acts.delete'), isDanger: true, run: (email) => void remove(email) },
  ];
}
