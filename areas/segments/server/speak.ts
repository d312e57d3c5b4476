// Describes conditions in a user's language, on the server.
import { type Language, LOCALE } from '#platform/languages.ts';
import { serverTexts } from '#platform/server/texts.ts';
import type { Condition } from '../shared.ts';
import { buildSentence } from '../sentence.ts';

export function describeConditions(
  conditions: readonly Condition[],
  names: Record<string, string>,
  language: Language,
): string {
  const translate = serverTexts('segments.words', language);
  return buildSentence(conditions, { locale: LOCALE[language], translate, titles: names });
}
