// Unusual input in the text fields of subscribers, groups, fields, segments, exports and pasted
// imports is stored or refused with a reason. It never causes an internal error or deletes other
// subscribers.
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';

const API = '/client-api/api';
const LIST_PATH = `${API}/subscribers`;

const WILD_VALUES: Record<string, string> = {
  nothing: '',
  spaces: '   \t ',
  '30,000 characters': 'x'.repeat(30_000),
  emoji: '👩‍👩‍👧‍👦🏳️‍🌈',
  'direction marks': '\u200F\u202Eabc\u202C سلام',
  markup: '<script>alert(1)</script>&amp;',
  'a NUL': 'Ada\0Lovelace',
  'a high surrogate': 'Ada\uD83D',
  'a low surrogate': '\uDE00Ada',
  'a backslash before a surrogate': '\\\uD83D',
  'an escape sequence as text': '\\ud83d',
  patterns: "100%_\\'); drop table subscribers; --",
  'only brackets': '()-. ',
};

let server: TestServer;
let owner: TestOwner;
let field: string;
let group: string;
let subscriberId: string;

beforeAll(async () => {
  server = await testServer();
  owner = await server.owner();
  field = (await owner.post(`${API}/fields`, { title: 'Town', type: 'text' })).body.data.id;
  group = (await owner.post(`${API}/tags`, { title: 'Friends' })).body.data.id;
  for (const name of ['ada', 'bo', 'cy'])
    subscriberId = (await owner.post(LIST_PATH, { email: `${name}@x.example` })).body.data.id;
});

type WriteCase = [
  method: 'post' | 'patch' | 'delete',
  path: () => string,
  body: (value: string) => object,
];
const conditionsOn = (value: string, type = 'firstname', operator = 'equals') => [
  { type, operator, operand: value },
];

const WRITE_CASES: Record<string, WriteCase> = {
  'a new person’s email': ['post', () => LIST_PATH, (value) => ({ email: value })],
  'a new person’s phone number': ['post', () => LIST_PATH, (value) => ({ phone: value })],
  'a new person’s name': [
    'post',
    () => LIST_PATH,
    (value) => ({ email: `${Math.random()}@x.example`, firstname: value }),
  ],
  'a new person’s value': [
    'post',
    () => LIST_PATH,
    (value) => ({ email: `${Math.random()}@x.example`, fields: { [field]: value } }),
  ],
  'a name': [
    'patch',
    () => `${LIST_PATH}/${subscriberId}/fields/firstname`,
    (value) => ({ value }),
  ],
  'a phone number': [
    'patch',
    () => `${LIST_PATH}/${subscriberId}/fields/phone`,
    (value) => ({ value }),
  ],
  'a field’s value': [
    'patch',
    () => `${LIST_PATH}/${subscriberId}/fields/${field}`,
    (value) => ({ value }),
  ],
  'a group’s title': ['patch', () => `${API}/tags/${group}`, (value) => ({ title: value })],
  'a field’s title': ['patch', () => `${API}/fields/${field}`, (value) => ({ title: value })],
  'a segment’s title': [
    'post',
    () => `${API}/filters`,
    (value) => ({ title: value, conditions: conditionsOn('Ada') }),
  ],
  'a segment’s text': [
    'post',
    () => `${API}/filters`,
    (value) => ({ conditions: conditionsOn(value) }),
  ],
  'a segment’s field': [
    'post',
    () => `${API}/filters`,
    (value) => ({ conditions: [{ ...conditionsOn('Ada', 'text')[0], key: value }] }),
  ],
  'a preview’s text': [
    'post',
    () => `${API}/filters/preview`,
    (value) => ({ conditions: conditionsOn(value) }),
  ],
  'a consent': [
    'post',
    () => `${LIST_PATH}/reactivate`,
    (value) => ({ subscribers: [subscriberId], consent: value }),
  ],
  'a search to delete by': ['delete', () => LIST_PATH, (value) => ({ search: `nobody${value}` })],
  'a condition to delete by': [
    'delete',
    () => LIST_PATH,
    (value) => ({ conditions: conditionsOn(`nobody${value}`) }),
  ],
  'a phone number to delete by': [
    'delete',
    () => LIST_PATH,
    (value) => ({ conditions: conditionsOn(value, 'phone', 'includes') }),
  ],
  'a search to export': ['post', () => `${API}/exports`, (value) => ({ search: `n${value}` })],
  'a condition to export': [
    'post',
    () => `${API}/exports`,
    (value) => ({ conditions: conditionsOn(`n${value}`) }),
  ],
  'pasted subscribers': [
    'post',
    () => `${LIST_PATH}/text_import`,
    (value) => ({ subscribers: `email,name\nq@x.example,${value}` }),
  ],
};

describe.each(Object.entries(WRITE_CASES))('%s', (_, [method, path, body]) => {
  test('unusual input is stored or refused with a reason', async () => {
    for (const [kind, value] of Object.entries(WILD_VALUES)) {
      const response = await owner[method](path(), body(value));
      const message = `${kind}: ${response.status} ${response.text.slice(0, 300)}`;
      expect(response.status, message).toBeLessThan(500);
      if (response.status >= 400)
        expect(response.body, message).toMatchObject({
          message: expect.stringMatching(/\S/),
          code: expect.stringMatching(/^\w+$/),
        });
      expect(response.text, kind).not.toMatch(/\\u0000|(?<!\\)\\u[dD][89a-fA-F]/);
      // Too many concurrent exports are refused, so each one finishes before the next.
      if (path().endsWith('/exports')) await server.runJobs();
    }
    await server.runJobs();
    const failedJobs = sql`select last_error from graphile_worker.jobs where last_error is not null`;
    expect((await failedJobs.execute(server.db)).rows).toEqual([]);
    const { data } = (await owner.get(`${LIST_PATH}?limit=1000`)).body;
    expect(data.map((row: { email: string }) => row.email)).toEqual(
      expect.arrayContaining(['ada@x.example', 'bo@x.example', 'cy@x.example']),
    );
  });
});

test.each(['emoji', 'direction marks', 'markup', 'an escape sequence as text', 'patterns'])(
  'a name with %s is stored as typed and found by a condition',
  async (kind) => {
    const value = WILD_VALUES[kind] ?? '';
    const name = `${LIST_PATH}/${subscriberId}/fields/lastname`;
    const response = await owner.patch(name, { value });
    expect(response.body.data.lastname).toBe(value);
    const { body } = await owner.post(`${API}/filters/preview`, {
      conditions: conditionsOn(value, 'lastname'),
    });
    expect(body.data.subscribers).toBe(1);
  },
);

test.each(['ΓΙΩΡΓΟΣ', 'İbrahim', 'ÅSA', 'STRAẞE', 'زهرا'])(
  '%s is found by the search as typed',
  async (value) => {
    await owner.patch(`${LIST_PATH}/${subscriberId}/fields/lastname`, { value });
    const response = await owner.get(`${LIST_PATH}?search=${encodeURIComponent(value)}`);
    expect(response.body.data.map((row: { lastname: string }) => row.lastname)).toEqual([value]);
  },
);

test('a lone surrogate becomes the replacement character, and surrogate pairs remain', async () => {
  const inputs = { 'Ada\uD83D': 'Ada\uFFFD', '😀\uDE00': '😀\uFFFD', '\\😀': '\\😀' };
  for (const [value, stored] of Object.entries(inputs)) {
    const response = await owner.patch(`${LIST_PATH}/${subscriberId}/fields/${field}`, { value });
    expect(response.body.data.columns[0].value).toBe(stored);
  }
});
