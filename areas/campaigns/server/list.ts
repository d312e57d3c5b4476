// Lists campaigns with folders, labels and revenue, and defines their bulk actions.
import { withPlacesAndRevenue } from '#areas/broadcasts/server/index.ts';
import { type ItemOwner, readPlaceFilter } from '#areas/folders/server/index.ts';
import type { ListMeta, ListRequest } from '#platform/contract.ts';
import { encodeId } from '#platform/ids.ts';
import { cutText } from '#platform/server/clean-text.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { CAMPAIGNS_PATH } from '../composing-contract.ts';
import type { ListedCampaign } from '../contract.ts';
import { type CampaignStatus, MAX_TITLE_LENGTH } from '../shared.ts';
import * as campaigns from './campaigns.ts';
import { findCampaigns, TABLES } from './campaigns.sql.ts';

type Query = Parameters<typeof readPlaceFilter>[0] & {
  list: ListRequest<'created' | 'title' | 'modified' | 'sent' | 'scheduled'>;
  status?: CampaignStatus | undefined;
};

export async function listWithPlaces(
  tx: Tx,
  accountId: number,
  { list, status, ...place }: Query,
): Promise<{ data: ListedCampaign[]; meta?: ListMeta | undefined }> {
  const filter = { list, status, place: readPlaceFilter(place) };
  const page = await campaigns.listCampaigns(tx, accountId, filter);
  return withPlacesAndRevenue(tx, accountId, { tables: TABLES, kind: 'campaign' }, page);
}

export const campaignItems: ItemOwner = {
  area: 'campaigns',
  kind: 'campaign',
  base: CAMPAIGNS_PATH,
  describeItem: async (db, accountId, id) => {
    const { title } = await campaigns.getCampaignRow(db, accountId, id);
    return { title, path: `/campaigns/${encodeId('campaign', id)}` };
  },
  filterExisting: async (db, accountId, ids) =>
    (await findCampaigns(db, accountId, ids)).map(({ id }) => id),
  duplicate: async (tx, caller, id, copyOf) => {
    const { title } = await campaigns.getCampaignRow(tx, caller.accountId, id);
    const copy = cutText(copyOf(title), MAX_TITLE_LENGTH);
    return (await campaigns.duplicateCampaign(tx, caller, id, copy)).id;
  },
  deleteDraft: async (tx, accountId, id) => {
    const { status } = await campaigns.lockCampaignRow(tx, accountId, id);
    if (status !== 'DRAFT') return false;
    await campaigns.deleteCampaign(tx, accountId, id);
    return true;
  },
};
