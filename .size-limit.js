// Budgets of the web client, compressed as it is sent. The first load is what the dashboard needs in
// the language with the longest words; every other screen is what it adds to that.
import { readFileSync } from 'node:fs';

const FOLDER = 'dist/web/';
const SCREEN = '40 KB';
const EDITOR = [
  'areas/campaigns/web/design-screen.tsx',
  'areas/campaigns/web/document-screen.tsx',
  'areas/content/web/editor-screen.tsx',
  'areas/content/web/inspector/inspector.tsx',
  'areas/content/web/rich/rich-editor.tsx',
  'areas/content/web/rich/toolbar.tsx',
];
/** Screens that bring more pieces at once than they import: all that opening and first writing loads. */
const TOGETHER = { 'areas/content/web/editor-screen.tsx': EDITOR };
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
/** The same: what all other screens say, in the longest language. */
const words = filesOf([chunks.find(([name]) => name.endsWith('catalogues/fas-more.ts'))?.[1]]);
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

/** A piece that is gone must be taken off the list, else it would be counted as nothing. */
function chunkOf(wanted) {
  const found = chunks.find(([name]) => name === wanted);
  if (!found) throw new Error(`${wanted} is no piece of its own`);
  return found[1];
}

function paths(files, extension) {
  return [...files].filter((file) => file.endsWith(extension)).map((file) => FOLDER + file);
}

export default [
  { name: 'first load, scripts', path: paths(first, '.js'), limit: '200 KB' },
  { name: 'first load, styles', path: paths(first, '.css'), limit: '40 KB' },
  { name: 'fetched when idle, scripts', path: paths(fresh(idle), '.js'), limit: '40 KB' },
  { name: 'fetched when idle, texts', path: paths(fresh(words), '.js'), limit: '40 KB' },
  ...screens.flatMap(([name, chunk]) => {
    const pieces = (TOGETHER[name] ?? []).map(chunkOf);
    const added = paths(
      fresh(filesOf([chunk, ...pieces])).filter((file) => !idle.has(file)),
      '.js',
    );
    return added.length > 0 ? [{ name, path: added, limit: LARGER[name] ?? SCREEN }] : [];
  }),
];
