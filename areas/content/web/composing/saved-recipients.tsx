// Recipients of earlier tests: a click adds one to the form.
import { ActionIcon, Button, Group, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { showError } from '#platform/web/errors/errors.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { api } from '../queries.ts';

export const TEST_RECIPIENTS = '/client-api/api/test_recipients';

interface SavedRecipientsProps {
  /** Recipients in the form, which are not offered again. */
  selectedEmails: readonly string[];
  onAdd: (email: string) => void;
}

export function SavedRecipients({ selectedEmails, onAdd }: SavedRecipientsProps) {
  const t = useTexts('composing');
  const savedEmails = useQuery({
    ...api.query(`GET ${TEST_RECIPIENTS}`, { query: { channel: 'email' } }),
    meta: { notFound: 'inline' },
  });
  const keys = new Set(selectedEmails.map((email) => email.toLowerCase()));
  const offeredEmails = (savedEmails.data?.data ?? []).filter(
    (email) => !keys.has(email.toLowerCase()),
  );
  if (offeredEmails.length === 0) return null;
  const remove = async (contact: string) => {
    try {
      await api(`DELETE ${TEST_RECIPIENTS}`, { body: { channel: 'email', contact } });
      await invalidate(TEST_RECIPIENTS);
    } catch (error) {
      showError(error);
    }
  };
  return (
    <div role="group" aria-label={t('test.saved')}>
      <Text size="xs" c="dimmed" mt="xs" mb={4}>
        {t('test.saved')}
      </Text>
      <Group gap={4} style={{ maxHeight: 120, overflowY: 'auto' }}>
        {offeredEmails.map((email) => (
          <Group key={email} gap={0} wrap="nowrap">
            <Button
              size="compact-sm"
              variant="default"
              aria-label={t('test.add', { email })}
              onClick={() => onAdd(email)}
            >
              <bdi>{email}</bdi>
            </Button>
            <ActionIcon
              size="sm"
              variant="subtle"
              color="gray"
              aria-label={t('test.forget', { email })}
              title={t('test.forget', { email })}
              onClick={() => void remove(email)}
            >
              <IconX size={14} stroke={1.75} />
            </ActionIcon>
          </Group>
        ))}
      </Group>
    </div>
  );
}
