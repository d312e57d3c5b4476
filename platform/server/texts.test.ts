// The server formats numbers in its messages by language.
import { expect, test } from 'vitest';
import { serverTexts } from './texts.ts';

test.each([
  ['eng', '30', '1,200'],
  ['nor', '30', '1\u00a0200'],
  ['fas', '۳۰', '۱٬۲۰۰'],
] as const)('strings in %s contain numbers like %s and %s', (language, few, many) => {
  const t = serverTexts('tracking', language);
  expect(t('preferences.pause', { count: 30 })).toContain(few);
  expect(t('preferences.pause', { count: 1_200 })).toContain(many);
  // A string is inserted unchanged.
  expect(t('preferences.paused', { date: '1200' })).toContain('1200');
});
