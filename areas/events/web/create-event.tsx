// Creates an event type before its first occurrence.
import { Button, Group, Modal, Stack, TextInput } from '@mantine/core';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { useOpened } from '#platform/web/hooks/use-opened.ts';
import { MAX_DESCRIPTION, MAX_NAME } from '../shared.ts';
import { api, LIST } from './queries.ts';

export default function CreateEvent({ isOpen, close }: { isOpen: boolean; close: () => void }) {
  const t = useTexts('events');
  return (
    <Modal
      opened={useOpened(isOpen)}
      onClose={close}
      title={t('create')}
      closeButtonProps={{ 'aria-label': t('platform:dialog.close') }}
    >
      {isOpen && <EventForm close={close} />}
    </Modal>
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
      await invalidate(LIST);
      close();
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="md">
        <TextInput
          label={t('fields.name')}
          description={t('fields.nameHint')}
          maxLength={MAX_NAME}
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
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={() => discard(close)}>
            {t('platform:confirm.cancel')}
          </Button>
          <Button type="submit" loading={isBusy}>
            {t('create')}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
