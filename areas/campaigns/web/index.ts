// Exports of the campaigns area: components and queries for screens of other areas.
import { api } from './queries.ts';

export { PauseCampaign } from './pause-campaign.tsx';
export { useCampaign } from './queries.ts';
export { replaceTags } from '#platform/tag-fallbacks.ts';

/** Returns sent campaigns with a matching title, newest first, for pickers. */
export async function campaignChoices(term: string, signal: AbortSignal) {
  const { data } = await api('GET /client-api/api/campaigns', {
    query: {
      status: 'SENT',
      as_list: 'true',
      order: 'created',
      direction: 'desc',
      limit: 100,
      ...(term ? { search: term } : {}),
    },
    signal,
  });
  return data.map((row) => ({ value: row.id, label: row.title }));
}

/** Returns a few subscribers whose email address starts with `term`, for pickers. */
export async function subscriberChoices(campaign: string, term: string, signal: AbortSignal) {
  const { data } = await api('GET /client-api/api/campaigns/{id}/preview_people', {
    params: { id: campaign },
    query: { search: term },
    signal,
  });
  return data;
}
