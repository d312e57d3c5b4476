// Finds translations that may be outdated: their English text changed and they did not.
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { runGit } from './git.ts';
import { flattenCatalog, listLanguages, type TextCatalog, withoutForm } from './locale-catalogs.ts';

const ROOT = join(import.meta.dirname, '..');

/**
 * Returns a line for each text whose English version differs between the working tree and the
 * commit `base`, although some languages still have the same translation as in `base`. A corrected
 * typo needs no new translation, so these lines are warnings. Returns nothing outside a Git clone.
 */
export function findOutdatedTranslations(root = ROOT, base = 'HEAD'): string[] {
  const changedFiles = runGit(root, [
    'diff',
    '--name-only',
    '--relative',
    base,
    '--',
    'locales/eng',
  ]);
  return (changedFiles ?? '')
    .split('\n')
    .filter(Boolean)
    .flatMap((path) => {
      const file = basename(path);
      const changedKeys = findChangedKeys(root, base, 'eng', file);
      const translated = listLanguages(file)
        .filter((language) => language !== 'eng')
        .map((language) => ({ language, keys: findChangedKeys(root, base, language, file) }));
      return [...changedKeys].flatMap((key) => {
        const languages = translated.filter(({ keys }) => !keys.has(key));
        if (languages.length === 0) return [];
        const names = languages.map(({ language }) => language).join(', ');
        return [`${path}: ${key} changed, but not its translation in ${names}.`];
      });
    });
}

/**
 * Returns the keys that both versions of a catalog have, with different texts. A key with plural
 * forms is returned once, without the form.
 */
function findChangedKeys(root: string, base: string, language: string, file: string): Set<string> {
  const path = `locales/${language}/${file}`;
  const previous = runGit(root, ['show', `${base}:./${path}`]);
  if (previous === undefined || !existsSync(join(root, path))) return new Set();
  const before = flattenCatalog(JSON.parse(previous) as TextCatalog);
  const after = flattenCatalog(JSON.parse(readFileSync(join(root, path), 'utf8')) as TextCatalog);
  return new Set(
    [...after]
      .filter(([key, text]) => before.has(key) && before.get(key) !== text)
      .map(([key]) => withoutForm(key)),
  );
}
