// Leaves a screen for another address, replacing this one in the history. The router's `Navigate`
// starts again on each render, so it never leaves a screen that keeps rendering while the next one
// loads; this component navigates once per target.
import { useRouter } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';
import { stringifySearch } from '../api/address.ts';

interface RedirectProps {
  to: string;
  search?: Record<string, unknown> | undefined;
}

export function Redirect({ to, search }: RedirectProps): null {
  const router = useRouter();
  const href = search ? `${to}${stringifySearch(search)}` : to;
  useLayoutEffect(() => {
    void router.navigate({ href, replace: true });
  }, [router, href]);
  return null;
}
