// Detection of a file's encoding from its bytes.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import iconv from 'iconv-lite';
import { describe, expect, it } from 'vitest';
import { ENCODINGS, type FileEncoding } from '../../shared.ts';
import { createDecoder, EncodingObserver } from './encoding.ts';

function observe(
  bytes: Buffer,
  chunk = 1000,
): { encoding: FileEncoding; hasByteOrderMark: boolean } {
  const observer = new EncodingObserver();
  for (let at = 0; at < bytes.length; at += chunk) observer.write(bytes.subarray(at, at + chunk));
  return observer.finish();
}

function decode(bytes: Buffer, encoding: FileEncoding, chunk = 1000): string {
  const decoder = createDecoder(encoding);
  let text = '';
  for (let at = 0; at < bytes.length; at += chunk)
    text += decoder.write(bytes.subarray(at, at + chunk));
  return text + decoder.end();
}

function encode(text: string, encoding: FileEncoding): Buffer {
  return iconv.encode(text, encoding);
}

const samples: ReadonlyArray<readonly [FileEncoding, string]> = [
  ['windows-1252', 'epost,navn\nkari@x.no,Kåre Bjørnstad\nole@x.no,Øyvind Sæther\n'],
  ['windows-1252', 'epost,namn\nasa@x.se,Åsa Söderström\nk@x.se,Kjell Sjöberg Lööf\n'],
  ['windows-1252', 'email;name\nj@x.de;Jürgen Müller\ng@x.de;Günther Größe\n'],
  ['windows-1252', 'email;nom\nj@x.fr;Hélène Lefèvre\ng@x.fr;François Benoît\n'],
  [
    'windows-1257',
    'vardas,el\nŽydrūnė Šimkutė,a@x.lt\nRūta Kazlauskienė,b@x.lt\nJonas Petraitis,c@x.lt\n',
  ],
  [
    'windows-1257',
    'vārds,epasts\nJānis Bērziņš,a@x.lv\nLīga Kalniņa,b@x.lv\nĢirts Ķēniņš,c@x.lv\n',
  ],
  [
    'windows-1250',
    'imię;email\nŁukasz Wójcik;a@x.pl\nMałgorzata Dąbrowska;b@x.pl\nStanisław Żak;c@x.pl\n',
  ],
  ['windows-1250', 'jméno;email\nJiří Dvořák;a@x.cz\nTomáš Růžička;b@x.cz\nLenka Černá;c@x.cz\n'],
  ['windows-1251', 'имя;email\nИван Петров;a@x.bg\nМария Иванова;b@x.bg\n'],
  ['windows-1253', 'email,name\nona@imp.example,Γιώργος\n'],
  ['windows-1254', 'email,name\nona@imp.example,Ayşe Yıldız\n'],
  ['windows-1255', 'email,name\nona@imp.example,יוסף כהן\nb@x.il,שרה אברהם\nc@x.il,משה לוי\n'],
  ['windows-1256', 'email,name\nona@imp.example,مريم\n'],
  ['windows-1256', 'email,name\nona@imp.example,زهرا احمدي\n'],
  ['macintosh', 'email,name\nona@imp.example,José Müller\n'],
  ['cp850', 'email,name\nona@imp.example,José Müller\n'],
  ['cp850', 'epost;navn\nkari@x.no;Kåre Bjørnstad\nole@x.no;Øyvind Sæther\n'],
  ['cp850', 'email;nom\na@x.fr;Château\nb@x.fr;Hélène\n'],
  ['shift_jis', 'email,名前\nona@imp.example,山田太郎\nb@imp.example,スズキ\n'],
  ['gbk', 'email,姓名\nona@imp.example,王小明\n'],
  ['big5', 'email,姓名\nona@imp.example,陳美麗\n'],
  ['euc-kr', 'email,이름\nona@imp.example,김민수\n'],
];

describe('EncodingObserver', () => {
  it.each(samples)('detects %s by its letters: %s', (encoding, text) => {
    const bytes = encode(text, encoding);
    expect(observe(bytes, 7).encoding).toBe(encoding);
    expect(decode(bytes, encoding, 7)).toBe(text);
  });

  it('reads UTF-8 and UTF-16 of both byte orders, with and without a BOM', () => {
    const text = 'email,name\nada@example.com,Žydrūnė نام\n'.repeat(5);
    for (const encoding of ['utf-8', 'utf-16le', 'utf-16be'] as const) {
      for (const hasByteOrderMark of [true, false]) {
        const bytes = encode((hasByteOrderMark ? '\ufeff' : '') + text, encoding);
        expect(observe(bytes, 3)).toEqual({ encoding, hasByteOrderMark });
        expect(decode(bytes, encoding, 3)).toBe(text);
      }
    }
  });

  it('detects an encoding by a single non-ASCII character at the end of a long file', () => {
    const ascii = 'ada@example.com,Ada\n'.repeat(300_000);
    expect(
      observe(Buffer.concat([Buffer.from(ascii), encode('x@x.no,Bjørn\n', 'windows-1252')]), 65_536)
        .encoding,
    ).toBe('windows-1252');
    expect(observe(Buffer.from(`${ascii}x@x.no,Bjørn\n`), 65_536).encoding).toBe('utf-8');
  });

  it('tolerates a few broken bytes in a file that is UTF-8 otherwise', () => {
    const bytes = Buffer.concat([
      Buffer.from('Žydrūnė Šimkutė\n'.repeat(50)),
      Buffer.from([0xe6, 10]),
    ]);
    expect(observe(bytes).encoding).toBe('utf-8');
  });

  it('counts lines and bytes', () => {
    const observer = new EncodingObserver();
    observer.write(Buffer.from('a\r\nb\r\n'));
    expect([observer.lines, observer.size]).toEqual([2, 6]);
    observer.write(Buffer.from('c'));
    expect(observer.lines).toBe(3);
    const wide = new EncodingObserver();
    wide.write(Buffer.from('a\nb\n', 'utf16le'));
    expect(wide.lines).toBe(2);
  });

  it('decodes the byte after an invalid byte identically for chunks of any length', () => {
    const bytes = Buffer.from([137, 64, 131, 64, 152, 115, 10, 137, 152, 10, 152]);
    for (let chunk = 1; chunk <= bytes.length; chunk++) {
      expect(decode(bytes, 'shift_jis', chunk)).toBe('院ァ\ufffds\n汚\n\ufffd');
    }
  });

  it('returns a decodable encoding for any bytes', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        fc.integer({ min: 1, max: 9 }),
        (bytes, chunk) => {
          const { encoding } = observe(Buffer.from(bytes), chunk);
          expect(ENCODINGS).toContain(encoding);
          expect(decode(Buffer.from(bytes), encoding, chunk)).toBe(
            decode(Buffer.from(bytes), encoding),
          );
        },
      ),
    );
  });

  it('detects UTF-8 in source code', () => {
    expect(observe(readFileSync(new URL(import.meta.url))).encoding).toBe('utf-8');
  });
});
