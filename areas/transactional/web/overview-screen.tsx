// One transactional email: figures, preview, and code samples that send it.
import {
  Alert,
  Anchor,
  Button,
  CopyButton,
  Group,
  SimpleGrid,
  Stack,
  Tabs,
  Text,
} from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { EmailPreview } from '../../content/web/index.ts';
import type { Transactional } from '../contract.ts';
import { SEND_METHODS } from '../shared.ts';
import classes from './overview.module.css';
import { api, EMAILS, LIST, pathOf, useEmail } from './queries.ts';

export default function OverviewScreen() {
  const id = useParam('transactional');
  const email = useEmail(id);
  if (email.isLoadingError) return <FailedState error={email.error} retry={email.refetch} />;
  if (!email.data) return <LoadingState rows={8} />;
  return <Overview email={email.data.data} />;
}

function Overview({ email }: { email: Transactional }) {
  const t = useTexts('transactional');
  const [person, setPerson] = useState<string | null>(null);
  const { id } = email;
  return (
    <Page
      title={email.title}
      description={<bdi>{email.subject || t('noSubject')}</bdi>}
      back={{ to: EMAILS, label: t('title') }}
      actions={
        <>
          <Button component={Link} to={pathOf(id, 'report/activity')} variant="default">
            {t('acts.report')}
          </Button>
          <Button component={Link} to={pathOf(id, 'edit')} variant="default">
            {t('acts.settings')}
          </Button>
          <Button component={Link} to={pathOf(id, 'editor')}>
            {t('acts.design')}
          </Button>
        </>
      }
    >
      <Stack gap="xl">
        <Figures email={email} />
        {!email.is_ready && <Alert color="warning">{t('notReady')}</Alert>}
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
          <Setup id={id} />
          <div className={classes.narrow}>
            <EmailPreview
              email={{ base: LIST, id }}
              editor={email.editor}
              person={person}
              onPerson={setPerson}
            />
          </div>
        </SimpleGrid>
      </Stack>
    </Page>
  );
}

const SHOWN = ['sent', 'delivered', 'opens', 'clicks', 'bounces', 'spam'] as const;

export function Figures({ email }: { email: Transactional }) {
  const t = useTexts('transactional');
  const { number } = useFormats();
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} component="dl" m={0}>
      {SHOWN.map((name) => (
        <div key={name}>
          <Text component="dt" size="sm" c="dimmed">
            {t(`figures.${name}`)}
          </Text>
          <Text component="dd" m={0} size="xl" fw={600}>
            {number(email.figures[name])}
          </Text>
        </div>
      ))}
    </SimpleGrid>
  );
}

function Setup({ id }: { id: string }) {
  const t = useTexts('transactional');
  const setup = useQuery(
    api.query('GET /client-api/api/transactional/{id}/setup', { params: { id } }),
  );
  if (setup.isError && !setup.data)
    return <FailedState error={setup.error} retry={() => void setup.refetch()} />;
  if (!setup.data) return <LoadingState rows={6} />;
  const methods = setup.data.data;
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
      <Tabs defaultValue={methods[0]?.way ?? 'curl'}>
        <Tabs.List>
          {methods.map(({ way: method }) => (
            <Tabs.Tab key={method} value={method}>
              {SEND_METHODS[method]}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {methods.map(({ way: method, code }) => (
          <Tabs.Panel key={method} value={method} pt="sm">
            {/* Focusable for scrolling by keyboard. */}
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
          </Tabs.Panel>
        ))}
      </Tabs>
    </section>
  );
}
