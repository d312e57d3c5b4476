// Review before activation: the checks of each step, who will enter, the senders and the forecast.
import { Button, Group, Stack } from '@mantine/core';
import { useState } from 'react';
import { useTexts } from '#platform/web/texts/texts.ts';
import { TestModeNote } from '#platform/web/ui/test-mode.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import { Checks, useReviewChecks } from './review-checks.tsx';
import classes from './review-dialog.module.css';
import { Entry, ExpectedResults, Senders } from './review-summary.tsx';
import { useStatusActions } from './status-actions.ts';
import { useBuilder } from './use-builder.ts';

export default function ReviewDialog({ close }: { close: () => void }) {
  const t = useTexts('workflows');
  const { workflow } = useBuilder();
  const { activate } = useStatusActions();
  const checks = useReviewChecks();
  const [isSending, setSending] = useState(false);
  const confirm = async () => {
    setSending(true);
    const isDone = await activate(workflow);
    setSending(false);
    if (isDone) close();
    else checks.refetch();
  };
  return (
    <Dialog
      opened
      onClose={close}
      size="lg"
      title={
        checks.isBlocked ? t('notReady.title') : t('activate.title', { title: workflow.title })
      }
    >
      <Stack gap="lg">
        <Checks checks={checks} />
        <Entry />
        <Senders />
        {!checks.isBlocked && <ExpectedResults />}
        <TestModeNote>{t('review.testMode')}</TestModeNote>
        <Group justify="flex-end" gap="xs" className={classes.actions}>
          <Button variant="default" onClick={close}>
            {t('platform:confirm.cancel')}
          </Button>
          <Button
            loading={isSending}
            disabled={checks.isLoading || checks.isBlocked}
            title={checks.isBlocked ? t('review.blocked') : undefined}
            onClick={() => void confirm()}
          >
            {t('review.confirm')}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
