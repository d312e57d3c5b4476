// Previews and test emails of a campaign over HTTP.
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { sql } from 'kysely';
import PostalMime from 'postal-mime';
import { suppress } from '#areas/subscribers/server/index.ts';
import { encodeId } from '#platform/ids.ts';
import { clock } from '#platform/server/clock.ts';
import { inTransaction } from '#platform/server/database/database.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import {
  CAMPAIGNS,
  campaignShop,
  HTML,
  readCampaign,
  createReadyCampaign,
} from '#testing/worlds/campaign-shop.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import type { Finding } from '../contract.ts';

let server: TestServer;
let relay: TestSmtpServer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  return () => relay.close();
});

afterEach(() => clock.reset());

describe('previews', () => {
  test('a preview shows the email as a subscriber gets it, untracked', async () => {
    const { owner, ids, groupId } = await campaignShop(server, 3);
    const id = await createReadyCampaign(owner, groupId);
    const subscribers = (await owner.get(`${CAMPAIGNS}/${id}/preview_people?search=person2`)).body
      .data;
    expect(subscribers).toEqual([
      {
        id: encodeId('subscriber', ids[1] as number),
        email: 'person2@outlook.com',
        name: 'Name 2',
      },
    ]);
    const preview = (await owner.get(`${CAMPAIGNS}/${id}/preview?subscriber=${subscribers[0].id}`))
      .body.data;
    expect(preview.subject).toBe('Hello Name 2');
    expect(preview.html).toContain('Dear Name 2, fresh tea');
    expect(preview.html).toContain('<a href="https://tea.example/new">');
    expect(preview.html).toContain('Storgata 1');
    const plainPreview = (await owner.get(`${CAMPAIGNS}/${id}/plain_preview`)).body.data;
    expect(plainPreview.text).toContain('fresh tea has come in');
    const unknownId = encodeId('subscriber', 999_999);
    expect((await owner.get(`${CAMPAIGNS}/${id}/preview?subscriber=${unknownId}`)).status).toBe(
      404,
    );
  });

  test('a preview of unsaved content reports errors and their positions', async () => {
    const { owner, groupId } = await campaignShop(server, 1);
    const id = await createReadyCampaign(owner, groupId);
    const html = '<p>Hi</p>\n{{ nope }} {% for x in y %}<script>1</script>';
    const { data } = (await owner.post(`${CAMPAIGNS}/${id}/preview`, { editor: 'html', html }))
      .body;
    expect(data.html).toBeNull();
    const findings = data.findings.map(
      (finding: Finding) => `${finding.severity} ${finding.code} ${finding.line}:${finding.column}`,
    );
    expect(findings).toEqual(
      expect.arrayContaining([
        'error tag_control_flow 2:12',
        'error script 2:28',
        'error tag_unknown 2:1',
      ]),
    );
    expect((await owner.get(`${CAMPAIGNS}/${id}/content`)).body.data.html).toBe(HTML);
  });
});

test('a test email to an unsubscribed address is refused, and the message names the address', async () => {
  const { owner, groupId } = await campaignShop(server, 2);
  const id = await createReadyCampaign(owner, groupId);
  await inTransaction(server.db, (tx) =>
    suppress(tx, owner.accountId, ['left@test.example'], {
      channel: 'email',
      reason: 'unsubscribed',
    }),
  );
  const emails = ['one@test.example', 'Left@test.example'];
  const response = await owner.post(`${CAMPAIGNS}/${id}/test`, { emails });
  expect([response.status, response.body.code]).toEqual([422, 'test_unwanted']);
  expect(response.body.message).toContain('left@test.example opted out of your emails');
});

test('a test email goes to several addresses, once each, even if the call is repeated with its key', async () => {
  const { owner, groupId } = await campaignShop(server, 2);
  const id = await createReadyCampaign(owner, groupId);
  startTestSender(server.db, relay.url);
  const emails = ['one@test.example', 'two@test.example', 'one@test.example'];
  const key = { 'idempotency-key': 'test-1' };
  for (let i = 0; i < 2; i++) {
    const response = await owner.post(`${CAMPAIGNS}/${id}/test`, { emails }, key);
    expect(response.body.data).toEqual({ sent: 2 });
  }
  // Repeated calls do not use tokens of the rate limit.
  await sql`update rate_buckets set tokens = 0 where key = ${`test-email:${owner.accountId}`}`.execute(
    server.db,
  );
  expect((await owner.post(`${CAMPAIGNS}/${id}/test`, { emails }, key)).status).toBe(200);
  expect((await owner.post(`${CAMPAIGNS}/${id}/test`, { emails: [] }, key)).status).toBe(422);
  expect((await owner.post(`${CAMPAIGNS}/${id}/test`, { emails })).status).toBe(429);
  const otherRecipients = { emails: ['three@test.example'] };
  expect((await owner.post(`${CAMPAIGNS}/${id}/test`, otherRecipients, key)).status).toBe(422);
  await expect
    .poll(
      () =>
        relay.accepted.filter((receivedMessage) => receivedMessage.to[0]?.endsWith('@test.example'))
          .length,
    )
    .toBe(2);
  const testEmail = relay.accepted.find(
    (receivedMessage) => receivedMessage.to[0] === 'one@test.example',
  );
  expect((await PostalMime.parse(testEmail?.source ?? '')).subject).toMatch(
    /^\[Test\] Hello Name \d$/,
  );
  expect((await readCampaign(owner, id)).status).toBe('DRAFT');
});

test('a test email shows its note, and the account remembers its latest fifty recipients', async () => {
  const { owner, groupId } = await campaignShop(server, 2);
  const id = await createReadyCampaign(owner, groupId);
  startTestSender(server.db, relay.url);
  const listSaved = async (client = owner) =>
    (await client.get('/client-api/api/test_recipients?channel=email')).body.data as string[];
  expect(await listSaved()).toEqual([]);
  const note = 'Please check the prices';
  for (const emails of [['Note@test.example'], ['second@test.example', 'note@test.example']]) {
    expect((await owner.post(`${CAMPAIGNS}/${id}/test`, { emails, note })).status).toBe(200);
  }
  expect((await listSaved()).toSorted()).toEqual(['note@test.example', 'second@test.example']);
  expect(await listSaved(await server.owner())).toEqual([]);
  const findEmail = () => relay.accepted.find(({ to }) => to[0] === 'second@test.example');
  await expect.poll(findEmail).toBeDefined();
  const email = await PostalMime.parse(findEmail()?.source ?? '');
  expect([email.html, email.text].map((mimePart) => mimePart?.includes(note))).toEqual([
    true,
    true,
  ]);
  // The campaign itself has no note.
  const { html } = (await owner.get(`${CAMPAIGNS}/${id}/preview`)).body.data;
  expect(html).not.toContain(note);
  const longNote = { emails: ['a@test.example'], note: 'a'.repeat(1001) };
  expect((await owner.post(`${CAMPAIGNS}/${id}/test`, longNote)).status).toBe(422);
  const removeRecipient = (contact: string) =>
    owner.delete('/client-api/api/test_recipients', { channel: 'email', contact });
  expect((await removeRecipient('SECOND@test.example')).status).toBe(200);
  expect(await listSaved()).toEqual(['note@test.example']);
  const reviewer = { email: 'note@test.example' };
  const { id: person } = (await owner.post('/client-api/api/subscribers', reviewer)).body.data;
  expect((await owner.post(`/client-api/api/subscribers/${person}/erase`)).status).toBe(200);
  expect(await listSaved()).toEqual([]);
  expect((await owner.get('/client-api/api/test_recipients?channel=fax')).status).toBe(422);
  for (let index = 0; index < 6; index++) {
    const emails = Array.from({ length: 10 }, (_, n) => `p${index * 10 + n}@test.example`);
    expect((await owner.post(`${CAMPAIGNS}/${id}/test`, { emails })).status).toBe(200);
  }
  expect(await listSaved()).toHaveLength(50);
  expect(await listSaved()).toContain('p59@test.example');
});
