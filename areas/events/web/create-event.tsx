// Creates an event type before its first occurrence.
import { Stack, TextInput } from '@mantine/core';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { MAX_DESCRIPTION, MAX_NAME_LENGTH } from '../shared.ts';
import { api, LIST_PATH } from './queries.ts';

export default function CreateEvent({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const t = useTexts('events');
  return (
    <Dialog opened={useOpened(isOpen)} onClose={close} title={t('create')}>
      {isOpen && <EventForm close={close} />}
    </Dialog>
  );
}

function EventForm({ close }: { close: () => void }) {
  const t = useTexts('events');
  const { form, isBusy, submit, discard } = useKeptForm('event:new', {
    initialValues: { name: '', description: '' },
    validate: {
      name: (name) => (/^[\w.:-]+$/.test(name.trim()) ? null : t('fields.nameInvalid')),
    },
    send: async ({ name, description }) => {
      await api('POST /client-api/api/custom_events', {
        body: { name: name.trim(), description },
      });
      await invalidate(LIST_PATH);
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('fields.name')}
          description={t('fields.nameHint')}
          maxLength={MAX_NAME_LENGTH}
          dir="ltr"
          autoComplete="off"
          data-autofocus
          {...form.getInputProps('name')}
        />
        <TextInput
          label={t('fields.description')}
          maxLength={MAX_DESCRIPTION}
          {...form.getInputProps('description')}
        />
        <FormButtons close={() => discard(close)} isBusy={isBusy}>
          {t('create')}
        </FormButtons>
      </Stack>
    </form>
  );
}
