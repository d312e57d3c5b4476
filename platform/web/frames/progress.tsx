// The progress bar of a navigation. Loaded once the first screen is shown: until then the whole
// page is still loading.
import { NavigationProgress, nprogress } from '@mantine/nprogress';
import { useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useOptionalSession } from '../session/session.ts';

export default function Progress() {
  const hasUser = useOptionalSession() !== undefined;
  const isLoading = useRouterState({ select: (state) => state.isLoading });
  useEffect(() => {
    if (!isLoading || !hasUser) return;
    nprogress.start();
    return () => nprogress.complete();
  }, [isLoading, hasUser]);
  return <NavigationProgress size={2} color="thread" aria-hidden="true" />;
}
