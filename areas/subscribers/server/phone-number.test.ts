// Phone numbers: accepted forms, and the fast parser's agreement with the library.
import fc from 'fast-check';
import { parsePhoneNumberFromString } from 'libphonenumber-js/max';
import { afterEach, describe, expect, it } from 'vitest';
import { parsePhone, setFictionalNumbers } from './phone-number.ts';

describe('parsePhone', () => {
  it.each([
    ['+370 612 34567', undefined, '+37061234567'],
    ['00370 612 34567', undefined, '+37061234567'],
    ['+44 (0)20 7946 0018', undefined, '+442079460018'],
    ['8 612 34567', 'LT', '+37061234567'],
    ['0612 34567', 'LT', '+37061234567'],
    ['37061234567', 'NO', '+37061234567'],
    ['(415) 555-2671', 'US', '+14155552671'],
    ['۰۹۱۲ ۳۴۵ ۶۷۸۹', 'IR', '+989123456789'],
    ['tel:+46-70-123-45-67', undefined, '+46701234567'],
  ])('reads %s in %s as %s', (text, country, phone) => {
    expect(parsePhone(text, country)).toEqual({ phone });
  });

  it.each([
    ['call me', undefined, 'phone_invalid'],
    ['612 34567', undefined, 'phone_country_invalid'],
    ['+370 1', undefined, 'phone_too_short'],
    ['+3706123456789012345', undefined, 'phone_too_long'],
    ['+999 123 456', undefined, 'phone_country_invalid'],
    ['+1 000 000 0000', undefined, 'phone_invalid'],
  ])('refuses %s in %s with %s', (text, country, fault) => {
    expect(parsePhone(text, country)).toBe(fault);
  });

  it('accepts exactly the international numbers that the library considers valid', () => {
    const number = fc
      .tuple(
        fc.constantFrom('1', '7', '44', '47', '46', '370', '371', '98', '358', '61', '262', '48'),
        fc.stringMatching(/^[1-9]\d{4,11}$/),
      )
      .map(([code, rest]) => `+${code}${rest}`);
    fc.assert(
      fc.property(number, (text) => {
        const result = parsePhone(text);
        const valid = parsePhoneNumberFromString(text)?.isValid() ?? false;
        expect(typeof result === 'object').toBe(valid);
      }),
      { numRuns: 3000 },
    );
  });

  it('never throws for any input', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'binary' }),
        fc.option(fc.string(), { nil: undefined }),
        (text, country) => {
          const result = parsePhone(text, country);
          if (typeof result === 'object') expect(result.phone).toMatch(/^\+\d{4,15}$/);
        },
      ),
    );
  });
});

describe('numbers reserved for fiction', () => {
  const NUMBERS = [
    ['+44 7700 900123', '+447700900123'],
    ['00447700900999', '+447700900999'],
    ['+1 555 010 0123', '+15550100123'],
    ['+1 555 555 0123', '+15555550123'],
    ['+33 6 39 98 00 12', '+33639980012'],
    ['+353 20 912 0123', '+353209120123'],
  ] as const;
  afterEach(() => setFictionalNumbers(false));

  it.each(NUMBERS)('%s is refused until such numbers are allowed', (text, phone) => {
    expect(typeof parsePhone(text)).toBe('string');
    setFictionalNumbers(true);
    expect(parsePhone(text)).toEqual({ phone });
  });

  it('other unassigned numbers remain invalid', () => {
    setFictionalNumbers(true);
    expect(parsePhone('+1 555 200 0123')).toBe('phone_invalid');
    expect(parsePhone('+1 000 000 0000')).toBe('phone_invalid');
  });
});
