// Resends the failed deliveries of a webhook, or all completed deliveries of a time range.
import { Button, Group, Radio, Stack, TextInput } from '@mantine/core';
import { useState } from 'react';
import { toast } from '#platform/web/errors/notices.tsx';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { api, LIST_PATH } from './queries.ts';

const HOUR_MS = 3_600_000;
/** Formats a time for a date and time field, in the time zone of the browser. */
function formatLocal(at: Date): string {
  const localDate = new Date(at.getTime() - at.getTimezoneOffset() * 60_000);
  return localDate.toISOString().slice(0, 16);
}

export default function ResendSpan({ endpoint, close }: { endpoint: string; close: () => void }) {
  const t = useTexts('webhooks');
  const [what, setWhat] = useState('failed');
  const [from, setFrom] = useState(() => formatLocal(new Date(Date.now() - 24 * HOUR_MS)));
  const [to, setTo] = useState(() => formatLocal(new Date()));
  const span = () => ({ from: new Date(from).toISOString(), to: new Date(to).toISOString() });
  const resend = useAction(
    () =>
      api('POST /client-api/api/webhooks/{id}/resend', {
        params: { id: endpoint },
        body: what === 'failed' ? {} : span(),
      }),
    {
      invalidates: [LIST_PATH],
      onDone: ({ data }) => {
        toast(t('resent', { count: data.count }));
        close();
      },
    },
  );
  return (
    <Dialog opened onClose={close} title={t('acts.resend')}>
      <Stack gap="md">
        <Radio.Group value={what} onChange={setWhat} label={t('span.what')}>
          <Stack gap="xs" mt="xs">
            <Radio value="failed" label={t('span.failed')} />
            <Radio value="span" label={t('span.all')} />
          </Stack>
        </Radio.Group>
        {what === 'span' && <SpanFields from={from} to={to} onFrom={setFrom} onTo={setTo} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close}>
            {t('platform:confirm.cancel')}
          </Button>
          <Button
            loading={resend.isPending}
            disabled={what === 'span' && (from === '' || to === '')}
            onClick={() => resend.mutate(undefined)}
          >
            {t('span.confirm')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}

interface SpanFieldsProps {
  from: string;
  to: string;
  onFrom: (from: string) => void;
  onTo: (to: string) => void;
}

function SpanFields({ from, to, onFrom, onTo }: SpanFieldsProps) {
  const t = useTexts('webhooks');
  return (
    <Group grow>
      <TextInput
        type="datetime-local"
        label={t('span.from')}
        value={from}
        onChange={(event) => onFrom(event.currentTarget.value)}
      />
      <TextInput
        type="datetime-local"
        label={t('span.to')}
        value={to}
        onChange={(event) => onTo(event.currentTarget.value)}
      />
    </Group>
  );
}
