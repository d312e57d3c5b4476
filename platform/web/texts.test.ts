// @vitest-environment jsdom
// Texts in the chosen language: loaded when asked for, plurals and digits by its rules.
import { beforeAll, expect, it } from 'vitest';
import { formatsFor } from './formats.ts';
import { preferredLanguage } from './languages.ts';
import { areaTexts, showLanguage, startTexts, text, texts } from './texts.ts';

beforeAll(startTexts);

it('has the words of the dashboard and the names of all areas first, and an area’s when its screen wants them', async () => {
  const has = (key: string) => texts.exists(key);
  for (const key of ['dashboard:title', 'platform:confirm.cancel', 'campaigns:steps.design']) {
    expect(has(key)).toBe(true);
  }
  expect(has('accounts:fields.passwordShort_one')).toBe(false);
  await areaTexts(['accounts']);
  expect(has('accounts:fields.passwordShort_one')).toBe(true);
  expect(has('groups:delete.title')).toBe(false);
  // Turned to another language in the meantime: that one has all that was wanted, too.
  await Promise.all([showLanguage('lav'), areaTexts(['groups'])]);
  expect(has('accounts:fields.passwordShort_zero')).toBe(true);
  expect(has('groups:delete.title')).toBe(true);
  await showLanguage('eng');
});

it('turns the page to the language: words, lang, direction, digits', async () => {
  await showLanguage('fas');
  expect(document.documentElement).toMatchObject({ lang: 'fa', dir: 'rtl' });
  expect(text('accounts:fields.passwordShort', { count: 10 })).toBe('دست‌کم ۱۰ نویسه');
  await showLanguage('eng');
  expect(document.documentElement).toMatchObject({ lang: 'en', dir: 'ltr' });
  expect(text('accounts:fields.passwordShort', { count: 1 })).toBe('At least 1 character');
});

it('keeps brackets and marks of Latin words with them inside Persian ones', async () => {
  await showLanguage('fas');
  await areaTexts(['broadcasts']);
  const deleted = (title: string) => text('broadcasts:list.deleted', { title });
  expect(deleted('Spring (draft)')).toBe('«\u2068Spring (draft)\u2069» حذف شد.');
  expect(deleted('\u2068Spring (draft)\u2069')).toBe('«\u2068Spring (draft)\u2069» حذف شد.');
  expect(deleted('Spring')).toBe('«Spring» حذف شد.');
  await showLanguage('eng');
  expect(deleted('Spring (draft)')).not.toContain('\u2068');
});

it('chooses the plural as the language does', async () => {
  await showLanguage('lit');
  const words = [1, 2, 10, 21].map((count) => text('accounts:fields.passwordShort', { count }));
  expect(words).toEqual(['Bent 1 ženklas', 'Bent 2 ženklai', 'Bent 10 ženklų', 'Bent 21 ženklas']);
});

it('falls back to no other language silently', async () => {
  await showLanguage('eng');
  expect(texts.exists('platform:no.such.key')).toBe(false);
});

it('prefers what the browser prefers', () => {
  expect(preferredLanguage(['de-DE', 'nn-NO', 'en'])).toBe('nor');
  expect(preferredLanguage(['fa-IR'])).toBe('fas');
  expect(preferredLanguage(['ja'])).toBe('eng');
});

it('writes numbers and dates as the locale does', () => {
  expect(formatsFor('en').number(12345.6)).toBe('12,345.6');
  expect(formatsFor('fa').number(12345)).toBe('۱۲٬۳۴۵');
  expect(formatsFor('en').percent(0.1234)).toBe('12.3%');
  expect(formatsFor('sv').dateTime('2026-11-21T06:15:00Z', 'Europe/Stockholm')).toBe(
    '21 nov. 2026 07:15',
  );
  const now = new Date('2026-11-21T06:15:00Z');
  expect(formatsFor('en').relative('2026-11-21T06:12:00Z', 'UTC', now)).toBe('3 minutes ago');
  expect(formatsFor('en').relative('2026-11-22T06:15:00Z', 'UTC', now)).toBe('tomorrow');
  const relative = (instant: string) => formatsFor('en').relative(instant, 'Europe/Oslo', now);
  // Not 46 hours later, on the day after tomorrow; 25 hours later it may be that one too.
  expect(relative('2026-11-23T04:15:00Z')).toBe('in 2 days');
  expect(
    formatsFor('en').relative('2026-11-23T00:15:00Z', 'UTC', new Date('2026-11-21T23:30:00Z')),
  ).toBe('in 2 days');
  expect(relative('2026-11-19T08:15:00Z')).toBe('2 days ago');
  expect(relative('2026-11-22T22:15:00Z')).toBe('tomorrow');
  expect(relative('2026-12-04T06:15:00Z')).toBe('in 1 week');
  expect(relative('2024-12-30T06:15:00Z')).toBe('1 year ago');
  expect(formatsFor('en').bytes(104_448)).toBe('102 kB');
});
