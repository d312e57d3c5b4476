// The content of a transactional email in one of the email editors.
import { Anchor, Box, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { ContentKind } from '../../content/shared.ts';
import { EmailComposer } from '../../content/web/index.ts';
import type { Transactional } from '../contract.ts';
import { useComposedEmail } from './composing.ts';
import { transactionalPath, useEmail } from './queries.ts';

export function ComposeEmail({ kind }: { kind: ContentKind }) {
  const id = useParam('transactional');
  const email = useEmail(id);
  if (email.isLoadingError) return <FailedState error={email.error} retry={email.refetch} />;
  if (!email.data) return <LoadingState rows={8} />;
  return <ComposeView kind={kind} email={email.data.data} />;
}

function ComposeView({ kind, email }: { kind: ContentKind; email: Transactional }) {
  const t = useTexts('transactional');
  return (
    <EmailComposer
      kind={kind}
      email={useComposedEmail(email)}
      frame={(choice) => (
        <Box p={{ base: 'md', sm: 'xl' }}>
          <Anchor component={Link} to={transactionalPath(email.id, 'overview')} size="sm">
            {t('overview')}
          </Anchor>
          <Title order={1} size="h2" mb="lg">
            <bdi>{email.title}</bdi>
          </Title>
          {choice}
        </Box>
      )}
    />
  );
}
