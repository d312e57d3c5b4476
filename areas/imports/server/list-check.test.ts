// The check of a list: suggestions for misspelled domains, and counts of doubtful addresses.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkAddress, createEmptyCheck, suggestDomain } from './list-check.ts';

test.each([
  ['gmial.com', 'gmail.com'],
  ['gmail.con', 'gmail.com'],
  ['gmail.co', 'gmail.com'],
  ['gmaill.com', 'gmail.com'],
  ['gail.com', 'gmail.com'],
  ['hotmial.com', 'hotmail.com'],
  ['outlok.com', 'outlook.com'],
  ['yaho.co.uk', 'yahoo.co.uk'],
  ['gmail.com', undefined],
  ['mail.com', undefined],
  ['cloud.com', undefined],
  ['ymail.com', undefined],
  ['gmx.com', undefined],
  ['tea.example', undefined],
  ['', undefined],
])('the suggestion for the domain %j is %j', (domain, suggestion) => {
  expect(suggestDomain(domain)).toBe(suggestion);
});

test('doubtful addresses are counted by kind, and addresses at a misspelled domain by domain', () => {
  const check = createEmptyCheck();
  for (const email of [
    'ada@tea.example',
    'info@tea.example',
    'sales+eu@tea.example',
    'ada@mailinator.com',
    'ada@gmial.com',
    'support@gmial.com',
    'information@tea.example',
  ]) {
    checkAddress(check, email);
  }
  expect(check).toEqual({
    disposable: 1,
    roles: 3,
    typos: { 'gmial.com': { meant: 'gmail.com', count: 2 } },
  });
});

test('the number of misspelled domains stored for a list is limited', () => {
  const check = createEmptyCheck();
  const letter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789-');
  fc.assert(
    fc.property(letter, fc.nat(9), (character, at) => {
      checkAddress(check, `x@${'gmail.com'.slice(0, at)}${character}${'gmail.com'.slice(at)}`);
    }),
    { numRuns: 1000, seed: 1 },
  );
  expect(Object.keys(check.typos)).toHaveLength(100);
});
