// A field cannot be deleted while an unsent campaign uses it; the response names the campaign.
import { beforeAll, expect, test } from 'vitest';
import { type TestServer, testServer } from '#testing/setup/server.ts';

const API = '/client-api/api';
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

test.each([
  ['Hi {{ city | default: "there" }}', 409],
  ['Hi {$city}', 409],
  ['Hi {{city}}', 409],
  ['Hi {{ city_2 }}', 200],
  ['Hi city', 200],
])('with the subject “%s”, deleting the field city returns %i', async (subject, status) => {
  const owner = await server.owner();
  const field = await owner.post(`${API}/fields`, { title: 'City', type: 'text' });
  const campaign = await owner.post(`${API}/campaigns`, { title: 'May news', subject });
  expect(campaign.status).toBe(200);
  const response = await owner.delete(`${API}/fields/${field.body.data.id}`);
  expect(response.status).toBe(status);
  if (status === 409) expect(response.body.message).toContain('May news');
});
