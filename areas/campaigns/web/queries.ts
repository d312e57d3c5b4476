// Queries for campaigns, and the paths of the queries that a change invalidates.
import { useQuery } from '@tanstack/react-query';
import { duplicateOnce } from '#areas/broadcasts/duplicate-once.ts';
import { isInProgress } from '#areas/broadcasts/is-sending.ts';
import { client } from '#platform/web/api/api.ts';
import { useLive } from '#platform/web/api/live.ts';
import { useRefetch } from '#platform/web/api/live-queries.ts';
import { invalidate, invalidateOnly } from '#platform/web/api/queries.ts';
import type { emailCalls } from '../composing-contract.ts';
import type { calls } from '../contract.ts';
import type { variantCalls } from '../experiment-contract.ts';
import type { utmCalls } from '../../content/utm-contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';

export const api = client<typeof calls & typeof emailCalls & typeof utmCalls>();
export const LIST_PATH = '/client-api/api/campaigns';
/** Path of experiment variants, which are emails with separate content. */
export const VARIANTS = '/client-api/api/campaign-variants';
export const variantApi = client<typeof variantCalls>();

export function useCampaign(id: string) {
  return useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}', { params: { id } }),
    // Counts also change between notifications.
    refetchInterval: ({ state }) => (state.data && isInProgress(state.data.data) ? 3_000 : false),
  });
}

/**
 * Returns whether the campaign was requested again since the screen opened, and the request has
 * ended. Until then it cannot be sent, because the cached revision may be outdated.
 */
export function useNewest(id: string): boolean {
  const { isFetchedAfterMount } = useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}', { params: { id } }),
    staleTime: 0,
  });
  return isFetchedAfterMount;
}

/**
 * Reloads a campaign on notifications from the server, or every five seconds without a connection.
 * A sending campaign's email does not change, so its previews are not reloaded.
 */
export function useLiveCampaign(id: string): void {
  const { data } = useCampaign(id);
  const refresh = useRefetch(() =>
    data && isInProgress(data.data)
      ? invalidateOnly(`${LIST_PATH}/${id}`)
      : invalidate(`${LIST_PATH}/${id}`),
  );
  useLive(`campaign:${id}`, refresh);
}

/** Paths of the queries that an action on this campaign invalidates. */
export function listAffectedQueries(id: string): string[] {
  return [`${LIST_PATH}/${id}`, LIST_PATH];
}

export const duplicateCampaign = (id: string, title: string): Promise<string> =>
  duplicateOnce(id, (idempotencyKey) =>
    api('POST /client-api/api/campaigns/{id}/duplicate', {
      params: { id },
      body: { title: title.slice(0, MAX_TITLE_LENGTH) },
      idempotencyKey,
    }),
  );
