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
  const id = cards.add(owner.accountId);
  const at = `${TEST_EMAILS_PATH}/${id}`;
  const codes = async () =>
    (await owner.get(`${at}/checks`)).body.data.map((finding: FindingBody) => finding.code);
  expect(await codes()).toEqual(['stamp_missing']);

  // Editor: saves by revision, and replaces another editor's content only when confirmed.
  const save = (body: object) => owner.put(`${at}/content`, body);
  const written = document(ORDER);
  const first = await save({ revision: 1, editor: 'editor', document: written });
  expect(first.body.data).toMatchObject({ editor: 'editor', revision: 2, content_revision: 1 });
  expect((await save({ revision: 1, editor: 'editor', document: document('x') })).status).toBe(409);
  const other = await save({ revision: 2, editor: 'text', plain_text: 'x' });
  expect([other.status, other.body.code]).toEqual([409, 'editor_switch']);
  expect(other.body.message).toContain('another editor');
  expect((await owner.get(`${at}/content`)).body.data.document).toEqual(written);

  // Preview: values of the subscriber, and sample values of the area's variables.
  const shown = (await owner.get(`${at}/preview`)).body.data;
  expect(shown.subject).toBe('Order 1001 is on its way');
  expect(shown.html).toContain('Dear Name 1, order 1001 costs 40.');
  expect(shown.html).not.toContain('/u/');
  const unknown = { editor: 'editor', document: document('{{order.number}} {{cart.total}}') };
  const found: FindingBody[] = (await owner.post(`${at}/preview`, unknown)).body.data.findings;
  const wrong = found.filter(({ severity }) => severity === 'error');
  expect(wrong.map(({ code, values }) => [code, values?.name])).toEqual([['tag_unknown', 'cart']]);
  expect((await owner.get(`${at}/thumbnail`)).text).toContain('costs 40');
  const tags = (await owner.get(`${at}/merge_tags`)).body.data;
  expect(tags.filter(({ kind }: { kind: string }) => kind === 'variable')).toHaveLength(2);
  expect((await owner.get(`${at}/preview_people`)).body.data).toHaveLength(1);
  expect((await owner.get(`${at}/checks/links`)).body.data).toEqual([]);

  // Checks: a transactional email needs neither an address nor an unsubscribe link.
  expect(await codes()).not.toContain('postal_address_missing');
  expect(await codes()).not.toContain('unsubscribe_added');

  // The test email and the email itself are sent.
  const sender = startTestSender(server.db, relay.url);
  const tested = await owner.post(`${at}/test`, { emails: ['boss@tea.example'] });
  expect(tested.body.data).toEqual({ sent: 1 });
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

test('an email is visible to its account only, and its owner permits or refuses changes and reports field references', async () => {
  const owner = await server.owner();
  const stranger = await server.owner();
  const id = cards.add(owner.accountId);
  const at = `${TEST_EMAILS_PATH}/${id}`;
  const written = { revision: 1, editor: 'html', html: '<p>{{ city }}</p>' };
  const answers = [
    await stranger.get(`${at}/content`),
    await stranger.put(`${at}/content`, written),
    await stranger.get(`${at}/preview`),
    await stranger.post(`${at}/preview`, { editor: 'text', plain_text: 'x' }),
    await stranger.get(`${at}/checks`),
    await stranger.get(`${at}/checks/links`),
    await stranger.get(`${at}/merge_tags`),
    await stranger.post(`${at}/test`, { emails: ['a@tea.example'] }),
  ];
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 404));
  expect((await owner.put(`${at}/content`, written)).status).toBe(200);
  expect(await cards.naming(server.db, owner.accountId, 'city')).toEqual([id]);
  expect(await cards.naming(server.db, stranger.accountId, 'city')).toEqual([]);
  cards.stamp(id);
  const late = await owner.put(`${at}/content`, { ...written, revision: 2 });
  expect([late.status, late.body.code]).toEqual([409, 'postcard_stamped']);
  expect((await owner.post(`${at}/test`, { emails: ['a@tea.example'] })).body.code).toBe(
    'content_invalid',
  );
});
