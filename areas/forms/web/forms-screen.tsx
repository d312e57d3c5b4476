// All forms with statistics, and actions: activate, deactivate, rename, duplicate, delete.
import { SegmentedControl, Switch, Text } from '@mantine/core';
import { IconForms } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { PlaceTags, placeParameters, toPlaceQuery, useItemList } from '#areas/folders/web/index.ts';
import { parseOneOf } from '#platform/web/api/address.ts';
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
import type { FormDocument } from '#embed/forms/shared/document.ts';
import type { FormSummary, ListedForm } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import { useActivation } from './activation.ts';
import classes from './forms-screen.module.css';
import { Miniature } from './miniature.tsx';
import { api, builderPath, LIST_PATH, viewPath } from './queries.ts';

const SORTS = ['created', 'modified', 'title'] as const;
const TYPES = ['all', 'popup', 'embed', 'spinToWin'] as const;
const extraParameters = { type: parseOneOf(TYPES, 'all'), ...placeParameters };

export default function FormsScreen() {
  const t = useTexts('forms');
  const list = useListAddress({ sorts: SORTS, direction: 'desc', more: extraParameters });
  const { type } = list.values;
  const forms = useQuery({
    ...api.query('GET /client-api/api/forms', {
      query: {
        ...list.query,
        ...toPlaceQuery(list.values),
        ...(type === 'all' ? {} : { type }),
      },
    }),
    placeholderData: keepPreviousData,
  });
  const place = { kind: 'form', base: LIST_PATH } as const;
  const items = useItemList<ListedForm>(place, forms.data?.data, list);
  const actions = useActions();
  return (
    <ListPage
      title={t('title')}
      create={{ to: '/forms/create', label: t('create.title') }}
      empty={{
        icon: IconForms,
        title: t('empty.title'),
        text: t('empty.text'),
        more: items.archiveLink,
      }}
      selection={items.selection}
      bulkActions={items.bulk}
      query={forms}
      list={list}
      rowId={(form) => form.id}
      getRowName={(form) => form.title}
      getRowLink={(form) => viewPath(form.id)}
      search={t('find')}
      columns={useColumns()}
      actions={[...actions.slice(0, -1), ...items.actions, ...actions.slice(-1)]}
      filters={
        <>
          <SegmentedControl
            size="xs"
            aria-label={t('columns.type')}
            value={type}
            onChange={(value) => list.set({ type: extraParameters.type.read(value) })}
            data={TYPES.map((value) => ({ value, label: t(`types.${value}`) }))}
          />
          {items.filter}
        </>
      }
    />
  );
}

function useColumns(): TableColumn<ListedForm>[] {
  const t = useTexts('forms');
  const { number, percent, date } = useFormats();
  return [
    {
      id: 'title',
      header: t('columns.title'),
      sort: 'title',
      cell: (form) => (
        <div className={classes.named}>
          <div className={classes.thumbnail}>
            <Miniature
              document={form.thumbnail.document as FormDocument}
              type={form.type}
              wheel={form.thumbnail.wheel ?? undefined}
            />
          </div>
          <div>
            <bdi>{form.title}</bdi>
            <Text size="xs" c="dimmed">
              {t(`types.${form.type}`)}
            </Text>
            <PlaceTags placement={form.place} />
          </div>
        </div>
      ),
    },
    ...(['views', 'sign_ups'] as const).map((name) => ({
      id: name,
      header: t(`columns.${name}`),
      align: 'end' as const,
      isWide: name === 'views',
      width: 92,
      cell: (form: FormSummary) => number(form[name]),
    })),
    {
      id: 'rate',
      header: t('columns.rate'),
      align: 'end',
      isWide: true,
      width: 110,
      cell: ({ views, sign_ups }) => (views === 0 ? '–' : percent(Math.min(1, sign_ups / views))),
    },
    {
      id: 'created',
      header: t('columns.created'),
      sort: 'created',
      align: 'end',
      isWide: true,
      width: 130,
      cell: (form) => <time dateTime={form.created}>{date(form.created)}</time>,
    },
    {
      id: 'active',
      header: t('columns.active'),
      width: 76,
      cell: (form) => <ActiveSwitch form={form} />,
    },
  ];
}

function ActiveSwitch({ form }: { form: FormSummary }) {
  const t = useTexts('forms');
  const activation = useActivation(form);
  return (
    <Switch
      aria-label={t('turn', { title: form.title })}
      checked={activation.isPending ? activation.variables === 1 : form.is_active}
      disabled={activation.isPending}
      onChange={({ currentTarget }) => activation.mutate(currentTarget.checked ? 1 : 0)}
    />
  );
}

function useActions(): RowAction<FormSummary>[] {
  const t = useTexts('forms');
  const navigate = useNavigate();
  const duplicate = useAction(
    ({ id, title }: FormSummary) =>
      api('POST /client-api/api/forms/{id}/copy', {
        params: { id },
        body: { title: t('copyOf', { title }).slice(0, MAX_TITLE_LENGTH) },
      }),
    { invalidates: [LIST_PATH], onDone: (_, { title }) => toast(t('duplicated', { title })) },
  );
  const rename = async ({ id, title: before }: FormSummary) => {
    const title = await promptInput({
      type: 'text',
      title: t('rename.title', { title: before }),
      label: t('columns.title'),
      value: before,
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('rename.confirm'),
      send: (title) => api('PATCH /client-api/api/forms/{id}', { params: { id }, body: { title } }),
    });
    if (title !== undefined) await invalidate(LIST_PATH);
  };
  const remove = async ({ id, title }: FormSummary) => {
    const isDone = await confirm({
      title: t('delete.title', { title }),
      message: t('delete.message'),
      confirm: t('delete.confirm'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/forms/{id}', { params: { id } }),
    });
    if (!isDone) return;
    toast(t('delete.done', { title }));
    await invalidate(LIST_PATH);
  };
  return [
    { label: t('acts.open'), run: (form) => void navigate({ to: viewPath(form.id) }) },
    { label: t('acts.edit'), run: (form) => void navigate({ to: builderPath(form.id) }) },
    { label: t('acts.rename'), run: (form) => void rename(form) },
    { label: t('acts.duplicate'), run: (form) => duplicate.mutate(form) },
    { label: t('acts.delete'), isDanger: true, run: (form) => void remove(form) },
  ];
}
