// Budgets of the web client, compressed as it is sent. The first load is what the dashboard needs with
// the longest catalogue; every other screen is what it adds to that.
import { readFileSync } from 'node:fs';

const FOLDER = 'dist/web/';
const SCREEN = '40 KB';
/** Screens with a budget of their own. */
const LARGER = {
  'areas/workflows/web/builder-screen.tsx': '120 KB',
  'areas/content/web/editor-screen.tsx': '250 KB',
  'areas/campaigns/web/custom-html-screen.tsx': '250 KB',
  'areas/campaigns/web/plain-text-screen.tsx': '250 KB',
  'areas/forms/web/editor-screen.tsx': '250 KB',
};

const manifest = JSON.parse(readFileSync(`${FOLDER}.vite/manifest.json`, 'utf8'));
const chunks = Object.entries(manifest).map(([key, chunk]) => [
  key.replace(/^(\.\.\/)+/, ''),
  chunk,
]);
const screens = chunks.filter(
  ([name, chunk]) => chunk.isDynamicEntry && /-screen\.tsx$/.test(name),
);
const home =
  screens.find(([name]) => /\/dashboard-screen\./.test(name)) ??
  screens.find(([name]) => /\/campaigns-screen\./.test(name));
const catalogue = chunks.find(([name]) => name.endsWith('catalogues/fas.ts'));

const first = filesOf([manifest['index.html'], catalogue?.[1], home?.[1]]);
/** Fetched while the first screen is being read. */
const idle = filesOf([chunks.find(([name]) => name.endsWith('web/idle-pieces.ts'))?.[1]]);
const fresh = (files) => [...files].filter((file) => !first.has(file));

/** The files of chunks and of all that they import at once. */
function filesOf(roots, seen = new Set()) {
  for (const chunk of roots) {
    if (!chunk || seen.has(chunk.file)) continue;
    seen.add(chunk.file);
    for (const css of chunk.css ?? []) seen.add(css);
    filesOf(
      (chunk.imports ?? []).map((key) => manifest[key]),
      seen,
    );
  }
  return seen;
}

function paths(files, extension) {
  return [...files].filter((file) => file.endsWith(extension)).map((file) => FOLDER + file);
}

export default [
  { name: 'first load, scripts', path: paths(first, '.js'), limit: '200 KB' },
  { name: 'first load, styles', path: paths(first, '.css'), limit: '40 KB' },
  { name: 'fetched when idle, scripts', path: paths(fresh(idle), '.js'), limit: '40 KB' },
  ...screens.flatMap(([name, chunk]) => {
    const added = paths(
      fresh(filesOf([chunk])).filter((file) => !idle.has(file)),
      '.js',
    );
    return added.length > 0 ? [{ name, path: added, limit: LARGER[name] ?? SCREEN }] : [];
  }),
];
