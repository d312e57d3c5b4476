// Texts for recipe emails, in locales/<lang>/workflow-recipes.content.json.
import type { Language } from '#platform/languages.ts';
import { contentTexts } from '#platform/server/texts.ts';
import type eng from '../../../../locales/eng/workflow-recipes.content.json';

export type EmailKey = keyof typeof eng.emails;
export type SegmentKey = keyof typeof eng.segments;
export type RecipeTexts = {
  hello: string;
  segments: Record<SegmentKey, string>;
  /** Subject, preview text, heading, two paragraphs, button. */
  emails: Record<EmailKey, string[]>;
};

export const getRecipeTexts = (language: Language): RecipeTexts =>
  contentTexts('workflow-recipes', language);
