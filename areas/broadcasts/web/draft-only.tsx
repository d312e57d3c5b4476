// Wraps screens that change a draft: waits until the broadcast is loaded and redirects to the
// review if it is scheduled or sent.
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Redirect } from '#platform/web/ui/redirect.tsx';
import { FailedState, LoadingState } from '#platform/web/ui/states.tsx';
import type { Broadcast } from './ui.ts';

interface DraftOnlyProps<Row> {
  query: UseQueryResult<{ data: Row }>;
  /** The path of the broadcast's review. */
  reviewPath: string;
  /** Number of placeholder rows while the broadcast loads. */
  rows?: number;
  children: (row: Row) => ReactNode;
}

export function DraftOnly<Row extends Pick<Broadcast, 'status'>>({
  query,
  reviewPath,
  rows = 6,
  children,
}: DraftOnlyProps<Row>) {
  if (query.isLoadingError) return <FailedState error={query.error} retry={query.refetch} />;
  if (!query.data) return <LoadingState rows={rows} />;
  const { data } = query.data;
  if (data.status !== 'DRAFT') return <Redirect to={reviewPath} />;
  return children(data);
}
