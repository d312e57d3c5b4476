// Copies of email and SMS campaigns in another account of the same user, over HTTP.
import { sql } from 'kysely';
import sharp from 'sharp';
import { beforeAll, expect, test } from 'vitest';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '#areas/content/document-factory.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { upload } from '#testing/setup/upload.ts';
import { CAMPAIGNS, SETTINGS } from '#testing/worlds/campaign-shop.ts';

const SMS = '/client-api/api/sms/campaign';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

/** Creates an owner who also belongs to the account of a second owner. */
async function createMember() {
  const [ada, bob] = [await server.owner(), await server.owner()];
  await sql`insert into memberships (account_id, user_id, created_at)
    values (${bob.accountId}, ${ada.userId}, ${clock.now()})`.execute(server.db);
  return { ada, bob, account: encodeId('account', bob.accountId) };
}

test('a campaign is copied with its settings and images but without sender and recipients', async () => {
  const { ada, bob, account } = await createMember();
  const png = await sharp({ create: { width: 40, height: 30, channels: 3, background: '#123456' } })
    .png()
    .toBuffer();
  const { src } = (await upload(ada, png)).body.data;
  const image = { src, alt: 'Tea', width: 40, height: 30 };
  const utm = { medium: 'mail', term: '', id: 'spring' };
  const { id, revision } = (await ada.post(CAMPAIGNS, { ...SETTINGS, utm })).body.data;
  const document = createEmailDocument([createSection([[createBlock('image', { image })]])]);
  const content = { revision, editor: 'editor', document };
  expect((await ada.put(`${CAMPAIGNS}/${id}/content`, content)).status).toBe(200);
  const response = await ada.post(`${CAMPAIGNS}/${id}/copy_to_account`, { account });
  expect(response.status).toBe(200);
  const copy = response.body.data.id;
  expect((await bob.get(`${CAMPAIGNS}/${copy}`)).body.data).toMatchObject({
    title: SETTINGS.title,
    subject: SETTINGS.subject,
    preheader: SETTINGS.preheader,
    utm,
    from_email: '',
    reply_to: '',
    status: 'DRAFT',
    editor: 'editor',
    tags: [],
  });
  const images = (await bob.get('/client-api/api/images')).body.data;
  expect(images).toHaveLength(1);
  const copiedContent = JSON.stringify(
    (await bob.get(`${CAMPAIGNS}/${copy}/content`)).body.data.document,
  );
  expect(copiedContent).toContain(images[0].src);
  expect(copiedContent).not.toContain(src);
  expect((await server.app.inject({ url: images[0].src })).statusCode).toBe(200);
  expect((await ada.get(`${CAMPAIGNS}/${copy}`)).status).toBe(404);
});

test('a campaign can be copied only to another account of the same user', async () => {
  const { ada, bob, account } = await createMember();
  const { id } = (await ada.post(CAMPAIGNS, SETTINGS)).body.data;
  const foreignId = encodeId('account', (await server.owner()).accountId);
  const ownId = encodeId('account', ada.accountId);
  for (const target of [foreignId, ownId, 'nonsense', encodeId('account', 999_999)]) {
    const response = await ada.post(`${CAMPAIGNS}/${id}/copy_to_account`, { account: target });
    expect(response.status, target).toBe(422);
  }
  // The second owner belongs to one account only.
  const stolen = await bob.post(`${CAMPAIGNS}/${id}/copy_to_account`, { account });
  expect(stolen.status).toBe(404);
  expect((await bob.get(CAMPAIGNS)).body.data).toEqual([]);
});

test('a campaign is copied with its experiment and the variants’ content', async () => {
  const { ada, bob, account } = await createMember();
  const { id, revision } = (await ada.post(CAMPAIGNS, SETTINGS)).body.data;
  const html = '<p>Fresh tea has come in from the mountains.</p>';
  await ada.put(`${CAMPAIGNS}/${id}/content`, { revision, editor: 'html', html });
  const experimentResponse = await ada.put(`${CAMPAIGNS}/${id}/experiment`, {
    ...{ metric: 'clicks', duration_hours: 12, test_share: 40, holdout_share: 5 },
    variants: [{}, { subject: 'Second' }, { has_own_content: true, delay_minutes: 30 }],
  });
  expect(experimentResponse.status).toBe(200);
  // The other account has no store, so its copy cannot measure revenue.
  await sql`update campaign_experiments set metric = 'revenue'
    where account_id = ${ada.accountId}`.execute(server.db);
  const response = await ada.post(`${CAMPAIGNS}/${id}/copy_to_account`, { account });
  expect(response.status).toBe(200);
  const copiedExperiment = await bob.get(`${CAMPAIGNS}/${response.body.data.id}/experiment`);
  expect(copiedExperiment.body.data).toMatchObject({
    ...{ metric: 'clicks', duration_hours: 12, test_share: 40, holdout_share: 5, state: 'draft' },
    variants: [
      { number: 1, subject: null },
      { number: 2, subject: 'Second', has_own_content: false },
      { number: 3, has_own_content: true, editor: 'html', delay_minutes: 30 },
    ],
  });
  const third = copiedExperiment.body.data.variants[2].id;
  const content = await bob.get(`/client-api/api/campaign-variants/${third}/content`);
  expect(content.body.data.html).toContain('from the mountains');
});

test('an SMS campaign is copied with its text and its experiment', async () => {
  const { ada, bob, account } = await createMember();
  const { id } = (await ada.post(SMS, { title: 'Night', text: 'Tea at {{ firstname }}' })).body
    .data;
  const experimentResponse = await ada.put(`${SMS}/${id}/experiment`, {
    ...{ metric: 'clicks', duration_hours: 4, test_share: 50, variants: [{}, { text: 'Tea' }] },
  });
  expect(experimentResponse.status).toBe(200);
  const response = await ada.post(`${SMS}/${id}/copy_to_account`, { account });
  expect(response.status).toBe(200);
  expect((await bob.get(`${SMS}/${response.body.data.id}`)).body.data).toMatchObject({
    title: 'Night',
    text: 'Tea at {{ firstname }}',
    phone_id: null,
    status: 'DRAFT',
  });
  const copiedExperiment = await bob.get(`${SMS}/${response.body.data.id}/experiment`);
  expect(copiedExperiment.body.data).toMatchObject({
    test_share: 50,
    variants: [{}, { text: 'Tea' }],
  });
});
