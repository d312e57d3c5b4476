// The page for unknown addresses. Signed-in users see it beside the navigation.
import { Button } from '@mantine/core';
import { IconMapSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { AppFrame } from '../frames/app-frame.tsx';
import { GuestFrame } from '../frames/guest-frame.tsx';
import { renewalDue } from '../api/renewal.ts';
import { sessionQuery } from '../session/session.ts';
import { useTexts } from '../texts/texts.ts';
import { EmptyState } from './states.tsx';

export default function NotFoundScreen() {
  const hasCookie = renewalDue() !== undefined;
  const session = useQuery({ ...sessionQuery, enabled: hasCookie, retry: false });
  if (hasCookie && session.isPending) return null;
  const Frame = session.data ? AppFrame : GuestFrame;
  return (
    <Frame>
      <NotFoundMessage />
    </Frame>
  );
}

function NotFoundMessage() {
  const t = useTexts('platform');
  return (
    <EmptyState
      isPage
      icon={IconMapSearch}
      title={t('notFound.title')}
      action={
        <Button component={Link} to="/">
          {t('notFound.home')}
        </Button>
      }
    >
      {t('notFound.text')}
    </EmptyState>
  );
}
