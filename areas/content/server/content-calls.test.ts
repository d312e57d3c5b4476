// Content calls over HTTP: previews, templates, saved sections, saved templates, the brand, inlined
// style sheets, and imported templates of other services.
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { addPeople } from '#testing/worlds/sending-helpers.ts';
import { type TestClient, testServer } from '#testing/setup/server.ts';
import { createBlock, createEmailDocument, createSection } from '../document-factory.ts';
import { findDocumentProblems } from '../document-rules.ts';
import { MAX_SAVED_TEMPLATES, TEMPLATE_PURPOSES } from '../shared.ts';

const server = await testServer();
const ada = await server.owner();
const API = '/client-api/api';

type TemplateRow = { id: string; purpose: string; title: string; thumbnail_url: string };

describe('a preview', () => {
  test('shows the values of the newest subscriber, or fallbacks without one, and reports findings by block', async () => {
    const owner = await server.owner();
    const text = createBlock('text', { html: "<p>Dear {{firstname | fallback: 'friend'}}</p>" });
    const document = createEmailDocument([createSection([[text]])], {
      preheader: 'From the document',
    });
    const show = async () => (await owner.post(`${API}/content/preview`, { document })).body.data;
    expect((await show()).text).toContain('Dear friend');
    await addPeople(server.db, owner.accountId, 1);
    const { html, size, findings, preheader } = await show();
    expect(html).toContain('Dear Name 1');
    // The size refers to the sent email; the preview has neither tracked links nor the pixel.
    expect(size).toBeGreaterThan(Buffer.byteLength(html));
    expect(size).toBeLessThan(Buffer.byteLength(html) + 1_000);
    expect(preheader).toBe('From the document');
    expect(findings.every((finding: { severity: string }) => finding.severity !== 'error')).toBe(
      true,
    );
    const invalidBlock = createBlock('text', { html: '<p>{% for x in y %}</p>' });
    const broken = createEmailDocument([createSection([[invalidBlock]])]);
    const preview = (await owner.post(`${API}/content/preview`, { document: broken })).body.data;
    expect(preview).toMatchObject({ html: null, text: null });
    expect(preview.findings).toContainEqual(
      expect.objectContaining({
        code: 'tag_control_flow',
        severity: 'error',
        node: invalidBlock.id,
      }),
    );
  });

  test('a preview of an invalid document reports the errors', async () => {
    const newer = { ...createEmailDocument(), version: 2 };
    const { data } = (await ada.post(`${API}/content/preview`, { document: newer })).body;
    expect(data.findings[0].code).toBe('document_newer');
    expect((await ada.post(`${API}/content/preview`, { document: [] })).status).toBe(422);
    expect((await server.client().post(`${API}/content/preview`, {})).status).toBe(401);
  });
});

describe('templates', () => {
  test('every purpose has templates that have valid documents and cacheable thumbnails', async () => {
    const list: TemplateRow[] = (await ada.get(`${API}/templates`)).body.data;
    expect(list.length).toBeGreaterThanOrEqual(24);
    expect(new Set(list.map(({ purpose }) => purpose))).toEqual(new Set(TEMPLATE_PURPOSES));
    for (const { id, title } of list) expect(title, id).not.toBe(id);
    const { document } = (await ada.get(`${API}/templates/${list[0]?.id}`)).body.data;
    expect(findDocumentProblems(document)).toEqual([]);
    const page = await ada.get(list[0]?.thumbnail_url ?? '');
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.headers['content-security-policy']).toMatch(/^sandbox;/);
    expect(page.headers['cache-control']).toContain('immutable');
    expect((await ada.get(`${API}/templates/nothing`)).status).toBe(404);
  });

  test("templates use the account's language and brand and have titles in the user's language", async () => {
    const owner = await server.owner();
    const english = (await owner.get(`${API}/templates/welcome`)).body.data;
    await owner.patch(`${API}/brand`, {
      button_background: '#123456',
      background: '#fafafa',
      font: 'Georgia',
    });
    await server.db
      .updateTable('accounts')
      .set({ language: 'swe' })
      .where('id', '=', owner.accountId)
      .execute();
    const swedish = (await owner.get(`${API}/templates/welcome`)).body.data;
    expect(JSON.stringify(swedish.document)).not.toContain(
      english.document.sections[2].columns[0].blocks[0].html,
    );
    expect(swedish.title).toBe(english.title);
    expect(swedish.document.settings.button.background).toBe('#123456');
    expect(swedish.document.settings.text.font).toBe('Georgia');
    expect(swedish.document.sections[0].background).toBe('#fafafa');
    expect(swedish.thumbnail_url).not.toBe(english.thumbnail_url);
  });
});

describe('saved sections', () => {
  const URL = `${API}/saved_sections`;

  test('saved sections are sanitized, updated and deleted, each in its account', async () => {
    const bob = await server.owner();
    const text = createBlock('text', { html: '<p onclick="x()">Hi<script>x()</script></p>' });
    const created = (await ada.post(URL, { title: 'Greeting', section: createSection([[text]]) }))
      .body.data;
    expect(created.section.columns[0].blocks[0].html).toBe('<p>Hi</p>');
    const renaming = await ada.patch(`${URL}/${created.id}`, { title: 'Hello' });
    expect(renaming.body.data).toMatchObject({ title: 'Hello', section: created.section });
    expect((await ada.get(`${URL}/${created.id}`)).body.data).toEqual(renaming.body.data);
    const { section: _, ...listed } = renaming.body.data;
    // A section may be a megabyte, so the list omits it.
    expect((await ada.get(`${URL}?search=hell`)).body.data).toEqual([listed]);
    expect((await bob.get(URL)).body.data).toEqual([]);
    expect((await bob.get(`${URL}/${created.id}`)).status).toBe(404);
    expect((await bob.patch(`${URL}/${created.id}`, { title: 'x' })).status).toBe(404);
    expect((await bob.delete(`${URL}/${created.id}`)).status).toBe(404);
    expect((await ada.delete(`${URL}/${created.id}`)).status).toBe(200);
    expect((await ada.get(URL)).body.data).toEqual([]);
  });

  test('invalid sections are refused with their problems', async () => {
    const response = await ada.post(URL, { title: 'x', section: { id: 'a', columns: [] } });
    expect(response.status).toBe(422);
    expect(response.body.code).toBe('document_invalid');
    expect(response.body.problems.length).toBeGreaterThan(0);
  });
});

describe('saved templates', () => {
  const URL = `${API}/saved_templates`;
  const greeting = () =>
    createEmailDocument([
      createSection([[createBlock('text', { html: '<p onclick="x()">Hi {{firstname}}</p>' })]]),
    ]);

  test('saved templates are created from an email, shown, renamed and deleted, each in its account', async () => {
    const bob = await server.owner();
    const created = (await ada.post(URL, { title: 'Greeting', document: greeting() })).body.data;
    expect((await ada.get(URL)).body.data).toEqual([created]);
    const template = (await ada.get(`${URL}/${created.id}`)).body.data;
    expect(findDocumentProblems(template.document)).toEqual([]);
    expect(JSON.stringify(template.document)).not.toContain('onclick');
    expect((await ada.get(created.thumbnail_url)).text).toContain('Hi Sarah');
    const renaming = (await ada.patch(`${URL}/${created.id}`, { title: 'Hello' })).body.data;
    expect(renaming).toMatchObject({ id: created.id, title: 'Hello' });
    expect((await bob.get(URL)).body.data).toEqual([]);
    for (const path of [`${URL}/${created.id}`, created.thumbnail_url]) {
      expect((await bob.get(path)).status, path).toBe(404);
    }
    expect((await bob.patch(`${URL}/${created.id}`, { title: 'x' })).status).toBe(404);
    expect((await bob.delete(`${URL}/${created.id}`)).status).toBe(404);
    expect((await ada.delete(`${URL}/${created.id}`)).status).toBe(200);
    expect((await ada.get(URL)).body.data).toEqual([]);
  });

  test('saved templates that are invalid, untitled or over the limit are refused', async () => {
    const owner = await server.owner();
    const invalidTemplate = { title: 'x', document: { sections: 'none' } };
    expect((await owner.post(URL, invalidTemplate)).body.code).toBe('document_invalid');
    expect((await owner.post(URL, { title: ' ', document: greeting() })).status).toBe(422);
    await sql`insert into saved_templates (account_id, title, document, created_at, modified_at)
      select ${owner.accountId}::bigint, n::text, '{}', now(), now()
      from generate_series(1, ${MAX_SAVED_TEMPLATES}::integer) n`.execute(server.db);
    const response = await owner.post(URL, { title: 'One more', document: greeting() });
    expect(response.body).toMatchObject({ code: 'too_many_templates' });
  });
});

describe('the brand', () => {
  const URL = `${API}/brand`;

  test('a change affects only the given values and only its account', async () => {
    const owner = await server.owner();
    expect((await owner.get(URL)).body.data).toMatchObject({ colors: [], logo: null, font: null });
    await Promise.all([
      owner.patch(URL, { colors: ['#FF0000'], website: 'https://tea.example/' }),
      owner.patch(URL, { link_color: '#00ff00' }),
    ]);
    expect((await owner.get(URL)).body.data).toMatchObject({
      colors: ['#ff0000'],
      link_color: '#00ff00',
      website: 'https://tea.example/',
    });
    await owner.patch(URL, { link_color: null });
    expect((await owner.get(URL)).body.data.link_color).toBeNull();
    const outsider = await server.owner();
    expect((await outsider.get(URL)).body.data.colors).toEqual([]);
  });

  test.each([
    ['an invalid color', { colors: ['red'] }],
    ['an unknown font', { font: 'Wingdings' }],
    ['an address that runs code', { website: 'javascript:alert(1)' }],
    ['an unknown field', { slogan: 'x' }],
    ['an unknown network', { social: [{ network: 'myspace', href: '' }] }],
  ])('refuses %s', async (_, body) => {
    expect((await ada.patch(URL, body)).status).toBe(422);
  });
});

test('inlining style sheets keeps rules for Outlook, media queries and merge tags, and refuses HTML that is too large', async () => {
  const html =
    '<html><head><!--[if mso]><style>.x{color:red}</style><![endif]--><style>.a{color:#00f} @media (max-width:480px){.a{color:#0f0!important}}</style></head>' +
    '<body><!--[if mso | IE]><table><tr><td><![endif]--><p class="a" title="{{ x | fallback: \'<b>\' }}">Hi {{ firstname | fallback: "you" }}</p><!--[if mso | IE]></td></tr></table><![endif]--><a href="{{unsubscribe_link}}">u</a></body></html>';
  const inlinedHtml: string = (await ada.post(`${API}/content/inline_css`, { html })).body.data
    .html;
  expect(inlinedHtml).toMatch(/<p class="a" title="[^"]*" style="color: ?#00f;?">/);
  const rules = Array.from({ length: 6000 }, (_, i) => `p{margin:${i}px}`).join('');
  const heavy = `<style>${rules}</style>${'<p>x</p>'.repeat(10_000)}`;
  const rejection = await ada.post(`${API}/content/inline_css`, { html: heavy });
  expect([rejection.status, rejection.body.code]).toEqual([422, 'css_too_large']);
  const hidden = await ada.post(`${API}/content/inline_css`, {
    html: heavy.replace('<style>', '<style>/*<*/'),
  });
  expect([hidden.status, hidden.body.code]).toEqual([422, 'css_too_large']);
  const largeResponse = await ada.post(`${API}/content/inline_css`, {
    html: 'x'.repeat(1_100_000),
  });
  expect([largeResponse.status, largeResponse.body.code]).toEqual([422, 'content_too_large']);
  for (const retained of [
    '<!--[if mso]><style>.x{color:red}</style><![endif]-->',
    '<!--[if mso | IE]><table><tr><td><![endif]-->',
    '<!--[if mso | IE]></td></tr></table><![endif]-->',
    '@media (max-width:480px)',
    "{{ x | fallback: '<b>' }}",
    '{{ firstname | fallback: "you" }}',
    'href="{{unsubscribe_link}}"',
  ]) {
    expect(inlinedHtml).toContain(retained);
  }
});

describe('templates of other services', () => {
  const URL = `${API}/saved_templates/html_file`;
  const importFile = (client: TestClient, name: string, bytes: string | Buffer) =>
    client.send({
      method: 'POST',
      url: URL,
      payload: Buffer.concat([
        Buffer.from(
          `--x\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n\r\n`,
        ),
        Buffer.from(bytes as string),
        Buffer.from('\r\n--x--\r\n'),
      ]),
      headers: { 'content-type': 'multipart/form-data; boundary=x' },
    });
  const htmlOf = async (id: string) => {
    const template = (await ada.get(`${API}/saved_templates/${id}`)).body.data;
    return template.document.sections[0].columns[0].blocks[0].html as string;
  };

  test.each([
    [
      'Mailchimp',
      '<a href="*|UNSUB|*">Hi *|FNAME|*</a> *|HTML:LIST_ADDRESS_HTML|* *|ARCHIVE|*',
      '<a href="{{unsubscribe_link}}">Hi {{firstname | default: ""}}</a> {{postal_address}} {{browser_preview}}',
    ],
    ['GetResponse', 'Hi [[firstname]], [[email]]', 'Hi {{firstname | default: ""}}, {{email}}'],
    [
      'MailerLite',
      'Hi {$name} <a href="{$unsubscribe}">x</a>',
      'Hi {{firstname | default: ""}} <a href="{{unsubscribe_link}}">x</a>',
    ],
    [
      'Brevo',
      'Hi {{ contact.FIRSTNAME }} <a href="{{ unsubscribe }}">x</a> {{ mirror }}',
      'Hi {{firstname | default: ""}} <a href="{{unsubscribe_link}}">x</a> {{browser_preview}}',
    ],
    [
      'Klaviyo',
      "Hi {{ first_name|default:'you' }} {% unsubscribe 'Leave' %} {{ organization.name }} {{ organization.full_address }}",
      'Hi {{firstname | default: ""}} <a href="{{unsubscribe_link}}">Leave</a> {{company}} {{postal_address}}',
    ],
    [
      'Sendloom with an unknown tag',
      'Hi {{ firstname }} *|MMERGE9|* {{ item.price }}',
      'Hi {{ firstname }} *|MMERGE9|* {{ item.price }}',
    ],
  ])('%s: known merge tags are converted', async (service, written, own) => {
    const page = `<html><head><title>${service} May</title><style>p{color:#ff0000}</style></head><body class="x"><p>${written}</p></body></html>`;
    const response = await importFile(ada, 'may.html', page);
    expect(response.status, response.text).toBe(200);
    expect(response.body.data).toMatchObject({ title: `${service} May`, missing: [] });
    const html = await htmlOf(response.body.data.id);
    expect(html).toContain(own);
    expect(html).toMatch(/<p style="color: ?#ff0000;?">/);
    expect(html).not.toContain('<head');
    expect(html).not.toContain('</body');
  });

  test('templates without HTML and too large templates are refused and not stored', async () => {
    const bob = await server.owner();
    const list = async () => (await bob.get(URL.replace('/html_file', ''))).body.data;
    expect((await importFile(bob, 'a.txt', 'Dear all')).body.code).toBe('no_html_found');
    const longHtml = `<body>${'<p>x</p>'.repeat(30_000)}</body>`;
    expect((await importFile(bob, 'a.html', longHtml)).body.code).toBe('content_too_large');
    expect(await list()).toEqual([]);
    expect((await importFile(bob, 'spring.html', '<body>Hi</body>')).body.data.title).toBe(
      'spring',
    );
    expect(await list()).toHaveLength(1);
  });
});
