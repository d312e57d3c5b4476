// The screen of custom fields and their merge tags, and of the default merge tags.
import { Text } from '@mantine/core';
import { IconForms } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import type { TableColumn } from '#platform/web/ui/data-table.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import type { RowAction } from '#platform/web/ui/row-menu.tsx';
import type { Field } from '../contract.ts';
import { DEFAULT_MERGE_TAGS, MAX_TITLE_LENGTH } from '../shared.ts';
import { CreateField } from './create-field.tsx';
import classes from './fields-screen.module.css';
import { api, LIST_PATH } from './queries.ts';

const SORTS = ['title', 'created', 'modified'] as const;

export default function FieldsScreen() {
  const t = useTexts('fields');
  const list = useListAddress({ sorts: SORTS, direction: 'asc' });
  const fields = useQuery({
    ...api.query('GET /client-api/api/fields', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  const [isCreating, setCreating] = useState(false);
  const actions = useActions();
  return (
    <ListPage
      title={t('title')}
      description={t('description')}
      create={{ onClick: () => setCreating(true), label: t('create.action') }}
      empty={{ icon: IconForms, title: t('empty.title'), text: t('empty.text') }}
      query={fields}
      list={list}
      rowId={(field) => field.id}
      getRowName={(field) => field.title}
      search={t('find')}
      columns={useColumns()}
      actions={actions}
    >
      <section className={classes.always} aria-labelledby="always">
        <h2 className={classes.heading} id="always">
          {t('always.title')}
        </h2>
        <Text size="sm" c="dimmed">
          {t('always.text')}
        </Text>
        <ul className={classes.tags}>
          {DEFAULT_MERGE_TAGS.map((name) => (
            <li key={name}>
              {t(`always.${name}`)}
              <MergeTag name={name} />
            </li>
          ))}
        </ul>
      </section>
      {isCreating && <CreateField onClose={() => setCreating(false)} />}
    </ListPage>
  );
}

function MergeTag({ name }: { name: string }) {
  const t = useTexts('fields');
  const tag = `{{${name}}}`;
  return (
    <span className={classes.tag}>
      <code>{tag}</code>
      <CopyButton value={tag} label={t('copyTag', { tag })} />
    </span>
  );
}

function useActions(): RowAction<Field>[] {
  const t = useTexts('fields');
  const rename = async (field: Field) => {
    const title = await promptInput({
      type: 'text',
      subscribersField: true,
      title: t('rename.title', { title: field.title }),
      label: t('columns.title'),
      description: t('rename.hint', { tag: `{{${field.name}}}` }),
      value: field.title,
      maxLength: MAX_TITLE_LENGTH,
      confirm: t('rename.confirm'),
      send: (title) =>
        api('PATCH /client-api/api/fields/{id}', { params: { id: field.id }, body: { title } }),
    });
    if (title !== undefined) await invalidate(LIST_PATH, '/client-api/api/subscribers');
  };
  const remove = async (field: Field) => {
    const isDone = await confirm({
      title: t('delete.title', { title: field.title }),
      message: t('delete.message', { tag: `{{${field.name}}}` }),
      confirm: t('delete.confirm'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/fields/{id}', { params: { id: field.id } }),
    });
    if (!isDone) return;
    toast(t('delete.done', { title: field.title }));
    await invalidate(LIST_PATH, '/client-api/api/subscribers');
  };
  return [
    { label: t('acts.rename'), run: (field) => void rename(field) },
    { label: t('acts.delete'), isDanger: true, run: (field) => void remove(field) },
  ];
}

function useColumns(): TableColumn<Field>[] {
  const t = useTexts('fields');
  const { date } = useFormats();
  return [
    {
      id: 'title',
      header: t('columns.title'),
      sort: 'title',
      cell: (field) => (
        <>
          <bdi>{field.title}</bdi>
          <span className={classes.type}>{t(`types.${field.type}`)}</span>
        </>
      ),
    },
    {
      id: 'tag',
      header: t('columns.tag'),
      cell: (field) => <MergeTag name={field.name} />,
    },
    {
      id: 'type',
      header: t('columns.type'),
      isWide: true,
      cell: (field) => t(`types.${field.type}`),
    },
    {
      id: 'created',
      header: t('columns.created'),
      sort: 'created',
      align: 'end',
      isWide: true,
      cell: (field) => <time dateTime={field.created}>{date(field.created)}</time>,
    },
  ];
}
