// An area other than campaigns composes, previews, checks, tests and sends emails through content's
// exports.
import PostalMime from 'postal-mime';
import { beforeAll, expect, test } from 'vitest';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import {
  TEST_EMAILS_PATH,
  type TestEmailsArea,
  createTestEmails,
} from '#testing/worlds/test-emails-area.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { createBlock, createEmailDocument, createSection } from '../../document-factory.ts';

type FindingBody = { code: string; severity: string; values?: { name?: string } };
let server: TestServer;
let relay: TestSmtpServer;
let cards: TestEmailsArea;

beforeAll(async () => {
  cards = createTestEmails();
  server = await testServer({}, [cards.area]);
  relay = await startSmtpServer();
  return () => relay.close();
});

const document = (text: string) =>
  createEmailDocument([createSection([[createBlock('text', { html: `<p>${text}</p>` })]])]);
const ORDER =
  'Dear {{firstname | default: "friend"}}, order {{order.number}} costs {{order.total}}.';

test('an email of another area is composed and sent without campaigns', async () => {
  const owner = await server.owner();
  await addPeople(server.db, owner.accountId, 1);
  const id = cards.createEmail(owner.accountId);
  const emailUrl = `${TEST_EMAILS_PATH}/${id}`;
  const codes = async () =>
    (await owner.get(`${emailUrl}/checks`)).body.data.map((finding: FindingBody) => finding.code);
  expect(await codes()).toEqual(['stamp_missing']);

  // Editor: saves by revision and replaces another editor's content only when confirmed.
  const save = (body: object) => owner.put(`${emailUrl}/content`, body);
  const content = document(ORDER);
  const firstSave = await save({ revision: 1, editor: 'editor', document: content });
  expect(firstSave.body.data).toMatchObject({ editor: 'editor', revision: 2, content_revision: 1 });
  expect((await save({ revision: 1, editor: 'editor', document: document('x') })).status).toBe(409);
  const secondSave = await save({ revision: 2, editor: 'text', plain_text: 'x' });
  expect([secondSave.status, secondSave.body.code]).toEqual([409, 'editor_switch']);
  expect(secondSave.body.message).toContain('another editor');
  expect((await owner.get(`${emailUrl}/content`)).body.data.document).toEqual(content);

  // Preview: values of the subscriber, and sample values of the area's variables.
  const preview = (await owner.get(`${emailUrl}/preview`)).body.data;
  expect(preview.subject).toBe('Order 1001 is on its way');
  expect(preview.html).toContain('Dear Name 1, order 1001 costs 40.');
  expect(preview.html).not.toContain('/u/');
  const unknown = { editor: 'editor', document: document('{{order.number}} {{cart.total}}') };
  const findings: FindingBody[] = (await owner.post(`${emailUrl}/preview`, unknown)).body.data
    .findings;
  const errors = findings.filter(({ severity }) => severity === 'error');
  expect(errors.map(({ code, values }) => [code, values?.name])).toEqual([['tag_unknown', 'cart']]);
  expect((await owner.get(`${emailUrl}/thumbnail`)).text).toContain('costs 40');
  const tags = (await owner.get(`${emailUrl}/merge_tags`)).body.data;
  expect(tags.filter(({ kind }: { kind: string }) => kind === 'variable')).toHaveLength(2);
  expect((await owner.get(`${emailUrl}/preview_people`)).body.data).toHaveLength(1);
  expect((await owner.get(`${emailUrl}/checks/links`)).body.data).toEqual([]);

  // Checks: a transactional email needs neither an address nor an unsubscribe link.
  expect(await codes()).not.toContain('postal_address_missing');
  expect(await codes()).not.toContain('unsubscribe_added');

  // The test email and the email itself are sent.
  const sender = startTestSender(server.db, relay.url);
  const testSend = await owner.post(`${emailUrl}/test`, { emails: ['boss@tea.example'] });
  expect(testSend.body.data).toEqual({ sent: 1 });
  await cards.send(server.db, id, 'guest@home.example', { number: 7, total: 12 });
  const emailTo = async (to: string) => {
    const copy = () => relay.accepted.find((receivedMessage) => receivedMessage.to[0] === to);
    await expect.poll(copy).toBeDefined();
    return PostalMime.parse(copy()?.source ?? '');
  };
  expect((await emailTo('boss@tea.example')).html).toContain('Dear Name 1, order 1001 costs 40.');
  const email = await emailTo('guest@home.example');
  await sender.close();
  expect(email.subject).toBe('Order 7 is on its way');
  expect(email.text).toContain('Dear friend, order 7 costs 12.');
  expect(email.headers.some(({ key }) => key === 'list-unsubscribe')).toBe(false);
});

test('an email is visible only to its account, and its area permits or refuses changes and reports references to fields', async () => {
  const owner = await server.owner();
  const outsider = await server.owner();
  const id = cards.createEmail(owner.accountId);
  const emailUrl = `${TEST_EMAILS_PATH}/${id}`;
  const content = { revision: 1, editor: 'html', html: '<p>{{ city }}</p>' };
  const responses = [
    await outsider.get(`${emailUrl}/content`),
    await outsider.put(`${emailUrl}/content`, content),
    await outsider.get(`${emailUrl}/preview`),
    await outsider.post(`${emailUrl}/preview`, { editor: 'text', plain_text: 'x' }),
    await outsider.get(`${emailUrl}/checks`),
    await outsider.get(`${emailUrl}/checks/links`),
    await outsider.get(`${emailUrl}/merge_tags`),
    await outsider.post(`${emailUrl}/test`, { emails: ['a@tea.example'] }),
  ];
  expect(responses.map(({ status }) => status)).toEqual(responses.map(() => 404));
  expect((await owner.put(`${emailUrl}/content`, content)).status).toBe(200);
  expect(await cards.listEmailsWithField(server.db, owner.accountId, 'city')).toEqual([id]);
  expect(await cards.listEmailsWithField(server.db, outsider.accountId, 'city')).toEqual([]);
  cards.lockEmail(id);
  const lateUpdate = await owner.put(`${emailUrl}/content`, { ...content, revision: 2 });
  expect([lateUpdate.status, lateUpdate.body.code]).toEqual([409, 'postcard_stamped']);
  expect((await owner.post(`${emailUrl}/test`, { emails: ['a@tea.example'] })).body.code).toBe(
    'content_invalid',
  );
});
