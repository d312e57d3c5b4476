// Size budgets of the web client, compressed as served. The initial load is what the dashboard
// needs in the language with the longest texts; every other screen counts what it adds. Texts are
// counted by area, each in its largest language.
import { globSync, readFileSync } from 'node:fs';
import { brotliCompressSync } from 'node:zlib';
// Screens that load more chunks than they import statically: counts everything loaded on opening
// and first typing.
import TOGETHER from './main/together.json' with { type: 'json' };
import TEXT_GROUPS from './main/text-groups.json' with { type: 'json' };

const FOLDER = 'dist/web/';
const SCREEN = '40 KB';
/** Texts of an area and of the areas whose components its screens show. */
const TEXTS = '25 KB';
const LANGUAGES = ['eng', 'nor', 'swe', 'lit', 'fas', 'lav'];
/** The builder of workflows writes emails and SMS, so it has the texts of both; campaigns include reports and notes. */
const LARGER_TEXTS = { workflows: '35 KB', campaigns: '30 KB' };
/** Screens with their own budgets. */
const LARGER = {
  'areas/workflows/web/builder-screen.tsx': '120 KB',
  'areas/campaigns/web/design-screen.tsx': '250 KB',
  'areas/campaigns/web/custom-html-screen.tsx': '250 KB',
  'areas/campaigns/web/plain-text-screen.tsx': '250 KB',
  'areas/forms/web/builder/builder-screen.tsx': '250 KB',
};

const manifest = JSON.parse(readFileSync(`${FOLDER}.vite/manifest.json`, 'utf8'));
const chunks = [
  ...Object.entries(manifest).map(([key, chunk]) => [key.replace(/^(\.\.\/)+/, ''), chunk]),
  ...Object.values(manifest).flatMap((chunk) => groupedTexts(chunk)),
];
const screens = chunks.filter(
  ([name, chunk]) => chunk.isDynamicEntry && /-screen\.tsx$/.test(name),
);
const home =
  screens.find(([name]) => /\/dashboard-screen\./.test(name)) ??
  screens.find(([name]) => /\/campaigns-screen\./.test(name));
const catalog = largest((language) => [`platform/web/catalogs/${language}.ts`]);

const first = filesOf([manifest['index.html'], ...catalog, home?.[1]]);
/** Prefetched while the first screen is read. */
const idle = filesOf([chunks.find(([name]) => name.endsWith('web/shell/preload.ts'))?.[1]]);
const fresh = (files) => [...files].filter((file) => !first.has(file));

/** Texts that several areas load together are one chunk, which has the group's name. */
function groupedTexts(chunk) {
  const [, group, language] = /^(\w+)-(\w{3})$/.exec(chunk.name ?? '') ?? [];
  const names = LANGUAGES.includes(language) ? (TEXT_GROUPS[group] ?? []) : [];
  return names.map((name) => [`locales/${language}/${name}.json`, chunk]);
}

/** The files of chunks and of their static imports. */
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

/**
 * A chunk that no longer exists must be removed from the list, otherwise it would count as zero.
 */
function chunkOf(wanted) {
  const found = chunks.find(([name]) => name === wanted);
  if (!found) throw new Error(`${wanted} is no piece of its own`);
  return found[1];
}

/** The chunks of an area's texts in the language where they are largest. */
function largest(namesIn) {
  const size = (pieces) =>
    [...new Set(pieces)].reduce(
      (sum, { file }) => sum + brotliCompressSync(readFileSync(FOLDER + file)).length,
      0,
    );
  const [most] = LANGUAGES.map((language) => namesIn(language).map(chunkOf)).sort(
    (one, other) => size(other) - size(one),
  );
  return most;
}

/** `['groups', ['groups']]`: the text catalogs of each area's screens, as its routes declare. */
function textsOfAreas() {
  return globSync('areas/*/web/routes.tsx').flatMap((file) => {
    const [, list = ''] = /^  texts: \[([^\]]*)\]/m.exec(readFileSync(file, 'utf8')) ?? [];
    const names = [...list.matchAll(/'([\w.]+)'/g)].map(([, name]) => name);
    return names.length > 0 ? [[file.split(/[\\/]/)[1], names]] : [];
  });
}

/** A built script and the chunks it imports. */
function embedOf(file, seen = new Set()) {
  if (seen.has(EMBED + file)) return [...seen];
  seen.add(EMBED + file);
  for (const [, piece] of readFileSync(EMBED + file, 'utf8').matchAll(
    /from\s*["']\.\/([\w-]+\.js)["']/g,
  ))
    embedOf(piece, seen);
  return [...seen];
}

function paths(files, extension) {
  return [...files].filter((file) => file.endsWith(extension)).map((file) => FOLDER + file);
}

/** Scripts for customers' sites, each with its imports. */
const EMBED = 'dist/web/embed/';

export default [
  { name: 'embed, loader', path: [`${EMBED}loader.js`], limit: '4.5 KB' },
  { name: 'embed, form', path: embedOf('form.js'), limit: '7.2 KB' },
  { name: 'embed, fonts', path: embedOf('fonts.js'), limit: '1 KB' },
  { name: 'embed, copy button', path: embedOf('copy-button.js'), limit: '1 KB' },
  { name: 'embed, wheel', path: embedOf('wheel.js'), limit: '2.5 KB' },
  { name: 'embed, shop', path: embedOf('shop.js'), limit: '1.5 KB' },
  { name: 'first load, scripts', path: paths(first, '.js'), limit: '180 KB' },
  { name: 'first load, styles', path: paths(first, '.css'), limit: '13 KB' },
  // Overlays, scroll areas, lists and icons, which screens do not load again.
  { name: 'fetched when idle, scripts', path: paths(fresh(idle), '.js'), limit: '82 KB' },
  ...textsOfAreas().map(([area, names]) => ({
    name: `texts of ${area}`,
    path: paths(
      new Set(
        largest((language) => names.map((name) => `locales/${language}/${name}.json`)).map(
          ({ file }) => file,
        ),
      ),
      '.js',
    ),
    limit: LARGER_TEXTS[area] ?? TEXTS,
  })),
  ...screens.flatMap(([name, chunk]) => {
    const pieces = Object.values(TOGETHER[name] ?? {})
      .flat()
      .map(chunkOf);
    const added = paths(
      fresh(filesOf([chunk, ...pieces])).filter((file) => !idle.has(file)),
      '.js',
    );
    return added.length > 0 ? [{ name, path: added, limit: LARGER[name] ?? SCREEN }] : [];
  }),
];
