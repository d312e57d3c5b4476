// A test text to a number of one's own.
import { Button, Group, Paper, Text, TextInput } from '@mantine/core';
import { useServerForm } from '#platform/web/forms.ts';
import { toast } from '#platform/web/notices.tsx';
import { useTexts } from '#platform/web/texts.ts';
import { api } from './queries.ts';

export function TestText({ id }: { id: string }) {
  const t = useTexts('sms');
  const { form, isBusy, submit } = useServerForm({
    initialValues: { phones: '' },
    validate: { phones: (value) => (value.trim() ? null : t('fields.required')) },
    send: async ({ phones }) => {
      await api('POST /client-api/api/sms/campaign/{id}/test', {
        params: { id },
        body: { phones: [phones.trim()] },
        idempotencyKey: crypto.randomUUID(),
      });
      toast(t('test.sent'));
    },
  });
  return (
    <Paper withBorder p="md">
      <Text component="h2" fw={600} mb="xs">
        {t('test.title')}
      </Text>
      <form onSubmit={submit} noValidate>
        <Group align="flex-end" gap="xs">
          <TextInput
            label={t('test.number')}
            type="tel"
            dir="ltr"
            style={{ flex: 1 }}
            {...form.getInputProps('phones')}
          />
          <Button type="submit" variant="default" loading={isBusy}>
            {t('test.send')}
          </Button>
        </Group>
      </form>
    </Paper>
  );
}
