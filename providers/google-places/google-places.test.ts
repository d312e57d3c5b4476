// Tests the adapter of Google Places against a local server that responds as Google documents.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { AddressProvider } from '#areas/accounts/server/address-provider.ts';
import { createGooglePlacesProvider } from './index.ts';
import autocomplete from './recorded/autocomplete.json' with { type: 'json' };
import details from './recorded/details.json' with { type: 'json' };

let server: Server;
let places: AddressProvider;
let requests: { url: string; headers: IncomingMessage['headers']; body: string }[] = [];
let scriptedResponse: { status: number; body: unknown } = { status: 200, body: {} };

beforeAll(async () => {
  server = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request) body += String(chunk);
    requests.push({ url: request.url ?? '', headers: request.headers, body });
    response.writeHead(scriptedResponse.status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(scriptedResponse.body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  places = createGooglePlacesProvider({ key: 'secret-key', placesUrl: url, mapsUrl: url });
});

afterAll(() => server.close());
beforeEach(() => {
  requests = [];
});

const sessionOptions = { locale: 'lt', session: 'a-session' };

test('predictions have the specified shape, in the user’s language, within one session', async () => {
  scriptedResponse = { status: 200, body: autocomplete };
  const predictions = await places.predict({ input: 'Gedimino pr', ...sessionOptions });
  expect(predictions[0]).toEqual({
    description: 'Gedimino prospektas 1, Vilnius, Lietuva',
    place_id: 'ChIJN1t_tDeuEmsRUsoyG83frY4',
    structured_formatting: {
      main_text: 'Gedimino prospektas 1',
      main_text_matched_substrings: [{ offset: 0, length: 11 }],
      secondary_text: 'Vilnius, Lietuva',
    },
  });
  // The response also contains a query suggestion, which is ignored.
  expect(predictions).toHaveLength(2);
  expect(JSON.parse(requests[0]?.body ?? '')).toEqual({
    input: 'Gedimino pr',
    languageCode: 'lt',
    sessionToken: 'a-session',
  });
  expect(requests[0]?.headers['x-goog-api-key']).toBe('secret-key');
});

test('place details are converted to address fields', async () => {
  scriptedResponse = { status: 200, body: details };
  const addressDetails = await places.details({
    placeId: 'ChIJN1t_tDeuEmsRUsoyG83frY4',
    input: '',
    ...sessionOptions,
  });
  expect(addressDetails).toEqual({
    address: 'Gedimino prospektas 1',
    city: 'Vilnius',
    state: 'Vilniaus apskritis',
    zip_code: '01103',
    country: 'LT',
    location: { lat: 54.6857, lng: 25.2866 },
  });
  expect(requests[0]?.headers['x-goog-fieldmask']).toBe('addressComponents,location');
  expect(requests[0]?.url).toContain('sessionToken=a-session');
});

test('the time zone is used only if its lookup returns OK', async () => {
  const at = new Date('2026-03-01T00:00:00Z');
  const zone = () => places.timeZone({ latitude: 54.7, longitude: 25.3 }, at);
  scriptedResponse = {
    status: 200,
    body: { status: 'OK', timeZoneId: 'Europe/Vilnius', rawOffset: 7200 },
  };
  expect(await zone()).toEqual({ status: 'OK', time_zone_id: 'Europe/Vilnius' });
  expect(requests[0]?.url).toContain(`timestamp=${at.getTime() / 1000}`);
  scriptedResponse = { status: 200, body: { status: 'ZERO_RESULTS' } };
  expect(await zone()).toEqual({ status: 'ZERO_RESULTS', time_zone_id: null });
  scriptedResponse = { status: 200, body: { status: 'REQUEST_DENIED', errorMessage: 'no' } };
  expect(await zone()).toEqual({ status: 'UNAVAILABLE', time_zone_id: null });
});

test('an unknown place has no details; an error is reported without the key', async () => {
  scriptedResponse = { status: 404, body: { error: { status: 'NOT_FOUND' } } };
  expect(await places.details({ placeId: 'gone', input: '', ...sessionOptions })).toBeUndefined();
  scriptedResponse = { status: 403, body: { error: { status: 'PERMISSION_DENIED' } } };
  const refusal = places.predict({ input: 'Oslo', ...sessionOptions });
  await expect(refusal).rejects.toMatchObject({ code: 'unavailable' });
  await expect(refusal).rejects.not.toThrow(/secret-key/);
});
