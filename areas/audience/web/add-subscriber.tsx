// Adds one subscriber with an email address or phone number, names and groups.
import { Group, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryAllGroups, createGroup } from '#areas/groups/web/index.ts';
import type { FormHandle } from '#platform/web/forms.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { SearchableMultiSelect } from '#platform/web/ui/searchable-select.tsx';
import { isEmail } from '#platform/web/validators.ts';
import { useOpenedHere } from '#platform/web/hooks/use-opened.ts';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import { api, SUBSCRIBER_QUERIES } from './queries.ts';

type SubscriberValues = Record<'email' | 'phone' | 'firstname' | 'lastname', string> & {
  groups: string[];
};

export default function AddSubscriber({ onClose }: { onClose: () => void }) {
  const t = useTexts('audience');
  const p = useTexts('platform');
  const { form, isBusy, submit, discard } = useKeptForm<SubscriberValues>('subscriber:new', {
    initialValues: { email: '', phone: '', firstname: '', lastname: '', groups: [] },
    validate: {
      email: (email, { phone }) => {
        if (email.trim() === '') return phone.trim() === '' ? t('add.addressNeeded') : null;
        return isEmail(email.trim()) ? null : p('fields.email');
      },
    },
    validateInputOnBlur: ['phone', 'firstname', 'lastname'],
    send: async ({ email, phone, ...rest }) => {
      const { data } = await api('POST /client-api/api/subscribers', {
        body: {
          ...(email.trim() ? { email: email.trim() } : {}),
          ...(phone.trim() ? { phone: phone.trim() } : {}),
          ...rest,
        },
      });
      onClose();
      toast(t('add.done', { name: data.email ?? data.phone }));
      await invalidate(...SUBSCRIBER_QUERIES);
    },
  });
  return (
    <Dialog opened={useOpenedHere()} onClose={onClose} title={t('add.title')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Fields form={form} />
          <FormButtons close={() => discard(onClose)} isBusy={isBusy}>
            {t('add.confirm')}
          </FormButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

function Fields({ form }: { form: FormHandle<SubscriberValues> }) {
  const t = useTexts('audience');
  const groups = useQuery(queryAllGroups()).data?.data ?? [];
  return (
    <>
      <TextInput
        type="email"
        label={t('fields.email')}
        autoComplete="off"
        data-autofocus
        {...form.getInputProps('email')}
      />
      <TextInput
        type="tel"
        label={t('fields.phone')}
        description={t('add.phoneHint')}
        autoComplete="off"
        {...form.getInputProps('phone')}
      />
      <Group grow align="start" gap="sm">
        <TextInput label={t('fields.firstname')} {...form.getInputProps('firstname')} />
        <TextInput label={t('fields.lastname')} {...form.getInputProps('lastname')} />
      </Group>
      <SearchableMultiSelect
        label={t('columns.groups')}
        onCreate={createGroup}
        data={groups.map((group) => ({ value: group.id, label: group.title }))}
        {...form.getInputProps('groups')}
      />
    </>
  );
}
