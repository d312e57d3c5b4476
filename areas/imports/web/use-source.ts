// The last upload: its id is stored in the address, so that a reload continues with it.
import { text, useAddress } from '#platform/web/api/address.ts';
import { queryClient, invalidate } from '#platform/web/api/queries.ts';
import type { ImportPreview } from '../contract.ts';
import { api, uploads } from './queries.ts';

const address = { source: text('') };

interface Source {
  /** Empty before an upload. */
  id: string;
  take: (upload: { data: ImportPreview }) => void;
  /**
   * Clears the id for another upload. The file stays in the list: other users of the account may
   * want it.
   */
  drop: () => void;
  /** It is being fetched. */
  choose: (id: string) => void;
}

export function useSource(): Source {
  const [{ source }, set] = useAddress(address);
  return {
    id: source,
    take: ({ data }) => {
      const params = { id: data.id };
      const { queryKey } = api.query('GET /client-api/api/imports/{id}/preview', {
        params,
        query: {},
      });
      queryClient.setQueryData(queryKey, { data });
      set({ source: data.id });
      void invalidate(uploads);
    },
    drop: () => set({ source: '' }),
    choose: (id) => {
      set({ source: id });
      void invalidate(uploads);
    },
  };
}
