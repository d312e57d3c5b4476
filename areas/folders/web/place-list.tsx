// The folders and labels to limit a list to; created, renamed, colored and deleted here.
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
import { LABEL_COLORS, type LabelColor, MAX_TITLE } from '../shared.ts';
import type { PlaceFilterProps } from './place-filter.tsx';
import type { PlaceValues } from './places.ts';
import { allLabels, api, FOLDERS, foldersOf, LABELS } from './queries.ts';
import { LabelDot } from './tags.tsx';

const ALL: PlaceValues = { folder: '', label: '', archived: false };

type Props = PlaceFilterProps & { close: () => void };

export default function PlaceList({ kind, list, close }: Props) {
  const t = useTexts('folders');
  const { values } = list;
  const folders = useQuery(foldersOf(kind)).data?.data ?? [];
  const labels = useQuery(allLabels()).data?.data ?? [];
  const acts = useActs({ kind, list, close });
  const show = (place: Partial<PlaceValues>) => {
    list.set({ ...ALL, ...place });
    close();
  };
  const isAll = !values.folder && !values.label && !values.archived;
  return (
    <Stack gap={2} mah="60vh" style={{ overflowY: 'auto' }}>
      <Entry title={t('all')} isShown={isAll} show={() => show({})} />
      {folders.map((folder) => (
        <Entry
          key={folder.id}
          icon={<IconFolder size={16} stroke={1.75} />}
          title={folder.title}
          isShown={values.folder === folder.id}
          show={() => show({ folder: folder.id })}
          actions={[
            { label: t('rename'), run: () => void acts.renameFolder(folder) },
            { label: t('delete'), isDanger: true, run: () => void acts.deleteFolder(folder) },
          ]}
        />
      ))}
      <Entry
        icon={<IconArchive size={16} stroke={1.75} />}
        title={t('archive')}
        isShown={values.archived}
        show={() => show({ archived: true })}
      />
      <Entry
        icon={<IconPlus size={16} stroke={1.75} />}
        title={t('newFolder')}
        show={() => void acts.createFolder()}
      />
      <Text size="xs" c="dimmed" mt="xs">
        {t('labels')}
      </Text>
      {labels.map((label) => (
        <Entry
          key={label.id}
          icon={<LabelDot color={label.color} />}
          title={label.title}
          isShown={values.label === label.id}
          show={() => show({ label: label.id })}
          actions={[
            { label: t('rename'), run: () => void acts.renameLabel(label) },
            { label: t('changeColor'), run: () => void acts.changeColor(label) },
            { label: t('delete'), isDanger: true, run: () => void acts.deleteLabel(label) },
          ]}
        />
      ))}
      <Entry
        icon={<IconPlus size={16} stroke={1.75} />}
        title={t('newLabel')}
        show={() => void acts.createLabel(labels.length)}
      />
    </Stack>
  );
}

interface EntryProps {
  icon?: ReactNode;
  title: string;
  isShown?: boolean;
  show: () => void;
  actions?: RowAction<null>[];
}

function Entry({ icon, title, isShown = false, show, actions }: EntryProps) {
  return (
    <Group justify="space-between" wrap="nowrap" gap={4}>
      <Button
        variant={isShown ? 'light' : 'subtle'}
        size="compact-md"
        justify="start"
        fullWidth
        leftSection={icon}
        aria-current={isShown || undefined}
        onClick={show}
      >
        <bdi>{title}</bdi>
      </Button>
      {actions && <RowMenu row={null} name={title} actions={actions} />}
    </Group>
  );
}

/** Each closes the list first, since its dialog covers it. */
function useActs({ kind, list, close }: Props) {
  const t = useTexts('folders');
  const promptTitle = (
    title: string,
    value: string,
    label: string,
    send: (typed: string) => Promise<unknown>,
  ) => {
    close();
    const question = { type: 'text', title, label, value, maxChar: MAX_TITLE } as const;
    return promptInput({ ...question, confirm: t('save'), send: (typed) => send(typed.trim()) });
  };
  const changeFolder = async (id: string, title: string) => {
    await api('PATCH /client-api/api/folders/{id}', { params: { id }, body: { title } });
    await invalidate(FOLDERS);
  };
  const changeLabel = async ({ id, title, color }: Label) => {
    await api('PATCH /client-api/api/labels/{id}', { params: { id }, body: { title, color } });
    await invalidate(LABELS);
  };
  return {
    createFolder: () =>
      promptTitle(t('newFolder'), '', t('folderName'), async (title) => {
        await api('POST /client-api/api/folders', { body: { kind, title } });
        await invalidate(FOLDERS);
      }),
    renameFolder: ({ id, title }: Folder) =>
      promptTitle(t('rename'), title, t('folderName'), (typed) => changeFolder(id, typed)),
    deleteFolder: async ({ id, title }: Folder) => {
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
    createLabel: (known: number) =>
      promptTitle(t('newLabel'), '', t('labelName'), async (title) => {
        const color = LABEL_COLORS[(known + 1) % LABEL_COLORS.length] ?? 'gray';
        await api('POST /client-api/api/labels', { body: { title, color } });
        await invalidate(LABELS);
      }),
    renameLabel: (label: Label) =>
      promptTitle(t('rename'), label.title, t('labelName'), (title) =>
        changeLabel({ ...label, title }),
      ),
    changeColor: (label: Label) => {
      close();
      return promptInput({
        type: 'select',
        title: t('changeColor'),
        label: t('color'),
        value: label.color,
        options: LABEL_COLORS.map((value) => ({ value, label: t(`colors.${value}`) })),
        confirm: t('save'),
        send: (color) => changeLabel({ ...label, color: color as LabelColor }),
      });
    },
    deleteLabel: async ({ id, title }: Label) => {
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
