// Guard of purchase screens: with billing disabled they redirect to usage.
import type { ReactNode } from 'react';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { useBilling } from './queries.ts';

export function WhereSold({ children }: { children: ReactNode }) {
  const billing = useBilling();
  if (billing.data && !billing.data.data.is_on) return <Redirect to="/settings/billing" />;
  return children;
}
