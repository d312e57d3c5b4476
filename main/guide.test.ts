// The user guide at /guide: a strict policy for pages, caching of files, and the build started by
// the first request if the guide is missing or stale.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fastify, { type FastifyInstance } from 'fastify';
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type GuideBuild, guidePlugin } from './guide.ts';

const folder = mkdtempSync(join(tmpdir(), `sendloom-test-${process.pid}-guide-`));
const SECRET = join(folder, 'secret.html');
const site = join(folder, 'guide');
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const FILES = {
  'index.html': '<h1>Guide</h1>',
  'campaigns.html': '<h1>Campaigns</h1>',
  'operations/relay.html': '<h1>Relays</h1>',
  '404.html': '<h1>Not found</h1>',
  'early.js': 'early()',
  'assets/app.DIn1e_RC.js': 'app()',
  'assets/chunks/@localSearchIndexroot.C2G-Bmwe.js': 'search()',
  'assets/app.DIn1e_RC.js.br': 'compressed',
};

function writeSite(): void {
  for (const [file, content] of Object.entries(FILES)) {
    mkdirSync(join(site, file, '..'), { recursive: true });
    writeFileSync(join(site, file), content);
  }
}

let app: FastifyInstance;
async function serve(build: GuideBuild): Promise<void> {
  app = fastify({ routerOptions: { ignoreTrailingSlash: true } });
  await app.register(guidePlugin(site, build));
}
afterEach(() => app.close());

const FRESH_BUILD: GuideBuild = { isStale: () => false, build: async () => {} };
const getPage = (url: string, headers = {}) => app.inject({ method: 'GET', url, headers });

describe('a built guide', () => {
  beforeEach(async () => {
    writeFileSync(SECRET, 'hidden content');
    writeSite();
    await serve(FRESH_BUILD);
  });

  test.each([
    ['/guide/', 'Guide'],
    ['/guide/campaigns', 'Campaigns'],
    ['/guide/campaigns/', 'Campaigns'],
    ['/guide/campaigns.html', 'Campaigns'],
    ['/guide/operations/relay?from=help', 'Relays'],
  ])('%s shows the page %s', async (url, heading) => {
    const response = await getPage(url);
    expect(response.statusCode).toBe(200);
    expect(response.headers['content-type']).toMatch(/^text\/html/);
    expect(response.headers['cache-control']).not.toMatch(/immutable/);
    expect(response.body).toBe(`<h1>${heading}</h1>`);
  });

  test('the content security policy of a page forbids other hosts and inline scripts', async () => {
    const policy = String((await getPage('/guide/campaigns')).headers['content-security-policy']);
    expect(policy).toContain("default-src 'none'");
    expect(policy).toContain("script-src 'self';");
    expect(policy).not.toMatch(/https?:/);
  });

  test('/guide redirects to /guide/ and retains the query', async () => {
    const response = await getPage('/guide?x=1');
    expect([response.statusCode, response.headers.location]).toEqual([301, '/guide/?x=1']);
  });

  test('hashed files in assets/ are cached for a year, and other files are revalidated on each use', async () => {
    const asset = await getPage('/guide/assets/app.DIn1e_RC.js');
    expect(asset.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await getPage('/guide/early.js')).headers['cache-control']).toBe('public, max-age=0');
  });

  test('the search index is served although its name begins with @', async () => {
    const index = await getPage('/guide/assets/chunks/@localSearchIndexroot.C2G-Bmwe.js');
    expect(index.body).toBe('search()');
  });

  test('compressed files are sent to browsers that accept them', async () => {
    const asset = await getPage('/guide/assets/app.DIn1e_RC.js', { 'accept-encoding': 'br' });
    expect([asset.headers['content-encoding'], asset.body]).toEqual(['br', 'compressed']);
  });

  test.each([
    'nothing',
    'assets/app.old.js',
    '..%2fsecret',
    '../secret.html',
    '%2e%2e/secret',
    'a//b',
  ])('/guide/%s is not found', async (path) => {
    const response = await getPage(`/guide/${path}`);
    expect(response.statusCode).toBe(404);
    expect(response.body).not.toContain('hidden content');
  });
});

describe('a guide without a build', () => {
  beforeEach(() => rmSync(site, { recursive: true, force: true }));

  test('the first request starts the only build, and each page reports it and reloads until the build ends', async () => {
    let finish = () => {};
    const build = vi.fn<GuideBuild['build']>(
      () =>
        new Promise<void>((settle) => {
          finish = () => {
            writeSite();
            settle();
          };
        }),
    );
    await serve({ isStale: () => true, build });
    expect(build).not.toHaveBeenCalled();
    const waiting = await getPage('/guide/campaigns');
    expect([waiting.statusCode, waiting.headers.refresh]).toEqual([503, '5']);
    expect(waiting.body).toContain('The guide is being built');
    await getPage('/guide/');
    expect(build).toHaveBeenCalledOnce();
    finish();
    expect((await getPage('/guide/campaigns')).body).toBe('<h1>Campaigns</h1>');
  });

  test('a failed build is retried by the next request', async () => {
    const build = vi.fn<GuideBuild['build']>(async () => {
      throw new Error('no memory');
    });
    await serve({ isStale: () => true, build });
    expect((await getPage('/guide/')).statusCode).toBe(503);
    expect((await getPage('/guide/')).statusCode).toBe(503);
    expect(build).toHaveBeenCalledTimes(2);
  });
});

test('a stale guide is shown while the new one is built', async () => {
  writeSite();
  const build = vi.fn<GuideBuild['build']>(async () => {});
  await serve({ isStale: () => true, build });
  expect((await getPage('/guide/')).statusCode).toBe(200);
  expect(build).toHaveBeenCalledOnce();
});
