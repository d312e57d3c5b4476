// Search for workflows by title, for the command palette.
import { api, builderPath } from './queries.ts';

export async function searchWorkflows(words: string, signal: AbortSignal) {
  const { data } = await api('GET /client-api/api/workflows', {
    query: { search: words, limit: 5 },
    signal,
  });
  return data.map(({ id, title }) => ({ id, label: title, to: builderPath(id) }));
}
