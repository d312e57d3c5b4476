// The folders, labels and archive that the user can limit a list to. Folders and labels are also
// created, renamed and deleted here.
import { Button, Group, Stack, Text } from '@mantine/core';
import { IconArchive, IconFolder, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { type RowAction, RowMenu } from '#platform/web/ui/row-menu.tsx';
import type { Folder, Label } from '../contract.ts';
import { LABEL_COLORS, type LabelColor, MAX_TITLE_LENGTH } from '../shared.ts';
import type { PlaceFilterProps } from './place-filter.tsx';
import type { PlaceValues } from './placement-parameters.ts';
import { listLabelsQuery, api, FOLDERS, listFoldersQuery, LABELS } from './queries.ts';
import { LabelDot } from './tags.tsx';

const NO_FILTER: PlaceValues = { folder: '', label: '', archived: false };

type Props = PlaceFilterProps & { close: () => void };

export default function PlaceList(props: Props) {
  const { list, close } = props;
  const t = useTexts('folders');
  const { values } = list;
  const showPlace = (place: Partial<PlaceValues>) => {
    list.set({ ...NO_FILTER, ...place });
    close();
  };
  const isAll = !values.folder && !values.label && !values.archived;
  return (
    <Stack gap={2} mah="60vh" style={{ overflowY: 'auto' }}>
      <Entry title={t('all')} isShown={isAll} onClick={() => showPlace({})} />
      <Folders {...props} showPlace={showPlace} />
      <Text size="xs" c="dimmed" mt="xs">
        {t('labels')}
      </Text>
      <Labels {...props} showPlace={showPlace} />
    </Stack>
  );
}

type PartProps = Props & { showPlace: (place: Partial<PlaceValues>) => void };

/** The folders and the archive. */
function Folders({ showPlace, ...props }: PartProps) {
  const t = useTexts('folders');
  const { values } = props.list;
  const folders = useQuery(listFoldersQuery(props.kind)).data?.data ?? [];
  const actions = useFolderActions(props);
  return (
    <>
      {folders.map((folder) => (
        <Entry
          key={folder.id}
          icon={<IconFolder size={16} stroke={1.75} />}
          title={folder.title}
          isShown={values.folder === folder.id}
          onClick={() => showPlace({ folder: folder.id })}
          actions={[
            { label: t('rename'), run: () => void actions.rename(folder) },
            { label: t('delete'), isDanger: true, run: () => void actions.remove(folder) },
          ]}
        />
      ))}
      <Entry
        icon={<IconArchive size={16} stroke={1.75} />}
        title={t('archive')}
        isShown={values.archived}
        onClick={() => showPlace({ archived: true })}
      />
      <Entry
        icon={<IconPlus size={16} stroke={1.75} />}
        title={t('newFolder')}
        onClick={() => void actions.create()}
      />
    </>
  );
}

function Labels({ showPlace, ...props }: PartProps) {
  const t = useTexts('folders');
  const labels = useQuery(listLabelsQuery()).data?.data ?? [];
  const actions = useLabelActions(props);
  return (
    <>
      {labels.map((label) => (
        <Entry
          key={label.id}
          icon={<LabelDot color={label.color} />}
          title={label.title}
          isShown={props.list.values.label === label.id}
          onClick={() => showPlace({ label: label.id })}
          actions={[
            { label: t('rename'), run: () => void actions.rename(label) },
            { label: t('changeColor'), run: () => void actions.changeColor(label) },
            { label: t('delete'), isDanger: true, run: () => void actions.remove(label) },
          ]}
        />
      ))}
      <Entry
        icon={<IconPlus size={16} stroke={1.75} />}
        title={t('newLabel')}
        onClick={() => void actions.create(labels.length)}
      />
    </>
  );
}

interface EntryProps {
  icon?: ReactNode;
  title: string;
  isShown?: boolean;
  onClick: () => void;
  actions?: RowAction<null>[];
}

function Entry({ icon, title, isShown = false, onClick, actions }: EntryProps) {
  return (
    <Group justify="space-between" wrap="nowrap" gap={4}>
      <Button
        variant={isShown ? 'light' : 'subtle'}
        size="compact-md"
        justify="start"
        fullWidth
        leftSection={icon}
        aria-current={isShown || undefined}
        onClick={onClick}
      >
        <bdi>{title}</bdi>
      </Button>
      {actions && <RowMenu row={null} name={title} actions={actions} />}
    </Group>
  );
}

/** Prompts for a title; closes the list first because the dialog covers it. */
function usePromptTitle(close: () => void) {
  const t = useTexts('folders');
  return (
    title: string,
    value: string,
    label: string,
    send: (input: string) => Promise<unknown>,
  ) => {
    close();
    const question = { type: 'text', title, label, value, maxLength: MAX_TITLE_LENGTH } as const;
    return promptInput({ ...question, confirm: t('save'), send: (input) => send(input.trim()) });
  };
}

function useFolderActions({ kind, list, close }: Props) {
  const t = useTexts('folders');
  const promptTitle = usePromptTitle(close);
  return {
    create: () =>
      promptTitle(t('newFolder'), '', t('folderName'), async (title) => {
        await api('POST /client-api/api/folders', { body: { kind, title } });
        await invalidate(FOLDERS);
      }),
    rename: ({ id, title }: Folder) =>
      promptTitle(t('rename'), title, t('folderName'), async (input) => {
        await api('PATCH /client-api/api/folders/{id}', { params: { id }, body: { title: input } });
        await invalidate(FOLDERS);
      }),
    remove: async ({ id, title }: Folder) => {
      close();
      const isDone = await confirm({
        title: t('deleteFolder.title', { title }),
        message: t('deleteFolder.message'),
        confirm: t('delete'),
        isDanger: true,
        run: () => api('DELETE /client-api/api/folders/{id}', { params: { id } }),
      });
      if (!isDone) return;
      if (list.values.folder === id) list.set({ folder: '' });
      await invalidate(FOLDERS);
    },
  };
}

function useLabelActions({ list, close }: Props) {
  const t = useTexts('folders');
  const promptTitle = usePromptTitle(close);
  const change = async ({ id, title, color }: Label) => {
    await api('PATCH /client-api/api/labels/{id}', { params: { id }, body: { title, color } });
    await invalidate(LABELS);
  };
  return {
    create: (labelCount: number) =>
      promptTitle(t('newLabel'), '', t('labelName'), async (title) => {
        const color = LABEL_COLORS[(labelCount + 1) % LABEL_COLORS.length] ?? 'gray';
        await api('POST /client-api/api/labels', { body: { title, color } });
        await invalidate(LABELS);
      }),
    rename: (label: Label) =>
      promptTitle(t('rename'), label.title, t('labelName'), (title) => change({ ...label, title })),
    changeColor: (label: Label) => {
      close();
      return promptInput({
        type: 'select',
        title: t('changeColor'),
        label: t('color'),
        value: label.color,
        options: LABEL_COLORS.map((value) => ({ value, label: t(`colors.${value}`) })),
        confirm: t('save'),
        send: (color) => change({ ...label, color: color as LabelColor }),
      });
    },
    remove: async ({ id, title }: Label) => {
      close();
      const isDone = await confirm({
        title: t('deleteLabel.title', { title }),
        message: t('deleteLabel.message'),
        confirm: t('delete'),
        isDanger: true,
        run: () => api('DELETE /client-api/api/labels/{id}', { params: { id } }),
      });
      if (!isDone) return;
      if (list.values.label === id) list.set({ label: '' });
      await invalidate(LABELS);
    },
  };
}
