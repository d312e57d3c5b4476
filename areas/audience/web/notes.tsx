// Notes of the account's users about a subscriber: who wrote them and when; added and deleted.
import { Button, Group, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { client } from '#platform/web/api/api.ts';
import { useAct } from '#platform/web/api/queries.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import { RowMenu } from '#platform/web/ui/row-menu.tsx';
import { FailedState } from '#platform/web/ui/states.tsx';
import type { calls, SubscriberNote } from '../notes-contract.ts';
import { MAX_NOTE } from '../shared.ts';
import classes from './subscriber-screen.module.css';

const api = client<typeof calls>();

export function Notes() {
  const t = useTexts('audience');
  const id = useParam('subscriber');
  const touches = [`/client-api/api/subscribers/${id}/notes`];
  const notes = useQuery(
    api.query('GET /client-api/api/subscribers/{id}/notes', { params: { id } }),
  );
  const [text, setText] = useState('');
  const add = useAct(
    () =>
      api('POST /client-api/api/subscribers/{id}/notes', {
        params: { id },
        body: { text: text.trim() },
      }),
    { touches, onDone: () => setText('') },
  );
  const erase = useAct(
    (note: string) =>
      api('DELETE /client-api/api/subscribers/{id}/notes/{note}', { params: { id, note } }),
    { touches },
  );
  const remove = (note: SubscriberNote) =>
    confirm({
      title: t('notes.deleteTitle'),
      message: note.text,
      confirm: t('notes.delete'),
      isDanger: true,
      run: () => erase.mutateAsync(note.id),
    });
  return (
    <section className={classes.panel} aria-labelledby="notes">
      <h2 className={classes.heading} id="notes">
        {t('notes.title')}
      </h2>
      {notes.isLoadingError && (
        <FailedState error={notes.error} retry={() => void notes.refetch()} />
      )}
      <ul className={classes.consents}>
        {notes.data?.data.map((note) => (
          <Note key={note.id} note={note} remove={() => void remove(note)} />
        ))}
      </ul>
      <Textarea
        aria-label={t('notes.new')}
        placeholder={t('notes.new')}
        autosize
        minRows={2}
        maxRows={8}
        maxLength={MAX_NOTE}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      {text.trim() !== '' && (
        <Group justify="end" mt="xs">
          <Button size="xs" loading={add.isPending} onClick={() => add.mutate(undefined)}>
            {t('notes.add')}
          </Button>
        </Group>
      )}
    </section>
  );
}

function Note({ note, remove }: { note: SubscriberNote; remove: () => void }) {
  const t = useTexts('audience');
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
          actions={[{ label: t('notes.delete'), isDanger: true, run: remove }]}
        />
      </Group>
    </li>
  );
}
