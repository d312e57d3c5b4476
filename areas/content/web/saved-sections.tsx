// Saved sections: saves a section and lists saved ones by title; a section is loaded when it is
// chosen.
import { ActionIcon, Group, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useCallback, useRef, useState } from 'react';
import { showError } from '#platform/web/errors/errors.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { PageLinks } from '#platform/web/ui/page-links.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Section } from '../document.ts';
import { copySection, createSection } from '../document-factory.ts';
import { MAX_SECTION_TITLE } from '../shared.ts';
import { putSection, scrollTo, useActions } from './actions.ts';
import { useDraggable } from './drag.ts';
import classes from './palette.module.css';
import { api } from './queries.ts';
import { useEditor } from './store.ts';
import type { NodeLocation } from './tree.ts';

const SECTIONS = '/client-api/api/saved_sections';
const PER_PAGE = 20;

/** Opens a dialog for the title and saves a section or block as a saved section. */
export function useSaveSection(): (location: NodeLocation) => Promise<void> {
  const t = useTexts('content');
  return useCallback(
    async (location: NodeLocation) => {
      const title = await promptInput({
        type: 'text',
        title: t('saved.saveTitle'),
        label: t('saved.name'),
        maxLength: MAX_SECTION_TITLE,
        confirm: t('saved.save'),
      });
      if (typeof title !== 'string' || title.trim() === '') return;
      const section =
        location.kind === 'section' ? location.section : createSection([[location.block]]);
      try {
        await api('POST /client-api/api/saved_sections', {
          body: { title: title.trim(), section: copySection(section) },
        });
        void invalidate(SECTIONS);
        toast(t('saved.done', { title: title.trim() }));
      } catch (error) {
        showError(error);
      }
    },
    [t],
  );
}

/** Returns a copy with new ids; if loading fails, shows an error and returns undefined. */
async function readCopy(id: string): Promise<Section | undefined> {
  try {
    const { data } = await api('GET /client-api/api/saved_sections/{id}', { params: { id } });
    return copySection(data.section);
  } catch (error) {
    showError(error);
    // Another tab may have deleted it.
    void invalidate(SECTIONS);
    return undefined;
  }
}

/** `onDone` closes the sheet on small screens. */
export function SavedSections({ onDone }: { onDone?: (() => void) | undefined }) {
  const t = useTexts('content');
  const [page, setPage] = useState(1);
  const list = useRef<HTMLUListElement>(null);
  const savedSections = useQuery({
    ...api.query('GET /client-api/api/saved_sections', {
      query: { page, limit: PER_PAGE, order: 'modified', direction: 'desc' },
    }),
    placeholderData: keepPreviousData,
  });
  if (savedSections.isLoadingError)
    return <FailedState error={savedSections.error} retry={savedSections.refetch} />;
  if (!savedSections.data) return <LoadingState rows={2} />;
  const { data, meta } = savedSections.data;
  const lastPage = meta?.pageCount ?? 1;
  // If the last item of the last page was deleted, the previous page is shown.
  if (page > lastPage) setPage(lastPage);
  if (data.length === 0 && page === 1) {
    return (
      <Text size="sm" c="dimmed">
        {t('saved.none')}
      </Text>
    );
  }
  return (
    <>
      <ul ref={list} className={classes.saved}>
        {data.map(({ id, title }) => (
          <SavedSection key={id} id={id} title={title} onDone={onDone} />
        ))}
      </ul>
      {lastPage > 1 && (
        <Group justify="center" mt="sm">
          <PageLinks
            total={lastPage}
            page={page}
            onChange={(next) => {
              setPage(next);
              // The pagination is below the list, so the list scrolls to its start.
              list.current?.scrollIntoView({ block: 'start' });
            }}
          />
        </Group>
      )}
    </>
  );
}

interface SavedSectionProps {
  id: string;
  title: string;
  onDone: (() => void) | undefined;
}

function SavedSection({ id, title, onDone }: SavedSectionProps) {
  const t = useTexts('content');
  const editor = useEditor();
  const { nameOf, announce } = useActions();
  const item = useRef<HTMLButtonElement>(null);
  const [isLoading, setLoading] = useState(false);
  const loadSection = () => {
    setLoading(true);
    return readCopy(id).finally(() => setLoading(false));
  };
  useDraggable(item, () => ({ kind: 'saved-section', section: loadSection() }));
  const insertSection = async () => {
    if (isLoading) return;
    const section = await loadSection();
    if (!section) return;
    putSection(editor, section, editor.store.getState().selected);
    announce(t('said.added', { name: nameOf(section.id) }));
    scrollTo(section.id);
    onDone?.();
  };
  const remove = async () => {
    await confirm({
      title: t('saved.deleteTitle'),
      message: t('saved.deleteMessage', { title }),
      confirm: t('tools.delete'),
      isDanger: true,
      run: async () => {
        await api('DELETE /client-api/api/saved_sections/{id}', { params: { id } });
        void invalidate(SECTIONS);
      },
    });
  };
  return (
    <li>
      <button
        ref={item}
        type="button"
        className={classes.savedOne}
        aria-busy={isLoading}
        onClick={() => void insertSection()}
      >
        {title}
      </button>
      <Tooltip label={t('tools.delete')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('saved.delete', { title })}
          onClick={() => void remove()}
        >
          <IconTrash size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}
