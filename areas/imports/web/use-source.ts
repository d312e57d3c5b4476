// The upload of a screen: its id is stored in the URL, so that a reload continues with it.
import { text, useSearchParams } from '#platform/web/api/address.ts';
import { queryClient, invalidate } from '#platform/web/api/queries.ts';
import type { ImportPreview } from '../contract.ts';
import { api, uploads } from './queries.ts';

const address = { source: text('') };

interface ImportSource {
  /** Empty before an upload. */
  id: string;
  setUpload: (upload: { data: ImportPreview }) => void;
  /**
   * Clears the id, so that another file can be uploaded. The current file stays in the list,
   * because other users of the account may need it.
   */
  clear: () => void;
  /** Sets the id of an upload that is still being fetched. */
  setId: (id: string) => void;
}

export function useSource(): ImportSource {
  const [{ source }, set] = useSearchParams(address);
  return {
    id: source,
    setUpload: ({ data }) => {
      const params = { id: data.id };
      const { queryKey } = api.query('GET /client-api/api/imports/{id}/preview', {
        params,
        query: {},
      });
      queryClient.setQueryData(queryKey, { data });
      set({ source: data.id });
      void invalidate(uploads);
    },
    clear: () => set({ source: '' }),
    setId: (id) => {
      set({ source: id });
      void invalidate(uploads);
    },
  };
}
