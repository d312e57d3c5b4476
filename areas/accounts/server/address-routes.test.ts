// Address autocompletion over HTTP, with the built-in gazetteer.
import { beforeAll, expect, test } from 'vitest';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;
let owner: TestClient;

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
});

const PATH = '/client-api/api/addresses';

test('an address search returns the city, country and time zone', async () => {
  const input = encodeURIComponent('Storgata 1, Tromsø');
  const response = await owner.get(`${PATH}/predictions?input=${input}&session=abc-1`);
  expect(response.status).toBe(200);
  const [first] = response.body.data;
  expect(first.structured_formatting.main_text).toBe('Tromsø');
  const details = await owner.get(`${PATH}/details?place_id=${first.place_id}&input=${input}`);
  expect(details.body.data).toMatchObject({ address: 'Storgata 1', city: 'Tromsø', country: 'NO' });
  const { lat, lng } = details.body.data.location;
  const zone = await owner.get(`${PATH}/time_zone?lat=${lat}&lng=${lng}`);
  expect(zone.body.data).toEqual({ status: 'OK', time_zone_id: 'Europe/Oslo' });
});

test('invalid input is refused or returns no results, and a request without a session is refused', async () => {
  for (const input of ['%F0%9F%98%80', '%E2%80%8F', '%3Cb%3E', '12345']) {
    expect((await owner.get(`${PATH}/predictions?input=${input}`)).body).toEqual({ data: [] });
  }
  for (const input of ['', '%20', 'a%00b', 'x'.repeat(256)]) {
    expect((await owner.get(`${PATH}/predictions?input=${input}`)).status).toBe(422);
  }
  expect((await owner.get(`${PATH}/details?place_id=city:9999999`)).status).toBe(404);
  expect((await owner.get(`${PATH}/details?place_id=%3Cscript%3E`)).status).toBe(422);
  expect((await owner.get(`${PATH}/time_zone?lat=91&lng=0`)).status).toBe(422);
  expect((await server.client().get(`${PATH}/predictions?input=Oslo`)).status).toBe(401);
});
