// An account with a postal address, subscribers, a group and campaigns.
import { expect } from 'vitest';
import { addToGroups } from '#areas/groups/server/index.ts';
import type { Campaign } from '#areas/campaigns/contract.ts';
import { decodeId } from '#platform/ids.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { addPeople } from './sending-helpers.ts';
import type { TestOwner, TestServer } from '../setup/server.ts';

export const CAMPAIGNS = '/client-api/api/campaigns';
export const SETTINGS = {
  title: 'Spring',
  subject: 'Hello {{ firstname | default: "friend" }}',
  preheader: 'Fresh leaves',
  from_name: 'Nordic Tea',
  from_email: 'news@tea.example',
  reply_to: 'hello@tea.example',
};
export const HTML =
  '<p>Dear {{ firstname | default: "friend" }}, fresh tea has come in from the mountains this week.</p>' +
  '<a href="https://tea.example/new">New</a><a href="{{unsubscribe_link}}">Unsubscribe</a>';

/** Creates an account with a postal address, subscribers, and a group of all subscribers. */
export async function campaignShop(server: TestServer, subscriberCount = 6) {
  const owner = await server.owner();
  const addressResponse = await owner.patch('/client-api/api/account_questionnaire', {
    address: 'Storgata 1',
    city: 'Oslo',
    state: 'Oslo',
    timezone: 'Europe/Oslo',
    country: 'NO',
    zip_code: '0155',
  });
  expect(addressResponse.status).toBe(200);
  const ids =
    subscriberCount > 0 ? await addPeople(server.db, owner.accountId, subscriberCount) : [];
  const group = await owner.post('/client-api/api/tags', { title: 'Tea drinkers' });
  const groupId: string = group.body.data.id;
  await joinGroup(server, owner, groupId, ids);
  return { owner, ids, groupId };
}

export async function joinGroup(
  server: TestServer,
  owner: TestOwner,
  group: string,
  ids: number[],
) {
  if (ids.length === 0) return;
  const groupId = decodeId('group', group) as number;
  await inTransaction(server.db, (tx) =>
    addToGroups(tx, owner.accountId, {
      groupIds: [groupId],
      subscriberIds: ids,
      origin: 'bulk' as const,
    }),
  );
}

/** Creates a draft that is ready to be sent. */
export async function createReadyCampaign(owner: TestOwner, groupId: string) {
  const campaign = await owner.post(CAMPAIGNS, SETTINGS);
  expect(campaign.status).toBe(200);
  const { id, revision } = campaign.body.data;
  const content = await owner.put(`${CAMPAIGNS}/${id}/content`, {
    revision,
    editor: 'html',
    html: HTML,
  });
  expect(content.status).toBe(200);
  const groups = await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [groupId] });
  expect(groups.status).toBe(200);
  return id as string;
}

export const readCampaign = async (owner: TestOwner, id: string) =>
  (await owner.get(`${CAMPAIGNS}/${id}`)).body.data;

export async function waitForCampaign(
  owner: TestOwner,
  id: string,
  isExpected: (campaign: Campaign) => boolean,
) {
  const end = performance.now() + 30_000;
  for (;;) {
    const campaign = await readCampaign(owner, id);
    if (isExpected(campaign)) return campaign;
    if (performance.now() > end)
      throw new Error(`The campaign did not reach the expected state: ${JSON.stringify(campaign)}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
