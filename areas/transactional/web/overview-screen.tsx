// One transactional email: statistics, variables, preview, and code samples that send it.
import { Alert, Anchor, Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useFormats } from '#platform/web/texts/formats.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { EmailPreview } from '../../content/web/index.ts';
import type { TemplateDetails, Transactional } from '../contract.ts';
import classes from './overview.module.css';
import { EMAILS, LIST_PATH, transactionalPath, useEmail } from './queries.ts';
import { Setup } from './setup.tsx';
import { Variables } from './variables.tsx';

export default function OverviewScreen() {
  const id = useParam('transactional');
  const email = useEmail(id);
  if (email.isLoadingError) return <FailedState error={email.error} retry={email.refetch} />;
  if (!email.data) return <LoadingState rows={8} />;
  return <Overview email={email.data.data} />;
}

function Overview({ email }: { email: TemplateDetails }) {
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
          <Button component={Link} to={transactionalPath(id, 'report/activity')} variant="default">
            {t('acts.report')}
          </Button>
          <Button component={Link} to={transactionalPath(id, 'edit')} variant="default">
            {t('acts.settings')}
          </Button>
          <Button component={Link} to={transactionalPath(id, 'editor')}>
            {t('acts.design')}
          </Button>
        </>
      }
    >
      <Stack gap="xl">
        <FigureCards email={email} />
        {!email.is_ready && (
          <Alert color="warning">
            {t('notReady')}{' '}
            <Anchor component={Link} to={transactionalPath(id, 'edit')} underline="always">
              {t('setSubject')}
            </Anchor>
          </Alert>
        )}
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="xl">
          <Stack gap="xl" className={classes.narrow}>
            <Setup email={email} />
            <Variables key={email.revision} email={email} />
          </Stack>
          <div className={classes.narrow}>
            <EmailPreview
              email={{ basePath: LIST_PATH, id }}
              editor={email.editor}
              subscriberId={person}
              onSubscriberChange={setPerson}
            />
          </div>
        </SimpleGrid>
      </Stack>
    </Page>
  );
}

const SHOWN_FIGURES = ['sent', 'delivered', 'opens', 'clicks', 'bounces', 'spam'] as const;

export function FigureCards({ email }: { email: Transactional }) {
  const t = useTexts('transactional');
  const { number } = useFormats();
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }} component="dl" m={0}>
      {SHOWN_FIGURES.map((name) => (
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
