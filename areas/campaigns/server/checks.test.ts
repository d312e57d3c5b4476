// Checks before sending: merge tags without a value and how many recipients they affect, and the
// state of the sender's domain.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { decodeId } from '#platform/ids.ts';
import { publicClient } from '#testing/setup/public-client.ts';
import { addPeople, proveDomain } from '#testing/worlds/sending-helpers.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';

import { getCampaignRow } from './campaigns.ts';
import { checkCampaign } from './email.ts';

const CAMPAIGNS = '/client-api/api/campaigns';
let server: TestServer;
beforeAll(async () => {
  server = await testServer();
});

test('a merge tag is reported with the number of recipients that lack its value, unless all have it', async () => {
  const owner = await server.owner();
  const ids = await addPeople(server.db, owner.accountId, 10);
  const field = (await owner.post('/client-api/api/fields', { title: 'Tea', type: 'text' })).body
    .data;
  const emptyField = (await owner.post('/client-api/api/fields', { title: 'Cup', type: 'text' }))
    .body.data;
  await sql`update subscribers set lastname = 'L',
      field_values = jsonb_build_object((select id::text from fields
        where account_id = ${owner.accountId} and name = ${field.name}), 'Sencha')
    where account_id = ${owner.accountId} and id <> all(${ids.slice(0, 3)}::bigint[])`.execute(
    server.db,
  );
  // One of the three subscribers without these values is not a recipient.
  await sql`update subscribers set email_status = 'unsubscribed'
    where account_id = ${owner.accountId} and id = ${ids[0]}`.execute(server.db);
  const { data } = (await owner.post(CAMPAIGNS, { title: 'Spring' })).body;
  await owner.put(`${CAMPAIGNS}/${data.id}/content`, {
    revision: data.revision,
    editor: 'html',
    html: `<p>{{firstname}} {{lastname}} {{${field.name}}} {{${emptyField.name}}} {{phone | default: "none"}}</p>`,
  });
  const tags = async () =>
    (await owner.get(`${CAMPAIGNS}/${data.id}/checks`)).body.data
      .filter((row: { code: string }) => row.code.startsWith('tag_'))
      .map((row: { code: string; values: { name: string; count?: number } }) => [
        row.code,
        row.values.name,
        row.values.count,
      ]);
  // No recipients are selected yet, so there is no count.
  expect(await tags()).toEqual(
    ['firstname', 'lastname', field.name, emptyField.name].map((name) => [
      'tag_without_fallback',
      name,
      undefined,
    ]),
  );
  await owner.post(`${CAMPAIGNS}/${data.id}/tags/set`, { tags_arr: [], send_to_all: true });
  expect(await tags()).toEqual([
    ['tag_empty_for', 'lastname', 2],
    ['tag_empty_for', field.name, 2],
    ['tag_empty_for', emptyField.name, 9],
  ]);
});

test('a real relay requires a verified sender, and a lack of alignment or DMARC is reported', async () => {
  const owner = await server.owner();
  const { data } = (await owner.post(CAMPAIGNS, { title: 'S', from_email: 'a@shop.example' })).body;
  const options = { publicUrl: 'http://localhost:3000', needsVerifiedSender: true };
  const listFindings = async (alignment?: object) => {
    if (alignment) {
      await sql`update domains set dns_verified_at = created_at, email_verified_at = created_at,
          dns_status = ${JSON.stringify({ alignment })}::jsonb
        where account_id = ${owner.accountId}`.execute(server.db);
    }
    const row = await getCampaignRow(
      server.db,
      owner.accountId,
      decodeId('campaign', data.id) as number,
    );
    const findings = await checkCampaign(server.db, row, options);
    return findings
      .filter((finding) => finding.code.startsWith('sender_'))
      .map(({ code, severity }) => `${severity} ${code}`);
  };
  expect(await listFindings()).toEqual(['error sender_not_verified']);
  await owner.post('/client-api/api/domains', { email: 'a@shop.example' });
  expect(await listFindings()).toEqual(['error sender_not_verified']);
  const badAlignment = { dkim: false, spf: false, dmarc_policy: 'none' };
  expect(await listFindings(badAlignment)).toEqual(['warning sender_not_aligned']);
  expect(await listFindings({ ...badAlignment, dkim: true, dmarc_policy: null })).toEqual([
    'tip sender_without_dmarc',
  ]);
  expect(await listFindings({ ...badAlignment, spf: true })).toEqual([]);
});

test('a campaign from a new domain to more than 500 recipients gets advice to warm up, unless a warm-up was started', async () => {
  const owner = await server.owner();
  await addPeople(server.db, owner.accountId, 500);
  const { data } = (await owner.post(CAMPAIGNS, { title: 'Big', from_email: 'a@big.example' }))
    .body;
  await owner.post(`${CAMPAIGNS}/${data.id}/tags/set`, { tags_arr: [], send_to_all: true });
  await owner.post('/client-api/api/domains', { email: 'a@big.example' });
  await sql`update domains set dns_verified_at = created_at, email_verified_at = created_at
    where account_id = ${owner.accountId}`.execute(server.db);
  const isAdvised = async (needsVerifiedSender = true) => {
    const id = decodeId('campaign', data.id) as number;
    const row = await getCampaignRow(server.db, owner.accountId, id);
    const options = { publicUrl: 'http://localhost:3000', needsVerifiedSender };
    const findings = await checkCampaign(server.db, row, options);
    return findings.filter((finding) => finding.code === 'warm_up_advised');
  };
  expect(await isAdvised()).toEqual([]);
  await addPeople(server.db, owner.accountId, 1, ['more.example']);
  expect(await isAdvised()).toEqual([
    {
      code: 'warm_up_advised',
      severity: 'warning',
      step: 'warm_up',
      part: 'sender',
      values: { domain: 'big.example', total: 501 },
    },
  ]);
  // The built-in inbox sends nothing outside.
  expect(await isAdvised(false)).toEqual([]);
  await owner.post('/client-api/api/warm_ups', { domain: 'big.example', target: 1000 });
  expect(await isAdvised()).toEqual([]);
  await owner.post('/client-api/api/warm_ups/end', { domain: 'big.example' });
  expect(await isAdvised()).toEqual([]);
});

test('an API call to send a campaign with an unknown merge tag returns readable sentences instead of error codes', async () => {
  const owner = await server.owner();
  await addPeople(server.db, owner.accountId, 1);
  await proveDomain(server.db, owner.accountId);
  const client = await publicClient(server, owner);
  const { data } = (
    await client.post('/campaigns', {
      ...{ subject: 'Teas', from: 'Tea shop', reply_to: 'news@tea.example' },
      ...{ content_type: 'html', content: '<p>{{company_address}}</p>' },
    })
  ).body;
  const response = await client.post(`/campaigns/${data.id}/send`);
  const sentence = 'There is no field “company_address”: {{company_address}}';
  expect(response).toMatchObject({ status: 422, body: { code: 'content_invalid' } });
  expect(response.body.errors.html).toEqual([sentence]);
  const errors = Object.values<string[]>(response.body.errors).flat();
  expect(errors.filter((text) => /^[a-z_]+$/.test(text))).toEqual([]);
});
