// Settings of forms, set by main/ once at startup.
import { isLanguage, type Language } from '#platform/languages.ts';
import type { CaptchaProvider } from './captcha-provider.ts';

export type FormsSettings = {
  publicUrl: string;
  /** The folder of the built scripts for customers' sites. */
  embedFolder: string;
  /** Replaces the built-in proof of work. */
  captcha?: CaptchaProvider | undefined;
};

let settings: FormsSettings | undefined;

export function configureForms(value: FormsSettings): void {
  settings = value;
}

export function getFormsSettings(): FormsSettings {
  if (!settings) throw new Error('configureForms has not been called');
  return settings;
}

/**
 * Polish and Spanish are languages of forms only: the footers and dates of their emails are
 * English.
 */
export function toInterfaceLanguage(language: string): Language {
  return isLanguage(language) ? language : 'eng';
}
