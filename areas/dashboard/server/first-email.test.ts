// The first email, which owners send to themselves: the data read from a website, the email built
// from it, and blocked network targets.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import PostalMime from 'postal-mime';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { profileWebsite } from '#areas/content/server/website/website-brand.ts';
import { findPageColor } from '#areas/content/server/website/page-color.ts';
import { parsePageProfile } from '#areas/content/server/website/page-profile.ts';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { startTestSender } from '#testing/worlds/sender.ts';
import { type TestServer, testServer } from '#testing/setup/server.ts';
import { startSmtpServer, type TestSmtpServer } from '#testing/servers/smtp-server.ts';

const CALL = '/client-api/api/accounts/first_email';
const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" width="320" height="80"><rect width="320" height="80" fill="#146c54"/></svg>';
const PAGE = `<!doctype html><html><head><title>Fresh tea, sent by post | Bergen Tea</title>
<meta property="og:site_name" content="Bergen Tea {{ email }} <b>"><meta property="og:image" content="/hero.jpg">
<link rel="stylesheet" href="/site.css"></head>
<body><header><img class="site-logo" src="/logo.svg" alt="Bergen Tea"></header></body></html>`;

type UnusualResponse = { status?: number; headers: Record<string, string>; body: string | Buffer };
const page = (body: string | Buffer, type = 'text/html'): UnusualResponse => ({
  headers: { 'content-type': type },
  body,
});
const pageNamed = (name: string) => page(`<meta property="og:site_name" content="${name}">`);
/** Responses of the test site by path. */
const UNUSUAL_RESPONSES: Record<string, UnusualResponse> = {
  empty: page(''),
  'no-type': { headers: {}, body: PAGE },
  json: page('{"a":1}', 'application/json'),
  utf16: page(Buffer.from(PAGE, 'utf16le'), 'text/html; charset=utf-16'),
  'no-charset': page(PAGE, 'text/html; charset=x-nonsense'),
  bytes: page(Buffer.from(Array.from({ length: 60_000 }, (_, n) => (n * 7919) % 256))),
  huge: page(`<title>Huge</title>${'<p>'.repeat(600_000)}`),
  nested: page(`<title>Nested</title>${'<b>'.repeat(30_000)}`),
  surrogates: pageNamed('Tea &#xD83D; \u{1F375} &#x0; &#xFFFE;'),
  'lone-json': page(
    '<script type="application/ld+json">{"logo":"\\ud83d","a":{"logo":{"url":"/\\udc00.svg"}}}</script>',
  ),
  'open-tag': pageNamed('{{ name | {% if'),
  'line-breaks': pageNamed('Tea&#13;&#10;Bcc: b@x.example'),
  blanks: pageNamed(' \u200B\u2066 '),
  'long-name': pageNamed('\u{1F375}'.repeat(5000)),
  'odd-color': page(
    '<meta name="theme-color" content="hsl(NaN 1% 1e999%)"><style>a{color:#gg}</style>',
  ),
  'open-href': { status: 302, headers: { location: '/home?a={{%20b&c={%if' }, body: '' },
  'long-address': { status: 302, headers: { location: `/home?${'a'.repeat(3000)}` }, body: '' },
  'odd-location': { status: 302, headers: { location: 'http://[' }, body: '' },
  loop: { status: 302, headers: { location: '/loop' }, body: '' },
  'wide-picture': page(
    '<meta property="og:image" content="/line.svg"><img class=logo src="/line.svg">',
  ),
  'line.svg': page(
    '<svg xmlns="http://www.w3.org/2000/svg" width="30000" height="1"><rect width="9" height="1"/></svg>',
    'image/svg+xml',
  ),
  ampersand: pageNamed('Fjord &amp; Fjell'),
  'broken-picture': page(
    '<meta property="og:image" content="/bytes"><img class=logo src="/bytes">',
  ),
};

let server: TestServer;
let relay: TestSmtpServer;
let site: string;
let requests: string[] = [];
let hero: Buffer;

beforeAll(async () => {
  server = await testServer();
  relay = await startSmtpServer();
  hero = await sharp({ create: { width: 900, height: 500, channels: 3, background: '#c0ffee' } })
    .jpeg()
    .toBuffer();
  const shop = createServer((request, response) => {
    const path = request.url ?? '/';
    requests.push(path);
    const respond = (type: string, body: string | Buffer) =>
      response.writeHead(200, { 'content-type': type }).end(body);
    if (path === '/') return response.writeHead(301, { location: '/home' }).end();
    if (/^\/home(\?|$)/.test(path)) return respond('text/html; charset=utf-8', PAGE);
    if (path === '/logo.svg') return respond('image/svg+xml', LOGO);
    if (path === '/hero.jpg') return respond('image/jpeg', hero);
    if (path === '/site.css')
      return respond('text/css', 'body{color:#222}a{color:#0b66c3}:root{--brand-color:#b3261e}');
    const odd = UNUSUAL_RESPONSES[path.slice(1)];
    if (odd) return response.writeHead(odd.status ?? 200, odd.headers).end(odd.body);
    if (path === '/public') {
      // From now on the test site is treated as private, as if the redirect led to a private host.
      allowPrivateAddresses(false);
      return response.writeHead(302, { location: `${site}/private` }).end();
    }
    if (path === '/private') return respond('text/html; charset=utf-8', PAGE);
    return response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
  site = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
  return async () => {
    await relay.close();
    await new Promise((resolve) => shop.close(resolve));
  };
});
beforeEach(() => {
  requests = [];
  allowPrivateAddresses(true);
});
afterEach(() => allowPrivateAddresses(false));

async function emailTo(email: string) {
  startTestSender(server.db, relay.url);
  const receivedByOwner = () =>
    relay.accepted.filter((receivedMessage) => receivedMessage.to[0] === email);
  for (;;) {
    const emails = await Promise.all(
      receivedByOwner().map((receivedMessage) => PostalMime.parse(receivedMessage.source)),
    );
    const welcomeEmail = emails.find((mail) => mail.subject?.startsWith('Hello from'));
    if (welcomeEmail) return welcomeEmail;
    await relay.waitForMessages(relay.accepted.length + 1);
  }
}

describe('the first email', () => {
  test('the first email has the website’s name, color, logo and image, which become the brand', async () => {
    const owner = await server.owner('tea@shop.example');
    const response = await owner.post(CALL, { website: site });
    expect(response.body.data).toEqual({
      email: 'tea@shop.example',
      subject: 'Hello from Bergen Tea email b',
      website: { name: 'Bergen Tea {{ email }} <b>', has_logo: true, has_colour: true },
    });
    const email = await emailTo('tea@shop.example');
    const { data: brand } = (await owner.get('/client-api/api/brand')).body;
    expect(brand).toMatchObject({ button_background: '#b3261e', website: `${site}/home` });
    expect(email.html).toContain(brand.logo.src);
    expect(email.html?.toLowerCase()).toContain('background:#b3261e');
    const images = (await owner.get('/client-api/api/images')).body.data;
    expect(images).toHaveLength(2);
    for (const { src } of images) expect(email.html).toContain(src);
    expect(email.from?.address).toBe('sendloom@localhost');
    expect(email.html).toContain(`href="${site}/home"`);
  });

  test('the first email is sent even if the website is missing or unreadable', async () => {
    const owner = await server.owner('plain@shop.example');
    const response = await owner.post(CALL, {});
    expect(response.body.data).toMatchObject({ subject: 'Hello from Sendloom', website: null });
    expect((await emailTo('plain@shop.example')).html).toContain('This is how an email of yours');
    const unreachable = await owner.post(CALL, { website: `${site}/nothing` });
    expect(unreachable.body.data.website).toBeNull();
    expect((await owner.get('/client-api/api/brand')).body.data.logo).toBeNull();
  });

  test('preserves an ampersand in the company name', async () => {
    const owner = await server.owner('fjord@shop.example');
    const response = await owner.post(CALL, { website: `${site}/ampersand` });
    expect(response.body.data.subject).toBe('Hello from Fjord & Fjell');
    const email = await emailTo('fjord@shop.example');
    expect(email.html).toContain('Fjord &amp; Fjell');
    expect(email.html).not.toContain('&amp;amp;');
    expect(email.from?.name).toBe('Fjord & Fjell');
  });

  test('does not change brand settings that the account chose', async () => {
    const owner = await server.owner();
    await owner.patch('/client-api/api/brand', { button_background: '#112233' });
    await owner.post(CALL, { website: site });
    const { data: brand } = (await owner.get('/client-api/api/brand')).body;
    expect(brand).toMatchObject({ button_background: '#112233', link_color: null });
    expect(brand.logo).not.toBeNull();
  });

  test('does not send requests to a private network, even after a redirect from a public page', async () => {
    allowPrivateAddresses(false);
    const owner = await server.owner();
    expect((await owner.post(CALL, { website: site })).body.data.website).toBeNull();
    expect(requests).toEqual([]);
    expect((await owner.post(CALL, { website: 'http://localhost/' })).body.data.website).toBeNull();
    expect((await owner.post(CALL, { website: 'file:///etc/passwd' })).status).toBe(422);
    allowPrivateAddresses(true);
    expect(await profileWebsite(`${site}/private`)).toBeDefined();
    requests = [];
    expect(await profileWebsite(`${site}/public`)).toBeUndefined();
    expect(requests).toEqual(['/public']);
  });

  test('the first email is sent for every unusual website', async () => {
    let owner = await server.owner();
    const failures: unknown[] = [];
    for (const [i, name] of Object.keys(UNUSUAL_RESPONSES).entries()) {
      // An account may send ten first emails per hour, so ten websites share an account.
      if (i % 10 === 0) owner = await server.owner();
      const { status, body } = await owner.post(CALL, { website: `${site}/${name}` });
      if (status !== 200) failures.push([name, status, body]);
    }
    expect(failures).toEqual([]);
  }, 120_000);

  test('text that is not the URL of a public website is refused, or the first email is sent without a website', async () => {
    const owner = await server.owner();
    const invalidUrls = [
      '',
      ' ',
      'shop.example',
      '//shop.example',
      'ftp://shop.example',
      'http://',
      7,
    ];
    for (const website of [...invalidUrls, null, [], 'x'.repeat(300), 'mailto:a@b.example'])
      expect((await owner.post(CALL, { website })).status, String(website)).toBe(422);
    const unread = [
      'http://[::1]/',
      'http://0/',
      'http://127.0.0.1:22/',
      'http://a:b@localhost/',
      `http://${'a'.repeat(70)}.example/`,
      'http://..example/',
      'http://shop.example/\uD83D',
      'http://xn--a.example/',
    ];
    for (const website of unread) {
      const { status, body } = await owner.post(CALL, { website });
      expect([200, 422], `${website} ${JSON.stringify(body)}`).toContain(status);
      if (status === 200) expect(body.data.website).toBeNull();
    }
  });

  test('the first email is sent for unusual names and languages, and for concurrent requests', async () => {
    const titles = [
      '{{ name | {% if',
      '\uD83D',
      '"Tea" <b>, \u202Ex',
      '\u{1F375}'.repeat(120),
      '{$a}',
    ];
    for (const title of titles) {
      const owner = await server.owner();
      const updateResponse = await owner.patch('/client-api/api/accounts', { title });
      const { status, body } = await owner.post(CALL, {});
      expect([status, body.code], `${title} ${updateResponse.status}`).toEqual([200, undefined]);
    }
    const owner = await server.owner();
    for (const language of ['', '*', ';q=', 'x'.repeat(4000), 'fa, en;q=2', '\u00ff'])
      expect(
        (
          await owner.send({
            method: 'POST',
            url: CALL,
            payload: {},
            headers: { 'accept-language': language },
          })
        ).status,
        language,
      ).toBe(200);
    const otherOwner = await server.owner();
    const responses = await Promise.all(
      Array.from({ length: 4 }, () => otherOwner.post(CALL, { website: site })),
    );
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await otherOwner.get('/client-api/api/images')).body.data).toHaveLength(2);
  }, 60_000);

  test('requires a verified address if a relay is configured, and ten requests are allowed per hour', async () => {
    const serverWithRelay = await testServer({ SMTP_URL: relay.url });
    const owner = await serverWithRelay.owner();
    const response = await owner.post(CALL, {});
    expect([response.status, response.body.code]).toEqual([409, 'email_not_verified']);
    for (let n = 1; n < 10; n++) await owner.post(CALL, {});
    expect((await owner.post(CALL, {})).status).toBe(429);
  });
});

describe('data read from a page', () => {
  test('the name is the first available of: the site name, the part of the title that equals the host, its shortest part, the host', () => {
    const nameOf = (head: string, host = 'www.acme.example') =>
      parsePageProfile(`<head>${head}</head>`, `https://${host}/`).name;
    expect(nameOf('<meta name="application-name" content="Acme Ltd"><title>x</title>')).toBe(
      'Acme Ltd',
    );
    expect(nameOf('<title>The very best anvils — ACME</title>')).toBe('ACME');
    expect(nameOf('<title>Best anvils of all | Anvils Inc</title>')).toBe('Anvils Inc');
    expect(nameOf('')).toBe('acme.example');
  });

  test("the logos are the organization's, the page's, and icons by size, in this order", () => {
    const page = `<script type="application/ld+json">{"@graph":[{"@type":"Organization","logo":{"url":"/org.png"}}]}</script>
      <link rel="icon" href="/16.png" sizes="16x16"><link rel="apple-touch-icon" href="/180.png">
      <img alt="Acme logo" src="mark.png"><link rel="icon" href="javascript:1">`;
    expect(parsePageProfile(page, 'https://acme.example/en/').logoUrls).toEqual(
      ['org.png', 'en/mark.png', '180.png', '16.png'].map((path) => `https://acme.example/${path}`),
    );
  });

  test('the color is the first one that is not gray of: the theme color, the color of the buttons, the most frequent color', () => {
    expect(findPageColor('#0a7', '')).toBe('#00aa77');
    expect(findPageColor('#ffffff', 'a{color:#c00}a{color:#c00}b{color:#06c}')).toBe('#cc0000');
    expect(
      findPageColor('', '.btn-main{background-color: rgb(12, 90, 200)} a,b,c{color:#c00}'),
    ).toBe('#0c5ac8');
    expect(findPageColor('#fff', 'body{color:#333;background:#eee}')).toBeUndefined();
  });
});
