// The target of the emailed link that confirms a domain's address. It requires no session.
import { Button, Loader, Stack, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { toUnicodeDomain } from '#platform/domain-display.ts';
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { ApiError } from '#platform/web/api/api.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState } from '#platform/web/ui/states.tsx';
import { api } from './queries.ts';

const address = { token: text('') };

export default function ConfirmDomainScreen() {
  const t = useTexts('domains');
  const [{ token }] = useSearchParams(address);
  // The call is made once per link, and its first result stays valid.
  const confirmation = useQuery({
    queryKey: ['confirm-domain', token],
    queryFn: () => api('POST /client-api/api/domains/confirm', { body: { token } }),
    enabled: token !== '',
    staleTime: Number.POSITIVE_INFINITY,
    meta: { notFound: 'inline' },
    retry: false,
  });
  const { error } = confirmation;
  if (token === '' || (error instanceof ApiError && error.status === 422)) {
    return (
      <Message title={t('confirm.expiredTitle')} isOver>
        {t('confirm.expired')}
      </Message>
    );
  }
  if (error) return <FailedState error={error} retry={() => void confirmation.refetch()} />;
  if (!confirmation.data) {
    return (
      <Message title={t('confirm.title')}>
        <Loader size="sm" role="status" aria-label={t('platform:states.loading')} />
      </Message>
    );
  }
  return (
    <Message title={t('confirm.doneTitle')} isOver>
      {t('confirm.done', { domain: toUnicodeDomain(confirmation.data.data.domain_name) })}
    </Message>
  );
}

function Message(props: { title: string; children: ReactNode; isOver?: boolean }) {
  const t = useTexts('domains');
  return (
    <Stack gap="md">
      <Title order={1} size="h2">
        {props.title}
      </Title>
      <Text component="div" role="status">
        {props.children}
      </Text>
      {props.isOver && (
        // A plain link reloads the app, and so the session.
        <Button component="a" href="/settings/domains">
          {t('confirm.continue')}
        </Button>
      )}
    </Stack>
  );
}
