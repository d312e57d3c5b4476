// Lists the files of the built client that each screen needs besides the shell, by path, so that a
// page requests them together with the shell. Screens with paths built from constants are left to
// the client.
import { globSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { LANGUAGES } from '#platform/languages.ts';
import type { Preload } from '#platform/server/http/client-page.ts';
import firstCalls from './first-calls.json' with { type: 'json' };
import textGroups from './text-groups.json' with { type: 'json' };
import together from './together.json' with { type: 'json' };

const ROOT = join(import.meta.dirname, '..');
/** The text namespaces that an area's routes declare. */
const AREA_TEXTS = /^  texts: \[([^\]]*)\]/m;
const SCREEN = /path:\s*'(\/[^']*)',[^{}]*?load:\s*\(\)\s*=>\s*import\('([^']+)'\)/g;

/** `name`: set for a chunk that several sources share, for example `choosing-eng`. */
type Chunk = { file: string; name?: string; imports?: string[]; css?: string[] };
type BuildManifest = Record<string, Chunk>;

/** @param folder folder of a build and its manifest; `preloads.json` is written to it */
export function writePreloads(folder: string): void {
  const path = join(folder, '.vite', 'manifest.json');
  const manifest = JSON.parse(readFileSync(path, 'utf8')) as BuildManifest;
  const page = readFileSync(join(folder, 'index.html'), 'utf8');
  const shellFiles = Array.from(page.matchAll(/"\/(assets\/[^"]+)"/g), ([, file = '']) => file);
  const size = (file: string) => statSync(join(folder, file)).size;
  const list = listPreloads(manifest, new Set(shellFiles), screens()).map((preload) => ({
    ...preload,
    // The largest files first, so that small files load at the same time instead of after them.
    scripts: preload.scripts.toSorted((a, b) => size(b) - size(a)),
  }));
  writeFileSync(join(folder, 'preloads.json'), JSON.stringify(list));
}

/** Files that a screen loads: immediately, only in wide windows, and after it is shown or used. */
type PreloadGroups = Record<'first' | 'wide' | 'later', string[]>;

/**
 * A screen, such as `/subscribers` with the source `areas/audience/web/subscribers-screen.tsx` and
 * the texts `['audience', 'exports']`.
 */
type Screen = { path: string; source: string; texts: readonly string[] };

function screens(): Screen[] {
  return globSync('areas/*/web/routes.tsx', { cwd: ROOT }).flatMap((routes) => {
    const source = readFileSync(join(ROOT, routes), 'utf8');
    const catalogNames = [...(AREA_TEXTS.exec(source)?.[1] ?? '').matchAll(/'([\w.]+)'/g)];
    return Array.from(source.matchAll(SCREEN), ([, path = '', screen = '']) => ({
      path,
      source: normalize(join(dirname(routes), screen)).replaceAll('\\', '/'),
      texts: catalogNames.map(([, name = '']) => name),
    }));
  });
}

/**
 * Maps source files to keys of the manifest. The manifest names a chunk of several text files by
 * its group, without a source.
 */
function keysBySource(manifest: BuildManifest): Map<string, string> {
  return new Map(
    Object.entries(manifest).flatMap(([key, { name = '' }]) => [
      [key.replace(/^(\.\.\/)+/, ''), key] as const,
      ...LANGUAGES.flatMap((language) =>
        Object.entries(textGroups)
          .filter(([group]) => name === `${group}-${language}`)
          .flatMap(([, texts]) => texts)
          .map((text) => [`locales/${language}/${text}.json`, key] as const),
      ),
    ]),
  );
}

/** @param shell files that the page references itself */
export function listPreloads(
  manifest: BuildManifest,
  shell: ReadonlySet<string>,
  screens: readonly Screen[],
): Preload[] {
  const bySource = keysBySource(manifest);
  const chunks = (key: string, visitedKeys: Set<string>): Set<string> => {
    const chunk = manifest[key];
    if (!chunk || visitedKeys.has(key)) return visitedKeys;
    visitedKeys.add(key);
    for (const name of chunk.imports ?? []) chunks(name, visitedKeys);
    return visitedKeys;
  };
  const filesOf = (sources: readonly string[]) => {
    const keys = new Set<string>();
    for (const source of sources) chunks(bySource.get(source) ?? '', keys);
    const manifestChunks = [...keys].flatMap((key) => manifest[key] ?? []);
    const listNewFiles = (files: string[]) =>
      [...new Set(files)].filter((file) => !shell.has(file));
    return {
      scripts: listNewFiles(manifestChunks.map(({ file }) => file)),
      styles: listNewFiles(manifestChunks.flatMap(({ css }) => css ?? [])),
    };
  };
  return screens.flatMap(({ path, source, texts }) => {
    const groups = (together as Record<string, Partial<PreloadGroups>>)[source];
    const { scripts, styles } = filesOf([source, ...(groups?.first ?? [])]);
    if (scripts.length === 0) return [];
    const wide = filesOf(groups?.wide ?? []).scripts.filter((file) => !scripts.includes(file));
    const textFiles = LANGUAGES.map((language) => {
      const areas = texts.map((name) => `locales/${language}/${name}.json`);
      return [language, filesOf([`platform/web/catalogs/${language}.ts`, ...areas]).scripts];
    });
    const calls = (firstCalls as Record<string, string[]>)[source];
    return [
      {
        ...{ path, scripts, styles, texts: Object.fromEntries(textFiles) },
        ...(wide.length > 0 && { wide }),
        ...(calls && { calls }),
      },
    ];
  });
}
