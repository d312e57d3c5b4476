// Queries for exports, and the download of a link's file.
import { client } from '#platform/web/api/api.ts';
import { showError } from '#platform/web/errors/errors.ts';
import type { calls } from '../contract.ts';

export const api = client<typeof calls>();
export const LIST_PATH = '/client-api/api/exports';

/** Makes the browser save the file of a download link without leaving the page. */
export function saveFile(hash: string): void {
  const link = document.createElement('a');
  link.href = `/client-api/api/downloads/${encodeURIComponent(hash)}/file`;
  link.download = '';
  document.body.append(link);
  link.click();
  link.remove();
}

/** Creates a fresh link for a finished export and downloads its file. */
export async function downloadExport(id: string): Promise<void> {
  try {
    const { data } = await api('POST /client-api/api/exports/{id}/link', { params: { id } });
    saveFile(data.hash);
  } catch (error) {
    showError(error);
  }
}
