// Markup is removed from user input, addresses and numbers are validated, and search parameters are
// parsed.
import * as fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import {
  flag,
  int,
  parseOneOf,
  parseSearch,
  readSearchParams,
  stringifySearch,
  text,
  writeSearchParams,
} from '../api/address.ts';
import { isEnabled } from '../flags.ts';
import { sanitize } from '../sanitize.ts';
import { isEmail, isHttpUrl, findPhoneFault } from '../validators.ts';

describe('sanitize', () => {
  it.each([
    ['<b>Sale</b> today', 'Sale today'],
    ['<img src=x onerror=alert(1)>', ''],
    ['<scr<script>x</script>ipt>alert(1)</script>', 'alert(1)'],
    ['  Spring   ', 'Spring'],
    ['a < b and I <3 you', 'a < b and I <3 you'],
    ['NUL\u0000 and \u202Eturned', 'NUL and turned'],
    ['سلام 👋', 'سلام 👋'],
  ])('%j becomes %j', (typed, clean) => {
    expect(sanitize(typed)).toBe(clean);
  });

  it('removes every tag from any input and is idempotent', () => {
    const pieces = fc.constantFrom(
      '<',
      '>',
      '/',
      '!--',
      '-->',
      'script',
      'img src=x',
      'a',
      ' ',
      '"',
    );
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 30 }), (parts) => {
        const clean = sanitize(parts.join(''));
        expect(clean).not.toMatch(/<\/?[a-z]/i);
        expect(sanitize(clean)).toBe(clean);
      }),
    );
  });
});

it.each([
  ['a@b.co', true],
  ['first.last+tag@sub.example.com', true],
  ['jūratė@pavyzdys.lt', true],
  ['@example.com', false],
  ['a@b', false],
  ['a..b@c.de', false],
  ['a b@c.de', false],
  ['a@-b.de', false],
  [`${'x'.repeat(65)}@c.de`, false],
])('isEmail(%j) is %s', (written, is) => {
  expect(isEmail(written)).toBe(is);
});

it.each([
  ['https://example.com/a?b=c', true],
  ['http://localhost', false],
  ['ftp://example.com', false],
  ['javascript:alert(1)', false],
  ['example.com', false],
])('isHttpUrl(%j) is %s', (written, is) => {
  expect(isHttpUrl(written)).toBe(is);
});

it.each([
  ['+37061234567', undefined, undefined],
  ['061234567', 'LT', undefined],
  ['+3706', undefined, 'phoneShort'],
  ['+370612345678901234', undefined, 'phoneLong'],
  ['+999123456789', undefined, 'phoneCountry'],
  ['hello', undefined, 'phoneFormat'],
] as const)('findPhoneFault(%j, %j) is %j', async (written, country, fault) => {
  expect(await findPhoneFault(written, country)).toBe(fault);
});

describe('search parameters', () => {
  const shape = {
    page: int(1),
    q: text(),
    status: parseOneOf(['all', 'SENT'], 'all'),
    open: flag(),
  };

  it('invalid search parameters are replaced by their defaults', () => {
    expect(readSearchParams(shape, { page: '7', q: 'ä', status: 'SENT', open: '1' })).toEqual({
      page: 7,
      q: 'ä',
      status: 'SENT',
      open: true,
    });
    expect(readSearchParams(shape, { page: '-1', status: 'LOST', open: 'yes' })).toEqual({
      page: 1,
      q: '',
      status: 'all',
      open: false,
    });
  });

  it('search parameters are written only if they differ from their defaults', () => {
    const search = writeSearchParams(shape, { page: 1, q: 'a b', status: 'SENT', open: false });
    expect(stringifySearch(search)).toBe('?q=a+b&status=SENT');
  });

  it('a filter is unchanged after it is written to and parsed from the search parameters', () => {
    const filter = 'text,equals,Smith%2C%20Jr,1,and,and,bDqoKd__next__number,between,10,1,and,or,z';
    expect(parseSearch(stringifySearch({ filter }))).toEqual({ filter });
  });
});

it('an unknown flag is off and logs an error', () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => undefined);
  expect(isEnabled('commandPalette')).toBe(true);
  expect(log).not.toHaveBeenCalled();
  expect(isEnabled('no such flag')).toBe(false);
  expect(log).toHaveBeenCalledWith('Invalid feature key');
});
