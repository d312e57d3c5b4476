// Every field of an owner's screens (signing in, onboarding, settings, domains, dashboard) gets
// invalid input. Each response is a success or an error with a message and a code, never an
// internal error; field errors refer to fields of the form, and stored values equal the input.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestServer, testServer } from './setup/server.ts';

const INVALID_TEXTS: Record<string, string> = {
  'an empty text': '',
  spaces: '     ',
  '10,000 characters': 'x'.repeat(10_000),
  '10,000 smileys': '😀'.repeat(10_000),
  smileys: '👩‍👩‍👧‍👦🏳️‍🌈',
  'direction marks': '\u200F\u202Eabc\u202C\u2066x\u2069',
  markup: '<script>alert(1)</script><img src=x onerror=alert(1)>',
  'a NUL': 'Ada\u0000Lovelace',
  'lines and tabs': 'Ada\r\nBcc: x@y.example\t',
  'half a surrogate pair': 'Ada\uD83D',
  SQL: "'); drop table accounts; --",
  code: '{{constructor}} ${7*7} %00 %s ../../etc/passwd',
};

const PASSWORD = 'correct horse battery';
const API = '/client-api/api';

interface RequestForm {
  name: string;
  method: 'POST' | 'PATCH' | 'GET';
  url: string | ((ids: Ids) => string);
  /**
   * Values of a valid format (tokens and passwords need not be correct); one field at a time gets
   * invalid input.
   */
  fields: Record<string, string>;
  /** Values of other types than string, which are always sent as they are. */
  otherValues?: Record<string, number>;
  /** Whether the call needs no session. */
  isPublic?: boolean;
}

interface Ids {
  user: string;
}

const profile = { name: 'Ada', surname: 'Lovelace' };
const days = { from: '2026-01-01', to: '2026-01-31' };
const list = { search: 'a', order: 'title', direction: 'asc', page: '1', limit: '10' };

const FORMS: RequestForm[] = [
  {
    name: 'sign up',
    method: 'POST',
    url: '/auth/api/sign-up',
    fields: { email: 'new@shop.example', password: PASSWORD, timezone: 'Europe/Oslo' },
    isPublic: true,
  },
  {
    name: 'sign in',
    method: 'POST',
    url: '/auth/api/sign-in',
    fields: { email: 'nobody@shop.example', password: PASSWORD },
    isPublic: true,
  },
  {
    name: 'forgotten password',
    method: 'POST',
    url: '/auth/api/forgot-password',
    fields: { email: 'nobody@shop.example' },
    isPublic: true,
  },
  {
    name: 'new password',
    method: 'POST',
    url: '/auth/api/reset-password',
    fields: { token: 'x'.repeat(43), password: PASSWORD },
    isPublic: true,
  },
  {
    name: 'verify email',
    method: 'POST',
    url: '/auth/api/verify-email',
    fields: { token: 'x'.repeat(43) },
    isPublic: true,
  },
  {
    name: 'invitation',
    method: 'POST',
    url: '/auth/api/invitation',
    fields: { token: 'x'.repeat(43) },
    isPublic: true,
  },
  {
    name: 'accept an invitation',
    method: 'POST',
    url: '/auth/api/accept-invitation',
    fields: { token: 'x'.repeat(43), password: PASSWORD },
    isPublic: true,
  },
  {
    name: 'join by an invitation',
    method: 'POST',
    url: '/auth/api/join-by-invitation',
    fields: { token: 'x'.repeat(43) },
    isPublic: true,
  },
  {
    name: 'introduce yourself',
    method: 'PATCH',
    url: `${API}/user_questionnaire`,
    fields: { ...profile, website: 'https://shop.example' },
  },
  {
    name: 'complete your profile',
    method: 'PATCH',
    url: `${API}/account_questionnaire`,
    fields: {
      address: 'Storgata 1',
      city: 'Tromsø',
      state: 'Troms',
      zip_code: '9008',
      country: 'NO',
      timezone: 'Europe/Oslo',
    },
  },
  {
    name: 'account',
    method: 'PATCH',
    url: `${API}/accounts`,
    fields: {
      title: 'Tea House',
      website: 'https://shop.example',
      language: 'eng',
      timezone: 'Europe/Oslo',
      date_format: 'auto',
    },
  },
  {
    name: 'own profile',
    method: 'PATCH',
    url: ({ user }) => `${API}/users/${user}`,
    fields: { ...profile, email: 'ada@shop.example', language: 'eng' },
  },
  {
    name: 'a colleague',
    method: 'PATCH',
    url: ({ user }) => `${API}/account_users/${user}`,
    fields: profile,
  },
  {
    name: 'password',
    method: 'POST',
    url: ({ user }) => `${API}/users/${user}/password`,
    fields: { current: 'not the one', password: PASSWORD },
  },
  {
    name: 'invite',
    method: 'POST',
    url: `${API}/invitations`,
    fields: { email: 'cook@shop.example' },
  },
  {
    name: 'API token',
    method: 'POST',
    url: `${API}/tokens`,
    fields: { title: 'Shop' },
    otherValues: { validity_days: 7 },
  },
  {
    name: 'check a domain',
    method: 'POST',
    url: `${API}/domains/check_domain`,
    fields: { domain: 'gmail.com' },
  },
  {
    name: 'add a domain',
    method: 'POST',
    url: `${API}/domains`,
    fields: { email: 'me@gmail.com' },
  },
  {
    name: 'predictions',
    method: 'GET',
    url: `${API}/addresses/predictions`,
    fields: { input: 'Oslo', session: 'x' },
  },
  {
    name: 'details of an address',
    method: 'GET',
    url: `${API}/addresses/details`,
    fields: { place_id: 'city:1', input: 'Oslo', session: 'x' },
  },
  {
    name: 'zone of a place',
    method: 'GET',
    url: `${API}/addresses/time_zone`,
    fields: { lat: '59.9', lng: '10.7' },
  },
  { name: 'growth', method: 'GET', url: `${API}/accounts/dashboard_subscribers`, fields: days },
  { name: 'sending', method: 'GET', url: `${API}/accounts/dashboard_sending`, fields: days },
  ...['account_users', 'invitations', 'sessions', 'tokens', 'domains'].map(
    (name): RequestForm => ({
      name: `list of ${name}`,
      method: 'GET',
      url: `${API}/${name}`,
      fields: list,
    }),
  ),
];

let server: TestServer;
let addresses = 0;

beforeAll(async () => {
  server = await testServer();
});

const CASES = FORMS.flatMap((form) => Object.keys(form.fields).map((field) => ({ form, field })));

describe.each(CASES)('$form.name: $field', ({ form, field }) => {
  test('invalid input is accepted or refused with a reason', async () => {
    const owner = await server.owner();
    const { body } = await owner.get(`${API}/users`);
    const { url, method } = form;
    const path = typeof url === 'string' ? url : url({ user: body.data.user.id });
    for (const [kind, value] of Object.entries(INVALID_TEXTS)) {
      const client = form.isPublic ? server.client() : owner;
      addresses += 1;
      // Each failed sign-in of an email address delays its next sign-in, so the address changes.
      const email = form.fields.email?.replace('nobody', `nobody${addresses}`);
      const fields = { ...form.fields, ...(email && { email }), [field]: value };
      const response = await client.send({
        method,
        url: path,
        // Failed attempts are limited by IP address.
        remoteAddress: `10.${addresses >> 16}.${(addresses >> 8) & 255}.${addresses & 255}`,
        ...(method === 'GET'
          ? { query: wellFormed(fields) }
          : { payload: { ...fields, ...form.otherValues } }),
      });
      expectReason(response, `${kind}: ${response.status} ${response.text.slice(0, 300)}`);
      if (response.status === 422 && response.body.errors) {
        expect(Object.keys(form.fields), kind).toEqual(
          expect.arrayContaining(Object.keys(response.body.errors)),
        );
      }
      expect(response.text, kind).not.toContain('\\u0000');
    }
    // The jobs that the calls added must not fail either.
    await server.runJobs();
    const failedJobs = sql`select last_error from graphile_worker.jobs where last_error is not null`;
    expect((await failedJobs.execute(server.db)).rows).toEqual([]);
  });
});

/** Lone surrogates cannot be in a URL. */
const wellFormed = (fields: Record<string, string>) =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, value.toWellFormed()]));

function expectReason(response: { status: number; body: unknown }, description: string): void {
  expect(response.status, description).toBeLessThan(500);
  if (response.status < 400) return;
  expect(response.body, description).toMatchObject({
    message: expect.stringMatching(/\S/),
    code: expect.stringMatching(/^\w+$/),
  });
}

test.each([
  ['a family emoji', 'surname', INVALID_TEXTS.smileys ?? ''],
  ['markup', 'name', INVALID_TEXTS.markup ?? ''],
  ['SQL', 'surname', INVALID_TEXTS.SQL ?? ''],
])('%s in a name is stored unchanged', async (_, field, value) => {
  const owner = await server.owner();
  const website = 'https://shop.example';
  const response = await owner.patch(`${API}/user_questionnaire`, {
    ...profile,
    website,
    [field]: value,
  });
  expect(response.status).toBe(200);
  expect((await owner.get(`${API}/users`)).body.data.user[field]).toBe(value);
});
