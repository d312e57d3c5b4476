// @vitest-environment jsdom
// Messages are loaded on demand in the chosen language and use its plural rules and digits.
import { beforeAll, expect, it } from 'vitest';
import { getFormats } from './formats.ts';
import { preferredLanguage } from './languages.ts';
import { areaTexts, showLanguage, startTexts, text, texts } from './texts.ts';

beforeAll(startTexts);

it("loads strings for the shell, dashboard and routes first, and an area's other strings with its screen", async () => {
  const hasText = (key: string) => texts.exists(key);
  for (const key of ['dashboard:title', 'platform:confirm.cancel', 'campaigns:steps.design']) {
    expect(hasText(key)).toBe(true);
  }
  expect(hasText('accounts:fields.passwordShort_one')).toBe(false);
  await areaTexts(['accounts']);
  expect(hasText('accounts:fields.passwordShort_one')).toBe(true);
  expect(hasText('groups:delete.title')).toBe(false);
  // After a language change during loading, the new language also has all requested catalogs.
  await Promise.all([showLanguage('lav'), areaTexts(['groups'])]);
  expect(hasText('accounts:fields.passwordShort_zero')).toBe(true);
  expect(hasText('groups:delete.title')).toBe(true);
  await showLanguage('eng');
});

it("sets the page's strings, lang, direction and digits for the language", async () => {
  await showLanguage('fas');
  expect(document.documentElement).toMatchObject({ lang: 'fa', dir: 'rtl' });
  expect(text('accounts:fields.passwordShort', { count: 10 })).toBe('دست‌کم ۱۰ نویسه');
  await showLanguage('eng');
  expect(document.documentElement).toMatchObject({ lang: 'en', dir: 'ltr' });
  expect(text('accounts:fields.passwordShort', { count: 1 })).toBe('At least 1 character');
});

it('isolates inserted Latin text with brackets or signs within Persian text', async () => {
  await showLanguage('fas');
  await areaTexts(['broadcasts']);
  const deletedText = (title: string) => text('broadcasts:list.deleted', { title });
  expect(deletedText('Spring (draft)')).toBe('«\u2068Spring (draft)\u2069» حذف شد.');
  expect(deletedText('\u2068Spring (draft)\u2069')).toBe('«\u2068Spring (draft)\u2069» حذف شد.');
  expect(deletedText('Spring')).toBe('«Spring» حذف شد.');
  expect(deletedText('+47 22 00')).toBe('«\u2068+47 22 00\u2069» حذف شد.');
  expect(deletedText('۱۲')).toBe('«۱۲» حذف شد.');
  await showLanguage('eng');
  expect(deletedText('Spring (draft)')).not.toContain('\u2068');
});

it("uses the language's plural rules", async () => {
  await showLanguage('lit');
  const catalog = [1, 2, 10, 21].map((count) => text('accounts:fields.passwordShort', { count }));
  expect(catalog).toEqual([
    'Bent 1 ženklas',
    'Bent 2 ženklai',
    'Bent 10 ženklų',
    'Bent 21 ženklas',
  ]);
});

it('an unknown key has no string', async () => {
  await showLanguage('eng');
  expect(texts.exists('platform:no.such.key')).toBe(false);
});

it('chooses the supported language that the browser prefers, otherwise English', () => {
  expect(preferredLanguage(['de-DE', 'nn-NO', 'en'])).toBe('nor');
  expect(preferredLanguage(['fa-IR'])).toBe('fas');
  expect(preferredLanguage(['ja'])).toBe('eng');
});

it('formats numbers and dates for the locale', () => {
  expect(getFormats('en').number(12345.6)).toBe('12,345.6');
  expect(getFormats('fa').number(12345)).toBe('۱۲٬۳۴۵');
  expect(getFormats('en').percent(0.1234)).toBe('12.3%');
  expect(getFormats('sv').dateTime('2026-11-21T06:15:00Z', 'Europe/Stockholm')).toBe(
    '21 nov. 2026 07:15',
  );
  const now = new Date('2026-11-21T06:15:00Z');
  expect(getFormats('en').relative('2026-11-21T06:12:00Z', 'UTC', now)).toBe('3 minutes ago');
  expect(getFormats('en').relative('2026-11-22T06:15:00Z', 'UTC', now)).toBe('tomorrow');
  const relative = (instant: string) => getFormats('en').relative(instant, 'Europe/Oslo', now);
  // Days are counted by the calendar: both 46 and 25 hours later can be the day after tomorrow.
  expect(relative('2026-11-23T04:15:00Z')).toBe('in 2 days');
  expect(
    getFormats('en').relative('2026-11-23T00:15:00Z', 'UTC', new Date('2026-11-21T23:30:00Z')),
  ).toBe('in 2 days');
  expect(relative('2026-11-19T08:15:00Z')).toBe('2 days ago');
  expect(relative('2026-11-22T22:15:00Z')).toBe('tomorrow');
  expect(relative('2026-12-04T06:15:00Z')).toBe('in 1 week');
  expect(relative('2024-12-30T06:15:00Z')).toBe('1 year ago');
  expect(getFormats('en').bytes(104_448)).toBe('102 kB');
});
