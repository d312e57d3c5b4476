// The preview of a file to import: its headings, the guessed targets of columns in six languages,
// and the formats of dates and numbers.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { buildPreview, type PreviewSettings } from './preview.ts';
import { planBlocks, SAMPLE_BYTES } from './sample-rows.ts';

function preview(text: string, settings: Partial<PreviewSettings> = {}) {
  return buildPreview(Buffer.from(text), {
    encoding: 'utf-8',
    fields: [],
    country: 'LT',
    ...settings,
  });
}

const guessTargets = (text: string, settings?: Partial<PreviewSettings>) =>
  preview(text, settings).columns.map((column) => column.target);

describe('buildPreview', () => {
  it.each([
    [
      'Email,First name,Last name,Phone number,City\n',
      ['email', 'firstname', 'lastname', 'phone', 'skip'],
    ],
    ['E-post;Fornavn;Etternavn;Telefon;By\n', ['email', 'firstname', 'lastname', 'phone', 'skip']],
    ['E-postadress;Förnamn;Efternamn;Mobilnummer\n', ['email', 'firstname', 'lastname', 'phone']],
    ['El. paštas;Vardas;Pavardė;Telefono numeris\n', ['email', 'firstname', 'lastname', 'phone']],
    ['E-pasts,Vārds,Uzvārds,Tālruņa numurs\n', ['email', 'firstname', 'lastname', 'phone']],
    ['ایمیل,نام,نام خانوادگی,شماره تلفن\n', ['email', 'firstname', 'lastname', 'phone']],
    [
      'Email Address,Status,OPTIN_TIME,UNSUB_TIME\n',
      ['email', 'email_status', 'consent_at', 'unsubscribed_at'],
    ],
  ])('recognizes the titles %s', (header, targets) => {
    expect(guessTargets(`${header}x,y,z\n`)).toEqual(targets);
  });

  it.each([
    ['Email,Name\na@x.co,Ada Lovelace\nb@x.co,Bob\n', ['email', 'fullname']],
    ['Email,Name\na@x.co,Ada\nb@x.co,Bob\n', ['email', 'firstname']],
    ['Email,Full name\na@x.co,Ada\n', ['email', 'fullname']],
    ['Email,Name,Last name\na@x.co,Ada Mae,Lovelace\n', ['email', 'firstname', 'lastname']],
    ['Email,Name,First name\na@x.co,Ada Lovelace,Ada\n', ['email', 'skip', 'firstname']],
    ['Email,First name,Full name\na@x.co,Ada,Ada L\n', ['email', 'firstname', 'skip']],
    ['E-post;Navn\na@x.co;Ada Lovelace\n', ['email', 'fullname']],
    ['E-post;För- och efternamn\na@x.co;Ada\n', ['email', 'fullname']],
    ['El. paštas;Vardas, pavardė\na@x.co;Ada Lovelace\n', ['email', 'fullname']],
    ['E-pasts;Vārds un uzvārds\na@x.co;Ada Lovelace\n', ['email', 'fullname']],
    ['ایمیل,نام و نام خانوادگی\na@x.co,زهرا محمدی\n', ['email', 'fullname']],
  ])('distinguishes a full name from a first name: %j', (text, targets) => {
    expect(guessTargets(text)).toEqual(targets);
  });

  it('proposes a birthday field for dates without a year, in the detected order of day and month', () => {
    const text = 'Email Address,Birthday,Size\na@x.example,05/12,1/2\nb@x.example,05/31,3/4\n';
    expect(preview(text).columns.slice(1)).toMatchObject([
      { type: 'birthday', dateOrder: 'month-first' },
      { type: 'text' },
    ]);
    const serviceTitles = 'LEID,EUID,LAST_CHANGED,MEMBER_RATING';
    const exportedCsv = `Email Address,Birthday,${serviceTitles}\na@x.example,05/12,1,e,2026-01-01,2\n`;
    expect(preview(exportedCsv)).toMatchObject({
      service: 'mailchimp',
      columns: [{}, { type: 'birthday', dateOrder: 'month-first' }, {}, {}, {}, {}],
    });
  });

  it('identifies columns by their values if titles are missing or unclear', () => {
    const rows = 'Ada,ada@example.com,+37061234567\nBob,bob@example.com,+37061234568\n';
    expect(preview(rows)).toMatchObject({ hasHeader: false, headerRow: 0 });
    expect(guessTargets(rows)).toEqual(['skip', 'email', 'phone']);
    expect(guessTargets(`Kontakt,A,B\n${rows}`)).toEqual(['skip', 'email', 'phone']);
  });

  it.each([
    ['Customer list exported 2026-11-01\n\nEmail,First name,City\nona@x.co,Ona,Vilnius\n', 3],
    ['Contact,,Address,\nEmail,Name,City,Zip\nona@x.co,Ona,Vilnius,01103\n', 2],
    ['List\nQuestions: info@x.co\n2026\nE-post;Navn;By\nona@x.co;Ona;Oslo\n', 4],
    ['Our people,,\nA,B,C\nona@x.co,Ona,Oslo\n', 2],
    ['Email,Name\n,Ona\njan@x.co,Jan\n', 1],
    ['ona@x.co,Ona\njan@x.co,Jan\n', 0],
  ])('finds the row of the headings, if any: %j', (text, row) => {
    expect(preview(text)).toMatchObject({ headerRow: row, hasHeader: row > 0 });
  });

  it('uses the row that the user chose as headings', () => {
    const chosenPreview = preview('Email,Name\nMail,Who\nona@x.co,Ona\n', { headerRow: 2 });
    expect(chosenPreview).toMatchObject({ headerRow: 2, rows: [['ona@x.co', 'Ona']] });
    expect(chosenPreview.columns.map(({ title }) => title)).toEqual(['Mail', 'Who']);
  });

  it('keeps the email column if another column contains a single address', () => {
    const rows = Array.from({ length: 20 }, (_, i) => `p${i} at x.co,,Ona\n`).join('');
    const text = `Email,Referred by,Name\nona@x.co,jan@x.co,Ona\n${rows}`;
    expect(guessTargets(text)).toEqual(['email', 'skip', 'firstname']);
  });

  // Builds sorted rows: the first 600 have no address in the first column.
  const buildSortedCsv = (count: number, extraNote = '') =>
    Array.from({ length: count }, (_, i) =>
      i < 600 ? `call ${i},boss${i}@x.co,Ona${extraNote}\n` : `p${i}@x.co,,Ona${extraNote}\n`,
    ).join('');

  it('considers rows far from the start of the file', () => {
    expect(guessTargets(`Email,Referred by,Name\n${buildSortedCsv(3000)}`)[0]).toBe('email');
    expect(guessTargets(`A,B,C\n${buildSortedCsv(3000)}`)[0]).toBe('email');
    // Addresses are in another column in most rows of the whole file.
    expect(guessTargets(`Email,Referred by,Name\n${buildSortedCsv(700)}`)[1]).toBe('email');
    const numbers = Array.from({ length: 1500 }, (_, i) => (i < 1000 ? i : `N${i}`));
    const rows = numbers.map((number, i) => `p${i}@x.co,${number}\n`).join('');
    expect(preview(`Email,Number\n${rows}`).columns[1]?.type).toBe('text');
  });

  it.each([
    ['utf-8', ','],
    ['utf-16le', ','],
    // Blocks begin and end within quoted cells of several lines.
    ['utf-8', ',"a note\nof a@b.co, c@d.co, e\nand more "" of it"'],
  ] as const)('samples blocks of a file longer than the sample: %s %j', (encoding, extraNote) => {
    const text = `A,B,C,D\n${buildSortedCsv(40_000, extraNote)}`;
    const file = Buffer.from(text, encoding === 'utf-8' ? 'utf8' : 'utf16le');
    const blocks = planBlocks(file.length);
    expect(blocks.at(-1)?.end).toBeGreaterThanOrEqual(file.length - 1);
    const settings = { encoding, fields: [], country: 'LT' };
    const sample = file.subarray(0, SAMPLE_BYTES);
    const samples = blocks.map(({ start, end }) => file.subarray(start, end));
    const { columns, rows } = buildPreview(sample, settings, samples);
    expect(columns.map(({ target }) => target)).toEqual(['email', 'skip', 'skip', 'skip']);
    expect(columns[3]?.isFilled).toBe(extraNote !== ',');
    expect(rows[0]?.slice(0, 3)).toEqual(['call 0', 'boss0@x.co', 'Ona']);
  });

  it('plans no extra blocks for a file that fits in the sample, and only blocks within a longer file', () => {
    expect(planBlocks(SAMPLE_BYTES)).toEqual([]);
    fc.assert(
      fc.property(fc.integer({ min: SAMPLE_BYTES + 1, max: 2 ** 40 }), (size) => {
        for (const { start, end } of planBlocks(size)) {
          expect(start % 2).toBe(0);
          expect(start).toBeGreaterThan(0);
          expect(end).toBeLessThanOrEqual(size);
        }
      }),
    );
  });

  it('assigns each target once, by values if titles are ambiguous, and appends numbers to duplicate titles', () => {
    expect(guessTargets('Email,Email,Name\nid1,a@x.co,A\nid2,b@x.co,B\n')).toEqual([
      'skip',
      'email',
      'firstname',
    ]);
    expect(preview('Email,Email\na@x.co,b@x.co\n').columns.map((column) => column.title)).toEqual([
      'Email',
      'Email (2)',
    ]);
  });

  it("recognizes the account's fields by title and proposes a type for new ones", () => {
    const { columns } = preview('email,Pet’s name,Age,Since,Zip\na@x.co,Rex,5,31.01.2026,01234\n', {
      fields: [
        { id: 'pet', title: 'Pet’s Name', type: 'text' },
        { id: 'age', title: 'age', type: 'number' },
      ],
    });
    expect(columns.map((column) => [column.target, column.type])).toEqual([
      ['email', 'text'],
      ['pet', 'text'],
      ['age', 'number'],
      ['skip', 'datetime'],
      ['skip', 'text'],
    ]);
  });

  it('detects the order of dates and the decimal mark by column and country', () => {
    const { columns } = preview('email;d1;d2;n\na@x.co;03/14/2026;03/04/2026;1,5\n', {
      country: 'US',
    });
    expect(columns.map((column) => [column.dateOrder, column.decimalMark])).toEqual([
      ['month-first', ','],
      ['month-first', ','],
      ['month-first', ','],
      ['month-first', ','],
    ]);
    expect(preview('email,d\na@x.co,03/04/2026\n').columns[1]?.dateOrder).toBe('day-first');
  });

  it('reads with another delimiter or without headings if requested', () => {
    expect(preview('a@x.co;b\n', { delimiter: ',' }).rows).toEqual([['a@x.co;b']]);
    expect(preview('Email,Name\na@x.co,A\n', { hasHeader: false }).rows.length).toBe(2);
  });

  it('skips the line sep=; and blank lines before the headings', () => {
    expect(preview('sep=;\n\nEmail;Name\na@x.co;A\n')).toMatchObject({
      delimiter: ';',
      headerRow: 3,
      rows: [['a@x.co', 'A']],
    });
  });

  it('shows at most 1,000 columns and drops empty ones at the end', () => {
    const wide = (count: number) => Array.from({ length: count }, (_, i) => `c${i}`).join(',');
    expect(preview(`${wide(1000)}\n${wide(1000)}\n`).columns.length).toBe(1000);
    expect(preview(`${wide(1200)}\n${wide(1200)}\n`).columns.length).toBe(1000);
    expect(preview('Email,,\na@x.co,,\n').columns.length).toBe(1);
  });

  it('returns a preview for an empty file and for any bytes', () => {
    expect(preview('')).toMatchObject({ columns: [], rows: [], hasHeader: false });
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 500 }), (bytes) => {
        const builtPreview = buildPreview(Buffer.from(bytes), {
          encoding: 'utf-8',
          fields: [],
          country: undefined,
        });
        expect(builtPreview.rows.every((row) => row.length <= 1000)).toBe(true);
      }),
      { numRuns: 1000 },
    );
  });
});
