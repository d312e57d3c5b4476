// Adds a sender: a number of the provider, or an alphanumeric ID.
import { Autocomplete, Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useServerForm } from '#platform/web/forms.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { useKeyOf } from '#platform/web/hooks/use-key-of.ts';
import { PHONE_KINDS, type PhoneKind, MAX_USE_CASE } from '../../shared.ts';
import { compliancePath } from '../paths.ts';
import { api, PHONES } from '../queries.ts';

export default function SenderScreen() {
  const t = useTexts('sms');
  const navigate = useNavigate();
  const keyOf = useKeyOf();
  const { form, isBusy, submit } = useServerForm({
    initialValues: { kind: 'toll_free' as PhoneKind, value: '', use_case: '' },
    validate: {
      value: (value) => (value.trim() ? null : t('fields.required')),
      use_case: (value) => (value.trim() ? null : t('fields.required')),
    },
    send: async (values) => {
      const { data } = await api('POST /client-api/api/phone', {
        body: values,
        idempotencyKey: keyOf(values),
      });
      await invalidate(PHONES);
      await navigate({ to: compliancePath(data.id) });
    },
  });
  const { kind } = form.getValues();
  const offered = useQuery({
    ...api.query('GET /client-api/api/phone/offered'),
    enabled: kind === 'toll_free',
  });
  return (
    <Page title={t('phones.add')} back={{ to: '/settings/phone', label: t('phones.title') }}>
      <form onSubmit={submit} noValidate>
        <Stack gap="md" maw={560}>
          <Radio.Group label={t('kinds.label')} {...form.getInputProps('kind')}>
            <Stack gap="xs" mt="xs">
              {PHONE_KINDS.map((phoneKind) => (
                <Radio
                  key={phoneKind}
                  value={phoneKind}
                  label={t(`kinds.${phoneKind}`)}
                  description={t(`kindHints.${phoneKind}`)}
                />
              ))}
            </Stack>
          </Radio.Group>
          <Autocomplete
            label={t('phones.sender')}
            required
            dir="ltr"
            data={kind === 'toll_free' ? (offered.data?.data ?? []).map(({ value }) => value) : []}
            {...form.getInputProps('value')}
          />
          <TextInput
            label={t('phones.useCase')}
            description={t('phones.useCaseHint')}
            maxLength={MAX_USE_CASE}
            required
            dir="auto"
            {...form.getInputProps('use_case')}
          />
          <Group justify="flex-end">
            <Button type="submit" loading={isBusy}>
              {t('phones.add')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Page>
  );
}
