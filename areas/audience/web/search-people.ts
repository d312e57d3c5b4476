// Finds subscribers by email, name or number for the command palette.
import type { PaletteSearch } from '#platform/web/shell/routes.ts';
import { api, pathOf } from './queries.ts';

export const searchPeople: PaletteSearch['find'] = async (term, signal) => {
  const { data } = await api('GET /client-api/api/subscribers', {
    query: { search: term, limit: 5 },
    signal,
  });
  return data.map((one) => ({
    id: one.id,
    label: one.email ?? one.phone ?? one.id,
    to: pathOf(one.id),
  }));
};
