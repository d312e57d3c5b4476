// Lists SMS campaigns with folders, labels and revenue, and defines their bulk actions.
import { encodeId } from '#platform/ids.ts';
import { withPlacesAndRevenue } from '#areas/broadcasts/server/index.ts';
import { type ItemOwner, readPlaceFilter } from '#areas/folders/server/index.ts';
import type { ListMeta, ListRequest } from '#platform/contract.ts';
import type { Tx } from '#platform/server/database/database.ts';
import { SMS_CAMPAIGNS_PATH } from '../campaign-contract.ts';
import type { ListedSms } from '../contract.ts';
import type { SmsStatus } from '../shared.ts';
import * as campaigns from './campaigns.ts';
import { findExistingSms, TABLES } from './sms.sql.ts';

type Query = Parameters<typeof readPlaceFilter>[0] & {
  list: ListRequest<'created' | 'title' | 'modified' | 'sent' | 'scheduled'>;
  status?: SmsStatus | undefined;
};

export async function listWithPlaces(
  tx: Tx,
  accountId: number,
  { list, status, ...place }: Query,
): Promise<{ data: ListedSms[]; meta?: ListMeta | undefined }> {
  const filter = { list, status, place: readPlaceFilter(place) };
  const page = await campaigns.listSmsCampaigns(tx, accountId, filter);
  return withPlacesAndRevenue(tx, accountId, { tables: TABLES, kind: 'sms' }, page);
}

export const smsItems: ItemOwner = {
  area: 'sms',
  kind: 'sms',
  base: SMS_CAMPAIGNS_PATH,
  describeItem: async (db, accountId, id) => {
    const { title } = await campaigns.getSmsRow(db, accountId, id);
    return { title, path: `/sms/${encodeId('sms', id)}` };
  },
  filterExisting: findExistingSms,
  duplicate: async (tx, caller, id, copyOf) => {
    const { title } = await campaigns.getSmsRow(tx, caller.accountId, id);
    return (await campaigns.duplicateSmsCampaign(tx, caller.accountId, id, copyOf(title))).id;
  },
  deleteDraft: async (tx, accountId, id) => {
    const { status } = await campaigns.lockSms(tx, accountId, id);
    if (status !== 'DRAFT') return false;
    await campaigns.deleteSmsCampaign(tx, accountId, id);
    return true;
  },
};
