// Opens the editor of the content; offers templates and the other editors without content, or on
// request (`?choose=1`).
import { Anchor, Box, Title } from '@mantine/core';
import { Link, useNavigate } from '@tanstack/react-router';
import { Suspense } from 'react';
import { flag, useAddress } from '#platform/web/api/address.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import { useParam } from '#platform/web/hooks/use-param.ts';
import { DocumentEditor, EditorChoice } from '../../content/web/index.ts';
import type { Transactional } from '../contract.ts';
import { useComposing } from './composing.ts';
import { editorPath, LIST, pathOf, touchesOf, useEmail } from './queries.ts';

const address = { choose: flag() };

export default function DesignScreen() {
  const id = useParam('transactional');
  const [{ choose }] = useAddress(address);
  const email = useEmail(id);
  if (email.isLoadingError) return <FailedState error={email.error} retry={email.refetch} />;
  if (!email.data) return <LoadingState rows={4} />;
  const { data } = email.data;
  if (choose || data.editor === null) return <Choice email={data} />;
  if (data.editor !== 'editor') return <Redirect to={editorPath(id, data.editor)} />;
  return <Design email={data} />;
}

function Design({ email }: { email: Transactional }) {
  const composing = useComposing(email);
  return (
    <Suspense fallback={<LoadingState rows={8} />}>
      <DocumentEditor composing={composing} />
    </Suspense>
  );
}

function Choice({ email }: { email: Transactional }) {
  const { id } = email;
  const navigate = useNavigate();
  const t = useTexts('transactional');
  return (
    <Box p={{ base: 'md', sm: 'xl' }}>
      <Anchor component={Link} to={pathOf(id, 'overview')} size="sm">
        {t('overview')}
      </Anchor>
      <Title order={1} size="h2" mb="lg">
        <bdi>{email.title}</bdi>
      </Title>
      <Suspense fallback={<LoadingState rows={6} />}>
        <EditorChoice
          email={{ base: LIST, id }}
          editor={email.editor}
          revision={email.revision}
          touches={touchesOf(id)}
          current={pathOf(id, 'editor')}
          isFooterless
          onTemplate={() => void navigate({ to: pathOf(id, 'editor'), replace: true })}
          onOther={(kind) =>
            void navigate({ to: editorPath(id, kind), search: { begin: '1' } as never })
          }
        />
      </Suspense>
    </Box>
  );
}
