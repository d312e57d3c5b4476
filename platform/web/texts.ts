// The product's texts: i18next with a lazy catalogue per language in two pieces, one namespace per area.
import i18next, { type FormatterModule, type i18n, type TFunction } from 'i18next';
import { initReactI18next, useTranslation } from 'react-i18next';
import {
  DIRECTION,
  isLanguage,
  type Language,
  LOCALE,
  languageOfLocale,
  preferredLanguage,
} from './languages.ts';

export type Texts = TFunction<string, undefined>;

type Catalogue = Record<string, Record<string, unknown>>;
type Piece = () => Promise<{ default: Catalogue }>;

/** What the first load has, and what the other screens say. */
const catalogues: Record<Language, [first: Piece, more: Piece]> = {
  eng: [() => import('./catalogues/eng.ts'), () => import('./catalogues/eng-more.ts')],
  nor: [() => import('./catalogues/nor.ts'), () => import('./catalogues/nor-more.ts')],
  swe: [() => import('./catalogues/swe.ts'), () => import('./catalogues/swe-more.ts')],
  lit: [() => import('./catalogues/lit.ts'), () => import('./catalogues/lit-more.ts')],
  fas: [() => import('./catalogues/fas.ts'), () => import('./catalogues/fas-more.ts')],
  lav: [() => import('./catalogues/lav.ts'), () => import('./catalogues/lav-more.ts')],
};

const storageKey = 'sendloom.language';

/** Numbers in texts are written as the language writes them: `{{count}}` is ۱۲٬۳۴۵ in Persian. */
const numbersByLanguage: FormatterModule = {
  type: 'formatter',
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value, _format, language) =>
    typeof value === 'number'
      ? new Intl.NumberFormat(language).format(value)
      : apart(String(value ?? ''), language),
};

/** Latin words that begin or end with a bracket, a mark or a digit would lose it to Persian ones. */
function apart(value: string, language: string | undefined): string {
  const isLatin = /[a-z]/i.test(value) && !/\p{Script=Arabic}/u.test(value);
  const isLost = isLatin && /^[^\p{L}\u2068]|[^\p{L}\u2069]$/u.test(value);
  return isLost && DIRECTION[languageOfLocale(language)] === 'rtl' ? `\u2068${value}\u2069` : value;
}

export const texts: i18n = i18next.createInstance();

/** Starts with the language chosen last on this device, else the browser's. */
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
      // A screen that shows a key instead of words is broken, even where nothing else fails.
      saveMissing: true,
      missingKeyHandler: (_languages, area, key) => console.error(`No text ${area}:${key}`),
    });
  await showLanguage(rememberedLanguage());
}

/** Loads a language's catalogue, then turns the whole interface to it, unless another was wanted meanwhile. */
export async function showLanguage(language: Language): Promise<void> {
  const locale = LOCALE[language];
  wanted = language;
  // A screen may have asked for the rest in the meantime.
  try {
    while (!isLoaded(language)) await load(language);
  } catch (error) {
    // What is shown stays, and is what is wanted now.
    if (wanted === language) wanted = undefined;
    throw error;
  }
  if (wanted !== language) return;
  localStorage.setItem(storageKey, language);
  document.documentElement.lang = locale;
  document.documentElement.dir = DIRECTION[language];
  await texts.changeLanguage(locale);
}

/** Every screen but the dashboard waits for it; the first load has only the texts of that. */
export async function allTexts(): Promise<void> {
  isAllWanted = true;
  await load(texts.language ? currentLanguage() : rememberedLanguage());
}

let isAllWanted = false;
let wanted: Language | undefined;
const loaded = new Set<Piece>();

const piecesOf = (language: Language) => catalogues[language].slice(0, isAllWanted ? 2 : 1);

const isLoaded = (language: Language) => piecesOf(language).every((piece) => loaded.has(piece));

async function load(language: Language): Promise<void> {
  const pieces = piecesOf(language).filter((piece) => !loaded.has(piece));
  const files = await Promise.all(pieces.map(async (piece) => (await piece()).default));
  files.forEach((catalogue, index) => {
    for (const [path, words] of Object.entries(catalogue)) {
      const area = path.replace(/^.*\//, '').replace(/\.json.*$/, '');
      texts.addResourceBundle(LOCALE[language], area, words, true);
    }
    const piece = pieces[index];
    if (piece) loaded.add(piece);
  });
}

export function currentLanguage(): Language {
  return languageOfLocale(texts.language);
}

/** The language asked for last: shown, or about to be once its catalogue is there. */
export function wantedLanguage(): Language {
  return wanted ?? currentLanguage();
}

/** The texts of one area inside a component: `const t = useTexts('groups'); t('list.title')`. */
export function useTexts(area: string): Texts {
  return useTranslation(area, { i18n: texts }).t;
}

/** Outside components (notices, titles): `text('platform:errors.generic')`. */
export function text(key: string, values: Record<string, unknown> = {}): string {
  return texts.t(key, values);
}

function rememberedLanguage(): Language {
  const remembered = localStorage.getItem(storageKey);
  return isLanguage(remembered) ? remembered : preferredLanguage(navigator.languages);
}
