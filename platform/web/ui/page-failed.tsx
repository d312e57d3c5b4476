// A screen that broke while it was drawn or loaded: the shell stays, the screen says what happened.
import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useTexts } from '../texts.ts';
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
