// Counts an item's open comments by the block of the email that they are about.
import { useQuery } from '@tanstack/react-query';
import { createItemApi } from './queries.ts';

/** Returns the number of open comments by block, or undefined until loaded. */
export function useOpenComments(base: string, id: string): Record<string, number> | undefined {
  const { data } = useQuery({
    ...createItemApi(base).query('GET /client-api/api/campaigns/{id}/notes', { params: { id } }),
    // A failure to load the marks of comments must not interrupt email editing.
    retry: false,
    meta: { notFound: 'inline' },
    select: ({ data: comments }) => {
      const counts: Record<string, number> = {};
      for (const { block, resolved } of comments) {
        if (block !== null && resolved === null) counts[block] = (counts[block] ?? 0) + 1;
      }
      return counts;
    },
  });
  return data;
}
