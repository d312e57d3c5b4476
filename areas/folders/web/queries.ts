// Calls for folders and labels, and the item calls that each area with folders offers at its own
// paths.
import { client } from '#platform/web/api/api.ts';
import { invalidate } from '#platform/web/api/queries.ts';
import { showError } from '#platform/web/errors/errors.ts';
import type { calls } from '../contract.ts';
import type { itemCalls } from '../items-contract.ts';
import { type ItemKind, LABEL_COLORS } from '../shared.ts';

export const api = client<typeof calls>();
export const FOLDERS = '/client-api/api/folders';
export const LABELS = '/client-api/api/labels';

/**
 * The calls about items differ between kinds only in their paths, so these types fit all kinds.
 */
const BASE = '/client-api/api/campaigns';
type ItemCalls = ReturnType<typeof itemCalls<typeof BASE>>;
type ItemApi = ReturnType<typeof client<ItemCalls>>;

/** Creates the calls for the items listed at `base`. */
export const createItemApi = (base: string): ItemApi =>
  client<ItemCalls>((name) => name.replace(BASE, base));

export const listFoldersQuery = (kind: ItemKind) =>
  api.query('GET /client-api/api/folders', { query: { kind } });

export const listLabelsQuery = () => api.query('GET /client-api/api/labels');

/** Resolves to the new folder's id, or to undefined after showing the error. */
export async function createFolder(kind: ItemKind, title: string): Promise<string | undefined> {
  try {
    const { data } = await api('POST /client-api/api/folders', { body: { kind, title } });
    await invalidate(FOLDERS);
    return data.id;
  } catch (error) {
    showError(error);
    return undefined;
  }
}

/**
 * Creates a label; the number of existing labels determines its color. Resolves like
 * `createFolder`.
 */
export async function createLabel(title: string, labelCount: number): Promise<string | undefined> {
  const color = LABEL_COLORS[(labelCount + 1) % LABEL_COLORS.length] ?? 'gray';
  try {
    const { data } = await api('POST /client-api/api/labels', { body: { title, color } });
    await invalidate(LABELS);
    return data.id;
  } catch (error) {
    showError(error);
    return undefined;
  }
}
