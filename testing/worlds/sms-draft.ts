// An SMS campaign to all subscribers that is ready to be sent, for tests of features other than its
// settings.
import { sql } from 'kysely';
import { expect } from 'vitest';
import { SMS_CAMPAIGNS_PATH } from '#areas/sms/campaign-contract.ts';
import { clock } from '#platform/server/clock.ts';
import type { TestOwner, TestServer } from '../setup/server.ts';

/** Creates a subscriber who has a phone number. Also creates an SMS sender and a draft. */
export async function createReadySms(server: TestServer, owner: TestOwner, text = 'New tea') {
  const at = clock.now();
  await sql`insert into subscribers (account_id, phone, phone_key, sms_status, created_at, modified_at)
    values (${owner.accountId}, '+15125550101', '+15125550101', 'active', ${at}, ${at})`.execute(
    server.db,
  );
  // Senders are unique, so each account has its own number.
  const sender = `+1512555${1000 + (owner.accountId % 9000)}`;
  const number = { kind: 'long_code', value: sender, use_case: 'Offers' };
  const phoneResponse = await owner.post('/client-api/api/phone', number);
  expect(phoneResponse.status, phoneResponse.text).toBe(200);
  const phone = phoneResponse.body.data;
  const terms = { version: '2026-11-01', name: 'Ada' };
  await owner.post(`/client-api/api/phone/${phone.id}/compliance/terms`, terms);
  const campaign = await owner.post(SMS_CAMPAIGNS_PATH, { title: 'Tea', text, phone_id: phone.id });
  expect(campaign.status, campaign.text).toBe(200);
  const { id } = campaign.body.data as { id: string };
  const groupsResponse = await owner.post(`${SMS_CAMPAIGNS_PATH}/${id}/tags/set`, {
    tags_arr: [],
    send_to_all: true,
  });
  expect(groupsResponse.status, groupsResponse.text).toBe(200);
  return { id, url: `${SMS_CAMPAIGNS_PATH}/${id}`, phone: phone.id as string, sender };
}
