// Queries for approvals, and calls that request an approval because the user lacks the right.
import { useQuery } from '@tanstack/react-query';
import { ApiError, client } from '#platform/web/api/api.ts';
import { http } from '#platform/web/api/http.ts';
import { useLiveInvalidation } from '#platform/web/api/live-queries.ts';
import { useOptionalSession } from '#platform/web/session/session.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const APPROVALS = '/client-api/api/approvals';

/** Returns the number of open requests that the user may decide. */
export function useOpenApprovals(): number {
  const session = useOptionalSession();
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

/** A call that supports approval requests, with the same input as the direct call. */
export interface RequestableCall {
  method: 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  body: object;
}

/**
 * Sends the call so that the server creates a request for approval instead of refusing the call.
 */
export async function requestCall({ method, path, body }: RequestableCall, note: string) {
  try {
    await http(method, path, { query: { ask: '1', note: note.trim() || undefined }, body });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'approval_requested') return;
    throw error;
  }
}
