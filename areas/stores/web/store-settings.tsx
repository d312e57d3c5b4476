// Dialog with the settings of a store: its title, its customer group, and the minutes until a cart
// is abandoned. If the store's platform has privacy webhooks, the dialog also shows their address.
import { NumberInput, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { queryAllGroups, createGroup } from '#areas/groups/web/index.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { CopyButton } from '#platform/web/ui/copy-button.tsx';
import { SearchableSelect } from '#platform/web/ui/searchable-select.tsx';
import { Dialog, FormButtons } from '#platform/web/ui/form-dialog.tsx';
import type { ConnectedStore } from '../contract.ts';
import { MIN_ABANDONED_MINUTES, MAX_ABANDONED_MINUTES } from '../shared.ts';
import { api, LIST_PATH } from './queries.ts';

interface StoreSettingsProps {
  store: ConnectedStore;
  close: () => void;
}

export default function StoreSettings({ store, close }: StoreSettingsProps) {
  const t = useTexts('stores');
  const groups = useQuery(queryAllGroups());
  const { form, isBusy, submit, discard } = useKeptForm(`store:${store.id}`, {
    initialValues: {
      title: store.title,
      group: store.group as string | null,
      abandoned_minutes: store.abandoned_minutes as number | string,
    },
    validate: {
      title: (title) => (title.trim() === '' ? t('platform:fields.required') : null),
    },
    send: async ({ title, group, abandoned_minutes }) => {
      await api('PATCH /client-api/api/connected-stores/{id}', {
        params: { id: store.id },
        body: { title, group, abandoned_minutes: Number(abandoned_minutes) },
      });
      await invalidate(LIST_PATH);
      toast(t('saved'));
      close();
    },
  });
  return (
    <Dialog opened onClose={close} title={t('settings')}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('fields.title')}
            maxLength={200}
            data-autofocus
            {...form.getInputProps('title')}
          />
          <SearchableSelect
            label={t('fields.group')}
            onCreate={createGroup}
            description={t('fields.groupHint')}
            clearable
            data={(groups.data?.data ?? []).map(({ id, title }) => ({ value: id, label: title }))}
            {...form.getInputProps('group')}
          />
          <NumberInput
            label={t('fields.abandoned')}
            description={t('fields.abandonedHint', { min: MIN_ABANDONED_MINUTES })}
            min={MIN_ABANDONED_MINUTES}
            max={MAX_ABANDONED_MINUTES}
            {...form.getInputProps('abandoned_minutes')}
          />
          {store.privacy_url && <PrivacyAddress url={store.privacy_url} />}
          <FormButtons close={() => discard(close)} isBusy={isBusy}>
            {t('save')}
          </FormButtons>
        </Stack>
      </form>
    </Dialog>
  );
}

/** Address of the privacy webhooks, to be entered at the store's platform. */
function PrivacyAddress({ url }: { url: string }) {
  const t = useTexts('stores');
  return (
    <TextInput
      label={t('fields.privacy')}
      description={t('fields.privacyHint')}
      dir="ltr"
      readOnly
      value={url}
      rightSection={<CopyButton value={url} label={t('copy')} />}
    />
  );
}
