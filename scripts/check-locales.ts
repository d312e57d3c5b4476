// Checks the strings: all languages have the same keys, with the plural forms of each language
// (CLDR); no key is missing or unused; screen code contains no literal text; and the routes of each
// area name the catalogs of its screens.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, posix } from 'node:path';
import { TEXT_LANGUAGES, type TextLanguage } from '#platform/languages.ts';
import {
  findCatalogViolations,
  flattenCatalog,
  isData,
  listLanguages,
  type TextCatalog,
  withoutForm,
} from './locale-catalogs.ts';
import { findStyleViolations } from './locale-style.ts';
import { findLiteralViolations, readUsage, type TextUsage } from './locale-usage.ts';

const ROOT = join(import.meta.dirname, '..');
const WEB = ['areas/*/web/**/*.{ts,tsx}', 'platform/web/**/*.{ts,tsx}', 'main/web-client/**/*.tsx'];
const SERVER = [
  'areas/*/*.ts',
  'areas/*/server/**/*.ts',
  'platform/**/*.ts',
  'providers/**/*.ts',
  'main/*.ts',
  'main/demo/*.ts',
];
const TEST = /\.test\.tsx?$|\/test-[^/]+\.tsx$/;

export function checkLocales(root = ROOT): string[] {
  const files = new Set(TEXT_LANGUAGES.flatMap((language) => catalogFiles(root, language)));
  const catalogs = [...files].sort().flatMap((file) => {
    const readIn = (language: TextLanguage) => readCatalog(root, language, file);
    return [...findCatalogViolations(file, readIn), ...findStyleViolations(file, readIn)];
  });
  const web = readFiles(root, WEB);
  const usage = web.map(([file, text]) => readUsage(file, text));
  const server = readFiles(root, SERVER);
  const serverUsage = server.map(([file, text]) => readUsage(file, text));
  const catalogsOf = (home: 'content' | 'server' | 'web' | 'words') =>
    new Map(
      [...files]
        .filter((file) => (/\.(content|server|words)\.json$/.exec(file)?.[1] ?? 'web') === home)
        .map((file) => [area(file), flattenCatalog(readCatalog(root, 'eng', file) ?? {})]),
    );
  return [
    ...catalogs,
    ...findKeyViolations(catalogsOf('web'), usage),
    ...findServerKeyViolations(catalogsOf('server'), serverUsage),
    // <area>.words.json has strings that the server and the web client share.
    ...findServerKeyViolations(catalogsOf('words'), [...usage, ...serverUsage]).filter(
      (violation) => /is used nowhere/.test(violation),
    ),
    ...findContentKeyViolations(catalogsOf('content'), [...web, ...server]),
    ...strayViolations(root, [...files]),
    ...web.flatMap(([file, text]) => findLiteralViolations(file, text)),
    ...findAreaTextViolations(
      new Set([...catalogsOf('web').keys(), ...catalogsOf('words').keys()]),
      usage,
    ),
  ];
}

type Keys = Map<string, Map<string, string>>;

/** Checks that each key that a screen uses exists, and that each existing key is used. */
export function findKeyViolations(catalogs: Keys, usage: TextUsage[]): string[] {
  const hasKey = (name: string, key: string) => baseKeys(catalogs.get(name)).has(key);
  const missing = usage.flatMap((file) =>
    file.requested
      .filter(({ areas, key }) => !areas.some((name) => hasKey(name, key)))
      .map(({ line, areas, key }) => `${file.file}:${line} ${areas[0]}:${key} is in no catalog.`),
  );
  const literals = new Set(usage.flatMap(({ literals }) => literals));
  const patterns = usage.flatMap(({ patterns }) => patterns);
  const unusedKeys = [...catalogs].flatMap(([name, keys]) =>
    [...baseKeys(keys)]
      .filter((key) => !literals.has(key) && !literals.has(`${name}:${key}`))
      .filter((key) => !patterns.some((p) => p.test(key) || p.test(`${name}:${key}`)))
      .map((key) => `locales/eng/${name}.json: ${key} is used nowhere.`),
  );
  return [...missing, ...unusedKeys];
}

/** Catalogs that the client loads at its start, so that routes need not name them. */
const FIRST_LOAD = ['platform', 'dashboard'];

/**
 * Checks that `texts` of an area's routes names exactly the catalogs that its screens use,
 * including components of other areas. A missing catalog would show keys instead of text; a
 * superfluous one would delay the screen.
 */
export function findAreaTextViolations(
  knownKeys: ReadonlySet<string>,
  usage: TextUsage[],
): string[] {
  const files = new Map(usage.map((usage) => [usage.file, usage]));
  return usage
    .filter(({ file }) => /^areas\/[^/]+\/web\/routes\.tsx$/.test(file))
    .flatMap((routes) => {
      const usedNames = usedCatalogs(routes, files);
      const listedNames = new Set(routes.texts);
      return [
        ...[...usedNames]
          .filter(
            ([name]) => knownKeys.has(name) && !FIRST_LOAD.includes(name) && !listedNames.has(name),
          )
          .map(([name, by]) => `${routes.file}: texts must name '${name}', which ${by} uses.`),
        ...[...listedNames]
          .filter((name) => !usedNames.has(name) || FIRST_LOAD.includes(name))
          .map((name) => `${routes.file}: texts need not name '${name}'.`),
      ];
    });
}

/**
 * Returns the catalogs used by the screens of these routes, each with a file that uses it. Uses in
 * the routes' own file are ignored, because its catalogs are loaded at the start. If a file itself
 * loads a catalog together with a lazily loaded component, the uses of this catalog in everything
 * that the file imports are ignored, too.
 */
function usedCatalogs(routes: TextUsage, files: Map<string, TextUsage>): Map<string, string> {
  const usedBy = new Map<string, string>();
  const seenNames = new Set<string>();
  const visit = (usage: TextUsage, loadedNames: ReadonlySet<string>): void => {
    const key = [usage.file, ...[...loadedNames].sort()].join();
    if (seenNames.has(key)) return;
    seenNames.add(key);
    if (usage !== routes)
      for (const name of usage.catalogs) if (!loadedNames.has(name)) usedBy.set(name, usage.file);
    const loadedBelow =
      usage.loads.length > 0 ? new Set([...loadedNames, ...usage.loads]) : loadedNames;
    for (const path of usage.imports) {
      const file = files.get(
        path.startsWith('#') ? path.slice(1) : posix.join(dirname(usage.file), path),
      );
      if (file) visit(file, loadedBelow);
    }
  };
  visit(routes, new Set());
  return usedBy;
}

/**
 * Checks that every error code has a message, and that every message belongs to a code or is used.
 */
export function findServerKeyViolations(catalogs: Keys, usage: TextUsage[]): string[] {
  const allKeys = new Set([...catalogs.values()].flatMap((keys) => [...baseKeys(keys)]));
  const literals = new Set(usage.flatMap(({ literals, names }) => [...literals, ...names]));
  const patterns = usage.flatMap(({ patterns }) => patterns);
  const missing = usage.flatMap(({ file, codes }) =>
    codes
      .filter(({ code }) => !allKeys.has(`errors.${code}`))
      .map(({ line, code }) => `${file}:${line} errors.${code} is in no *.server.json.`),
  );
  const unusedKeys = [...catalogs].flatMap(([name, keys]) =>
    [...baseKeys(keys)]
      .filter((key) => !literals.has(key) && !literals.has(key.replace(/^errors\./, '')))
      .filter((key) => !patterns.some((pattern) => pattern.test(key)))
      .map((key) => `locales/eng/${name}.server.json: ${key} is used nowhere.`),
  );
  return [...missing, ...unusedKeys];
}

/**
 * Reports keys of *.content.json that have a segment that no source file contains as a word. Code
 * reads content by property name, so every segment must occur in it.
 */
export function findContentKeyViolations(catalogs: Keys, sources: [string, string][]): string[] {
  const names = new Set(sources.flatMap(([, text]) => text.match(/[\w-]+/g) ?? []));
  return [...catalogs].flatMap(([name, keys]) =>
    [...keys.keys()]
      .filter((key) => !isData(`${name}.json`, key))
      .filter(
        (key) => !key.split('.').every((segment) => /^\d+$/.test(segment) || names.has(segment)),
      )
      .map((key) => `locales/eng/${name}.json: ${key} is used nowhere.`),
  );
}

/** Reports catalogs in languages that are not offered, because they would never be read. */
function strayViolations(root: string, files: string[]): string[] {
  return files.flatMap((file) =>
    TEXT_LANGUAGES.filter(
      (language) =>
        !listLanguages(file).includes(language) &&
        existsSync(join(root, 'locales', language, file)),
    ).map(
      (language) => `locales/${language}/${file}: the catalog is not offered in this language.`,
    ),
  );
}

/** Merges plural forms into one key. */
function baseKeys(keys: Map<string, string> | undefined): Set<string> {
  return new Set([...(keys?.keys() ?? [])].map(withoutForm));
}

function catalogFiles(root: string, language: TextLanguage): string[] {
  return globSync(`locales/${language}/*.json`, { cwd: root }).map((file) => basename(file));
}

function readCatalog(root: string, language: TextLanguage, file: string): TextCatalog | undefined {
  const path = join(root, 'locales', language, file);
  return existsSync(path) ? (JSON.parse(readFileSync(path, 'utf8')) as TextCatalog) : undefined;
}

function area(file: string): string {
  return file.replace(/(\.server)?\.json$/, '');
}

function readFiles(root: string, patterns: string[]): [string, string][] {
  return patterns
    .flatMap((pattern) => globSync(pattern, { cwd: root }))
    .filter((file) => !TEST.test(file))
    .map((file) => [file, readFileSync(join(root, file), 'utf8')]);
}
