// The interface's texts, in i18next with one namespace per area. The initial load has the strings
// for the shell, the dashboard and all routes (titles, navigation); an area's other strings load
// with its screens (`texts` of its routes).
import i18next, { type FormatterModule, type i18n, type TFunction } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import { SHOWN_LANGUAGE } from '#platform/languages.ts';
import { numberFormat } from './intl-formats.ts';
import {
  DIRECTION,
  isLanguage,
  type Language,
  LOCALE,
  toLanguage,
  preferredLanguage,
} from './languages.ts';

export type Texts = TFunction<string, undefined>;

type Catalog = Record<string, unknown>;
type TextsOf = {
  default: Record<string, Catalog>;
  textLoaders: Record<string, () => Promise<Catalog>>;
};

/**
 * Strings of the initial load by area, and loaders for all other strings. One module per language
 * keeps the file names of all six languages out of the shell.
 */
const catalogs: Record<Language, () => Promise<TextsOf>> = {
  eng: () => import('../catalogs/eng.ts'),
  nor: () => import('../catalogs/nor.ts'),
  swe: () => import('../catalogs/swe.ts'),
  lit: () => import('../catalogs/lit.ts'),
  fas: () => import('../catalogs/fas.ts'),
  lav: () => import('../catalogs/lav.ts'),
};

const STORAGE_KEY = 'sendloom.language';

/**
 * Formats interpolated values. Numbers get the form of the language: `{{count}}` is ۱۲٬۳۴۵ in
 * Persian. Other values are isolated if right-to-left text would reorder them.
 */
const numbersByLanguage: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value, _format, language) =>
    typeof value === 'number'
      ? numberFormat(language ?? LOCALE.eng).format(value)
      : isolate(String(value ?? ''), language),
};

/**
 * Isolates Latin words and numbers such as `+47 22 00 00 00`, because brackets, marks or digits at
 * their edges would otherwise move into the Persian text.
 */
function isolate(value: string, language: string | undefined): string {
  const isForeign = /[a-z0-9]/i.test(value) && !/\p{Script=Arabic}/u.test(value);
  const isLost = isForeign && /^[^\p{L}\u2068]|[^\p{L}\u2069]$/u.test(value);
  return isLost && DIRECTION[toLanguage(language)] === 'rtl' ? `\u2068${value}\u2069` : value;
}

export const texts: i18n = i18next.createInstance();

/** Starts with the language chosen last on this device, otherwise the browser's. */
export async function startTexts(): Promise<void> {
  await texts
    .use(numbersByLanguage)
    .use(initReactI18next)
    .init({
      lng: undefined,
      fallbackLng: false,
      keySeparator: '.',
      nsSeparator: ':',
      interpolation: { escapeValue: false, alwaysFormat: true },
      returnNull: false,
      resources: {},
      // A screen that shows a key instead of a text is broken, even if nothing else fails.
      saveMissing: true,
      missingKeyHandler: (_languages, area, key) => console.error(`No text ${area}:${key}`),
    });
  await showLanguage(rememberedLanguage());
}

/**
 * Loads a language's catalog, then switches the whole interface to it, unless another language has
 * been chosen since.
 */
export async function showLanguage(language: Language): Promise<void> {
  const locale = LOCALE[language];
  requested = language;
  // A screen may request another area's strings while strings are loading.
  try {
    while (missingOf(language).length > 0) await load(language);
  } catch (error) {
    // The language shown before remains and is treated as the requested one.
    if (requested === language) requested = undefined;
    throw error;
  }
  if (requested !== language) return;
  localStorage.setItem(STORAGE_KEY, language);
  // Lets the server preload this language with the next page.
  document.cookie = `${SHOWN_LANGUAGE}=${language}; path=/; max-age=31536000; samesite=lax`;
  document.documentElement.lang = locale;
  document.documentElement.dir = DIRECTION[language];
  document
    .querySelector('link[rel=manifest]')
    ?.setAttribute('href', `/manifest.webmanifest?language=${language}`);
  await texts.changeLanguage(locale);
}

/**
 * Loads all strings of areas. Every screen awaits this, because the initial load contains only some
 * of them.
 */
export async function areaTexts(areas: readonly string[]): Promise<void> {
  for (const area of areas) REQUESTED_AREAS.add(area);
  await load(texts.language ? getCurrentLanguage() : rememberedLanguage());
}

const FIRST = '';
/** A language change also loads these areas, because their strings may be shown again. */
const REQUESTED_AREAS = new Set([FIRST]);
let requested: Language | undefined;
/** `eng/groups`; `eng/` is the initial load. */
const loadedCatalogs = new Set<string>();

const missingOf = (language: Language) =>
  [...REQUESTED_AREAS].filter((area) => !loadedCatalogs.has(`${language}/${area}`));

async function load(language: Language): Promise<void> {
  await Promise.all(missingOf(language).map((area) => loadPiece(language, area)));
}

async function loadPiece(language: Language, area: string): Promise<void> {
  const file = `../../../locales/${language}/${area}.json`;
  const { default: first, textLoaders } = await catalogs[language]();
  const loadedTexts = area === FIRST ? first : { [file]: await textLoaders[file]?.() };
  for (const [path, some] of Object.entries(loadedTexts)) {
    const name = path.replace(/^.*\//, '').replace(/\.json[^]*$/, '');
    if (some) texts.addResourceBundle(LOCALE[language], name, some, true);
  }
  loadedCatalogs.add(`${language}/${area}`);
}

export function getCurrentLanguage(): Language {
  return toLanguage(texts.language);
}

/**
 * Returns the language chosen last: already shown, or about to be shown once its catalog is loaded.
 */
export function requestedLanguage(): Language {
  return requested ?? getCurrentLanguage();
}

/**
 * Returns an area's strings inside a component: `const t = useTexts('groups'); t('list.title')`.
 */
export function useTexts(area: string): Texts {
  return useTranslation(area, { i18n: texts }).t;
}

/** Returns a string outside components (notices, titles): `text('platform:errors.generic')`. */
export function text(key: string, values: Record<string, unknown> = {}): string {
  return texts.t(key, values);
}

function rememberedLanguage(): Language {
  const stored = localStorage.getItem(STORAGE_KEY);
  return isLanguage(stored) ? stored : preferredLanguage(navigator.languages);
}
