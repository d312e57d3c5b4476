// The help menu opens a page of the guide for every screen; every page and section that it opens
// exists.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { GUIDE_PAGES, findGuidePage } from '#platform/web/help/guide-pages.ts';
import type { AreaRoutes, ScreenRoute } from '#platform/web/shell/routes.ts';
import { listAnchors } from '../../scripts/check-guide.ts';

const AREAS = Object.values(
  import.meta.glob<{ routes: AreaRoutes }>('../../areas/*/web/routes.tsx', { eager: true }),
).map(({ routes }) => routes);
const DOCS = join(import.meta.dirname, '../../docs');

const paths = (routes: readonly ScreenRoute[], above = ''): string[] =>
  routes.flatMap(({ path, children = [], frame, redirectTo }) => {
    if (frame === 'guest' || frame === 'open' || redirectTo !== undefined) return [];
    const fullPath = path.startsWith('/') ? `${above}${path}` : `${above}/${path}`;
    return [fullPath.replace(/(.)\/$/, '$1'), ...paths(children, fullPath)];
  });
const SCREENS = AREAS.flatMap(({ screens }) => paths(screens));

/** Returns the Markdown file of a page, in docs/guide or, for operations and the API, in docs. */
function sourceOf(page: string): string | undefined {
  const file = page === '' ? 'guide/index.md' : `${page}.md`;
  return [join(DOCS, 'guide', file), join(DOCS, file)].find((path) => existsSync(path));
}

test('every page and section that the help menu opens exists', () => {
  const missing = GUIDE_PAGES.filter(([, target]) => {
    const [page = '', section] = target.split('#');
    const source = sourceOf(page);
    return !source || (section && !listAnchors(readFileSync(source, 'utf8')).has(section));
  });
  expect(missing).toEqual([]);
});

test('every entry of the help menu belongs to a screen', () => {
  expect(SCREENS.length).toBeGreaterThan(100);
  const openedPages = new Set(SCREENS.map((path) => findGuidePage(path)));
  expect(GUIDE_PAGES.filter(([, target]) => !openedPages.has(`/guide/${target}`))).toEqual([]);
});

test('the help menu opens the guide’s start page only on the dashboard', () => {
  expect(SCREENS.filter((path) => findGuidePage(path) === '/guide/')).toEqual(['/']);
});

test.each([
  ['/', '/guide/'],
  ['/campaigns', '/guide/campaigns'],
  ['/campaigns/e7/report/clicks', '/guide/reports'],
  ['/campaigns/e7/report/experiment', '/guide/experiments#how-the-winner-is-decided'],
  ['/campaigns/report', '/guide/campaigns'],
  ['/subscribers/import/file', '/guide/import'],
  ['/sms/phone/x/tcpa_and_ctia_compliance', '/guide/sms#set-up-a-sender'],
  ['/settings/domains/shop.example', '/guide/getting-started#verify-your-sending-domain'],
  ['/no/such/screen', '/guide/'],
])('the help menu of %s opens %s', (path, page) => {
  expect(findGuidePage(path)).toBe(page);
});
