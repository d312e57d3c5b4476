// A screen that failed to render or load: the shell remains, and the screen shows what happened.
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useTexts } from '../texts/texts.ts';
import { FailedState } from './states.tsx';

export function PageFailed({ error, reset }: ErrorComponentProps) {
  const t = useTexts('platform');
  const router = useRouter();
  return (
    <FailedState
      isPage
      error={error}
      title={t('errors.title')}
      retry={() => {
        reset();
        void router.invalidate();
      }}
    />
  );
}
