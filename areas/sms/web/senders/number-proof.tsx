// Proves ownership of a number: a code is sent to it by SMS and entered here.
import { Button, Group, Paper, Stack, Text, TextInput } from '@mantine/core';
import { useServerForm } from '#platform/web/forms.ts';
import { toast } from '#platform/web/errors/notices.tsx';
import { invalidate, useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import type { Compliance } from '../../contract.ts';
import { api, PHONES } from '../queries.ts';

export function NumberProof({ compliance }: { compliance: Compliance }) {
  const t = useTexts('sms');
  const { phone, owner } = compliance;
  const params = { id: phone.id };
  const isSent = owner.code_expires_at !== null;
  const send = useAction(() => api('POST /client-api/api/phone/{id}/code', { params }), {
    onDone: () => toast(t('owner.sent', { value: phone.value })),
    invalidates: [`${PHONES}/${phone.id}`],
  });
  return (
    <Paper withBorder p="md">
      <Stack gap="sm">
        <Text size="sm">{t('owner.prove', { value: `\u2066${phone.value}\u2069` })}</Text>
        {isSent && <CodeForm compliance={compliance} />}
        <Group>
          <Button
            size="sm"
            variant={isSent ? 'default' : 'filled'}
            loading={send.isPending}
            onClick={() => send.mutate(undefined)}
          >
            {t(isSent ? 'owner.again' : 'owner.send')}
          </Button>
        </Group>
      </Stack>
    </Paper>
  );
}

function CodeForm({ compliance: { phone } }: { compliance: Compliance }) {
  const t = useTexts('sms');
  const { form, isBusy, submit } = useServerForm({
    initialValues: { code: '' },
    validate: { code: (value) => (value.trim() ? null : t('fields.required')) },
    send: async (body) => {
      await api('POST /client-api/api/phone/{id}/code/verify', { params: { id: phone.id }, body });
      toast(t('owner.proven', { value: phone.value }));
      await invalidate(PHONES, `${PHONES}/${phone.id}`);
    },
  });
  return (
    <form onSubmit={submit} noValidate>
      <Group gap="xs" align="flex-end">
        <TextInput
          label={t('owner.code')}
          dir="ltr"
          inputMode="numeric"
          autoComplete="one-time-code"
          maxLength={20}
          required
          {...form.getInputProps('code')}
        />
        <Button type="submit" loading={isBusy}>
          {t('owner.verify')}
        </Button>
      </Group>
    </form>
  );
}
