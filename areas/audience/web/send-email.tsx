// The button that writes an email to one subscriber; its dialog loads on first use.
import { Button } from '@mantine/core';
import { IconMail } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';

const SendEmailDialog = lazyWithRetry(() => import('./send-email-dialog.tsx'));

export function SendEmail({ id, name }: { id: string; name: string }) {
  const t = useTexts('audience');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconMail size={18} stroke={1.75} />}
        onClick={() => setOpen(true)}
      >
        {t('one.email.action')}
      </Button>
      {isOpen && (
        <Suspense>
          <SendEmailDialog id={id} name={name} onClose={() => setOpen(false)} />
        </Suspense>
      )}
    </>
  );
}
