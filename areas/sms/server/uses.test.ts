// A field that an unsent SMS campaign uses cannot be deleted because the text would lack its value.
import { expect, test } from 'vitest';
import { testServer } from '#testing/setup/server.ts';

const SMS = '/client-api/api/sms/campaign';
const FIELDS = '/client-api/api/fields';
const server = await testServer();

test('a field cannot be deleted while a draft of its account uses it', async () => {
  const [owner, stranger] = [await server.owner(), await server.owner()];
  const field = (await owner.post(FIELDS, { title: 'Plant', type: 'text' })).body.data;
  const text = 'Your {{ plant | default: "garden" }} waits';
  const draft = (await owner.post(SMS, { title: 'Spring', text })).body.data;
  await owner.post(SMS, { title: 'Planting', text: 'It is time to plant' });
  await stranger.post(FIELDS, { title: 'Plant', type: 'text' });
  await stranger.post(SMS, { title: 'Theirs', text });

  const response = await owner.delete(`${FIELDS}/${field.id}`);
  expect(response).toMatchObject({ status: 409, body: { code: 'field_in_use' } });
  expect(response.text).toContain('Spring');
  expect(response.text).not.toMatch(/Planting|Theirs/);

  await owner.delete(`${SMS}/${draft.id}`);
  expect((await owner.delete(`${FIELDS}/${field.id}`)).status).toBe(200);
});
