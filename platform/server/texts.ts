// Texts for the server: of system emails, public pages and errors from
// locales/<lang>/<area>.server.json, texts shared with the browser from <area>.words.json, and
// customers' initial content (templates, recipes) from <name>.content.json.
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import i18next, { type FormatterModule, type i18n } from 'i18next';
import { TEXT_LANGUAGES, TEXT_LOCALE, type TextLanguage } from '../languages.ts';

const FOLDER = path.resolve(import.meta.dirname, '../../locales');

/** Cached by language; otherwise each message would create its own formatter. */
const numbers = new Map<string, Intl.NumberFormat>();

function numbersOf(language: string): Intl.NumberFormat {
  const cached = numbers.get(language);
  if (cached) return cached;
  const formatter = new Intl.NumberFormat(language);
  numbers.set(language, formatter);
  return formatter;
}

/** Numbers are formatted for the language, as in the browser: 30 is ۳۰ in Persian. */
const numbersByLanguage: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value, _format, language) =>
    typeof value === 'number' ? numbersOf(language ?? 'en').format(value) : String(value ?? ''),
};

let loadedTexts: i18n | undefined;

function instance(): i18n {
  if (loadedTexts) return loadedTexts;
  const resources: Record<string, Record<string, object>> = {};
  for (const language of TEXT_LANGUAGES) {
    const byArea: Record<string, object> = {};
    for (const file of readdirSync(path.join(FOLDER, language))) {
      const area = /^(.*)\.server\.json$/.exec(file)?.[1] ?? /^(.*\.words)\.json$/.exec(file)?.[1];
      if (area === undefined) continue;
      byArea[area] = JSON.parse(readFileSync(path.join(FOLDER, language, file), 'utf8'));
    }
    resources[TEXT_LOCALE[language]] = byArea;
  }
  loadedTexts = i18next.createInstance();
  void loadedTexts.use(numbersByLanguage).init({
    resources,
    lng: 'en',
    fallbackLng: 'en',
    initAsync: false,
    interpolation: { escapeValue: false, alwaysFormat: true },
    returnNull: false,
  });
  return loadedTexts;
}

export type ServerText = (key: string, values?: Record<string, unknown>) => string;

/**
 * Returns an area's messages in a language; a missing message falls back to English, then to its
 * key.
 */
export function serverTexts(area: string, language: TextLanguage): ServerText {
  const t = instance().getFixedT(TEXT_LOCALE[language], area);
  return (key, values) => t(key, values ?? {}) as string;
}

export function hasServerText(area: string, key: string): boolean {
  return instance().exists(key, { ns: area, lng: 'en' });
}

const contents = new Map<string, unknown>();

/**
 * Returns the content of `<name>.content.json`, read at first use. It is not interpolated, because
 * its merge tags are replaced for each recipient.
 */
export function contentTexts<Texts>(name: string, language: TextLanguage): Texts {
  const file = path.join(FOLDER, language, `${name}.content.json`);
  const cached = contents.get(file) ?? JSON.parse(readFileSync(file, 'utf8'));
  contents.set(file, cached);
  return cached as Texts;
}
