// Finds segments by title for the command palette; they open as the list of their subscribers.
import type { PaletteSearch } from '#platform/web/shell/routes.ts';
import { api, peopleOf } from './queries.ts';

export const searchSegments: PaletteSearch['find'] = async (term, signal) => {
  const { data } = await api('GET /client-api/api/filters', {
    query: { search: term, limit: 5 },
    signal,
  });
  return data.map((one) => ({
    id: one.id,
    label: one.title,
    to: peopleOf(one.filter),
  }));
};
