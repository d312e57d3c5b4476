// Custom HTML is imported from a file, a ZIP with images, or a URL; invalid input is refused.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { crc32, deflateRawSync } from 'node:zlib';
import sharp from 'sharp';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { allowPrivateAddresses } from '#platform/server/outgoing/outgoing-address.ts';
import { testServer } from '#testing/setup/server.ts';
import { upload } from '#testing/setup/upload.ts';
import { decodePage } from './decode-page.ts';
import { listReferences, replaceReferences } from './references.ts';

const FILE = '/client-api/api/content/html_file';
const ADDRESS = '/client-api/api/content/html_address';

const server = await testServer();
const ada = await server.owner();
const importFile = (name: string, bytes: Buffer | string) =>
  upload(ada, Buffer.from(bytes), name, FILE);

type TestZipEntry = { name: string; bytes: Buffer | string; method?: 0 | 8; flags?: number };

/** Builds a ZIP file of the given entries. */
function zip(files: readonly TestZipEntry[]): Buffer {
  const localEntries: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, bytes, method = 8, flags = 0x800 } of files) {
    const content = Buffer.from(bytes);
    const compressed = method === 8 ? deflateRawSync(content) : content;
    const nameBytes = Buffer.from(name);
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(flags, 2);
    header.writeUInt16LE(method, 4);
    header.writeUInt32LE(crc32(content), 10);
    header.writeUInt32LE(compressed.length, 14);
    header.writeUInt32LE(content.length, 18);
    header.writeUInt16LE(nameBytes.length, 22);
    const entry = Buffer.alloc(16);
    entry.writeUInt32LE(offset, 12);
    localEntries.push(Buffer.from('504b0304', 'hex'), header, nameBytes, compressed);
    directory.push(
      Buffer.from('504b01021400', 'hex'),
      header,
      entry.subarray(0, 14 + 2),
      nameBytes,
    );
    directory[directory.length - 2] = Buffer.concat([Buffer.alloc(10), entry.subarray(12)]);
    offset += 30 + nameBytes.length + compressed.length;
  }
  const directoryBytes = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('504b0506', 0, 'hex');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(directoryBytes.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...localEntries, directoryBytes, end]);
}

let shades = 0;
const createImage = (background = `#${(++shades + 0x100000).toString(16)}`) =>
  sharp({ create: { width: 40, height: 20, channels: 3, background } })
    .png()
    .toBuffer();

describe('an imported file', () => {
  test('an imported file is decoded from UTF-8, UTF-16, Latin-1 and a declared encoding', async () => {
    const html = '<!DOCTYPE html>\n<p class=x >Blåbær {{ email }}</p>';
    expect((await importFile('a.html', html)).body.data).toEqual({ html, images: 0, missing: [] });
    const legacyHtml = Buffer.from(`<meta charset="windows-1257"><p>\xe8</p>`, 'latin1');
    expect((await importFile('old.htm', legacyHtml)).body.data.html).toContain('<p>č</p>');
    expect(decodePage(Buffer.from('\ufeffå', 'utf16le'))).toBe('å');
    expect(decodePage(Buffer.from('<p>\xe5</p>', 'latin1'))).toBe('<p>å</p>');
  });

  test.each([
    ['an image', 'logo.html.png', Buffer.from('89504e470d0a1a0a', 'hex'), 'no_html_found'],
    ['plain text', 'notes.txt', 'Dear all', 'no_html_found'],
    ['no bytes', 'nothing.txt', '', 'no_html_found'],
    ['NUL bytes and the extension of a page', 'x.html', Buffer.alloc(400), 'no_html_found'],
    ['more than 1 MB of HTML', 'x.html', 'x'.repeat(1024 * 1024 + 1), 'content_too_large'],
    ['a damaged ZIP', 'x.zip', Buffer.from('504b0304aaaa', 'hex'), 'zip_damaged'],
  ])('an imported file with %s is refused with a message', async (_, name, bytes, code) => {
    const { status, body } = await importFile(name, bytes);
    expect([status, body.code]).toEqual([422, code]);
    expect(body.message).toMatch(/^[A-Z].*[.B]$/);
  });

  test('an imported file above 20 MB is refused', async () => {
    const response = await importFile('x.zip', Buffer.alloc(20 * 1024 * 1024 + 1));
    expect([response.status, response.body.code]).toEqual([422, 'html_file_too_large']);
  });
});

describe('an imported ZIP', () => {
  test('adds its images to the library and its style sheets to the page', async () => {
    const [logo, back, inSheet] = [await createImage(), await createImage(), await createImage()];
    const response = await importFile(
      'mail.zip',
      zip([
        { name: '__MACOSX/mail/._index.html', bytes: 'not this' },
        {
          name: 'mail/index.html',
          bytes: `<link rel="stylesheet" href="css/mail.css"><table background='IMG/back%20ground.png?v=2'><td style="background:url(&quot;images/logo.png&quot;)"><img src=images/logo.png><img src="gone.png"><img src="https://cdn.example/x.png"><img src="{{ image }}"><a href="page.html">x</a><!--[if mso]><v:fill src="./images/logo.png"/><![endif]-->`,
        },
        { name: 'mail/images/logo.png', bytes: logo },
        { name: 'mail/img/back ground.png', bytes: back, method: 0 },
        { name: 'mail/css/mail.css', bytes: '.a{background:url("../images/in-sheet.png")}' },
        { name: 'mail/images/in-sheet.png', bytes: inSheet },
        { name: 'mail/deeper/index.html', bytes: 'nor this' },
      ]),
    );
    expect(response.status).toBe(200);
    const { html, images, missing } = response.body.data;
    expect([images, missing]).toEqual([3, ['gone.png']]);
    const normalizedHtml = html.replace(/\/i\/[A-Za-z0-9]+\/[a-z0-9]{32}\.png/g, 'OURS');
    expect(normalizedHtml).toBe(
      `<style>\n.a{background:url("OURS")}\n</style><table background='OURS'><td style="background:url(OURS)"><img src=OURS><img src="gone.png"><img src="https://cdn.example/x.png"><img src="{{ image }}"><a href="page.html">x</a><!--[if mso]><v:fill src="OURS"/><![endif]-->`,
    );
    const [src] = html.match(/\/i\/[A-Za-z0-9]+\/[a-z0-9]{32}\.png/) ?? [];
    expect((await server.app.inject({ url: src })).headers['content-type']).toBe('image/png');
    const library = await ada.get('/client-api/api/images');
    expect(library.body.data.map(({ name }: { name: string }) => name)).toContain(
      'back ground.png',
    );
  });

  test('does not resolve paths outside the archive or import SVGs', async () => {
    const names = [
      '../../etc/passwd',
      '/etc/passwd',
      '..%2f..%2fetc%2fpasswd',
      'a\\..\\..\\x.png',
      'constructor',
      'run.svg',
    ];
    const page = names.map((name) => `<img src="${name}">`).join('');
    const response = await importFile(
      'x.zip',
      zip([
        { name: 'index.html', bytes: page },
        { name: '../../../tmp/evil.png', bytes: await createImage() },
        {
          name: 'run.svg',
          bytes: '<svg xmlns="http://www.w3.org/2000/svg"><script>1</script></svg>',
        },
      ]),
    );
    expect(response.body.data).toEqual({ html: page, images: 0, missing: names });
  });

  test.each<[string, () => Buffer | Promise<Buffer>, string]>([
    [
      'a page that expands to 30 MB',
      () => zip([{ name: 'index.html', bytes: Buffer.alloc(30_000_000, 60) }]),
      'zip_too_large',
    ],
    [
      'images that expand to 75 MB',
      () => {
        const bomb = { bytes: Buffer.alloc(15_000_000) };
        const names = [1, 2, 3, 4, 5].map((n) => `${n}.png`);
        const page = names.map((name) => `<img src="${name}">`).join('');
        return zip([
          { name: 'index.html', bytes: page },
          ...names.map((name) => ({ name, ...bomb })),
        ]);
      },
      'zip_too_large',
    ],
    [
      'more than 60 images',
      async () => {
        const names = Array.from({ length: 61 }, (_, n) => `${n}.png`);
        return zip([
          { name: 'index.html', bytes: names.map((name) => `<img src="${name}">`).join('') },
        ]);
      },
      'zip_many_pictures',
    ],
    ['no HTML file', () => zip([{ name: 'readme.txt', bytes: 'x' }]), 'zip_no_html'],
    ['no entries', () => zip([]), 'no_html_found'],
    ['a password', () => zip([{ name: 'index.html', bytes: 'x', flags: 0x801 }]), 'zip_encrypted'],
    [
      'more than 10,000 entries',
      () =>
        zip(
          Array.from({ length: 10_001 }, (_, n) => ({
            name: `${n}`,
            bytes: '',
            method: 0 as const,
          })),
        ),
      'zip_too_large',
    ],
  ])('an imported ZIP with %s is refused with a message', async (_, make, code) => {
    const { status, body } = await importFile('x.zip', await make());
    expect([status, body.code]).toEqual([422, code]);
    expect(body.message).toMatch(/^[A-Z].*\.$/);
  });
});

describe('an imported URL', () => {
  let site: string;
  let requests: (string | undefined)[] = [];
  beforeAll(async () => {
    const shop = createServer((request, response) => {
      requests.push(request.url);
      const respond = (type: string, body: string) =>
        response.writeHead(200, { 'content-type': type }).end(body);
      if (request.url === '/mail') return response.writeHead(302, { location: '/m/1.html' }).end();
      if (request.url === '/m/1.html') {
        return respond(
          'text/html; charset=utf-8',
          `<link href="s.css" rel="stylesheet"><link rel=stylesheet href=/gone.css><script>alert(1)</script><img src="a b.png"><a href="?x=1&amp;y=2">x</a><a href="mailto:a@b.example">m</a><a href="#top">t</a><td background="//cdn.example/b.png"><p style="background:url('c.png')">{{ email }}</p>`,
        );
      }
      if (request.url === '/m/s.css') return respond('text/css', 'p{background:url(d.png)}');
      if (request.url === '/file.pdf') return respond('application/pdf', '%PDF');
      if (request.url === '/public') {
        // From now on the test site is treated as private, as if the redirect led to a private
        // host.
        allowPrivateAddresses(false);
        return response.writeHead(302, { location: `${site}/m/1.html` }).end();
      }
      if (request.url === '/huge') return respond('text/html', 'x'.repeat(1024 * 1024 + 1));
      return response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => shop.listen(0, '127.0.0.1', resolve));
    site = `http://127.0.0.1:${(shop.address() as AddressInfo).port}`;
    return () => new Promise((resolve) => shop.close(resolve));
  });
  beforeEach(() => {
    requests = [];
    allowPrivateAddresses(true);
  });
  afterEach(() => allowPrivateAddresses(false));

  test('an imported page has style sheets and absolute URLs, but no scripts', async () => {
    const response = await ada.post(ADDRESS, { address: `${site}/mail` });
    expect(response.body.data).toEqual({
      html: `<style>\np{background:url("${site}/m/d.png")}\n</style><img src="${site}/m/a%20b.png"><a href="${site}/m/1.html?x=1&amp;y=2">x</a><a href="mailto:a@b.example">m</a><a href="#top">t</a><td background="http://cdn.example/b.png"><p style="background:url(${site}/m/c.png)">{{ email }}</p>`,
      images: 0,
      missing: ['/gone.css'],
    });
  });

  test.each([
    ['/nothing', 'page_unreachable'],
    ['/file.pdf', 'page_no_html'],
    ['/huge', 'content_too_large'],
  ])('an imported URL with the path %s is refused with the code %s', async (path, code) => {
    const { status, body } = await ada.post(ADDRESS, { address: site + path });
    expect([status, body.code]).toEqual([422, code]);
  });

  test('a URL that redirects to a private network is refused', async () => {
    const { body } = await ada.post(ADDRESS, { address: `${site}/public` });
    expect(body.code).toBe('page_unreachable');
    expect(requests).toEqual(['/public']);
  });

  test('internal, invalid and non-HTTP URLs are refused', async () => {
    allowPrivateAddresses(false);
    for (const address of [`${site}/mail`, 'http://169.254.169.254/', 'http://[::1]/']) {
      expect((await ada.post(ADDRESS, { address })).body.code).toBe('page_unreachable');
    }
    expect(requests).toEqual([]);
    for (const address of ['file:///etc/passwd', 'javascript:alert(1)', '', 'x'.repeat(3000)]) {
      expect((await ada.post(ADDRESS, { address })).status).toBe(422);
    }
  });

  test('imports are refused with 429 after 30 URLs per account', async () => {
    const bob = await server.owner();
    const statuses: number[] = [];
    for (let i = 0; i < 31; i++) {
      statuses.push((await bob.post(ADDRESS, { address: `${site}/nothing` })).status);
    }
    expect(statuses.slice(0, 30).every((status) => status === 422)).toBe(true);
    expect(statuses[30]).toBe(429);
  });
});

test('a replaced reference never ends the attribute or style sheet that contains it', () => {
  const html = `<img src='a'><p style='background:url(a)'><style>p{background:url(a)}</style><img src=a>`;
  const replaced = replaceReferences(html, listReferences(html), () => `x'"><b>) y`);
  expect(replaced).toBe(
    `<img src='x&#39;&quot;&gt;&lt;b&gt;)%20y'><p style='background:url(x%27%22%3e%3cb%3e%29%20y)'><style>p{background:url("x%27%22%3e%3cb%3e%29%20y")}</style><img src=x&#39;&quot;&gt;&lt;b&gt;)%20y>`,
  );
});
