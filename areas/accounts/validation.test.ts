// Validation of websites, postal codes, names and addresses: samples, private hosts and
// random input.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  hasPostalFormat,
  isBlank,
  findNameIssue,
  findPlaceIssue,
  findPostalIssue,
  findWebsiteIssue,
  withProtocol,
} from './validation.ts';

describe('website', () => {
  test.each([
    'https://shop.example',
    'http://www.shop.example/path?q=1#x',
    'ftp://files.shop.example',
    'https://8.8.8.8',
    'https://[2606:4700::1111]/',
    'https://bücher.example',
    'https://xn--bcher-kva.xn--p1ai',
    'HTTPS://SHOP.EXAMPLE.',
  ])('%s is accepted', (url) => expect(findWebsiteIssue(url)).toBeUndefined());

  test.each([
    'shop.example',
    'javascript:alert(1)',
    'mailto:a@shop.example',
    'https://localhost',
    'https://printer.local',
    'https://intranet',
    'https://user:secret@shop.example',
    'https://shop .example',
    'https://shop.1',
    'https://-shop.example',
    'http://10.0.0.1',
    'http://172.16.9.9',
    'http://192.168.1.1',
    'ftp://192.168.1.1',
    'http://127.1',
    'http://2130706433',
    'http://0x7f.0.0.1',
    'http://169.254.169.254/latest',
    'http://100.64.0.1',
    'http://0.0.0.0',
    'http://255.255.255.255',
    'http://[::1]',
    'http://[fe80::1]',
    'http://[fc00::1]',
    'http://[::ffff:192.168.0.1]',
    'http://[::ffff:c0a8:1]',
    'http://[::127.0.0.1]',
    'http://[::10.0.0.1]',
    'http://[::ffff:0:127.0.0.1]',
    'http://[64:ff9b::127.0.0.1]',
    'http://[2002:7f00:1::]',
    'https:////shop.example',
    'https://\\\\shop.example',
    'https:///shop.example',
    '//shop.example',
  ])('%s is refused', (url) => expect(findWebsiteIssue(url)).toBe('invalid'));

  test('a website without a protocol is completed with https unless it starts with four slashes', () => {
    expect(withProtocol('//shop.example/a')).toBe('https://shop.example/a');
    expect(withProtocol('shop.example')).toBe('https://shop.example');
    expect(withProtocol('////shop.example')).toBe('////shop.example');
  });

  test('a website of only spaces or more than 255 characters is refused', () => {
    expect(findWebsiteIssue('  ')).toBe('required');
    expect(findWebsiteIssue(`https://shop.example/${'x'.repeat(255)}`)).toBe('long');
  });

  test('private IPv4 addresses are refused in dotted, decimal, hexadecimal and IPv6 notation', () => {
    const octet = fc.nat(255);
    const inRange = fc.oneof(
      fc.tuple(fc.constant(10), octet, octet, octet),
      fc.tuple(fc.constant(127), octet, octet, octet),
      fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), octet, octet),
      fc.tuple(fc.constant(192), fc.constant(168), octet, octet),
    );
    fc.assert(
      fc.property(inRange, ([a, b, c, d]) => {
        const number = ((a * 256 + b) * 256 + c) * 256 + d;
        const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`;
        for (const host of [
          `${a}.${b}.${c}.${d}`,
          String(number),
          `0x${number.toString(16)}`,
          `[::ffff:${hex}]`,
        ]) {
          expect(findWebsiteIssue(`http://${host}/`)).toBe('invalid');
        }
      }),
    );
  });

  test('any input is accepted or refused without throwing', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.webUrl(),
          fc.string().map((s) => `https://${s}`),
        ),
        (input) => {
          findWebsiteIssue(input);
        },
      ),
    );
  });
});

describe('postal code', () => {
  test.each([
    ['KY', 'KY1-1234'],
    ['MS', 'MSR1234'],
    ['KN', 'KN1234'],
    ['LC', 'LC12 345'],
    ['VC', 'VC1234'],
    ['WS', 'WS1234'],
    ['VG', 'VG1234'],
    ['TT', '123456'],
    ['LT', 'LT-01103'],
    ['LT', 'lt-01103'],
    ['LV', 'LV 1010'],
    ['AZ', 'AZ1000'],
    ['AZ', 'AZ 1000'],
    ['AZ', '1000'],
    ['MD', 'MD-2001'],
    ['MD', 'md2001'],
    ['AR', 'C1425CLA'],
    ['AR', '1425'],
    ['SV', '1101'],
    ['SV', 'CP 1101'],
    ['JP', '100-0001'],
    ['JP', '1000001'],
    ['JP', '１００−０００１'],
    ['PL', '00-950'],
    ['PL', '00950'],
    ['IR', '۱۲۳۴۵۶۷۸۹۰'],
    ['IR', '١٢٣٤٥-٦٧٨٩٠'],
    ['NO', '۰۱۵۰'],
    ['SE', '114\u00a055'],
    ['SE', '11455'],
    ['GB', 'sw1a 1aa'],
    ['CA', 'k1a 0b1'],
    ['NL', '1234 ab'],
    ['NO', '0150'],
    ['SE', '114 55'],
    ['GB', 'SW1A 1AA'],
    ['US', '94107-1234'],
  ])('%s accepts %s', (country, code) => expect(findPostalIssue(code, country)).toBeUndefined());

  test.each([
    ['NO', '015'],
    ['KY', 'KY9-1234'],
    ['LC', 'LC12345'],
    ['US', 'ABCDE'],
    ['TT', '12345'],
    ['AZ', 'AZ100'],
    ['MD', 'RO-2001'],
    ['AR', 'I1425'],
    ['JP', '10-00001'],
    ['PL', '009-50'],
  ])('%s refuses %s', (country, code) => expect(findPostalIssue(code, country)).toBe('invalid'));

  test('a postal code is required only in countries with a known format, and requires a country', () => {
    expect(findPostalIssue('', 'NO')).toBe('required');
    expect(findPostalIssue('', 'AE')).toBeUndefined();
    expect(findPostalIssue('anything', 'AE')).toBeUndefined();
    expect(findPostalIssue('12345', '')).toBe('noCountry');
    expect(hasPostalFormat('IE')).toBe(true);
    fc.assert(
      fc.property(fc.string(), fc.string({ maxLength: 3 }), (code, country) => {
        findPostalIssue(code, country);
      }),
    );
  });
});

/** Generates strings of `min` to `max` characters that people type. */
const characters = (min: number, max: number) =>
  fc
    .array(fc.constantFrom(...'aZéßšøپ雪😀-\u0027'), { minLength: min, maxLength: max })
    .map((list) => list.join(''));
const invisible = fc
  .array(
    fc.constantFrom(
      ' ',
      '\t',
      '\u00A0',
      '\u200B',
      '\u200E',
      '\u200F',
      '\u202E',
      '\u2066',
      '\uFEFF',
    ),
  )
  .map((list) => list.join(''));

describe('names', () => {
  test.each([
    ['', 'required'],
    ['   ', 'required'],
    ['\u200F\u200E', 'required'],
    ['A', 'short'],
    ['😀', 'short'],
    ['A\u0000da', 'characters'],
    ['Ada\nX', 'characters'],
    ['x'.repeat(65), 'long'],
    ['x'.repeat(10_000), 'long'],
  ])('the name %j has the issue %s', (input, issue) => expect(findNameIssue(input)).toBe(issue));

  test.each(['Åse', 'Li', "D'Arcy", '<b>Ada</b>', 'سارا', '😀😀', ' Ada '])(
    '%j is a name',
    (input) => expect(findNameIssue(input)).toBeUndefined(),
  );

  test('a name has 2 to 64 characters, not counting whitespace around it', () => {
    fc.assert(
      fc.property(characters(2, 64), (name) => {
        expect(findNameIssue(`  ${name} `)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(characters(65, 200), (name) => {
        expect(findNameIssue(name)).toBe('long');
      }),
    );
    fc.assert(
      fc.property(characters(1, 1), (name) => {
        expect(findNameIssue(name)).toBe('short');
      }),
    );
    fc.assert(
      fc.property(invisible, (name) => {
        expect(findNameIssue(name)).toBe('required');
      }),
    );
  });
});

describe('streets, cities, states', () => {
  test('one line of 1 to 255 visible characters is accepted, and other input is refused', () => {
    fc.assert(
      fc.property(characters(1, 255), (text) => {
        expect(findPlaceIssue(text)).toBeUndefined();
      }),
    );
    fc.assert(
      fc.property(characters(256, 400), (text) => {
        expect(findPlaceIssue(text)).toBe('long');
      }),
    );
    fc.assert(
      fc.property(invisible, (text) => {
        expect(isBlank(text)).toBe(true);
        expect(findPlaceIssue(text)).toBe('required');
      }),
    );
    fc.assert(
      fc.property(characters(1, 9), fc.constantFrom('\0', '\n', '\u007F'), (text, control) => {
        expect(findPlaceIssue(`${text}${control}${text}`)).toBe('characters');
      }),
    );
  });
});

test('a postal code is required if and only if its country has a format', () => {
  const codes = Array.from({ length: 26 * 26 }, (_, i) =>
    String.fromCharCode(65 + Math.floor(i / 26), 65 + (i % 26)),
  );
  for (const country of codes) {
    expect(findPostalIssue('', country)).toBe(hasPostalFormat(country) ? 'required' : undefined);
    expect(findPostalIssue('😀'.repeat(5000), country)).toBe(
      hasPostalFormat(country) ? 'invalid' : undefined,
    );
  }
  for (const noIssue of ['', null, undefined])
    expect(findPostalIssue('', noIssue)).toBe('noCountry');
});
