// The check of the documentation passes on the repository and finds one planted error of each kind.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { resolveSiteLink } from '../docs/.vitepress/page-links.ts';
import { listAnchors, checkGuide } from './check-guide.ts';
import { checkGuideSite } from './check-guide-site.ts';

const folder = mkdtempSync(join(tmpdir(), `sendloom-test-${process.pid}-guide-`));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const NAVIGATION = [
  {
    text: 'Guide',
    items: ['', 'send', 'operations/run'].map((link) => ({ text: link, link: `/${link}` })),
  },
];

function write(files: Record<string, string>): void {
  rmSync(folder, { recursive: true, force: true });
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
  }
}

const VALID_FILES = {
  'README.md': '[guide](docs/guide/index.md) and [send](docs/guide/send.md#pause-its-sending)',
  'docs/guide/index.md': '# Welcome\n\n![A list](pictures/list.webp) `[not](a-link.md)`\n',
  'docs/guide/pictures/list.webp': 'x',
  'docs/guide/send.md':
    "## Pause it's sending\n\n[up](#pause-its-sending) [out](https://shop.example/x)\n",
  'docs/operations/run.md': '# Run\n\n```sh\n# [no](link.md)\n```\n',
};

test('the documentation has no dead link, and its pictures are small and used', () => {
  expect(checkGuide()).toEqual([]);
});

test('correct documentation has no errors', () => {
  write(VALID_FILES);
  expect(checkGuide(folder, NAVIGATION)).toEqual([]);
});

test.each([
  [
    'a dead link',
    { 'docs/guide/send.md': '[x](sent.md)' },
    'docs/guide/send.md: sent.md does not exist',
  ],
  [
    'a missing section',
    { 'docs/operations/run.md': '[x](../guide/send.md#stop)' },
    'docs/operations/run.md: ../guide/send.md#stop has no such section',
  ],
  [
    'a missing section of the page itself',
    { 'docs/operations/run.md': '[x](#stop)' },
    'docs/operations/run.md: #stop has no such section',
  ],
  [
    'a missing picture',
    { 'docs/operations/run.md': '![x](a.png)' },
    'docs/operations/run.md: a.png does not exist',
  ],
  [
    'an unused picture',
    { 'docs/guide/pictures/old.webp': 'x' },
    'docs/guide/pictures/old.webp: no page shows it',
  ],
  [
    'a large picture',
    { 'docs/guide/pictures/list.webp': 'x'.repeat(60_001) },
    'docs/guide/pictures/list.webp: over 60000 bytes',
  ],
  [
    'a page outside of the navigation',
    { 'docs/guide/new.md': '# New' },
    'docs/.vitepress/sections.ts: no entry for new',
  ],
])('the check finds %s', (_, files, fault) => {
  const validFiles = { ...VALID_FILES, 'README.md': '', 'docs/guide/send.md': '# Send' };
  write({ ...validFiles, ...files });
  expect(checkGuide(folder, NAVIGATION)).toEqual([fault]);
});

test('the check reports a navigation entry without a page', () => {
  write(VALID_FILES);
  rmSync(join(folder, 'docs/operations/run.md'));
  expect(checkGuide(folder, NAVIGATION)).toEqual([
    'docs/.vitepress/sections.ts: operations/run has no page',
  ]);
});

test('repeated headings have numbered anchors', () => {
  expect([...listAnchors('# Send\n## Send\n```\n# no\n```\n## `p=reject`, really?\n')]).toEqual([
    'send',
    'send-1',
    'preject-really',
  ]);
});

test.each([
  [
    'an inline script',
    { 'a.html': '<script id="x">run()</script>' },
    'a.html has an inline script',
  ],
  [
    'an unfilled template',
    { 'a.html': '<b>{{ title }}</b>' },
    'a.html shows an expression of a template',
  ],
  [
    'an event handler',
    { 'a.html': '<img src="/b.png" onerror="run()">' },
    'a.html has an inline event handler',
  ],
  [
    'a picture of another host',
    { 'a.html': '<img alt="" src="https://cdn.example/x.png">' },
    'a.html loads from another host',
  ],
  [
    'a style sheet of another host',
    { 'a.html': '<link rel="stylesheet" href="//cdn.example/x.css">' },
    'a.html loads from another host',
  ],
  [
    'a font of another host',
    { 'assets/a.css': "@import url('https://fonts.example/inter')" },
    'assets/a.css loads from another host',
  ],
])('the check of the built guide finds %s', (_, files, fault) => {
  write({
    'b.html':
      '<script src="/guide/early.js"></script><a href="https://shop.example">x</a><pre><script></pre><code>{{ name }}</code>',
    ...files,
  });
  expect(checkGuideSite(folder)).toEqual([fault]);
});

test.each([
  ['stores.md#orders', 'guide/campaigns.md', '/stores.md#orders'],
  ['../api/merge-tags.md', 'guide/campaigns.md', '/api/merge-tags.md'],
  ['../guide/sms.md', 'operations/sms.md', '/sms.md'],
  ['#orders', 'guide/stores.md', '#orders'],
  ['https://shop.example', 'guide/stores.md', 'https://shop.example'],
  ['../decisions/0103-winners.md', 'guide/experiments.md', undefined],
  ['monitoring/alerts.yml', 'operations/runbooks.md', undefined],
  ['../../README.md', 'operations/running.md', undefined],
])('the link %s of %s leads to %s on the site', (href, file, address) => {
  const isPage = (target: string) => /^(?:guide|api|operations)\/.*\.md$/.test(target);
  expect(resolveSiteLink(href, file, isPage)).toBe(address);
});
