// Search for workflows by title, for the command palette.
import { api, builderPath } from './queries.ts';

export async function searchWorkflows(term: string, signal: AbortSignal) {
  const { data } = await api('GET /client-api/api/workflows', {
    query: { search: term, limit: 5 },
    signal,
  });
  return data.map(({ id, title }) => ({ id, label: title, to: builderPath(id) }));
}
