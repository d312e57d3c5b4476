// The page for addresses that lead nowhere.
import { Button } from '@mantine/core';
import { IconMapSearch } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { useTexts } from '../texts.ts';
import { EmptyState } from './states.tsx';

export function NotFoundScreen() {
  const t = useTexts('platform');
  return (
    <EmptyState
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
