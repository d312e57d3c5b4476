// Texts for the templates, in locales/<lang>/email-templates.content.json.
import type { Language } from '#platform/languages.ts';
import { contentTexts } from '#platform/server/texts.ts';
import type eng from '../../../../locales/eng/email-templates.content.json';

/** The keys of the English strings; the locale check requires the same keys in all languages. */
export type TemplateTexts = Omit<typeof eng, 'titles'> & {
  titles: Record<string, { title: string; description: string }>;
};

export const templateTexts = (language: Language): TemplateTexts =>
  contentTexts('email-templates', language);
