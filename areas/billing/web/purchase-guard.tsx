// Guards purchase screens: while billing is disabled, they redirect to the billing screen, which
// then shows only plan and usage.
import type { ReactNode } from 'react';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { useBilling } from './queries.ts';

export function WhereSold({ children }: { children: ReactNode }) {
  const billing = useBilling();
  if (billing.data && !billing.data.data.is_on) return <Redirect to="/settings/billing" />;
  return children;
}
