// Reading of delimiters, dates, numbers, statuses and zones, and the table of seen addresses.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { wallTimeToInstant, toWallTime } from '#platform/server/zoned-time.ts';
import { splitName } from '../../full-name.ts';
import { SeenAddresses } from './address-filter.ts';
import { detectDateOrder, parseDate, parseTimestamp } from './dates.ts';
import { detectDelimiter } from './delimiter.ts';
import { formatGroupCell, splitGroupNames } from './group-names.ts';
import { detectDecimalMark, parseNumber } from './numbers.ts';
import { parseStatus, parseSuppression } from './statuses.ts';

describe('detectDelimiter', () => {
  it.each([
    ['a,b,c\n1,2,3\n', ','],
    ['name;price\nAda;1,50\nBob;2,50\n', ';'],
    ['a\tb\nx, y\tz\n', '\t'],
    ['a|b|c\n1|2|3\n', '|'],
    ['email\na@x.y\nb@x.y\n', ','],
    ['sep=;\na;b\n', ';'],
    ['"a;b","c;d"\n"e;f","g;h"\n', ','],
    ['', ','],
  ])('the delimiter of %j is %j', (text, delimiter) => {
    expect(detectDelimiter(text)).toBe(delimiter);
  });
});

describe('parseDate', () => {
  it.each([
    ['2026-01-31', '2026-01-31 00:00:00'],
    ['2026-01-31 14:05', '2026-01-31 14:05:00'],
    ['2026-01-31T14:05:06.789', '2026-01-31 14:05:06'],
    ['2026-01-31T14:05:06Z', '2026-01-31 14:05:06Z'],
    ['2026-01-31T01:05:06+02:00', '2026-01-30 23:05:06Z'],
    ['2026/1/5', '2026-01-05 00:00:00'],
    ['20260131', '2026-01-31 00:00:00'],
    ['31.01.2026', '2026-01-31 00:00:00'],
    ['03/04/2026', '2026-04-03 00:00:00'],
    ['04/31/2026', undefined],
    ['01/31/2026 2:30 PM', '2026-01-31 14:30:00'],
    ['01/31/2026 12:30 am', '2026-01-31 00:30:00'],
    ['31-1-99', '1999-01-31 00:00:00'],
    ['5 Jan 2026', '2026-01-05 00:00:00'],
    ['January 5, 2026', '2026-01-05 00:00:00'],
    ['۲۰۲۶-۰۱-۳۱', '2026-01-31 00:00:00'],
    ['2026-10-25 10:30:00+00', '2026-10-25 10:30:00Z'],
    ['2026-10-25 10:30:00.123456+02', '2026-10-25 08:30:00Z'],
    ['2026-10-25 10:30:00 +0000 UTC', '2026-10-25 10:30:00Z'],
    ['Tue, 05 May 2026 10:00:00 +0200', '2026-05-05 08:00:00Z'],
    ['Tue, 5 May 2026 10:00:00 GMT', '2026-05-05 10:00:00Z'],
    ['Tue May 05 2026 10:00:00 GMT+0200 (Central European Summer Time)', '2026-05-05 08:00:00Z'],
    ['Tue May  5 10:00:00 2026', '2026-05-05 10:00:00'],
    ['5-May-26', '2026-05-05 00:00:00'],
    ['05-May-2026 10:15', '2026-05-05 10:15:00'],
    ['2026-May-05', '2026-05-05 00:00:00'],
    ['25. 10. 2026', '2026-10-25 00:00:00'],
    ['25.10.2026 kl. 14.30', '2026-10-25 14:30:00'],
    ['1. mai 2026', '2026-05-01 00:00:00'],
    ['5. März 2026', '2026-03-05 00:00:00'],
    ['3 déc. 2026', '2026-12-03 00:00:00'],
    ['5 de mayo de 2026', '2026-05-05 00:00:00'],
    ['2026 m. gegužės 5 d.', '2026-05-05 00:00:00'],
    ['2026. gada 5. maijs', '2026-05-05 00:00:00'],
    ['7 marraskuuta 2026', '2026-11-07 00:00:00'],
    ['1405/08/03', '2026-10-25 00:00:00'],
    ['۱۴۰۵/۰۸/۰۳', '2026-10-25 00:00:00'],
    ['۳ آبان ۱۴۰۵', '2026-10-25 00:00:00'],
    ['1405/13/03', undefined],
    ['2026-02-29', undefined],
    ['2024-02-29', '2024-02-29 00:00:00'],
    ['2026-01-31 25:00', undefined],
    ['yesterday', undefined],
    ['12', undefined],
  ])('reads %s as %s', (text, expected) => {
    expect(parseDate(text, 'day-first')).toBe(expected);
  });

  it.each([
    ['1777939200', '2026-05-05 00:00:00Z'],
    ['1777939200123', '2026-05-05 00:00:00Z'],
    ['2026-01-31', '2026-01-31 00:00:00'],
    ['12', undefined],
  ])('a timestamp %s is read as %s', (text, expected) => {
    expect(parseTimestamp(text, 'day-first')).toBe(expected);
  });

  it('reads 03/04/2026 with the month first if requested, and detects the date order of a column', () => {
    expect(parseDate('03/04/2026', 'month-first')).toBe('2026-03-04 00:00:00');
    expect(detectDateOrder(['03/04/2026', '03/14/2026'])).toBe('month-first');
    expect(detectDateOrder(['03/04/2026', '14/03/2026'])).toBe('day-first');
    expect(detectDateOrder(['03/04/2026'])).toBeUndefined();
  });

  it('never throws, and is idempotent', () => {
    const dateLike = fc.string({
      unit: fc.constantFrom(...'0123456789-/.: TZ+apm'),
      maxLength: 25,
    });
    fc.assert(
      fc.property(fc.oneof(fc.string({ unit: 'binary' }), dateLike), (text) => {
        const parsed = parseDate(text, 'day-first');
        if (parsed !== undefined) expect(parseDate(parsed, 'month-first')).toBe(parsed);
      }),
      { numRuns: 5000 },
    );
  });
});

describe('splitName', () => {
  it.each([
    ['Ada Lovelace', 'Ada', 'Lovelace'],
    ['Ada', 'Ada', ''],
    ['Juan Carlos de Borbón', 'Juan', 'Carlos de Borbón'],
    ['  Ada \t Lovelace ', 'Ada', 'Lovelace'],
    ['Ada\u00a0Lovelace', 'Ada', 'Lovelace'],
    ['زهرا محمدی', 'زهرا', 'محمدی'],
    ['', '', ''],
    ['   ', '', ''],
  ])('splits %j into %j and %j', (name, first, last) => {
    expect(splitName(name)).toEqual({ first, last });
  });

  it('drops only spaces', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (name) => {
        const { first, last } = splitName(name);
        expect(`${first}${last}`.replace(/\s/g, '')).toBe(name.replace(/\s/g, ''));
        expect(/\s/.test(first)).toBe(false);
      }),
      { numRuns: 2000 },
    );
  });
});

describe('parseNumber', () => {
  it.each([
    ['12', 12],
    ['-3.50', -3.5],
    ['1 234,50', 1234.5],
    ['1,234.50', 1234.5],
    ['1.234.567', 1234567],
    ["1'234.5", 1234.5],
    ['1,5', 1.5],
    ['1,234', 1234],
    ['$ 12.30', 12.3],
    ['12 %', 12],
    ['−7', -7],
    ['۱۲۳٫۵', 123.5],
    ['1e3', 1000],
    ['.5', 0.5],
    ['1,2,3', undefined],
    ['12 apples', undefined],
    ['', undefined],
    ['1e999', undefined],
  ])('reads %s as %s', (text, expected) => {
    expect(parseNumber(text, '.')).toBe(expected);
  });

  it('quickly rejects a cell of many spaces', () => {
    const startedAt = performance.now();
    for (let i = 0; i < 20; i++)
      expect(parseNumber(`1${' '.repeat(200_000)}x`, '.')).toBeUndefined();
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });

  it('reads 1,234 according to the decimal mark of its column', () => {
    expect(parseNumber('1,234', ',')).toBe(1.234);
    expect(parseNumber('1.234', ',')).toBe(1234);
    expect(detectDecimalMark(['1,234', '2,5'])).toBe(',');
    expect(detectDecimalMark(['1,234.5'])).toBe('.');
    expect(detectDecimalMark(['7'])).toBeUndefined();
  });

  it('never throws, and returns only finite numbers', () => {
    const numeric = fc.string({ unit: fc.constantFrom(...'0123456789-+., eE%'), maxLength: 20 });
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ unit: 'binary' }), numeric),
        fc.constantFrom('.' as const, ',' as const),
        (text, mark) => {
          const parsed = parseNumber(text, mark);
          expect(parsed === undefined || Number.isFinite(parsed)).toBe(true);
        },
      ),
      { numRuns: 5000 },
    );
  });
});

describe('parseStatus', () => {
  it.each([
    ['Subscribed', 'active'],
    ['Opted-Out', 'unsubscribed'],
    ['UNSUBSCRIBED', 'unsubscribed'],
    ['cleaned', 'bounced'],
    ['SPAM_REPORTED', 'reported'],
    ['non-subscribed', 'non-subscribed'],
    ['no', 'non-subscribed'],
    ['constructor', undefined],
    ['maybe', undefined],
  ])('reads %s as %s', (text, status) => {
    expect(parseStatus(text)).toBe(status);
  });
});

describe('parseSuppression', () => {
  it.each([
    ['[]', undefined],
    ['No', undefined],
    ['false', undefined],
    ['0', undefined],
    ['["HARD_BOUNCE"]', 'bounced'],
    ["['INVALID_EMAIL']", 'bounced'],
    ['SPAM_COMPLAINT', 'reported'],
    ['USER_SUPPRESSED', 'unsubscribed'],
    ['Yes', 'unsubscribed'],
    ['something new', 'unsubscribed'],
    ['ja', 'unsubscribed'],
    ['Nein', undefined],
    ['Allow', undefined],
    ['Do Not Allow', 'unsubscribed'],
    ['N/A', undefined],
  ])('reads %s as %s', (text, status) => {
    expect(parseSuppression(text)).toBe(status);
  });
});

describe('splitGroupNames', () => {
  it.each([
    ['VIP', ['VIP']],
    ['"VIP","Spring, 2026"', ['VIP', 'Spring, 2026']],
    ["['VIP', 'Old']", ['VIP', 'Old']],
    ['["VIP"]', ['VIP']],
    ['a; b | c', ['a', 'b', 'c']],
    ['VIP, vip ,', ['vip']],
    ['Say ""hi""', ['Say ""hi""']],
    ["O'Brien, Bo", ["O'Brien", 'Bo']],
    ['[]', []],
    [' , ;', []],
    // Joiners are part of Persian words, and the Persian comma separates names.
    ['مشتری\u200cها، تهران؛ \u200eقم', ['مشتری\u200cها', 'تهران', 'قم']],
  ])('reads %s', (cell, names) => {
    expect(splitGroupNames(cell)).toEqual(names);
  });

  it('reads the output of formatGroupCell for names with any characters', () => {
    const name = fc.string({
      unit: fc.constantFrom(...'ab\'",;|[]،؛ '),
      minLength: 1,
      maxLength: 12,
    });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 5 }), (names) => {
        const expected = new Set(names.map((name) => name.trim()).filter(Boolean));
        expect(new Set(splitGroupNames(formatGroupCell(names)))).toEqual(expected);
      }),
      { numRuns: 2000 },
    );
  });

  it('reads at most a hundred names per cell, each at most as long as a title', () => {
    const cell = Array.from({ length: 200 }, (_, i) => `${i}${'x'.repeat(300)}`).join(',');
    expect(splitGroupNames(cell)).toHaveLength(100);
    expect(Math.max(...splitGroupNames(cell).map((name) => name.length))).toBe(255);
  });
});

describe('wallTimeToInstant', () => {
  it('converts wall times, including those that daylight saving time skips or repeats', () => {
    expect(wallTimeToInstant('2026-07-01 12:00:00', 'Europe/Vilnius').toISOString()).toBe(
      '2026-07-01T09:00:00.000Z',
    );
    expect(wallTimeToInstant('2026-03-29 03:30:00', 'Europe/Vilnius').toISOString()).toBe(
      '2026-03-29T01:30:00.000Z',
    );
    expect(wallTimeToInstant('2026-10-25 03:30:00', 'Europe/Vilnius').toISOString()).toBe(
      '2026-10-25T00:30:00.000Z',
    );
    expect(wallTimeToInstant('2026-07-01 12:00:00Z', 'Europe/Vilnius').toISOString()).toBe(
      '2026-07-01T12:00:00.000Z',
    );
    expect(toWallTime(new Date('2026-07-01T09:00:00Z'), 'Asia/Tehran')).toBe('2026-07-01 12:30:00');
  });
});

describe('SeenAddresses', () => {
  it('finds the same earlier rows as a map while it grows', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 3 }), { maxLength: 200 }), (addresses) => {
        const seenAddresses = new SeenAddresses();
        const map = new Map<string, number>();
        addresses.forEach((address, i) => {
          expect(seenAddresses.add(address, i + 1)).toBe(map.get(address));
          if (!map.has(address)) map.set(address, i + 1);
        });
      }),
    );
    const manyAddresses = new SeenAddresses();
    for (let i = 1; i <= 100_000; i++)
      expect(manyAddresses.add(`p${i}@example.com`, i)).toBeUndefined();
    expect(manyAddresses.add('p77@example.com', 5)).toBe(77);
  });
});
