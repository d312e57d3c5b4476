// The two onboarding forms over HTTP: each invalid input gets its message.
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestServer, testServer } from '#testing/setup/server.ts';

let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

const USER = '/client-api/api/user_questionnaire';
const ACCOUNT = '/client-api/api/account_questionnaire';
const profile = { name: 'Ada', surname: 'Lovelace', website: 'https://shop.example' };
const postalAddress = {
  address: 'Storgata 1',
  city: 'Tromsø',
  state: 'Troms',
  zip_code: '9008',
  country: 'NO',
  timezone: 'Europe/Oslo',
};

const UNUSUAL_INPUTS = {
  nothing: '',
  spaces: '   ',
  marks: '\u200F\u200E\u202E',
  long: 'x'.repeat(10_000),
  nul: 'Ada\u0000Lovelace',
  lines: 'Ada\r\nBcc: x',
};

describe("the form for the user's name and website", () => {
  test.each([
    ['name', 'nothing', 'First name is required'],
    ['name', 'spaces', 'First name is required'],
    ['name', 'marks', 'First name is required'],
    ['name', 'long', 'First name must be no more than 64 characters'],
    ['name', 'nul', 'This contains characters that are not allowed'],
    ['name', 'lines', 'This contains characters that are not allowed'],
    ['surname', 'nothing', 'Last name is required'],
    ['surname', 'long', 'Last name must be no more than 64 characters'],
    ['website', 'nothing', 'Website URL is required'],
    ['website', 'marks', 'Website URL is required'],
    ['website', 'long', 'Website URL must be no more than 255 characters'],
    ['website', 'nul', 'Please provide valid URL with https or http protocol'],
  ] as const)('the field %s with the input "%s" is refused: %s', async (field, input, message) => {
    const owner = await server.owner();
    const response = await owner.patch(USER, { ...profile, [field]: UNUSUAL_INPUTS[input] });
    expect(response).toMatchObject({ status: 422, body: { errors: { [field]: [message] } } });
  });

  test('short names, private website addresses, and missing or unknown fields are refused', async () => {
    const owner = await server.owner();
    const response = await owner.patch(USER, {
      name: 'A',
      surname: '😀',
      website: 'http://192.168.1.1',
    });
    expect(response.body.errors).toEqual({
      name: ['First name must be at least 2 characters'],
      surname: ['Last name must be at least 2 characters'],
      website: ['Please provide valid URL with https or http protocol'],
    });
    expect((await owner.patch(USER, {})).status).toBe(422);
    expect((await owner.patch(USER, { ...profile, tour: 2 })).status).toBe(422);
    expect((await owner.patch(USER, { ...profile, name: { $gt: '' } })).status).toBe(422);
  });

  test('emoji, markup and other scripts are valid names and stored unchanged', async () => {
    const owner = await server.owner();
    for (const name of [
      '😀😀',
      '<b>Ada</b>',
      'سارا',
      '\u200FAda\u200F',
      "O'Neil; drop table users",
    ]) {
      const response = await owner.patch(USER, { ...profile, name: ` ${name} ` });
      expect(response.body.data.user.name).toBe(name);
    }
    const { body } = await owner.get('/client-api/api/users/onboard');
    expect(body.data).toMatchObject({ introduce_completed: true, registration_completed: false });
  });
});

describe('the form for the postal address', () => {
  test.each([
    ['address', 'nothing', 'Address is required'],
    ['address', 'marks', 'Address is required'],
    ['address', 'long', 'No more than 255 characters'],
    ['address', 'nul', 'This contains characters that are not allowed'],
    ['city', 'spaces', 'City is required'],
    ['city', 'lines', 'This contains characters that are not allowed'],
    ['state', 'nothing', 'State is required'],
    ['country', 'nothing', 'Country is required'],
    ['country', 'long', 'Country is required'],
    ['timezone', 'nothing', 'Time zone is required'],
    ['timezone', 'long', 'Please select a time zone from the list'],
    ['zip_code', 'nothing', 'The Postal/ZIP code is required'],
    ['zip_code', 'marks', 'Invalid Postal/ZIP code'],
  ] as const)('the field %s with the input "%s" is refused: %s', async (field, input, message) => {
    const owner = await server.owner();
    const response = await owner.patch(ACCOUNT, {
      ...postalAddress,
      [field]: UNUSUAL_INPUTS[input],
    });
    expect(response.status).toBe(422);
    expect(response.body.errors[field]).toContain(message);
  });

  test("the profile is complete with a postal code in the country's format, or with none if the country has no format", async () => {
    const owner = await server.owner();
    expect((await owner.patch(ACCOUNT, { ...postalAddress, zip_code: '90081' })).status).toBe(422);
    expect((await owner.patch(ACCOUNT, postalAddress)).body.data.account).toMatchObject(
      postalAddress,
    );
    const emirates = { ...postalAddress, country: 'AE', zip_code: '' };
    expect((await owner.patch(ACCOUNT, emirates)).body.data.account.zip_code).toBeNull();
    const { body } = await owner.get('/client-api/api/users/onboard');
    expect(body.data.registration_completed).toBe(true);
  });

  test('the API requires a time zone, as the form does', async () => {
    const owner = await server.owner();
    const { timezone: _, ...address } = postalAddress;
    const response = await owner.patch(ACCOUNT, address);
    expect([response.status, Object.keys(response.body.errors)]).toEqual([422, ['timezone']]);
  });
});
