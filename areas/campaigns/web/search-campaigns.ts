// Finds campaigns by their name for the command palette.
import { client } from '#platform/web/api/api.ts';
import type { calls } from '../contract.ts';
import { pathOf } from './paths.ts';

export async function searchCampaigns(term: string, signal: AbortSignal) {
  const api = client<typeof calls>();
  const { data } = await api('GET /client-api/api/campaigns', {
    query: { search: term, limit: 5 },
    signal,
  });
  return data.map((campaign) => ({
    id: campaign.id,
    label: campaign.title,
    to: pathOf(campaign),
  }));
}
