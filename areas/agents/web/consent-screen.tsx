// The consent screen shows which assistant requests access to which account, and the host that the
// access is granted to. The user chooses what the assistant may do.
import { Alert, Button, Checkbox, Group, Stack, Text, Title } from '@mantine/core';
import { IconAlertTriangle } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import type { ConnectionRequest } from '../contract.ts';
import type { AgentRight } from '../shared.ts';
import classes from './agents.module.css';
import { api } from './queries.ts';

const address = { request: text(), error: text() };

export default function ConsentScreen() {
  const [{ request, error }] = useSearchParams(address);
  return (
    <main className={classes.consent}>
      {request === '' || error !== '' ? <RequestEnded /> : <Consent request={request} />}
    </main>
  );
}

/** Shown for an expired or invalid request; the assistant has to restart the connection. */
function RequestEnded() {
  const t = useTexts('agents');
  return (
    <Stack gap="sm">
      <Title order={1} size="h3">
        {t('consent.ended')}
      </Title>
      <Text>{t('consent.endedText')}</Text>
    </Stack>
  );
}

function Consent({ request }: { request: string }) {
  const details = useQuery({
    ...api.query('GET /client-api/api/assistants/requests/{request}', { params: { request } }),
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (details.isLoadingError) return <RequestEnded />;
  if (!details.data) return <LoadingState rows={5} />;
  return <Choice request={request} details={details.data.data} />;
}

interface ChoiceProps {
  request: string;
  details: ConnectionRequest;
}

function Choice({ request, details }: ChoiceProps) {
  const t = useTexts('agents');
  // Access to subscribers is off until the user chooses it.
  const [scopes, setScopes] = useState<AgentRight[]>(
    details.scopes.filter((scope) => scope !== 'people'),
  );
  const decide = useAction(
    (selectedScopes: AgentRight[] | null) =>
      api('POST /client-api/api/assistants/requests/{request}', {
        params: { request },
        body: { scopes: selectedScopes },
      }),
    // A script opens the URL, because the page's content security policy would block the redirect
    // of a form.
    { onDone: ({ data }) => window.location.assign(data.url) },
  );
  return (
    <Stack gap="md">
      <Title order={1} size="h3">
        {t('consent.question', { name: details.client_name, account: details.account })}
      </Title>
      <Text>
        {t('consent.receiver')} <strong dir="ltr">{details.redirect_host}</strong>
      </Text>
      {details.is_loopback && (
        <Alert color="warning" icon={<IconAlertTriangle size={18} stroke={1.75} />}>
          {t('consent.loopback')}
        </Alert>
      )}
      <Checkbox.Group
        label={t('consent.scopes')}
        value={scopes}
        onChange={(values) => setScopes(details.scopes.filter((scope) => values.includes(scope)))}
      >
        <Stack gap="sm" mt="xs">
          {details.scopes.map((scope) => (
            <Checkbox
              key={scope}
              value={scope}
              label={t(`scopes.${scope}`)}
              description={t(`hints.${scope}`)}
            />
          ))}
        </Stack>
      </Checkbox.Group>
      <Text size="sm" c="dimmed">
        {t('consent.never')}
      </Text>
      <Group justify="flex-end">
        <Button variant="default" onClick={() => decide.mutate(null)} disabled={decide.isPending}>
          {t('consent.decline')}
        </Button>
        <Button
          onClick={() => decide.mutate(scopes)}
          loading={decide.isPending}
          disabled={scopes.length === 0}
        >
          {t('consent.allow')}
        </Button>
      </Group>
    </Stack>
  );
}
