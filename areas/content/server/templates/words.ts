// Texts of the templates, one file per language with the same keys.
import type { Language } from '#platform/languages.ts';
import { eng } from './words.eng.ts';
import { fas } from './words.fas.ts';
import { lav } from './words.lav.ts';
import { lit } from './words.lit.ts';
import { nor } from './words.nor.ts';
import { swe } from './words.swe.ts';

export type TemplateWords = Widened<typeof eng>;
type Widened<T> = T extends string
  ? string
  : T extends readonly (infer Item)[]
    ? Widened<Item>[]
    : { [Key in keyof T]: Widened<T[Key]> };

const WORDS: Record<Language, TemplateWords> = {
  eng,
  nor,
  swe,
  lit,
  fas,
  lav,
};

export function templateWords(language: Language): TemplateWords {
  return WORDS[language];
}
