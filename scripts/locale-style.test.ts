// Each rule of wording finds what it is there for, and lets right texts be.
import { expect, test } from 'vitest';
import type { Language } from '#platform/languages.ts';
import { styleBreaches } from './locale-style.ts';

const found = (language: Language, text: string) =>
  styleBreaches('x.json', (one) => (one === language ? { key: text } : undefined));

test.each<[Language, string]>([
  ['eng', 'Delete "it"'],
  ['eng', 'Delete «it»'],
  ['eng', 'Two  spaces'],
  ['eng', 'Verify it under Settings, Domains'],
  ['eng', 'A space at the end '],
  ['nor', 'Slette “den”?'],
  ['nor', 'E-posttjeneren svarer ikke'],
  ['nor', 'Alle domener hos én e-postleverandør'],
  ['swe', 'Alla domäner hos en e-postleverantör'],
  ['swe', 'Ta bort «den»?'],
  ['swe', 'Anmäld som spam'],
  ['lit', 'Ištrinti "jį"?'],
  ['lit', 'Pranešė apie brukalą'],
  ['lit', 'Ne daugiau kaip 64 ženklai (-ų)'],
  ['lit', 'Visi vieno pašto teikėjo domenai'],
  ['lav', 'Dzēst «to»?'],
  ['lav', 'Atrakstīties'],
  ['lav', 'Lūdzu, piesakieties'],
  ['fas', 'كمپين'],
  ['fas', '٣ مشترک'],
  ['fas', 'می شود'],
  ['fas', 'گروه ها'],
  ['fas', 'در تنظیمات، دامنه‌ها تأیید کنید'],
  ['fas', 'نام, نشانی'],
  ['fas', 'حذف “آن”'],
])('%s: %s', (language, text) => {
  expect(found(language, text)).toHaveLength(1);
});

test.each<[Language, string]>([
  ['eng', 'You don’t have “{{title}}” yet'],
  ['nor', 'Slette «{{title}}»?'],
  ['nor', 'Skriv inn det leverandøren oppgir'],
  ['swe', 'Ta bort ”{{title}}”?'],
  ['lit', 'Ištrinti „{{title}}“?'],
  ['lav', 'Dzēst “{{title}}”? Atteikties no abonementa'],
  ['fas', '«{{title}}» می‌شود؛ گروه‌ها، ۳ مشترک'],
  ['fas', 'یک پیوند: <a href="{{link}}">باز کردن</a>'],
])('%s is right: %s', (language, text) => {
  expect(found(language, text)).toEqual([]);
});
