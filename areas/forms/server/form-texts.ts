// Texts for public pages and emails of a form, in the form's language.
import { ISO, type FormLanguage } from '#embed/forms/shared/document.ts';
import { DIRECTION, isLanguage } from '#platform/languages.ts';
import { type ServerText, serverTexts } from '#platform/server/texts.ts';

export const formTexts = (language: FormLanguage): ServerText =>
  serverTexts('form-pages', language);

/** Returns the page's `lang` and `dir` attributes. */
export const toPageLanguage = (language: FormLanguage): { lang: string; dir: 'ltr' | 'rtl' } => ({
  lang: ISO[language],
  dir: isLanguage(language) ? DIRECTION[language] : 'ltr',
});
