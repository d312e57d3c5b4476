// Texts for a message in its language (`MessageSource.words`).
import type { Language } from '#platform/languages.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { MessageTexts } from './message-source.ts';

export function messageTexts(language: Language, company: string): MessageTexts {
  const t = serverTexts('content', language);
  return { unsubscribe: t('unsubscribe'), reason: t('reason', { company }) };
}
