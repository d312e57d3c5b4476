// Attachments: validation, unchanged delivery, copies of the email, and deletion of unused files.
import { createHash, randomBytes } from 'node:crypto';
import PostalMime from 'postal-mime';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { clock } from '#platform/server/clock.ts';
import { files } from '#platform/server/files/files.ts';
import {
  CAMPAIGNS,
  campaignShop,
  createReadyCampaign,
  SETTINGS,
} from '#testing/worlds/campaign-shop.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestClient, type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { upload } from '#testing/setup/upload.ts';
import { purgeAttachments } from './purge.ts';

const DAY_MS = 86_400_000;
const PDF = Buffer.concat([Buffer.from('%PDF-1.7\n'), randomBytes(3000)]);
let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

afterEach(() => clock.reset());

const attachmentsUrl = (id: string) => `${CAMPAIGNS}/${id}/attachments`;
const attach = (owner: TestClient, id: string, bytes: Buffer, name: string) =>
  upload(owner, bytes, name, attachmentsUrl(id));
const names = async (owner: TestClient, id: string) =>
  (await owner.get(attachmentsUrl(id))).body.data.map((row: { name: string }) => row.name);
const codes = async (owner: TestClient, id: string) =>
  (await owner.get(`${CAMPAIGNS}/${id}/checks`)).body.data.map((row: { code: string }) => row.code);

async function countStored(accountId: number): Promise<number> {
  let count = 0;
  for await (const key of files.list()) if (key.startsWith(`attachments/${accountId}/`)) count++;
  return count;
}

/** Runs the purge as it would run after the given number of months. */
async function purgeAfter(months: number, accountId: number): Promise<void> {
  clock.advance(months * 31 * DAY_MS);
  await purgeAttachments(server.db, accountId);
  clock.reset();
}

test('attachments are added, listed with their sizes and removed', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const id = await createReadyCampaign(owner, groupId);
  expect(await codes(owner, id)).not.toContain('attachments_carried');
  const first = await attach(owner, id, PDF, 'Price list.pdf');
  expect(first.body.data).toMatchObject({
    name: 'Price list.pdf',
    type: 'application/pdf',
    bytes: PDF.length,
  });
  // A repeated upload, such as after a lost response, does not add a second attachment.
  expect((await attach(owner, id, PDF, 'Price list.pdf')).body.data.id).toBe(first.body.data.id);
  await attach(owner, id, Buffer.from('a,b'), 'C:\\Users\\Ada\\figures.csv');
  expect(await names(owner, id)).toEqual(['Price list.pdf', 'figures.csv']);
  expect(await codes(owner, id)).toContain('attachments_carried');
  expect(await countStored(owner.accountId)).toBe(2);

  const outsider = await server.owner();
  expect((await outsider.get(attachmentsUrl(id))).status).toBe(404);
  expect((await attach(outsider, id, PDF, 'theirs.pdf')).status).toBe(404);
  const path = `${attachmentsUrl(id)}/${first.body.data.id}`;
  expect((await outsider.delete(path, {})).status).toBe(404);

  expect((await owner.delete(path, {})).body).toEqual({ success: true });
  expect((await owner.delete(path, {})).status).toBe(404);
  expect(await names(owner, id)).toEqual(['figures.csv']);
});

test('executable, empty and oversized files, and files beyond the maximum number, are refused and not stored', async () => {
  const { owner, groupId } = await campaignShop(server, 1);
  const emptyCampaign = await owner.post(CAMPAIGNS, SETTINGS);
  const earlyAttachment = await attach(owner, emptyCampaign.body.data.id, PDF, 'early.pdf');
  expect([earlyAttachment.status, earlyAttachment.body.code]).toEqual([409, 'content_missing']);

  const id = await createReadyCampaign(owner, groupId);
  const readErrors = async (bytes: Buffer, name: string) => {
    const response = await attach(owner, id, bytes, name);
    return [response.status, response.body.code];
  };
  expect(await readErrors(PDF, 'invoice.pdf.exe')).toEqual([422, 'attachment_refused']);
  expect(await readErrors(PDF, 'invoice.EXE. ')).toEqual([422, 'attachment_refused']);
  expect(await readErrors(Buffer.from('MZ\x90\0', 'latin1'), 'invoice.pdf')).toEqual([
    422,
    'attachment_refused',
  ]);
  expect(await readErrors(Buffer.alloc(0), 'nothing.pdf')).toEqual([422, 'attachment_refused']);
  expect(await readErrors(Buffer.alloc(5 * 1024 * 1024 + 1, 'x'), 'film.mp4')).toEqual([
    422,
    'attachments_too_large',
  ]);
  expect((await owner.post(attachmentsUrl(id), {})).status).toBe(422);
  expect(await countStored(owner.accountId)).toBe(0);

  // The total is limited as well, and a large total adds a warning.
  expect((await attach(owner, id, Buffer.alloc(3 * 1024 * 1024, 'x'), 'half.bin')).status).toBe(
    200,
  );
  expect(await codes(owner, id)).toContain('attachments_heavy');
  expect(await readErrors(Buffer.alloc(3 * 1024 * 1024, 'y'), 'other.bin')).toEqual([
    422,
    'attachments_too_large',
  ]);
  for (let n = 1; n < 10; n++) await attach(owner, id, Buffer.from(`${n}`), `${n}.txt`);
  expect(await readErrors(PDF, 'eleventh.pdf')).toEqual([422, 'attachments_full']);
  expect(await names(owner, id)).toHaveLength(10);
  expect(await countStored(owner.accountId)).toBe(10);
});

test('each email and test email carries the attachments unchanged, and a duplicate of the campaign has them', async () => {
  const { owner, groupId } = await campaignShop(server, 3);
  const id = await createReadyCampaign(owner, groupId);
  const name = `${'قیمت‌های بهار '.repeat(20)}(۱) 'تازه'.pdf`;
  await attach(owner, id, PDF, name);
  const [shown] = await names(owner, id);
  expect(shown).toMatch(/^قیمت‌های بهار .*\.pdf$/);
  expect(shown.length).toBeLessThanOrEqual(100);
  const copy = (await owner.post(`${CAMPAIGNS}/${id}/duplicate`, {})).body.data.id;
  expect(await names(owner, copy)).toEqual([shown]);
  expect(await countStored(owner.accountId)).toBe(1);

  const testSend = await owner.post(`${CAMPAIGNS}/${id}/test`, { emails: ['boss@carry.example'] });
  expect(testSend.body.data).toEqual({ sent: 1 });
  const schedule = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  expect(schedule.status).toBe(200);
  const lateAttachment = await attach(owner, id, PDF, 'late.pdf');
  expect([lateAttachment.status, lateAttachment.body.code]).toEqual([409, 'campaign_not_draft']);
  await server.runJobs();
  const sender = startTestSender(server.db, relay.url);
  const copies = () => relay.accepted.filter(({ source }) => source.includes('<news@tea.example>'));
  await expect.poll(() => copies().length, { timeout: 20_000 }).toBe(4);
  await sender.close();
  const hash = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');
  for (const { source } of copies()) {
    expect(Math.max(...source.split('\r\n').map((line) => line.length))).toBeLessThan(998);
    const email = await PostalMime.parse(source);
    expect(email.html).toContain('fresh tea has come in');
    const [file, ...others] = email.attachments;
    expect(others).toEqual([]);
    expect([file?.filename, file?.mimeType, file?.disposition]).toEqual([
      shown,
      'application/pdf',
      'attachment',
    ]);
    expect(hash(new Uint8Array(file?.content as ArrayBuffer))).toBe(hash(PDF));
  }
});

test('a file is deleted only after the last email with it is deleted and its pending messages are sent', async () => {
  const { owner, groupId } = await campaignShop(server, 2);
  const { accountId } = owner;
  const id = await createReadyCampaign(owner, groupId);
  await attach(owner, id, PDF, 'list.pdf');
  const copy = (await owner.post(`${CAMPAIGNS}/${id}/duplicate`, {})).body.data.id;
  await purgeAfter(1, accountId);
  expect(await countStored(accountId)).toBe(1);

  // The original is deleted while its copy still has the file.
  expect((await owner.delete(`${CAMPAIGNS}/${id}`)).status).toBe(200);
  await purgeAfter(2, accountId);
  expect(await countStored(accountId)).toBe(1);

  // A pending message still needs the file although both campaigns are deleted.
  await owner.post(`${CAMPAIGNS}/${copy}/schedule`, { schedule_time: null });
  await server.runJobs();
  await server.db
    .updateTable('campaigns')
    .set({ deleted_at: new Date() })
    .where('account_id', '=', accountId)
    .execute();
  await purgeAfter(3, accountId);
  expect(await countStored(accountId)).toBe(1);

  const sender = startTestSender(server.db, relay.url);
  const state = async () =>
    (
      await server.db
        .selectFrom('messages')
        .select('state')
        .where('account_id', '=', accountId)
        .where('kind', '=', 'campaign')
        .execute()
    ).map((row) => row.state);
  await expect.poll(state, { timeout: 20_000 }).toEqual(['finished']);
  await sender.close();
  await purgeAfter(4, accountId);
  expect(await countStored(accountId)).toBe(0);
  const remaining = await server.db
    .selectFrom('content_attachments')
    .select('id')
    .where('account_id', '=', accountId)
    .execute();
  expect(remaining).toEqual([]);
});
