// Notes about a subscriber, with author and time. Users can add and delete notes.
import { Button, Group } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useAction } from '#platform/web/api/queries.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { RowMenu } from '#platform/web/ui/row-menu.tsx';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { ItemNote } from '../items-contract.ts';
import classes from './folders.module.css';
import { NoteField } from './note-field.tsx';
import { createItemApi } from './queries.ts';

interface ItemNotesProps {
  /** The base path of the items' calls. */
  base: string;
  id: string;
  headingClass?: string | undefined;
}

/** Returns the path of the item's notes; a change invalidates its queries. */
const toQueryKey = (base: string, id: string) => [`${base}/${id}/notes`];

export default function ItemNotes({ base, id, headingClass = classes.heading }: ItemNotesProps) {
  const t = useTexts('folders');
  const api = createItemApi(base);
  const notes = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}/notes', { params: { id } }),
    // The page itself shows that the item is gone.
    meta: { notFound: 'inline' },
  });
  const erase = useAction(
    (note: string) =>
      api('DELETE /client-api/api/campaigns/{id}/notes/{note}', { params: { id, note } }),
    { invalidates: toQueryKey(base, id) },
  );
  const remove = (note: ItemNote) =>
    confirm({
      title: t('notes.deleteTitle'),
      message: note.text,
      confirm: t('delete'),
      isDanger: true,
      run: () => erase.mutateAsync(note.id),
    });
  return (
    <section aria-labelledby="item-notes">
      <h2 className={headingClass} id="item-notes">
        {t('notes.title')}
      </h2>
      {notes.isLoadingError && (
        <FailedState error={notes.error} retry={() => void notes.refetch()} />
      )}
      <ul className={classes.notes}>
        {notes.data?.data.map((note) => (
          <NoteItem key={note.id} note={note} remove={() => void remove(note)} />
        ))}
      </ul>
      <NewNote base={base} id={id} />
    </section>
  );
}

function NewNote({ base, id }: Pick<ItemNotesProps, 'base' | 'id'>) {
  const t = useTexts('folders');
  const api = createItemApi(base);
  const [text, setText] = useState('');
  const add = useAction(
    () =>
      api('POST /client-api/api/campaigns/{id}/notes', {
        params: { id },
        body: { text: text.trim() },
        idempotencyKey: crypto.randomUUID(),
      }),
    { invalidates: toQueryKey(base, id), onDone: () => setText('') },
  );
  return (
    <>
      <NoteField label={t('notes.new')} value={text} onChange={setText} />
      {text.trim() !== '' && (
        <Group justify="end" mt="xs">
          <Button size="xs" loading={add.isPending} onClick={() => add.mutate(undefined)}>
            {t('notes.add')}
          </Button>
        </Group>
      )}
    </>
  );
}

function NoteItem({ note, remove }: { note: ItemNote; remove: () => void }) {
  const t = useTexts('folders');
  const { dateTime } = useFormats();
  return (
    <li>
      <Group justify="space-between" wrap="nowrap" align="start" gap="xs">
        <div>
          <bdi className={classes.note}>{note.text}</bdi>
          <p className={classes.author}>
            <bdi>{note.author}</bdi> · <time dateTime={note.at}>{dateTime(note.at)}</time>
          </p>
        </div>
        <RowMenu
          row={note}
          name={t('notes.menu')}
          actions={[{ label: t('delete'), isDanger: true, run: remove }]}
        />
      </Group>
    </li>
  );
}
