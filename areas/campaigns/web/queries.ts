// The calls of campaigns as queries; one place knows what a change touches.
import { useQuery } from '@tanstack/react-query';
import { client } from '#platform/web/api.ts';
import { useLive } from '#platform/web/live.ts';
import { touch } from '#platform/web/queries.ts';
import type { calls } from '../contract.ts';
import { isUnderWay } from './state-of.tsx';

export const api = client<typeof calls>();
export const LIST = '/client-api/api/campaigns';

export function useCampaign(id: string) {
  return useQuery({
    ...api.query('GET /client-api/api/campaigns/{id}', { params: { id } }),
    // Counts move between two hints too.
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.data) ? 3_000 : false),
  });
}

/** Follows a sending: hints from the server, else every five seconds. */
export function useLiveCampaign(id: string): void {
  useLive(`campaign:${id}`, () => void touch(`${LIST}/${id}`));
}

/** What an act on this campaign changes. */
export function touchesOf(id: string): string[] {
  return [`${LIST}/${id}`, LIST];
}
