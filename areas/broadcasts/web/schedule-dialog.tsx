// The schedule dialog; its calendar is loaded when it opens.
import { Suspense } from 'react';
import { lazyWithRetry } from '#platform/web/shell/lazy-with-retry.ts';
import { useTexts } from '#platform/web/texts/texts.ts';
import { LoadingState } from '#platform/web/ui/states.tsx';
import { Dialog } from '#platform/web/ui/form-dialog.tsx';
import type { ScheduleFormProps } from './schedule-form.tsx';

const ScheduleForm = lazyWithRetry(() => import('./schedule-form.tsx'));

export function ScheduleDialog({ isOpen, ...props }: ScheduleFormProps & { isOpen: boolean }) {
  const t = useTexts('broadcasts');
  return (
    <Dialog opened={isOpen} onClose={props.close} title={t('schedule.title')} size="auto">
      {isOpen && (
        <Suspense fallback={<LoadingState rows={6} />}>
          <ScheduleForm {...props} />
        </Suspense>
      )}
    </Dialog>
  );
}
