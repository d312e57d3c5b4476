// The attempts of one delivery, each with request, response and duration.
import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { WebhookAttempt, WebhookDelivery } from '../contract.ts';
import classes from './attempts.module.css';
import { api } from './queries.ts';

interface AttemptsProps {
  endpoint: string;
  delivery: WebhookDelivery;
  close: () => void;
}

export default function Attempts({ endpoint, delivery, close }: AttemptsProps) {
  const t = useTexts('webhooks');
  const params = { id: endpoint, delivery: delivery.id };
  const deliveryQuery = useQuery(
    api.query('GET /client-api/api/webhooks/{id}/deliveries/{delivery}', { params }),
  );
  const attempts = deliveryQuery.data?.data;
  return (
    <Dialog opened onClose={close} size="lg" title={t('acts.attempts')}>
      {deliveryQuery.isError && !deliveryQuery.data && (
        <FailedState error={deliveryQuery.error} retry={() => void deliveryQuery.refetch()} />
      )}
      {deliveryQuery.isPending && <LoadingState rows={4} />}
      {attempts?.length === 0 && <Text c="dimmed">{t('noAttempts')}</Text>}
      <Stack gap="lg">
        {attempts?.map((attempt) => (
          <AttemptRow key={attempt.at} attempt={attempt} />
        ))}
      </Stack>
    </Dialog>
  );
}

function AttemptRow({ attempt }: { attempt: WebhookAttempt }) {
  const t = useTexts('webhooks');
  const { dateTime, milliseconds } = useFormats();
  const { at, status, ms, body, answer } = attempt;
  return (
    <section>
      <Text fw={600} size="sm">
        <time dateTime={at}>{dateTime(at)}</time>
        {' · '}
        {status === null ? t('noAnswer') : <bdi dir="ltr">{status}</bdi>}
        {' · '}
        {milliseconds(ms)}
      </Text>
      <Text size="xs" c="dimmed" mt="xs">
        {t('sent')}
      </Text>
      <pre className={classes.code} dir="ltr" tabIndex={0}>
        {pretty(body)}
      </pre>
      <Text size="xs" c="dimmed" mt="xs">
        {t('columns.answer')}
      </Text>
      <pre className={classes.code} dir="ltr" tabIndex={0}>
        {answer || '–'}
      </pre>
    </section>
  );
}

/** Formats JSON. Truncated bodies, which are not valid JSON, are shown as they are. */
function pretty(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}
