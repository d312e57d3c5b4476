// Every link within the client leads to a screen. Links are plain strings to the compiler: an
// address without a screen would show "Page not found".
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { AreaRoutes, ScreenRoute } from '#platform/web/shell/routes.ts';

const ROOT = join(import.meta.dirname, '../..');
const readText = (file: string) => readFileSync(join(ROOT, file), 'utf8');

const AREAS = Object.values(
  import.meta.glob<{ routes: AreaRoutes }>('../../areas/*/web/routes.tsx', { eager: true }),
).map(({ routes }) => routes);
const pathsOf = (screens: ScreenRoute[], base = ''): string[] =>
  screens.flatMap(({ path, children = [] }) => {
    const fullPath = `${base}/${path}`.replace(/\/+/g, '/');
    return [fullPath, ...pathsOf(children, fullPath)];
  });
const routes = AREAS.flatMap(({ screens }) => pathsOf(screens));

/** Matches `to="/a"`, `to: '/a'` and `` to={`/a/${id}`} ``. */
const LINK =
  /\b(?:to|getRowLink|href)\s*[=:]\s*\{?\s*(?:\([^)]*\)\s*=>\s*)?(['"`])(\/(?!\/)[^'"`]*)\1/g;

/** Paths of links without query and fragment, with `*` instead of values. */
function linksIn(source: string): string[] {
  return [...source.matchAll(LINK)].map(([, , target = '']) =>
    target.replace(/\$\{[^}]*\}/g, '*').replace(/[?#].*$/, ''),
  );
}

/** A value may contain several segments, so `*` in the last segment matches any screen below. */
function isScreen(link: string): boolean {
  const linkSegments = link.replace(/\/$/, '').split('/');
  return routes.some((route) => {
    const segments = route.replace(/\/$/, '').split('/');
    const matches = (segment: string, index: number) =>
      segment.includes('*') || segments[index]?.startsWith('$') || segment === segments[index];
    const isSameLength = segments.length === linkSegments.length;
    const endsOpen =
      linkSegments.at(-1)?.endsWith('*') === true && segments.length > linkSegments.length;
    return (isSameLength || endsOpen) && linkSegments.every(matches);
  });
}

/** Pages of the server, and the address that shows "Page not found". */
const SERVED =
  /^\/(?:auth|client-api|docs|guide|inbox|gateway|phone|shop|health|v2|f|u|v|assets|404)(?:\/|$)/;

test('the check recognizes links in code and their screens', () => {
  expect(routes.length).toBeGreaterThan(100);
  expect(
    linksIn('<Link to="/a/b?c=1"> to={`/a/${id}/c#d`} getRowLink={(row) => `/e/${row.id}`}'),
  ).toEqual(['/a/b', '/a/*/c', '/e/*']);
  expect(isScreen('/subscribers/tags')).toBe(true);
  expect(isScreen('/groups')).toBe(false);
  expect(isScreen('/campaigns/*/report/overview')).toBe(true);
});

test('every link leads to a screen', () => {
  const broken = globSync(['areas/*/web/**/*.{ts,tsx}', 'platform/web/**/*.{ts,tsx}'], {
    cwd: ROOT,
  })
    .filter((file) => !/\.test\.|test-app/.test(file))
    .flatMap((file) =>
      linksIn(readText(file))
        .filter((link) => !SERVED.test(link) && !isScreen(link))
        .map((link) => `${file}: ${link}`),
    );
  expect(broken).toEqual([]);
});
