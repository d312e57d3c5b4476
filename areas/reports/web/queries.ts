// The calls of reports, and how a report keeps itself up to date.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api.ts';
import { useLive } from '#platform/web/live.ts';
import { useLook } from '#platform/web/live-looks.ts';
import { touch } from '#platform/web/queries.ts';
import { useParam } from '#platform/web/use-param.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();

export const reportPath = (campaign: string) => `/campaigns/${campaign}/report`;

export function useOverview() {
  const id = useParam('campaign');
  return useQuery(
    api.query('GET /client-api/api/campaigns/{id}/report/overview', { params: { id } }),
  );
}

/** Asks for everything on the screen again when something of this report changed. */
export function useLiveReport(topic: string): void {
  const id = useParam('campaign');
  const look = useLook(() => touch(`/client-api/api/campaigns/${id}/report`));
  useLive(topic, look);
  useLive(`campaign:${id}`, look);
}
