// Queries of approvals, and calls that request an approval because the user lacks the right.
import { useQuery } from '@tanstack/react-query';
import { ApiError, client } from '#platform/web/api/api.ts';
import { http } from '#platform/web/api/http.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { useMaybeSession } from '#platform/web/session/session.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const APPROVALS = '/client-api/api/approvals';

/** Open requests that the user may decide. */
export function useOpenApprovals(): number {
  const session = useMaybeSession();
  const { data } = useQuery({
    ...api.query('GET /client-api/api/approvals/count'),
    enabled: session !== undefined && session !== null,
    staleTime: 60_000,
    retry: false,
    meta: { notFound: 'inline' },
  });
  useLiveInvalidation('approval', APPROVALS);
  const count = data?.data.count;
  return typeof count === 'number' ? count : 0;
}

/** A call that can be requested, as its own screen would make it. */
export interface RequestableCall {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body: object;
}

/** Files the request: the server refuses the call itself. */
export async function requestCall({ method, path, body }: RequestableCall, note: string) {
  try {
    await http(method, path, { query: { ask: '1', note: note.trim() || undefined }, body });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'approval_requested') return;
    throw error;
  }
}
