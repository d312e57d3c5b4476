// The frame of the import screens: title, a tab per source, and waiting uploads.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';
import { UploadsList } from './uploads-list.tsx';
import { useSource } from './use-source.ts';

export function ImportPage({ children }: { children: ReactNode }) {
  const t = useTexts('imports');
  const source = useSource();
  return (
    <Page
      title={t('title')}
      description={t('description')}
      actions={
        <Button component={Link} to="/subscribers/imported_subscribers" variant="default">
          {t('history.title')}
        </Button>
      }
      tabs={[
        { to: '/subscribers/import/file', label: t('tabs.file') },
        { to: '/subscribers/import/text', label: t('tabs.text') },
        { to: '/subscribers/import/switch', label: t('tabs.switch') },
        { to: '/subscribers/import/mailchimp', label: t('tabs.mailchimp') },
        { to: '/subscribers/import/getresponse', label: t('tabs.getresponse') },
      ]}
    >
      {children}
      {source.id === '' && <UploadsList />}
    </Page>
  );
}
