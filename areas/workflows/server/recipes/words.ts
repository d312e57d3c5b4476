// Texts of recipe emails, one file per language with the same keys.
import type { Language } from '#platform/languages.ts';
import { eng } from './words.eng.ts';
import { fas } from './words.fas.ts';
import { lav } from './words.lav.ts';
import { lit } from './words.lit.ts';
import { nor } from './words.nor.ts';
import { swe } from './words.swe.ts';

export type EmailKey = keyof typeof eng.emails;
export type SegmentKey = keyof typeof eng.segments;
export type RecipeWords = {
  hello: string;
  segments: Record<SegmentKey, string>;
  /** Subject, preview text, heading, two paragraphs, button. */
  emails: Record<EmailKey, string[]>;
};

const WORDS: Record<Language, RecipeWords> = { eng, nor, swe, lit, fas, lav };

export const recipeWords = (language: Language): RecipeWords => WORDS[language];
