// Leaves a screen for another address, replacing this one in the history. The router's own `Navigate` navigates again
// with each render, so a screen that renders while its successor loads never lets go: one navigation per target here.
import { useRouter } from '@tanstack/react-router';
import { useLayoutEffect } from 'react';
import { stringifySearch } from '../address.ts';

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
