// Fields and groups that transactional emails use cannot be deleted; the uses of domains and images
// are listed before their deletion.
import sharp from 'sharp';
import { expect, test } from 'vitest';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '#areas/content/document-factory.ts';
import { type TestOwner, testServer } from '#testing/setup/server.ts';
import { upload } from '#testing/setup/upload.ts';

const API = '/client-api/api';
const EMAILS = `${API}/transactional`;
// Sending through a relay requires a verified domain.
const server = await testServer({ SMTP_URL: 'smtp://127.0.0.1:2525', SIGN_UP: 'open' });

async function createEmail(owner: TestOwner, settings: object, content?: object): Promise<string> {
  const created = await owner.post(EMAILS, { from_email: 'shop@tea.example', ...settings });
  expect(created.status, created.text).toBe(200);
  const { id, revision } = created.body.data;
  if (content) {
    const contentResponse = await owner.put(`${EMAILS}/${id}/content`, { revision, ...content });
    expect(contentResponse.status, contentResponse.text).toBe(200);
  }
  return id;
}

const html = (content: string) => ({ editor: 'html', html: `<p>${content}</p>` });

const shownTo = (group: string) => ({
  editor: 'editor',
  document: createEmailDocument([
    createSection([[createBlock('text', { html: '<p>For the few</p>' })]], {
      condition: { match: 'all', rules: [{ kind: 'group', operator: 'in', group }] },
    }),
    createSection([[createBlock('footer')]]),
  ]),
});

test.each([
  ['subject', { subject: 'Your {{ plant }} is on its way' }, undefined],
  ['preheader', { subject: 'Sent', preheader: 'A {$plant} for you' }, undefined],
  ['content', { subject: 'Sent' }, html('Your {{ plant | default: "tree" }}')],
])(
  'a field cannot be deleted while the %s of an email refers to it, and can be once the email is deleted',
  async (_, settings, content) => {
    const [owner, stranger] = [await server.owner(), await server.owner()];
    const field = (await owner.post(`${API}/fields`, { title: 'Plant', type: 'text' })).body.data;
    const id = await createEmail(owner, { title: 'Receipt', ...settings }, content);
    await createEmail(owner, { title: 'Planting', subject: 'Time to plant {{ plants }}' });
    await stranger.post(`${API}/fields`, { title: 'Plant', type: 'text' });
    await createEmail(stranger, { title: 'Theirs', ...settings }, content);

    const refusal = await owner.delete(`${API}/fields/${field.id}`);
    expect(refusal).toMatchObject({ status: 409, body: { code: 'field_in_use' } });
    expect(refusal.body.used_by).toEqual([{ kind: 'transactional', id, title: 'Receipt' }]);

    await owner.delete(`${EMAILS}/${id}`);
    expect((await owner.delete(`${API}/fields/${field.id}`)).status).toBe(200);
  },
);

test('a group in a section’s condition cannot be deleted', async () => {
  const owner = await server.owner();
  const group = (await owner.post(`${API}/tags`, { title: 'VIP' })).body.data.id;
  const id = await createEmail(owner, { title: 'Receipt', subject: 'Sent' }, shownTo(group));
  const refusal = await owner.delete(`${API}/tags/${group}`, {});
  expect(refusal.status, refusal.text).toBe(409);
  expect(refusal.body.message).toContain('Receipt');
  await owner.delete(`${EMAILS}/${id}`);
  expect((await owner.delete(`${API}/tags/${group}`, {})).status).toBe(200);
});

test('the uses of a domain are the emails that could not be sent without it', async () => {
  const owner = await server.owner();
  const { id: domain } = (await owner.post(`${API}/domains`, { email: 'a@tea.example' })).body.data;
  const stops = await createEmail(owner, { title: 'Receipt', subject: 'Sent' }, html('Thank you'));
  await createEmail(owner, { title: 'Without words', subject: 'Sent' });
  const elsewhere = { from_email: 'a@news.tea.example' };
  await createEmail(
    owner,
    { title: 'Elsewhere', subject: 'Sent', ...elsewhere },
    html('Thank you'),
  );
  const deletedId = await createEmail(
    owner,
    { title: 'Deleted', subject: 'Sent' },
    html('Thank you'),
  );
  await owner.delete(`${EMAILS}/${deletedId}`);
  expect((await owner.get(`${API}/domains/${domain}/uses`)).body.data).toEqual([
    { kind: 'transactional', id: stops, title: 'Receipt' },
  ]);
});

test('the uses of an image are the emails that show it', async () => {
  const owner = await server.owner();
  const bytes = await sharp({
    create: { width: 9, height: 9, channels: 3, background: '#3b4fe4' },
  })
    .png()
    .toBuffer();
  const image = (await upload(owner, bytes)).body.data;
  const id = await createEmail(
    owner,
    { title: 'Receipt', subject: 'Sent' },
    html(`<img src="${image.src}" alt="Tea">`),
  );
  await createEmail(owner, { title: 'Without', subject: 'Sent' }, html('Thank you'));
  expect((await owner.get(`${API}/images/${image.id}/uses`)).body.data).toEqual([
    { kind: 'transactional', id, title: 'Receipt' },
  ]);
});
