// SMS senders, and the texts that are added to every SMS.
import { Button, Group, Paper, Stack, Switch, Text, TextInput } from '@mantine/core';
import { IconDeviceMobileMessage } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useKeptForm } from '#platform/web/session/use-kept-form.ts';
import { useListAddress } from '#platform/web/session/list-address.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { confirm } from '#platform/web/ui/confirm.tsx';
import type { TableColumn } from '#platform/web/ui/data-table.tsx';
import { ListPage } from '#platform/web/ui/list-page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Phone, SmsSettings } from '../../contract.ts';
import { MAX_ADD_ON, LINK_TAG, MAX_PREFIX } from '../../shared.ts';
import { compliancePath } from '../paths.ts';
import { PhoneState } from './phone-state.tsx';
import { api, PHONES } from '../queries.ts';

const SORTS = ['created', 'title', 'modified'] as const;
const SETTINGS = '/client-api/api/sms/settings';

export default function PhonesScreen() {
  const t = useTexts('sms');
  const navigate = useNavigate();
  const list = useListAddress({ sorts: SORTS, order: 'created', direction: 'desc' });
  const phones = useQuery({
    ...api.query('GET /client-api/api/phone', { query: list.query }),
    placeholderData: keepPreviousData,
  });
  useLiveInvalidation('phone', PHONES);
  const release = async ({ id, value }: Phone) => {
    await confirm({
      title: t('phones.releaseTitle'),
      message: t('phones.releaseText', { value }),
      confirm: t('phones.release'),
      isDanger: true,
      run: () => api('DELETE /client-api/api/phone/{id}', { params: { id } }),
    });
    await invalidate(PHONES);
  };
  return (
    <ListPage
      title={t('phones.title')}
      create={{ to: '/sms/create-sender', label: t('phones.add') }}
      empty={{
        icon: IconDeviceMobileMessage,
        title: t('phones.empty'),
        text: t('phones.emptyText'),
      }}
      query={phones}
      list={list}
      rowId={(phone) => phone.id}
      getRowName={(phone) => phone.value}
      getRowLink={(phone) => compliancePath(phone.id)}
      search={t('phones.find')}
      columns={useColumns()}
      actions={[
        {
          label: t('phones.setUp'),
          run: ({ id }: Phone) => void navigate({ to: compliancePath(id) }),
        },
        { label: t('phones.release'), isDanger: true, run: release },
      ]}
    >
      <AddOns />
    </ListPage>
  );
}

function AddOns() {
  const settings = useQuery(api.query('GET /client-api/api/sms/settings'));
  if (settings.isLoadingError)
    return <FailedState error={settings.error} retry={() => void settings.refetch()} />;
  if (!settings.data) return <LoadingState rows={3} />;
  return <AddOnsForm settings={settings.data.data} />;
}

function AddOnsForm({ settings }: { settings: SmsSettings }) {
  const t = useTexts('sms');
  const { form, isBusy, submit } = useAddOnsForm(settings);
  return (
    <Paper withBorder p="md" mt="lg" maw={720}>
      <Text component="h2" fw={600} mb="sm">
        {t('words.title')}
      </Text>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <TextInput
            label={t('words.prefix')}
            description={t('words.prefixHint', { title: settings.default_prefix })}
            maxLength={MAX_PREFIX}
            dir="auto"
            {...form.getInputProps('prefix')}
          />
          <TextInput
            label={t('words.optOut')}
            description={t('words.optOutHint')}
            maxLength={MAX_ADD_ON}
            dir="auto"
            {...form.getInputProps('opt_out_text')}
          />
          <TextInput
            label={t('words.link')}
            description={t('words.linkHint', { tag: LINK_TAG })}
            maxLength={MAX_ADD_ON}
            dir="auto"
            {...form.getInputProps('link_text')}
          />
          <Switch
            label={t('words.plain')}
            description={t('words.plainHint')}
            {...form.getInputProps('plain_quotes', { type: 'checkbox' })}
          />
          <Group justify="flex-end">
            <Button type="submit" variant={form.isDirty() ? 'filled' : 'default'} loading={isBusy}>
              {t('save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Paper>
  );
}

function useAddOnsForm(settings: SmsSettings) {
  const t = useTexts('sms');
  const keptForm = useKeptForm('sms-texts', {
    initialValues: {
      prefix: settings.prefix ?? '',
      opt_out_text: settings.opt_out_text,
      link_text: settings.link_text,
      plain_quotes: settings.plain_quotes,
    },
    send: async (values) => {
      await api('PUT /client-api/api/sms/settings', {
        body: { ...values, prefix: values.prefix.trim() || null },
      });
      keptForm.form.resetDirty();
      await invalidate(SETTINGS);
      toast(t('form.saved'));
    },
  });
  return keptForm;
}

function useColumns(): TableColumn<Phone>[] {
  const t = useTexts('sms');
  const { date } = useFormats();
  return [
    {
      id: 'title',
      header: t('phones.sender'),
      sort: 'title',
      cell: (phone) => <bdi dir="ltr">{phone.value}</bdi>,
    },
    {
      id: 'use_case',
      header: t('phones.useCase'),
      isWide: true,
      cell: (phone) => <bdi>{phone.use_case}</bdi>,
    },
    {
      id: 'status',
      header: t('phones.status'),
      cell: (phone) => <PhoneState phone={phone} />,
    },
    {
      id: 'created',
      header: t('phones.created'),
      sort: 'created',
      isWide: true,
      cell: (phone) => date(phone.created),
    },
  ];
}
