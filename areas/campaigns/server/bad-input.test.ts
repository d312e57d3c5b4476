// Campaign input: each value is stored as sent, without outer spaces, or refused with the name of
// its field. Campaigns of other accounts are not found. Of concurrent identical requests, one takes
// effect.
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { decodeId, encodeId } from '#platform/ids.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { emailCalls } from '../composing-contract.ts';
import { calls } from '../contract.ts';

const CAMPAIGNS = '/client-api/api/campaigns';

let server: TestServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await testServer();
  await setUpOwner();
});

/** Replaces `owner` with an owner who has a complete account and an unused rate limit. */
async function setUpOwner(): Promise<void> {
  owner = await server.owner();
  await sql`update accounts set title = 'Tea', address = 'Quay 1', city = 'Galway', country = 'IE'
    where id = ${owner.accountId}`.execute(server.db);
  await addPeople(server.db, owner.accountId, 4);
}

/** Creates a complete draft to all subscribers. */
async function draft(): Promise<{ id: string; path: string }> {
  const settings = { title: 'Spring', subject: 'Tea', from_email: 'tea@shop.example' };
  const { id, revision } = (await owner.post(CAMPAIGNS, settings)).body.data;
  const path = `${CAMPAIGNS}/${id}`;
  const html = '<p>Tea</p><a href="{{unsubscribe_link}}">Leave</a>';
  expect((await owner.put(`${path}/content`, { revision, editor: 'html', html })).status).toBe(200);
  await owner.post(`${path}/tags/set`, { tags_arr: [], send_to_all: true });
  return { id, path };
}

const readData = async (path: string) => (await owner.get(path)).body.data;

const UNUSUAL_VALUES = {
  nothing: '',
  spaces: '   \t ',
  long: 'x'.repeat(10_000),
  emoji: '👩‍👩‍👧‍👦🫖 Tea 🇱🇹',
  'right-to-left marks': '\u202eevil\u202c \u200fسلام\u200f',
  html: '<script>alert(1)</script>&amp;"\'',
  NUL: 'a\0b',
  'a line break': 'Subject\r\nBcc: victim@example.com',
  'a lone surrogate': 'a\ud83d',
  'a merge tag': '{{ firstname | default: "friend" }}',
  'a loop': '{% for x in y %}{{ x }}',
} as const;

describe.each(['title', 'subject', 'preheader', 'from_name', 'utm_campaign'])(
  'values of the field %s',
  (field) => {
    test.each(Object.entries(UNUSUAL_VALUES))(
      'the input “%s” is stored or refused with the name of the field',
      async (_, value) => {
        const { path } = await draft();
        const { revision, ...fields } = await readData(path);
        const response = await owner.patch(path, { revision, [field]: value });
        const campaignAfter = await readData(path);
        if (response.status === 200) {
          expect(campaignAfter[field]).toBe(value.trim().toWellFormed());
          return;
        }
        expect(response.status).toBe(422);
        expect(Object.keys(response.body.errors)).toEqual([field]);
        expect(campaignAfter[field]).toBe(fields[field]);
      },
    );
  },
);

test('title, subject, preheader and sender name refuse line breaks, NUL and excessive length', async () => {
  const { path } = await draft();
  for (const field of ['title', 'subject', 'preheader', 'from_name']) {
    for (const value of [UNUSUAL_VALUES.NUL, UNUSUAL_VALUES['a line break'], UNUSUAL_VALUES.long]) {
      const { revision } = await readData(path);
      expect((await owner.patch(path, { revision, [field]: value })).status, field).toBe(422);
    }
  }
});

test("a sender's internationalized domain is accepted and stored in its DNS form", async () => {
  const owner = await server.owner();
  const addresses = { from_email: ' news@münchen.example ', reply_to: 'ada@straße.example' };
  const { status, body } = await owner.post(CAMPAIGNS, { title: 'S', ...addresses });
  expect([status, body.data?.from_email, body.data?.reply_to]).toEqual([
    200,
    'news@xn--mnchen-3ya.example',
    'ada@xn--strae-oqa.example',
  ]);
  // The mail server of a recipient may support only ASCII local parts, and replies would fail.
  const wide = await owner.post(CAMPAIGNS, { title: 'S', from_email: 'grüße@tea.example' });
  expect([wide.status, Object.keys(wide.body.errors ?? {})]).toEqual([422, ['from_email']]);
  const response = await owner.post(CAMPAIGNS, { title: 'S', from_email: '  ' });
  expect([response.status, response.body.data?.from_email]).toEqual([200, '']);
});

test('email fields accept an address or nothing', async () => {
  const { path } = await draft();
  for (const field of ['from_email', 'reply_to']) {
    for (const [name, value] of Object.entries(UNUSUAL_VALUES)) {
      const { revision } = await readData(path);
      const response = await owner.patch(path, { revision, [field]: value });
      const isEmpty = value.trim() === '';
      expect([field, name, response.status]).toEqual([field, name, isEmpty ? 200 : 422]);
    }
  }
  for (const emails of [[], [''], ['a b@c.example'], ['x@y.example\r\nBcc: z@y.example'], 'x']) {
    expect((await owner.post(`${path}/test`, { emails })).status).toBe(422);
  }
});

test('invalid wall times are refused, but searches accept any text of up to 255 characters', async () => {
  const { path } = await draft();
  for (const time of [
    '',
    'tomorrow',
    '2090-02-30 10:00:00',
    '2090-01-01 25:00:00',
    '2090-01-01T10:00:00',
    '0000-00-00 00:00:00',
    '۲۰۹۰-۰۱-۰۱ ۱۰:۰۰:۰۰',
    '2090-01-01 10:00:00 ',
    '9999-12-31 23:59:00',
    '9999-12-31 23:45:00',
    '9998-12-31 23:59:00',
    12,
  ]) {
    const response = await owner.post(`${path}/schedule`, { schedule_time: time });
    expect([time, response.status]).toEqual([time, 422]);
  }
  expect((await readData(path)).status).toBe('DRAFT');
  for (const value of Object.values(UNUSUAL_VALUES)) {
    const search = encodeURIComponent(value.toWellFormed());
    const status = value.length > 255 ? 422 : 200;
    expect((await owner.get(`${CAMPAIGNS}?search=${search}`)).status).toBe(status);
    expect((await owner.get(`${path}/preview_people?search=${search}`)).status).toBe(status);
  }
  for (const query of [
    'page=0',
    'page=-1',
    'limit=0',
    'limit=99999',
    'page=x',
    'status=sent',
    'x=1',
  ]) {
    expect([query, (await owner.get(`${CAMPAIGNS}?${query}`)).status]).toEqual([query, 422]);
  }
  expect((await owner.get(`${CAMPAIGNS}?page=99999999`)).body.data).toEqual([]);
});

test('invalid ids, unknown ids and ids of another kind are not found', async () => {
  const { id } = await draft();
  const number = decodeId('campaign', id) as number;
  const ids = ['0', '-1', 'x', '%00', '..%2f..', 'a'.repeat(500), String(number)];
  for (const invalidId of [...ids, encodeId('group', number), encodeId('campaign', number + 999)]) {
    expect([invalidId, (await owner.get(`${CAMPAIGNS}/${invalidId}`)).status]).toEqual([
      invalidId,
      404,
    ]);
  }
});

/** A valid body for each call that requires one. */
const BODIES: Record<string, object> = {
  updateCampaign: { revision: 1, title: 'Mine' },
  duplicateCampaign: {},
  copyToAccount: { account: encodeId('account', 1) },
  saveContent: { revision: 1, editor: 'text', plain_text: 'Mine' },
  setTags: { tags_arr: [] },
  setExcludedTags: { tags_arr: [] },
  setSegments: { filters_arr: [] },
  setExcludedSegments: { filters_arr: [] },
  schedule: { schedule_time: null },
  retry: { which: 'failed' },
  setResend: { subject: 'Mine', hours: 24 },
  addForecastExclusion: { months: 6 },
  setExperiment: {
    ...{ metric: 'opens', duration_hours: 4, test_share: 20 },
    variants: [{}, { subject: 'Mine' }],
  },
  decideExperiment: { variant: 1 },
  previewDraft: { editor: 'text', plain_text: 'Mine' },
  sendTest: { emails: ['me@mine.example'] },
};

test("every call returns 404 for another account's campaign, and 401 without a session", async () => {
  const { id, path } = await draft();
  const campaignBefore = await readData(path);
  const outsider = await server.owner();
  const anonymous = server.client();
  const campaignCalls = Object.entries({ ...calls, ...emailCalls }).filter(([, call]) =>
    call.path.includes('{id}'),
  );
  expect(campaignCalls.length).toBeGreaterThan(30);
  for (const [name, { method, path: url }] of campaignCalls) {
    const request = {
      method,
      url: url.replace('{id}', id),
      ...(method === 'GET' || method === 'DELETE' ? {} : { payload: BODIES[name] ?? {} }),
    } as const;
    expect([name, (await outsider.send(request)).status]).toEqual([name, 404]);
    expect([name, (await anonymous.send(request)).status]).toEqual([name, 401]);
  }
  expect(await readData(path)).toEqual(campaignBefore);
});

describe('concurrent requests', () => {
  beforeEach(setUpOwner);

  const times = 12;
  const repeatCall = <T>(call: () => Promise<T>) =>
    Promise.all(Array.from({ length: times }, call));
  const count = async (title: string) =>
    (await owner.get(`${CAMPAIGNS}?search=${encodeURIComponent(title)}`)).body.meta.total;

  test('concurrent creations with one key create one campaign, and concurrent duplications one copy', async () => {
    const key = { 'idempotency-key': 'one click' };
    const responses = await repeatCall(() => owner.post(CAMPAIGNS, { title: 'Only one' }, key));
    expect(new Set(responses.map((response) => response.body.data.id)).size).toBe(1);
    const id: string = responses[0]?.body.data.id ?? '';
    const copies = await repeatCall(() =>
      owner.post(`${CAMPAIGNS}/${id}/duplicate`, { title: 'Only copy' }, key),
    );
    expect(new Set(copies.map((response) => response.body.data.id)).size).toBe(1);
    expect([await count('Only one'), await count('Only copy')]).toEqual([1, 1]);
  });

  test('concurrent requests to schedule and cancel leave the campaign scheduled or canceled', async () => {
    const { path } = await draft();
    const schedule_time = '2090-01-01 10:00:00';
    const responses = await repeatCall(async () => [
      (await owner.post(`${path}/schedule`, { schedule_time })).status,
      (await owner.post(`${path}/cancel`, {})).status,
    ]);
    expect(new Set(responses.flat())).toEqual(new Set([200]));
    const { status, schedule_time: time } = await readData(path);
    expect([status, time]).toEqual(
      status === 'DRAFT' ? ['DRAFT', null] : ['SCHEDULED', schedule_time],
    );
  });

  test('concurrent requests to pause, resume and cancel all succeed, and the campaign ends as a draft', async () => {
    const { path } = await draft();
    expect((await owner.post(`${path}/schedule`, { schedule_time: null })).status).toBe(200);
    await server.runJobs();
    const moveResponses = await repeatCall(async () => [
      (await owner.post(`${path}/pause`, {})).status,
      (await owner.post(`${path}/resume`, {})).status,
    ]);
    expect(new Set(moveResponses.flat())).toEqual(new Set([200]));
    const cancelResponses = await repeatCall(() => owner.post(`${path}/cancel`, {}));
    expect(new Set(cancelResponses.map((response) => response.status))).toEqual(new Set([200]));
    expect((await readData(path)).status).toBe('DRAFT');
  });

  test('concurrent requests set up a resend once and cancel it once', async () => {
    const { path } = await draft();
    const resendResponses = await repeatCall(() =>
      owner.put(`${path}/resend`, { subject: 'Again', hours: 24 }),
    );
    expect(new Set(resendResponses.map((response) => response.status))).toEqual(new Set([200]));
    const removals = await repeatCall(() => owner.delete(`${path}/resend`));
    expect(new Set(removals.map((response) => response.status))).toEqual(new Set([200]));
    expect((await readData(path)).resend).toMatchObject({ state: 'cancelled', subject: 'Again' });
  });

  test('one of several concurrent saves of the same revision is stored, and the others are refused', async () => {
    const { path } = await draft();
    const { revision } = await readData(path);
    const updateResponses = await repeatCall(() =>
      owner.patch(path, { revision, subject: 'Mine' }),
    );
    const statuses = updateResponses.map((response) => response.status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: times - 1 }, () => 409)]);
  });

  test('a campaign is deleted by one of several concurrent requests and restored by one', async () => {
    const { path } = await draft();
    const deletions = (await repeatCall(() => owner.delete(path)))
      .map((response) => response.status)
      .sort();
    expect(deletions).toEqual([200, ...Array.from({ length: times - 1 }, () => 404)]);
    const statuses = (await repeatCall(() => owner.post(`${path}/restore`, {}))).map(
      (response) => response.status,
    );
    expect(statuses.sort()).toEqual([200, ...Array.from({ length: times - 1 }, () => 404)]);
  });
});
