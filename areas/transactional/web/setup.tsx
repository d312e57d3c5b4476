// Shows code samples that send the email by API (with sample values of its variables) and by SMTP.
// One click creates a token and inserts it, so that the API samples work as shown. The SMTP sample
// needs an SMTP user instead of a token.
import { Alert, Anchor, Button, CopyButton, Group, Tabs, Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { settingsCalls as accountCalls } from '#areas/accounts/settings-contract.ts';
import { type ResponseOf, client } from '#platform/web/api/api.ts';
import { useAction } from '#platform/web/api/queries.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { calls, TemplateDetails } from '../contract.ts';
import { MAX_TITLE_LENGTH, SEND_METHODS } from '../shared.ts';
import { insertToken } from './code-token.ts';
import classes from './overview.module.css';
import { api } from './queries.ts';

const accounts = client<Pick<typeof accountCalls, 'createToken'>>();
const TOKENS = '/client-api/api/tokens';

export function Setup({ email }: { email: TemplateDetails }) {
  const t = useTexts('transactional');
  const { id } = email;
  const [token, setToken] = useState<string>();
  const setup = useQuery(
    api.query('GET /client-api/api/transactional/{id}/setup', { params: { id } }),
  );
  const create = useAction(
    () => {
      const title = t('setup.tokenTitle', { title: email.title }).slice(0, MAX_TITLE_LENGTH);
      return accounts('POST /client-api/api/tokens', { body: { title, validity_days: null } });
    },
    { invalidates: [TOKENS], onDone: ({ data }) => setToken(data.token) },
  );
  if (setup.isError && !setup.data)
    return <FailedState error={setup.error} retry={() => void setup.refetch()} />;
  if (!setup.data) return <LoadingState rows={6} />;
  const samples = setup.data.data;
  return (
    <section aria-labelledby="setup" className={classes.narrow}>
      <Text component="h2" id="setup" fw={600} m={0}>
        {t('setup.title')}
      </Text>
      <Text size="sm" c="dimmed" mb="sm">
        {t('setup.text')}{' '}
        <Anchor component={Link} to="/settings/tokens" underline="always">
          {t('setup.token')}
        </Anchor>
        {' · '}
        <Anchor href="/docs/v2/" target="_blank" underline="always">
          {t('setup.docs')}
        </Anchor>
      </Text>
      {token === undefined ? (
        <Button
          variant="default"
          size="xs"
          mb="sm"
          leftSection={<IconKey size={16} stroke={1.75} />}
          loading={create.isPending}
          onClick={() => create.mutate(undefined)}
        >
          {t('setup.insertToken')}
        </Button>
      ) : (
        <Alert color="warning" role="status" mb="sm">
          {t('setup.inserted')}
        </Alert>
      )}
      <CodeTabs samples={samples} token={token} />
    </section>
  );
}

interface CodeTabsProps {
  samples: ResponseOf<typeof calls, 'GET /client-api/api/transactional/{id}/setup'>['data'];
  token: string | undefined;
}

function CodeTabs({ samples, token }: CodeTabsProps) {
  return (
    <Tabs defaultValue={samples[0]?.way ?? 'curl'}>
      <Tabs.List>
        {samples.map(({ way }) => (
          <Tabs.Tab key={way} value={way}>
            {SEND_METHODS[way]}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ way, code }) => (
        <Tabs.Panel key={way} value={way} pt="sm">
          <Code code={token === undefined ? code : insertToken(code, token)} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function Code({ code }: { code: string }) {
  const t = useTexts('transactional');
  return (
    <>
      {/* Focusable, so that long lines can be scrolled by keyboard. */}
      <pre className={classes.code} dir="ltr" tabIndex={0}>
        {code}
      </pre>
      <Group justify="flex-end" mt="xs">
        <CopyButton value={code}>
          {({ copied, copy }) => (
            <Button size="xs" variant="default" onClick={copy}>
              {t(copied ? 'setup.copied' : 'setup.copy')}
            </Button>
          )}
        </CopyButton>
      </Group>
    </>
  );
}
