// Screens of what is sold: where nothing is, they lead to what is used.
import { Navigate } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { useBilling } from './queries.ts';

export function WhereSold({ children }: { children: ReactNode }) {
  const billing = useBilling();
  if (billing.data && !billing.data.data.is_on) return <Navigate to="/settings/billing" replace />;
  return children;
}
