// The frame of the import screens: title, and a tab for each way in.
import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useTexts } from '#platform/web/texts.ts';
import { Page } from '#platform/web/ui/page.tsx';

export function ImportPage({ children }: { children: ReactNode }) {
  const t = useTexts('imports');
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
        { to: '/subscribers/import/mailchimp', label: t('tabs.mailchimp') },
        { to: '/subscribers/import/getresponse', label: t('tabs.getresponse') },
      ]}
    >
      {children}
    </Page>
  );
}
