// Names of languages in prompts.
import type { Language } from '#platform/languages.ts';

export const LANGUAGE_NAMES: Record<Language, string> = {
  eng: 'English',
  nor: 'Norwegian (bokmål)',
  swe: 'Swedish',
  lit: 'Lithuanian',
  fas: 'Persian',
  lav: 'Latvian',
};
