// Real newsletters, pasted as custom HTML, sent and delivered: they arrive as pasted except for
// links, pixel and footer. Invalid content is refused with a reason, and nothing is lost.
import PostalMime from 'postal-mime';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  createBlock,
  createEmailDocument,
  createSection,
} from '#areas/content/document-factory.ts';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestOwner, type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';
import { WILD_NEWSLETTERS } from '#testing/worlds/wild-newsletters.ts';

const CAMPAIGNS = '/client-api/api/campaigns';

let server: TestServer;
let relay: TestSmtpServer;
let owner: TestOwner;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  owner = await server.owner();
  await owner.patch('/client-api/api/account_questionnaire', {
    address: 'Storgata 1',
    city: 'Oslo',
    state: 'Oslo',
    timezone: 'Europe/Oslo',
    country: 'NO',
    zip_code: '0155',
  });
  await addPeople(server.db, owner.accountId, 1);
  return () => relay.close();
});

async function draft(title: string) {
  const { body } = await owner.post(CAMPAIGNS, {
    title,
    subject: title,
    from_name: 'Nordic Tea',
    from_email: 'news@tea.example',
  });
  return body.data as { id: string; revision: number };
}

const putContent = (id: string, revision: number, content: object) =>
  owner.put(`${CAMPAIGNS}/${id}/content`, { revision, ...content });

/** Sends the newsletter to the account's single subscriber and returns the HTML that arrived. */
async function deliver(title: string, html: string) {
  const { id, revision } = await draft(title);
  const response = await putContent(id, revision, { editor: 'html', html });
  expect(response.status).toBe(200);
  await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [], send_to_all: true });
  const sendResponse = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
  expect(sendResponse.status, JSON.stringify(sendResponse.body)).toBe(200);
  await server.runJobs();
  const copy = () => relay.accepted.find(({ source }) => source.includes(`Subject: ${title}\r\n`));
  await expect.poll(copy).toBeDefined();
  const { html: arrived = '' } = await PostalMime.parse(copy()?.source ?? '');
  return arrived;
}

/** Restores the original links and removes the product's additions. */
async function restoreSource(html: string): Promise<string> {
  const links = await server.db
    .selectFrom('links')
    .select(['message_id', 'position', 'url'])
    .where('account_id', '=', owner.accountId)
    .orderBy('message_id', 'desc')
    .execute();
  const [newest] = links;
  const urls = new Map(
    links
      .filter((link) => link.message_id === newest?.message_id)
      .map((link) => [link.position, link.url]),
  );
  return html
    .replace(/<div dir="[a-z]+" style="margin:0 auto;padding:24px[^]*?<\/div>/, '')
    .replace(/<img src="https?:\/\/[^"]*\/t\/o\/[^>]*>/, '')
    .replace(
      /https?:\/\/[^"'\s>]*\/t\/c\/[\w-]+\/(\d+)/g,
      (_, index) => urls.get(Number(index)) ?? '?',
    )
    .replace(/https?:\/\/[^"'\s>]*\/u\/[\w-]+/g, '{{unsubscribe_link}}');
}

/** Normalizes URLs, charset declarations and line endings before comparison. */
const normalize = (html: string) =>
  html
    .replace(/\r\n|\r|\n/g, '\n')
    // Emails are sent as UTF-8, so other declarations are corrected.
    .replace(/(<meta[^>]*charset=["']?)[\w-]+/gi, '$1utf-8')
    .replace(/(href=["']?)([^"'\s>]*)/gi, (_, previousText: string, address: string) => {
      const decodedAddress = address.replaceAll('&amp;', '&');
      return (
        previousText +
        (URL.canParse(decodedAddress) ? new URL(decodedAddress).href : decodedAddress)
      );
    })
    .replace(/\n+$/, '');

describe('a real newsletter arrives as it was pasted', () => {
  test.each(
    WILD_NEWSLETTERS.map(
      (wildNewsletter, n) => [wildNewsletter.name, n, wildNewsletter.html] as const,
    ),
  )('%s', async (_, n, html) => {
    const sender = startTestSender(server.db, relay.url);
    const deliveredEmail = await deliver(`Wild ${n}`, html);
    await sender.close();
    expect(deliveredEmail).toMatch(/\/t\/c\//);
    expect(deliveredEmail).toMatch(/\/t\/o\//);
    expect(deliveredEmail).toContain('Storgata 1');
    expect(normalize(await restoreSource(deliveredEmail))).toBe(normalize(html));
  });
});

describe('content that cannot be sent', () => {
  const GOOD_HTML = '<p>Good words.</p>';

  async function savedDraft() {
    const { id, revision } = await draft('Kept');
    const response = await putContent(id, revision, { editor: 'html', html: GOOD_HTML });
    return { id, revision: response.body.data.revision as number };
  }
  const htmlOf = async (id: string) =>
    (await owner.get(`${CAMPAIGNS}/${id}/content`)).body.data.html;

  test('a document of a newer version is refused, and the stored content remains', async () => {
    const { id, revision } = await savedDraft();
    const document = { ...createEmailDocument(), version: 99 };
    const response = await putContent(id, revision, {
      editor: 'editor',
      document,
      confirm_switch: true,
    });
    expect([response.status, response.body.code]).toEqual([422, 'document_newer']);
    expect(response.body.message).toMatch(/newer/);
    expect(await htmlOf(id)).toBe(GOOD_HTML);
  });

  test('five megabytes of HTML are refused, and the stored content remains', async () => {
    const { id, revision } = await savedDraft();
    const html = '<p>tea</p>'.repeat((5 * 1024 * 1024) / 10);
    const response = await putContent(id, revision, { editor: 'html', html });
    expect(response.status).toBe(422);
    expect(JSON.stringify(response.body)).toMatch(/1 MB|too (long|large)/i);
    const preview = await owner.post(`${CAMPAIGNS}/${id}/preview`, { editor: 'html', html });
    expect(JSON.stringify(preview.body)).toContain('too_large');
    expect(await htmlOf(id)).toBe(GOOD_HTML);
  });

  test.each([
    ['a script', '<p>a</p><script src="https://x.example/a.js"></script>', 'script'],
    ['an endless loop', '<p>{% for i in (1..99999999) %}x{% endfor %}</p>', 'tag_control_flow'],
    ['a tag within a tag', '<p>{{ a | default: {{ a }} }}</p>', 'tag'],
  ])('%s is stored, reported with its position, and not sent', async (_, html, code) => {
    const { id, revision } = await savedDraft();
    expect((await putContent(id, revision, { editor: 'html', html })).status).toBe(200);
    expect(await htmlOf(id)).toBe(html);
    const checks = (await owner.get(`${CAMPAIGNS}/${id}/checks`)).body.data;
    const finding = checks.find((check: { code: string }) => check.code.startsWith(code));
    expect(finding).toMatchObject({ severity: 'error', line: 1 });
    await owner.post(`${CAMPAIGNS}/${id}/tags/set`, { tags_arr: [], send_to_all: true });
    const response = await owner.post(`${CAMPAIGNS}/${id}/schedule`, { schedule_time: null });
    expect(response.status).toBe(422);
    expect((await owner.get(`${CAMPAIGNS}/${id}`)).body.data.status).toBe('DRAFT');
  });

  test('a document with a script in an HTML block is stored, and the script is reported', async () => {
    const { id, revision } = await draft('Script');
    const ownBlock = createBlock('html', { html: '<p>Own</p><script>alert(1)</script>' });
    const document = createEmailDocument([
      createSection([[createBlock('text', { html: '<p>Tea</p>' }), ownBlock]]),
    ]);
    expect((await putContent(id, revision, { editor: 'editor', document })).status).toBe(200);
    const checks = (await owner.get(`${CAMPAIGNS}/${id}/checks`)).body.data;
    expect(checks).toContainEqual(
      expect.objectContaining({ code: 'script', severity: 'error', node: ownBlock.id }),
    );
    const { data } = (await owner.get(`${CAMPAIGNS}/${id}/content`)).body;
    expect(data.document.sections[0].columns[0].blocks[1].html).toContain('<script>');
  });
});
