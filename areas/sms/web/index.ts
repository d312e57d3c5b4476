// The web door of SMS: what screens of higher floors may use, and the wiring offers to those of lower ones.
import { api } from './queries.ts';

export { textReportPath } from './paths.ts';
export { useSenders } from './queries.ts';

/** SMS campaigns that went out and whose title has the words, newest first, for pickers. */
export async function smsCampaignChoices(words: string, signal: AbortSignal) {
  const { data } = await api('GET /client-api/api/sms/campaign', {
    query: {
      status: 'SENT',
      order: 'created',
      direction: 'desc',
      limit: 100,
      ...(words ? { search: words } : {}),
    },
    signal,
  });
  return data.map((one) => ({ value: one.id, label: one.title }));
}
