// One sent email: its content as the recipient received it, and its history.
import { Anchor, Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { PreviewFrame } from '../../content/web/index.ts';
import type { SentEmail as Email } from '../contract.ts';
import classes from './overview.module.css';
import { api } from './queries.ts';

interface SentEmailProps {
  /** Id of the template, or of the report on emails without one. */
  template: string;
  email: string;
  close: () => void;
}

export default function SentEmail({ template, email, close }: SentEmailProps) {
  const t = useTexts('transactional');
  const emailQuery = useQuery(
    api.query('GET /client-api/api/transactional/{id}/emails/{email}', {
      params: { id: template, email },
    }),
  );
  return (
    <Dialog opened onClose={close} size="xl" title={t('message.title')}>
      {emailQuery.isError && !emailQuery.data ? (
        <FailedState error={emailQuery.error} retry={() => void emailQuery.refetch()} />
      ) : emailQuery.data ? (
        <SentEmailView email={emailQuery.data.data} />
      ) : (
        <LoadingState rows={6} />
      )}
    </Dialog>
  );
}

function SentEmailView({ email: { email, subscriber, steps, content } }: { email: Email }) {
  const t = useTexts('transactional');
  const { dateTime } = useFormats();
  return (
    <Stack gap="md">
      <dl className={classes.head}>
        {content && (
          <>
            <dt>{t('message.subject')}</dt>
            <dd>
              <bdi>{content.subject}</bdi>
            </dd>
            <dt>{t('message.from')}</dt>
            <dd>
              <bdi>{content.from}</bdi>
            </dd>
          </>
        )}
        <dt>{t('message.to')}</dt>
        <dd>
          <bdi dir="ltr">{toUnicodeDomain(email)}</bdi>
          {subscriber && (
            <>
              {' · '}
              <Anchor component={Link} to={`/subscribers/${subscriber}/view`} underline="always">
                {t('message.subscriber')}
              </Anchor>
            </>
          )}
        </dd>
      </dl>
      <ol className={classes.steps} aria-label={t('message.history')}>
        {steps.map((step) => (
          <li key={step.kind}>
            <span>{t(`message.steps.${step.kind}`)}</span>
            <Text component="time" size="sm" c="dimmed" dateTime={step.at}>
              {dateTime(step.at)}
            </Text>
            {step.note && (
              <Text size="xs" c="dimmed" className={classes.note}>
                <bdi dir="ltr">{step.note}</bdi>
              </Text>
            )}
          </li>
        ))}
      </ol>
      {content === null ? (
        <Text c="dimmed">{t('message.gone')}</Text>
      ) : content.html === null ? (
        <pre className={classes.code} dir="auto" tabIndex={0}>
          {content.text}
        </pre>
      ) : (
        <PreviewFrame html={content.html} title={content.subject} height="60dvh" />
      )}
    </Stack>
  );
}
