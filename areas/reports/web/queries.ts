// Queries for reports, and their live updates.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api/api.ts';
import { useLive } from '#platform/web/api/live.ts';
import { useRefetch } from '#platform/web/api/live-queries.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { useParam } from '#platform/web/hooks/use-param.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();

export const reportPath = (campaign: string) => `/campaigns/${campaign}/report`;

/** Loads the overview of the whole campaign, or of the variant in `query`. */
export function useOverview(query: { variant?: number } = {}) {
  const id = useParam('campaign');
  return useQuery(
    api.query('GET /client-api/api/campaigns/{id}/report/overview', {
      params: { id },
      ...toVariantQuery(query),
    }),
  );
}

/**
 * Returns options of a call. Without a variant, they have no query, so that the usual query key is
 * used.
 */
export const toVariantQuery = (query: { variant?: number }): { query?: { variant: number } } =>
  query.variant === undefined ? {} : { query: { variant: query.variant } };

/** Reloads the screen's queries when this report changes. */
export function useLiveReport(topic: string): void {
  const id = useParam('campaign');
  const refresh = useRefetch(() => invalidate(`/client-api/api/campaigns/${id}/report`));
  useLive(topic, refresh);
  useLive(`campaign:${id}`, refresh);
}
