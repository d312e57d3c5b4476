// The image library stores its files in an S3-compatible bucket and deletes them there.
import sharp from 'sharp';
import { afterAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { startBucket } from '#testing/servers/bucket.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { testServer } from '#testing/setup/server.ts';
import { startSmtpServer } from '#testing/servers/smtp-server.ts';
import { upload } from '#testing/setup/upload.ts';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';
import type { DocumentImage } from '../../document.ts';
import { IMAGE_RETENTION_DAYS } from '../../shared.ts';
import { purgeImages } from './purge-images.ts';

const bucket = await startBucket();
afterAll(() => bucket.close());
const CAMPAIGNS = '/client-api/api/campaigns';
const server = await testServer({
  FILES_BUCKET_URL: bucket.url,
  FILES_ACCESS_KEY: 'key',
  FILES_SECRET_KEY: 'secret',
});

test('an image is stored in the bucket under its account and served publicly', async () => {
  const owner = await server.owner();
  const redImage = { width: 900, height: 500, channels: 3, background: '#c02b3c' } as const;
  const response = await upload(
    owner,
    await sharp({ create: redImage }).png().toBuffer(),
    'red.png',
  );
  expect(response.status).toBe(200);
  const { src, thumbnail_src } = response.body.data;
  const keys = [...bucket.files.keys()];
  expect(keys).toHaveLength(2);
  for (const key of keys)
    expect(key).toMatch(new RegExp(`^images/${owner.accountId}/[a-z0-9]{32}`));
  for (const [address, width] of [
    [src, 900],
    [thumbnail_src, 400],
  ] as const) {
    const response = await server.app.inject({ url: address });
    expect(response.statusCode).toBe(200);
    expect((await sharp(response.rawPayload).metadata()).width).toBe(width);
  }
  const play = await server.app.inject({ url: src.replace('.png', '-play.jpg') });
  expect(play.headers['content-type']).toBe('image/jpeg');
  expect([...bucket.files.keys()].some((key) => key.endsWith('-play.jpg'))).toBe(true);
});

test('a deleted image is removed from the bucket after a month, unless an email, a saved section or the brand uses it', async () => {
  const owner = await server.owner();
  const relay = await startSmtpServer();
  const uploads: Record<string, DocumentImage & { id: string }> = {};
  for (const [n, name] of ['sent', 'draft', 'section', 'logo', 'nowhere'].entries()) {
    const create = { width: 50 + n, height: 40, channels: 3, background: '#2a8fa8' } as const;
    const { data } = (await upload(owner, await sharp({ create }).png().toBuffer(), `${name}.png`))
      .body;
    uploads[name] = { id: data.id, src: data.src, alt: name, width: 50 + n, height: 40 };
  }
  const { sent, draft, section, logo, nowhere } = uploads;
  if (!sent || !draft || !section || !logo || !nowhere) throw new Error('an upload failed');
  const toImage = ({ src, alt, width, height }: DocumentImage) => ({ src, alt, width, height });
  const createImageBlock = (processed: DocumentImage) =>
    createBlock('image', { image: toImage(processed) });
  const documentOf = (image: DocumentImage) =>
    createEmailDocument([createSection([[createImageBlock(image), createBlock('footer')]])]);

  await addPeople(server.db, owner.accountId, 1);
  const firstCampaign = await campaignWith(documentOf(sent));
  const sender = startTestSender(server.db, relay.url);
  await owner.post(`${CAMPAIGNS}/${firstCampaign.id}/tags/set`, {
    tags_arr: [],
    send_to_all: true,
  });
  expect(
    (await owner.post(`${CAMPAIGNS}/${firstCampaign.id}/schedule`, { schedule_time: null })).status,
  ).toBe(200);
  await server.runJobs();
  const hasArrived = () => relay.accepted.some(({ to }) => to[0]?.startsWith('person1'));
  await expect.poll(hasArrived).toBe(true);
  await sender.close();
  await relay.close();
  const second = await campaignWith(documentOf(draft));
  await owner.post('/client-api/api/saved_sections', {
    title: 'Top',
    section: createSection([[createImageBlock(section)]]),
  });
  await owner.patch('/client-api/api/brand', { logo: toImage(logo) });
  for (const { id } of Object.values(uploads)) {
    expect((await owner.delete(`/client-api/api/images/${id}`, { force: true })).status).toBe(200);
  }

  const isThere = async ({ src }: DocumentImage) =>
    (await server.app.inject({ url: src })).statusCode === 200;
  const listServed = async () => {
    const foundKeys: string[] = [];
    for (const [name, image] of Object.entries(uploads)) {
      if (await isThere(image)) foundKeys.push(name);
    }
    return foundKeys;
  };
  const month = IMAGE_RETENTION_DAYS * 86_400_000;
  clock.advance(month - 3_600_000);
  await purgeImages(server.db, owner.accountId);
  expect(await listServed()).toEqual(['sent', 'draft', 'section', 'logo', 'nowhere']);
  clock.advance(2 * 3_600_000);
  await purgeImages(server.db, owner.accountId);
  expect(await listServed()).toEqual(['sent', 'draft', 'section', 'logo']);
  const nowhereKey = nowhere.src.split('/').at(-1)?.slice(0, 32) ?? '?';
  expect([...bucket.files.keys()].filter((key) => key.includes(nowhereKey))).toEqual([]);

  // The clock is reset for the changes, because the session would have expired a month later.
  clock.reset();
  await putContent(second, createEmailDocument());
  await owner.patch('/client-api/api/brand', { logo: null });
  const [storedSection] = (await owner.get('/client-api/api/saved_sections')).body.data;
  await owner.delete(`/client-api/api/saved_sections/${storedSection.id}`);
  clock.advance(2 * month + 2 * 3_600_000);
  await purgeImages(server.db, owner.accountId);
  expect(await listServed()).toEqual(['sent']);

  async function campaignWith(document: object) {
    await owner.patch('/client-api/api/account_questionnaire', {
      address: 'Storgata 1',
      city: 'Oslo',
      state: 'Oslo',
      timezone: 'Europe/Oslo',
      country: 'NO',
      zip_code: '0155',
    });
    const { data } = (
      await owner.post(CAMPAIGNS, {
        title: 'Tea',
        subject: 'Tea',
        from_name: 'Tea',
        from_email: 'a@tea.example',
      })
    ).body;
    return putContent(data, document);
  }

  async function putContent({ id, revision }: { id: string; revision: number }, document: object) {
    const update = await owner.put(`${CAMPAIGNS}/${id}/content`, {
      revision,
      editor: 'editor',
      document,
    });
    expect(update.status).toBe(200);
    return { id, revision: update.body.data.revision as number };
  }
});
