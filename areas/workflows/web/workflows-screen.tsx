// All workflows with the results of their emails, and the actions of each.
import { SegmentedControl, Text } from '@mantine/core';
import { IconRoute } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { PlaceTags, placeParameters, toPlaceQuery, useItemList } from '#areas/folders/web/index.ts';
import { parseOneOf } from '#platform/web/api/address.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { TableColumn } from '#platform/web/ui/data-table.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import { StatusDot } from '#platform/web/ui/status-dot.tsx';
import type { ListedWorkflow, Workflow } from '../contract.ts';
import { api, builderPath, LIST_PATH, buildReportPath } from './queries.ts';
import { useStatusActions } from './status-actions.ts';

const SORTS = ['modified', 'created', 'title'] as const;
const STATES = ['all', 'ACTIVE', 'DRAFT'] as const;
const addressParameters = { status: parseOneOf(STATES, 'all'), ...placeParameters };

export default function WorkflowsScreen() {
  const t = useTexts('workflows');
  const list = useListAddress({ sorts: SORTS, direction: 'desc', more: addressParameters });
  const { status } = list.values;
  const workflows = useQuery({
    ...api.query('GET /client-api/api/workflows', {
      query: {
        ...list.query,
        ...toPlaceQuery(list.values),
        ...(status === 'all' ? {} : { status }),
      },
    }),
    placeholderData: keepPreviousData,
  });
  useLiveInvalidation('workflow', LIST_PATH);
  const items = useItemList<ListedWorkflow>(
    { kind: 'workflow', base: LIST_PATH },
    workflows.data?.data,
    list,
  );
  const actions = useActions();
  return (
    <ListPage
      title={t('title')}
      create={{ to: '/automation/create', label: t('create.title') }}
      empty={{
        icon: IconRoute,
        title: t('empty.title'),
        text: t('empty.text'),
        more: items.archiveLink,
      }}
      selection={items.selection}
      bulkActions={items.bulk}
      query={workflows}
      list={list}
      rowId={(workflow) => workflow.id}
      getRowName={(workflow) => workflow.title}
      getRowLink={(workflow) => builderPath(workflow.id)}
      search={t('find')}
      filters={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('filter.label')}
            value={status}
            onChange={(value) => list.set({ status: addressParameters.status.read(value) })}
            data={STATES.map((value) => ({ value, label: t(`filter.${value}`) }))}
          />
          {items.filter}
        </>
      }
      columns={useColumns()}
      actions={[...actions.slice(0, -1), ...items.actions, ...actions.slice(-1)]}
    />
  );
}

function useColumns(): TableColumn<ListedWorkflow>[] {
  const t = useTexts('workflows');
  const { number, percent, relative } = useFormats();
  return [
    {
      id: 'title',
      header: t('columns.title'),
      sort: 'title',
      cell: (workflow) => (
        <>
          <bdi>{workflow.title}</bdi>
          <Text size="xs" c="dimmed" component="div">
            <Status workflow={workflow} />
          </Text>
          <PlaceTags placement={workflow.place} />
        </>
      ),
    },
    {
      id: 'modified',
      header: t('columns.modified'),
      sort: 'modified',
      align: 'end',
      isWide: true,
      width: 150,
      cell: (workflow) => <time dateTime={workflow.modified}>{relative(workflow.modified)}</time>,
    },
    {
      id: 'sent',
      header: t('columns.sent'),
      align: 'end',
      width: 110,
      cell: ({ figures }) => number(figures.sent),
    },
    ...(['opened', 'clicked'] as const).map((name) => ({
      id: name,
      header: t(`columns.${name}`),
      align: 'end' as const,
      isWide: true,
      width: 110,
      cell: ({ figures }: Workflow) => (
        <>
          {percent((name === 'opened' ? figures.open_rate : figures.click_rate) / 100)}
          <Text size="xs" c="dimmed">
            {number(figures[name])}
          </Text>
        </>
      ),
    })),
  ];
}

function Status({ workflow: { status, people } }: { workflow: Workflow }) {
  const t = useTexts('workflows');
  return (
    <>
      <StatusDot tone={status === 'ACTIVE' ? 'success' : 'warning'} label={t(`status.${status}`)} />
      {people.inside > 0 && <> · {t('inside', { count: people.inside })}</>}
    </>
  );
}

function useActions(): RowAction<Workflow>[] {
  const t = useTexts('workflows');
  const navigate = useNavigate();
  const { deactivate, rename, remove } = useStatusActions();
  const duplicate = useAction(
    ({ id, title }: Workflow) =>
      api('POST /client-api/api/workflows/{id}/duplicate', {
        params: { id },
        body: { title: t('copyOf', { title }) },
        idempotencyKey: crypto.randomUUID(),
      }),
    { invalidates: [LIST_PATH], onDone: (_, { title }) => toast(t('duplicated', { title })) },
  );
  const isActive = ({ status }: Workflow) => status === 'ACTIVE';
  const openWorkflow = ({ id }: Workflow) => void navigate({ to: builderPath(id) });
  const review = ({ id }: Workflow) =>
    void navigate({ to: builderPath(id), search: { review: '1' } });
  return [
    { label: t('acts.edit'), run: openWorkflow },
    { label: t('acts.report'), run: ({ id }) => void navigate({ to: buildReportPath(id) }) },
    {
      label: t('acts.activate'),
      isHidden: isActive,
      run: review,
    },
    {
      label: t('acts.deactivate'),
      isHidden: (workflow) => !isActive(workflow),
      run: (workflow) => void deactivate(workflow),
    },
    { label: t('acts.rename'), run: (workflow) => void rename(workflow) },
    { label: t('acts.duplicate'), run: (workflow) => duplicate.mutate(workflow) },
    {
      label: t('acts.delete'),
      isDanger: true,
      run: (workflow) =>
        void remove(workflow).then((isDone) => {
          if (isDone) void invalidate(LIST_PATH);
        }),
    },
  ];
}
