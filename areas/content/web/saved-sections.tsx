// Sections kept for reuse: keeping one, and those that are there.
import { ActionIcon, Text, Tooltip } from '@mantine/core';
import { IconTrash } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useRef } from 'react';
import { showError } from '#platform/web/errors.ts';
import { toast } from '#platform/web/notices.tsx';
import { touch } from '#platform/web/queries.ts';
import { useTexts } from '#platform/web/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { askInput } from '#platform/web/ui/input-dialog.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Section } from '../document.ts';
import { copySection, newSection } from '../document-factory.ts';
import { SECTION_TITLE_MOST } from '../limits.ts';
import { putSection } from './acts.ts';
import { useDraggable } from './drag.ts';
import classes from './palette.module.css';
import { api } from './queries.ts';
import { useEditor } from './store.ts';
import type { Place } from './tree.ts';

const SECTIONS = '/client-api/api/saved_sections';

/** Asks for a name and keeps a section, or a block as a section of its own. */
export function useSaveSection(): (place: Place) => Promise<void> {
  const t = useTexts('content');
  return useCallback(
    async (place: Place) => {
      const title = await askInput({
        type: 'text',
        title: t('saved.saveTitle'),
        label: t('saved.name'),
        maxChar: SECTION_TITLE_MOST,
        confirm: t('saved.save'),
      });
      if (typeof title !== 'string' || title.trim() === '') return;
      const section = place.kind === 'section' ? place.section : newSection([[place.block]]);
      try {
        await api('POST /client-api/api/saved_sections', {
          body: { title: title.trim(), section: copySection(section) },
        });
        void touch(SECTIONS);
        toast(t('saved.done', { title: title.trim() }));
      } catch (error) {
        showError(error);
      }
    },
    [t],
  );
}

export function SavedSections() {
  const t = useTexts('content');
  const saved = useQuery(
    api.query('GET /client-api/api/saved_sections', {
      // All that an account may keep: what is not shown could neither be taken nor deleted.
      query: { no_paginate: 'true', order: 'modified', direction: 'desc' },
    }),
  );
  if (saved.isLoadingError) return <FailedState error={saved.error} retry={saved.refetch} />;
  if (!saved.data) return <LoadingState rows={2} />;
  if (saved.data.data.length === 0) {
    return (
      <Text size="sm" c="dimmed">
        {t('saved.none')}
      </Text>
    );
  }
  return (
    <ul className={classes.saved}>
      {saved.data.data.map(({ id, title, section }) => (
        <SavedSection key={id} id={id} title={title} section={section} />
      ))}
    </ul>
  );
}

function SavedSection({ id, title, section }: { id: string; title: string; section: Section }) {
  const t = useTexts('content');
  const editor = useEditor();
  const item = useRef<HTMLButtonElement>(null);
  useDraggable(item, () => ({ kind: 'new-section', make: () => copySection(section) }));
  const forget = async () => {
    await confirm({
      title: t('saved.deleteTitle'),
      message: t('saved.deleteMessage', { title }),
      confirm: t('tools.delete'),
      isDanger: true,
      run: async () => {
        await api('DELETE /client-api/api/saved_sections/{id}', { params: { id } });
        void touch(SECTIONS);
      },
    });
  };
  return (
    <li>
      <button
        ref={item}
        type="button"
        className={classes.savedOne}
        onClick={() => putSection(editor, copySection(section), editor.store.getState().selected)}
      >
        {title}
      </button>
      <Tooltip label={t('tools.delete')}>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={t('saved.delete', { title })}
          onClick={() => void forget()}
        >
          <IconTrash size={16} stroke={1.75} />
        </ActionIcon>
      </Tooltip>
    </li>
  );
}
