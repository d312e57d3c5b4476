// Each wording rule reports the strings that it is meant for, and valid strings pass.
import { expect, test } from 'vitest';
import type { Language } from '#platform/languages.ts';
import { findStyleViolations } from './locale-style.ts';

const findViolations = (language: Language, text: string) =>
  findStyleViolations('x.json', (locale) => (locale === language ? { key: text } : undefined));

test.each<[Language, string]>([
  ['eng', 'Delete "it"'],
  ['eng', 'Delete «it»'],
  ['eng', 'Two  spaces'],
  ['eng', 'Verify it under Settings, Domains.'],
  ['eng', 'A space at the end '],
  ['eng', 'Button colour'],
  ['eng', 'Our favourites'],
  ['eng', 'A grey programme'],
  ['eng', 'Choose your neighbour'],
  ['eng', 'Personalised offers'],
  ['eng', 'Canceled e-mails'],
  ['eng', 'On the blocklist'],
  ['eng', 'Log in to continue'],
  ['eng', 'Remove card {{place}}'],
  ['eng', 'Somebody changed this.'],
  ['eng', 'Sending goes on by itself.'],
  ['eng', 'Count anew'],
  ['eng', 'The webhook is told of it.'],
  ['eng', 'Put the content right: it was put right.'],
  ['eng', 'What your programs tell of people'],
  ['eng', 'Invoices stand here.'],
  ['eng', 'The resend leaves at once.'],
  ['eng', 'Please wait, please.'],
  ['eng', 'It worked!'],
  ['eng', 'Loading...'],
  ['eng', '42% of 1,204 delivered'],
  ['eng', 'New Campaign'],
  ['eng', 'Open and Click rate of {{title}}'],
  ['nor', 'Ny Kampanje'],
  ['lit', 'Gavėjų Sąrašas (visi)'],
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
])('the %s text "%s" is reported', (language, text) => {
  expect(findViolations(language, text)).toHaveLength(1);
});

test.each<[Language, string]>([
  ['eng', 'You don’t have “{{title}}” yet'],
  ['eng', 'Complete Your Profile'],
  ['eng', 'Export to “Sent”, Google Analytics or CSV'],
  ['eng', 'Verify it under Settings, Sending domains.'],
  [
    'eng',
    'An error has occurred. Please try again later. If the error persists, please contact support.',
  ],
  ['eng', 'Error occurred: Unauthorized. Please log in or contact support.'],
  ['eng', 'Email already verified!'],
  ['eng', 'Checking...'],
  ['eng', 'Cancellation of a program, an analysis of favorites'],
  ['eng', 'Invoices appear here. Sending resumes by itself at 15:00.'],
  ['nor', 'Slette «{{title}}»?'],
  ['nor', 'Skriv inn det leverandøren oppgir'],
  ['swe', 'Ta bort ”{{title}}”?'],
  ['lit', 'Ištrinti „{{title}}“?'],
  ['lav', 'Dzēst “{{title}}”? Atteikties no abonementa'],
  ['fas', '«{{title}}» می‌شود؛ گروه‌ها، ۳ مشترک'],
  ['fas', 'یک پیوند: <a href="{{link}}">باز کردن</a>'],
])('the %s text "%s" is valid', (language, text) => {
  expect(findViolations(language, text)).toEqual([]);
});
