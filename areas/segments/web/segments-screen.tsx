// The segments screen: counts, sentences, and actions on a segment.
import { IconFilter } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { TableColumn } from '#platform/web/ui/data-table.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import type { Segment } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { buildTitle } from '../sentence.ts';
import { api, CREATE, LIST_PATH, toSegmentPath, toMatchingSubscribersPath } from './queries.ts';
import classes from './segments-screen.module.css';

const SORTS = ['title', 'created', 'modified'] as const;
const COUNTS = ['subscribers', 'active_subscribers', 'phone_count'] as const;

export default function SegmentsScreen() {
  const t = useTexts('segments');
  const list = useListAddress({ sorts: SORTS, direction: 'asc' });
  const segments = useQuery({
    ...api.query('GET /client-api/api/filters', { query: list.query }),
    placeholderData: keepPreviousData,
    // Polls while missing counts are being computed.
    refetchInterval: ({ state }) =>
      state.data?.data.some((row) => row.counted_at === null) ? 2_000 : false,
  });
  const actions = useActions();
  const columns = useColumns();
  return (
    <ListPage
      title={t('titleAll')}
      create={{ to: CREATE, label: t('create.action') }}
      empty={{ icon: IconFilter, title: t('empty.title'), text: t('empty.text') }}
      query={segments}
      list={list}
      rowId={(segment) => segment.id}
      getRowName={(segment) => segment.title}
      getRowLink={(segment) => toMatchingSubscribersPath(segment.filter)}
      search={t('find')}
      columns={columns}
      actions={actions}
    />
  );
}

function useColumns(): TableColumn<Segment>[] {
  const t = useTexts('segments');
  const { number, date, dateTime } = useFormats();
  return [
    {
      id: 'title',
      header: t('columns.title'),
      sort: 'title',
      cell: (segment) => <Title segment={segment} />,
    },
    ...COUNTS.map((name, index) => ({
      id: name,
      header: t(`columns.${name}`),
      align: 'end' as const,
      isWide: index > 0,
      cell: (segment: Segment) => (
        <span title={segment.counted_at ? t('counted', { at: dateTime(segment.counted_at) }) : ''}>
          {segment[name] === null ? '…' : number(segment[name])}
        </span>
      ),
    })),
    {
      id: 'modified',
      header: t('columns.modified'),
      sort: 'modified',
      align: 'end',
      isWide: true,
      cell: (segment) => <time dateTime={segment.modified}>{date(segment.modified)}</time>,
    },
  ];
}

function Title({ segment }: { segment: Segment }) {
  const t = useTexts('segments');
  return (
    <span className={classes.title}>
      <bdi>{segment.title}</bdi>
      {segment.is_broken && <span className={classes.broken}>{t('broken')}</span>}
      {buildTitle(segment.sentence) !== segment.title && (
        <span className={classes.sentence}>{segment.sentence}</span>
      )}
    </span>
  );
}

function useActions(): RowAction<Segment>[] {
  const t = useTexts('segments');
  const navigate = useNavigate();
  const copy = useAction(
    ({ id }: Segment) =>
      api('POST /client-api/api/filters/{id}/duplicate', { params: { id }, body: {} }),
    {
      invalidates: [LIST_PATH],
      onDone: ({ data }) => toast(t('duplicate.done', { title: data.title })),
    },
  );
  const rename = async (segment: Segment) => {
    const title = await promptInput({
      type: 'text',
      title: t('rename.title', { title: segment.title }),
      label: t('title.label'),
      value: segment.title,
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('rename.confirm'),
      send: (title) =>
        api('PATCH /client-api/api/filters/{id}', { params: { id: segment.id }, body: { title } }),
    });
    if (title !== undefined) await invalidate(LIST_PATH);
  };
  const remove = async (segment: Segment) => {
    const isDone = await confirm({
      title: t('delete.title', { title: segment.title }),
      message: t('delete.message'),
      confirm: t('delete.confirm'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/filters/{id}', { params: { id: segment.id } }),
    });
    if (!isDone) return;
    toast(t('delete.done', { title: segment.title }));
    await invalidate(LIST_PATH);
  };
  return [
    {
      label: t('acts.open'),
      run: (segment) => void navigate({ to: toMatchingSubscribersPath(segment.filter) }),
    },
    { label: t('acts.edit'), run: (segment) => void navigate({ to: toSegmentPath(segment.id) }) },
    { label: t('acts.rename'), run: (segment) => void rename(segment) },
    { label: t('acts.duplicate'), run: (segment) => copy.mutate(segment) },
    { label: t('acts.delete'), isDanger: true, run: (segment) => void remove(segment) },
  ];
}
