// The button and dialog that send a test email.
import { Button } from '@mantine/core';
import { IconSend } from '@tabler/icons-react';
import { Suspense, useState } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { TestEmailProps } from './test-email-form.tsx';

const TestEmailForm = lazyWithRetry(() => import('./test-email-form.tsx'));

export function TestEmailButton({ email, subscriberId, beforeSend }: TestEmailProps) {
  const t = useTexts('composing');
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        variant="default"
        leftSection={<IconSend size={18} stroke={1.75} />}
        onClick={() => setOpen(true)}
      >
        {t('test.open')}
      </Button>
      <Dialog opened={isOpen} onClose={() => setOpen(false)} title={t('test.title')}>
        {isOpen && (
          <Suspense fallback={<LoadingState rows={3} />}>
            <TestEmailForm
              email={email}
              subscriberId={subscriberId}
              beforeSend={beforeSend}
              close={() => setOpen(false)}
            />
          </Suspense>
        )}
      </Dialog>
    </>
  );
}
