// A test SMS to the user's own number.
import { Button, Group, Paper, Text } from '@mantine/core';
import { toast } from '#platform/web/errors/notices.tsx';
import { TestToolNote } from '#platform/web/ui/test-tools.tsx';
import { useTexts } from '#platform/web/texts/texts.ts';
import { promptInput } from '#platform/web/ui/input-dialog.tsx';
import { api } from '../queries.ts';

export function TestText({ id }: { id: string }) {
  const t = useTexts('sms');
  const promptNumber = () =>
    promptInput({
      type: 'tel',
      title: t('test.title'),
      label: t('test.number'),
      confirm: t('test.send'),
      send: async (phone) => {
        await api('POST /client-api/api/sms/campaign/{id}/test', {
          params: { id },
          body: { phones: [phone] },
          idempotencyKey: crypto.randomUUID(),
        });
        toast(t('test.sent'));
      },
    });
  return (
    <Paper withBorder p="md">
      <Group justify="space-between" gap="xs">
        <Text component="h2" fw={600}>
          {t('test.title')}
        </Text>
        <Button variant="default" onClick={() => void promptNumber()}>
          {t('test.send')}
        </Button>
      </Group>
      <TestToolNote tool="phone" />
    </Paper>
  );
}
