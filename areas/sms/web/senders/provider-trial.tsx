// Tests a provider: sends one SMS to a number the user types and shows the provider's response.
import { Alert, Button, Group, Modal, Select, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useServerForm } from '#platform/web/forms.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { SmsProvider } from '../../providers-contract.ts';
import { api, PROVIDERS, providers } from '../queries.ts';

type ProviderTestResult = { accepted: boolean; reply: string };

export default function TrialDialog({
  provider,
  close,
}: {
  provider: SmsProvider;
  close: () => void;
}) {
  const t = useTexts('sms');
  const [result, setResult] = useState<ProviderTestResult>();
  const list = { page: 1, limit: 100 };
  const phones = useQuery(api.query('GET /client-api/api/phone', { query: list }));
  const ready = (phones.data?.data ?? []).filter(({ status }) => status === 'active');
  const { form, isBusy, submit } = useServerForm({
    initialValues: { from: '', to: '' },
    validate: {
      from: (sender) => (sender ? null : t('fields.senderNone')),
      to: (recipient) => (recipient.trim() ? null : t('fields.required')),
    },
    send: async (body) => {
      setResult(undefined);
      const call = { params: { id: provider.id }, body };
      const { data } = await providers('POST /client-api/api/sms/providers/{id}/test', call);
      setResult(data);
      await invalidate(PROVIDERS);
    },
  });
  return (
    <Modal opened onClose={close} title={t('providers.testTitle', { title: provider.title })}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md">
          <Select
            label={t('fields.sender')}
            description={
              phones.data && ready.length === 0 ? t('providers.testNoSender') : undefined
            }
            data={ready.map(({ id, value }) => ({ value: id, label: value }))}
            {...form.getInputProps('from')}
          />
          <TextInput label={t('test.number')} type="tel" dir="ltr" {...form.getInputProps('to')} />
          {result && <TrialResult result={result} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={close}>
              {t('platform:confirm.cancel')}
            </Button>
            <Button type="submit" loading={isBusy}>
              {t('test.send')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}

function TrialResult({ result }: { result: ProviderTestResult }) {
  const t = useTexts('sms');
  return (
    <Alert
      color={result.accepted ? 'success' : 'danger'}
      title={t(result.accepted ? 'providers.testTaken' : 'providers.testRefused')}
      role="status"
    >
      <bdi dir="ltr">{result.reply || (result.accepted ? '' : t('providers.testSilent'))}</bdi>
    </Alert>
  );
}
