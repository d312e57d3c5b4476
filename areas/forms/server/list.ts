// The list of forms with folders and labels, and bulk actions.
import { encodeId } from '#platform/ids.ts';
import { type ItemOwner, readPlaceFilter, attachPlaces } from '#areas/folders/server/index.ts';
import type { ListMeta, ListRequest } from '#platform/contract.ts';
import { cutText } from '#platform/server/clean-text.ts';
import type { Tx } from '#platform/server/database/database.ts';
import type { ListedForm } from '../contract.ts';
import { MAX_TITLE_LENGTH } from '../shared.ts';
import * as forms from './forms.ts';
import { filterExistingForms } from './forms.sql.ts';

type Query = Parameters<typeof readPlaceFilter>[0] & {
  list: ListRequest<'created' | 'title' | 'modified'>;
  type?: string | undefined;
};

export async function listWithPlaces(
  tx: Tx,
  accountId: number,
  { list, type, ...place }: Query,
): Promise<{ data: ListedForm[]; meta?: ListMeta | undefined }> {
  const filter = readPlaceFilter(place);
  const page = await forms.listForms(tx, accountId, list, type, undefined, filter);
  return attachPlaces(tx, accountId, 'form', page);
}

export const formItems: ItemOwner = {
  area: 'forms',
  kind: 'form',
  base: '/client-api/api/forms',
  describeItem: async (db, accountId, id) => {
    const { title } = await forms.readForm(db, accountId, id);
    return { title, path: `/forms/${encodeId('form', id)}/view` };
  },
  filterExisting: filterExistingForms,
  duplicate: async (tx, { accountId }, id, copyOf) => {
    const { title } = await forms.readForm(tx, accountId, id);
    return (await forms.copyForm(tx, accountId, id, cutText(copyOf(title), MAX_TITLE_LENGTH))).id;
  },
  // A published form is not a draft, even while it is off: sites may still refer to it.
  deleteDraft: async (tx, accountId, id) => {
    const form = await forms.readForm(tx, accountId, id);
    if (form.published_version !== null) return false;
    await forms.deleteForm(tx, accountId, id);
    return true;
  },
};
