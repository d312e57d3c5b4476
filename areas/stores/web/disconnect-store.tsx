// Disconnects a store. The user chooses whether the subscribers that it added are kept or deleted.
import { Button, Group, Radio, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { ConnectedStore } from '../contract.ts';
import { api, LIST_PATH } from './queries.ts';

export default function DisconnectStore({
  store,
  close,
}: {
  store: ConnectedStore;
  close: () => void;
}) {
  const t = useTexts('stores');
  const [subscriberChoice, setSubscriberChoice] = useState<'keep' | 'delete'>('keep');
  const disconnect = useAction(
    () =>
      api('POST /client-api/api/connected-stores/{id}/disconnect', {
        params: { id: store.id },
        body: { delete_subscribers: subscriberChoice === 'delete' },
      }),
    {
      invalidates: [LIST_PATH, '/client-api/api/subscribers'],
      onDone: () => {
        toast(t('disconnect.done'));
        close();
      },
    },
  );
  return (
    <Dialog opened onClose={close} title={t('disconnect.title', { title: store.title })}>
      <Stack gap="md">
        <Text size="sm">{t('disconnect.text')}</Text>
        <Radio.Group
          label={t('disconnect.people')}
          value={subscriberChoice}
          onChange={(value) => setSubscriberChoice(value as 'keep')}
        >
          <Stack gap="sm" mt="xs">
            <Radio value="keep" label={t('disconnect.keep')} />
            <Radio
              value="delete"
              label={t('disconnect.delete')}
              description={t('disconnect.deleteHint')}
            />
          </Stack>
        </Radio.Group>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {t('platform:confirm.cancel')}
          </Button>
          <Button
            color="danger"
            loading={disconnect.isPending}
            onClick={() => disconnect.mutate(undefined)}
          >
            {t('disconnect.act')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
