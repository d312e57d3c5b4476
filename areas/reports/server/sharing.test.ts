// Sharing a report as files and through a public link, which expires and can be replaced or
// revoked.
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import {
  insertCampaign,
  type ReportedCampaignFixture,
  sendReportedCampaign,
} from '#testing/worlds/reported-campaign.ts';

let reported: ReportedCampaignFixture;
let server: ReportedCampaignFixture['server'];
let owner: ReportedCampaignFixture['owner'];
const reportPath = (path: string) =>
  `/client-api/api/campaigns/${reported.campaign}/report/${path}`;

beforeAll(async () => {
  reported = await sendReportedCampaign();
  ({ server, owner } = reported);
});

const pathOf = (url: string) => new URL(url).pathname;
const createLink = async (days = 7) =>
  (await owner.post(reportPath('link'), { days })).body.data as { url: string; expires: string };

test('a CSV has the same numbers as the screen and no spreadsheet formulas', async () => {
  await sql`update campaigns set title = '=HYPERLINK("https://evil.example")'
    where account_id = ${owner.accountId}`.execute(server.db);
  const file = await owner.get(reportPath('export?format=csv'));
  expect(file.headers['content-disposition']).toMatch(/^attachment; filename="report-\w+\.csv"$/);
  const lines = file.text.split('\r\n');
  expect(lines[0]).toBe(`\ufeff"'=HYPERLINK(""https://evil.example"")"`);
  const { figures } = (await owner.get(reportPath('overview'))).body.data;
  const { human_count, human_share } = figures.opens;
  expect(lines).toContain(`Opened,${human_count},${Number(human_share.toFixed(6))},`);
  expect(lines).toContain(`Total emails sent,${figures.sent.count},${figures.sent.share},`);
  expect(lines.some((line) => line.startsWith('https://shop.example/pots,'))).toBe(true);
  const pots = (await owner.get(reportPath('clicks'))).body.data.find(
    (link: { url: string }) => link.url === 'https://shop.example/pots',
  );
  const { label, unique_human_clicks: clickers, human_clicks: clicks } = pots;
  expect(label).not.toBe('');
  expect(lines).toContain(`https://shop.example/pots,${label},${clickers},${clicks}`);
  // The row of a device contains its opens and their percentage of all opens, as on the screen.
  const devices = (await owner.get(reportPath('devices'))).body.data;
  const opens = devices.reduce(
    (total: number, device: { human_opens: number }) => total + device.human_opens,
    0,
  );
  const start = lines.indexOf('Device,Opens,Share of opens,Clicks') + 1;
  expect(start).toBeGreaterThan(0);
  const first = (lines[start] ?? '').split(',').map(Number);
  expect(first[2]).toBeCloseTo((first[1] ?? 0) / opens, 5);
  expect(file.text).not.toContain('person6@');
  await sql`update campaigns set title = 'بهار – Spring 🌷' where account_id = ${owner.accountId}`.execute(
    server.db,
  );
});

test('a report is exported as a complete PDF in English and Persian, each with its font', async () => {
  for (const language of ['eng', 'fas']) {
    await sql`update users set language = ${language}`.execute(server.db);
    const file = await owner.get(reportPath('export?format=pdf'));
    expect(file.headers['content-type']).toBe('application/pdf');
    expect(file.text.slice(0, 5)).toBe('%PDF-');
    expect(file.text.trimEnd().slice(-5)).toBe('%%EOF');
    expect(file.text).toContain(language === 'fas' ? 'Vazirmatn' : 'Inter');
  }
  await sql`update users set language = 'eng'`.execute(server.db);
  expect((await owner.get(reportPath('export?format=docx'))).status).toBe(422);
});

test('a public link shows statistics without personal data until it is replaced or revoked', async () => {
  expect((await owner.get(reportPath('link'))).body.data).toBe(null);
  const first = await createLink();
  const anonymousClient = server.client();
  const page = await anonymousClient.get(pathOf(first.url));
  expect(page.status).toBe(200);
  expect(page.headers['x-robots-tag']).toBe('noindex');
  expect(page.text).toContain('shop.example/pots');
  expect(page.text).not.toContain('person');
  expect((await owner.get(reportPath('link'))).body.data).toEqual(first);

  const second = await createLink(30);
  expect((await anonymousClient.get(pathOf(first.url))).status).toBe(404);
  expect((await anonymousClient.get(pathOf(second.url))).status).toBe(200);
  expect((await owner.delete(reportPath('link'))).status).toBe(200);
  expect((await anonymousClient.get(pathOf(second.url))).status).toBe(404);
});

test('guessed links show nothing; other accounts cannot share the report, and drafts cannot be shared', async () => {
  const path = pathOf((await createLink()).url);
  const anonymousClient = server.client();
  for (const invalid of [`${path}x`, path.slice(0, -1), path.split('.')[0] ?? '', `${path}.x`]) {
    expect((await anonymousClient.get(invalid)).status, invalid).toBe(404);
  }
  const otherOwner = await server.owner();
  expect((await otherOwner.post(reportPath('link'), { days: 7 })).status).toBe(404);
  expect((await otherOwner.delete(reportPath('link'))).status).toBe(404);
  expect((await otherOwner.get(reportPath('export?format=pdf'))).status).toBe(404);
  expect((await anonymousClient.get(path)).status).toBe(200);
  expect((await owner.post(reportPath('link'), { days: 3650 })).status).toBe(422);
  const draft = await insertCampaign(server, owner.accountId, null);
  const response = await owner.post(`/client-api/api/campaigns/${draft}/report/link`, { days: 7 });
  expect(response).toMatchObject({ status: 409, body: { code: 'not_sent_yet' } });
});

test('many requests to one link are throttled, and the link of a deleted campaign is not found', async () => {
  const path = pathOf((await createLink()).url);
  const anonymousClient = server.client();
  const statuses = [];
  for (let i = 0; i < 20; i++) statuses.push((await anonymousClient.get(path)).status);
  expect(new Set(statuses)).toEqual(new Set([200, 429]));
  clock.advance(60_000);
  await sql`update campaigns set deleted_at = now() where account_id = ${owner.accountId}`.execute(
    server.db,
  );
  expect((await anonymousClient.get(path)).status).toBe(404);
  await sql`update campaigns set deleted_at = null where account_id = ${owner.accountId}`.execute(
    server.db,
  );
});

test('an expired link shows that the report is no longer available', async () => {
  const path = pathOf((await createLink(7)).url);
  const anonymousClient = server.client();
  clock.advance(7 * 86_400_000 - 1000);
  expect((await anonymousClient.get(path)).status).toBe(200);
  clock.advance(2000);
  const lateResponse = await anonymousClient.get(path);
  expect(lateResponse.status).toBe(404);
  expect(lateResponse.text).toContain('This report is no longer available');
});
