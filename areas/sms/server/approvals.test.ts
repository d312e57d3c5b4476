// Approval requests for SMS campaigns: they show findings and maximum cost, are filed once, and are
// outdated by a change of the text.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { createColleague } from '#testing/worlds/colleagues.ts';
import { createReadySms } from '#testing/worlds/sms-draft.ts';

const APPROVALS = '/client-api/api/approvals';
const NOW = { schedule_time: null };
let server: TestServer;

beforeAll(async () => {
  server = await testServer();
});

async function scene(text?: string) {
  const owner = await server.owner();
  const sms = await createReadySms(server, owner, text);
  return { owner, ...sms, author: await createColleague(server, owner, ['send']) };
}

type ApprovalFixture = Awaited<ReturnType<typeof scene>>;

async function fileRequest(
  { author, url }: ApprovalFixture,
  call: 'schedule' | 'series',
  body: object,
) {
  const method = call === 'series' ? 'put' : 'post';
  const requestResponse = await author[method](`${url}/${call}`, body);
  expect(requestResponse, requestResponse.text).toMatchObject({
    status: 403,
    body: { code: 'approval_needed' },
  });
  const response = await author[method](`${url}/${call}?ask=1`, body);
  expect(response.body, response.text).toMatchObject({ code: 'approval_requested' });
  return response.body.approval as string;
}

test('a request to send an SMS campaign shows its text, sender, findings and hosts, and can be approved', async () => {
  const fixture = await scene('New tea: https://tea.example/new for {{ firstname }}');
  const { owner, url, id, sender } = fixture;
  await sql`insert into subscribers (account_id, phone, phone_key, created_at, modified_at)
    values (${owner.accountId}, '+15125550102', '+15125550102', now(), now())`.execute(server.db);
  const approval = await fileRequest(fixture, 'schedule', NOW);
  expect((await owner.get(url)).body.data).toMatchObject({ status: 'DRAFT' });
  const approvalRequest = (await owner.get(`${APPROVALS}/${approval}`)).body.data;
  expect(approvalRequest).toMatchObject({
    ...{ kind: 'sms_schedule', compared_with: null, previews: [], ceiling: 51 },
    subject: { id, title: 'Tea', path: `/sms/${id}/confirm` },
    audience: { count: 1, excluded: [{ reason: 'non_subscribed', count: 1 }] },
    hosts: [{ host: 'tea.example' }],
    findings: expect.arrayContaining([
      expect.objectContaining({ code: 'tag_without_fallback' }),
      expect.objectContaining({ code: 'no_consent', values: { count: 1 } }),
    ]),
  });
  const checks = (await owner.get(`${url}/checks`)).body.data;
  expect(approvalRequest.findings).toEqual(checks.findings);
  const lines = approvalRequest.diff.map(({ part, text }: { part: string; text: string }) => [
    part,
    text,
  ]);
  expect(lines).toEqual(
    expect.arrayContaining([
      ['from', sender],
      ['text', 'New tea: https://tea.example/new for {{ firstname }}'],
    ]),
  );
  const response = await owner.post(`${APPROVALS}/${approval}/approve`, {});
  expect(response.status, response.text).toBe(200);
  expect((await owner.get(url)).body.data.status).not.toBe('DRAFT');
});

test('a request to repeat an SMS campaign is filed only once and can be approved', async () => {
  const fixture = await scene();
  const { owner, url } = fixture;
  const rule = { every: 'week', interval: 1, weekdays: [1, 3], time: '10:00' };
  const approval = await fileRequest(fixture, 'series', { rule });
  expect(await fileRequest(fixture, 'series', { rule })).toBe(approval);
  expect((await owner.get(url)).body.data.series).toBeNull();
  const approvalRequest = (await owner.get(`${APPROVALS}/${approval}`)).body.data;
  expect(approvalRequest).toMatchObject({ kind: 'sms_series', ceiling: null, scheduled: null });
  const response = await owner.post(`${APPROVALS}/${approval}/approve`, {});
  expect(response.status, response.text).toBe(200);
  expect((await owner.get(url)).body.data.series).toMatchObject({ rule });
});

test('changing the text invalidates the approval request of an SMS campaign', async () => {
  const fixture = await scene();
  const { owner, author, url } = fixture;
  const approval = await fileRequest(fixture, 'schedule', NOW);
  const { revision } = (await author.get(url)).body.data;
  expect((await author.patch(url, { revision, text: 'Old tea' })).status).toBe(200);
  const response = await owner.post(`${APPROVALS}/${approval}/approve`, {});
  expect(response).toMatchObject({ status: 409, body: { code: 'approval_outdated' } });
  expect((await owner.get(url)).body.data).toMatchObject({ status: 'DRAFT' });
});
