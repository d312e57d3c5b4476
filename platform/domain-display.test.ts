// Domains are shown in Unicode, unless they could be confused with others and therefore stay in
// Punycode.
import { domainToASCII } from 'node:url';
import { expect, test } from 'vitest';
import { toUnicodeDomain } from './domain-display.ts';

test.each([
  'bücher.example',
  'post.blåbær.no',
  'žalgiris.lt',
  'ķīmija.lv',
  'räksmörgås.se',
  'فروشگاه.example',
  'چای۲۴.ایران',
  'почта.рф',
  'магазин.example',
  'пир.ru',
  'ελλάδα.gr',
  'shop日本語.example',
  '한국.kr',
  'ışık.com.tr',
  'भारत.example',
  'tea.example',
])('%s is shown in Unicode', (domain) => {
  const ascii = domainToASCII(domain);
  expect(toUnicodeDomain(ascii)).toBe(domain);
  expect(toUnicodeDomain(`a@${ascii}`)).toBe(`a@${domain}`);
});

test.each([
  ['letters of two scripts', 'pаypal.com'],
  ['Latin beside Devanagari', 'shopभारत.example'],
  ['a word of Cyrillic look-alikes', 'аррӏе.com'],
  ['a word of Greek look-alikes', 'νικυ.com'],
  ['a phonetic letter', 'ɡoogle.com'],
  ['a dotless i', 'paypaı.com'],
  ['digits of two kinds', 'چای۲3.example'],
  ['an invisible joiner', 'می\u200cخواهم.example'],
])('%s stays in Punycode', (_, domain) => {
  const ascii = domainToASCII(domain);
  expect(ascii).toContain('xn--');
  expect(toUnicodeDomain(ascii)).toBe(ascii);
});

test('only the domain of an address is converted, and unusual labels stay in Punycode', () => {
  expect(toUnicodeDomain('xn--bcher-kva@tea.example')).toBe('xn--bcher-kva@tea.example');
  expect(toUnicodeDomain('چای@xn--bcher-kva.example')).toBe('چای@bücher.example');
  expect(toUnicodeDomain('A@XN--BCHER-KVA.example')).toBe('A@bücher.example');
  // The labels decode to a word in brackets, ASCII letters, nothing and an emoji; the last one
  // cannot be decoded.
  for (const label of ['xn--Bcher-kva8445foa', 'xn--tea-', 'xn--', 'xn--ls8h', 'xn--99999999']) {
    expect(toUnicodeDomain(`${label}.example`)).toBe(`${label}.example`);
  }
});
