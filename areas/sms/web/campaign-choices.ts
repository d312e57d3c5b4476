// Choices of SMS campaigns for pickers of other areas.
import { api } from './queries.ts';

/** Returns sent SMS campaigns whose title matches the search, newest first, for pickers. */
export async function smsCampaignChoices(term: string, signal: AbortSignal) {
  const { data } = await api('GET /client-api/api/sms/campaign', {
    query: {
      status: 'SENT',
      order: 'created',
      direction: 'desc',
      limit: 100,
      ...(term ? { search: term } : {}),
    },
    signal,
  });
  return data.map((row) => ({ value: row.id, label: row.title }));
}
