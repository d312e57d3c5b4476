// Rows of delimited text: quoting, line breaks, broken files, and memory use with hostile ones.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type RawRow, RowScanner } from './rows.ts';

function scan(text: string, delimiter = ',', chunk = text.length || 1): RawRow[] {
  const rows: RawRow[] = [];
  const scanner = new RowScanner(delimiter, (row) => rows.push(row));
  for (let offset = 0; offset < text.length; offset += chunk)
    scanner.write(text.slice(offset, offset + chunk));
  scanner.end();
  return rows;
}

const toCells = (rows: RawRow[]) => rows.map((row) => row.cells);

describe('RowScanner', () => {
  it.each([
    [
      'a,b\nc,d\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\r\nc,d',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    [
      'a,b\rc,d\r',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['"a,1","b\nc",d', [['a,1', 'b\nc', 'd']]],
    ['"say ""hi""",x', [['say "hi"', 'x']]],
    [
      '5" pipe,x\n6" pipe,y',
      [
        ['5" pipe', 'x'],
        ['6" pipe', 'y'],
      ],
    ],
    ['"a" b,c', [['a b', 'c']]],
    ['a, "b, c", "d"', [['a', 'b, c', 'd']]],
    [' "a",b', [['a', 'b']]],
    ['"Ona \\"O\\", B",x', [['Ona "O", B', 'x']]],
    ['"C:\\dir\\","x"', [['C:\\dir\\', 'x']]],
    ['"a \\"b\\" c\\\\","d ""e"" f"', [['a "b" c\\', 'd "e" f']]],
    [
      '"",\n,',
      [
        ['', ''],
        ['', ''],
      ],
    ],
    [
      'a,"b"\r\n"c",d\r\n',
      [
        ['a', 'b'],
        ['c', 'd'],
      ],
    ],
    ['', []],
    ['\n\n\r\n', []],
  ])('reads %j', (text, expected) => {
    for (const chunk of [1, 2, 3, 1000]) expect(toCells(scan(text, ',', chunk))).toEqual(expected);
  });

  it('numbers rows like a spreadsheet, counting empty ones', () => {
    expect(scan('h\n\na\n"x\ny"\nb').map((row) => row.number)).toEqual([1, 3, 4, 5]);
  });

  it('reads the output of an RFC 4180 writer in chunks of any size', () => {
    const cell = fc.string({
      unit: fc.constantFrom('a', 'ž', '"', ',', ';', '\n', '\r', ' ', '€', '𝒳'),
    });
    const table = fc.array(fc.array(cell, { minLength: 2, maxLength: 5 }), { maxLength: 8 });
    fc.assert(
      fc.property(
        table,
        fc.constantFrom(',', ';', '\t', '|'),
        fc.constantFrom('\n', '\r\n', '\r'),
        fc.integer({ min: 1, max: 9 }),
        (rows, delimiter, end, chunk) => {
          const text = rows
            .map(
              (cells) =>
                cells.map((cell) => `"${cell.replaceAll('"', '""')}"`).join(delimiter) + end,
            )
            .join('');
          expect(toCells(scan(text, delimiter, chunk))).toEqual(rows);
        },
      ),
      { numRuns: 1000 },
    );
  });

  it('never throws, and returns the same rows for any chunk size', () => {
    const anyText = fc.string({ unit: fc.constantFrom('a', '"', '"', ',', '\n', '\r', '\0', 'b') });
    fc.assert(
      fc.property(anyText, fc.integer({ min: 1, max: 7 }), (text, chunk) => {
        expect(scan(text, ',', chunk)).toEqual(scan(text));
      }),
      { numRuns: 3000 },
    );
  });

  it('reports rows with NUL and reads the others', () => {
    const rows = scan('a,b\nc\0,d\ne,f\n');
    expect(rows.map((row) => row.problem)).toEqual([undefined, 'control_characters', undefined]);
  });

  it('reads the line of an unclosed quote literally and the rest normally', () => {
    const rows = scan(`a,b\n"open,x\n${'c,d\n'.repeat(10)}`);
    expect(rows.length).toBe(12);
    expect(rows[1]?.cells).toEqual(['"open', 'x']);
    expect(rows[11]?.cells).toEqual(['c', 'd']);
  });

  it('recovers from an unclosed quote far from the end of a long file', () => {
    const text = `"open,x\n${'c,d\n'.repeat(200_000)}`;
    const rows = scan(text, ',', 65_536);
    expect(rows.length).toBe(200_001);
    expect(rows.every((row) => row.cells.length === 2)).toBe(true);
  });

  it('reports a line of 100 MB as one bad row without storing it, and reads the following ones', () => {
    const rows: RawRow[] = [];
    const scanner = new RowScanner(',', (row) => rows.push(row));
    const before = process.memoryUsage().rss;
    let highest = before;
    scanner.write('a,b\n');
    const chunk = 'x'.repeat(65_536);
    for (let i = 0; i < 1600; i++) {
      scanner.write(chunk);
      if (i % 100 === 0) highest = Math.max(highest, process.memoryUsage().rss);
    }
    scanner.write('\nc,d\n');
    scanner.end();
    expect(rows.map((row) => [row.number, row.problem])).toEqual([
      [1, undefined],
      [2, 'row_too_long'],
      [3, undefined],
    ]);
    expect(highest - before).toBeLessThan(64 * 1024 * 1024);
  });

  it('reports a quoted cell of 100 MB as one bad row', () => {
    const rows: RawRow[] = [];
    const scanner = new RowScanner(',', (row) => rows.push(row));
    scanner.write('a,b\n"');
    const chunk = 'x'.repeat(65_536);
    for (let i = 0; i < 1600; i++) scanner.write(chunk);
    scanner.write('",z\nc,d\n');
    scanner.end();
    expect(rows.map((row) => row.problem)).toEqual([undefined, 'row_too_long', undefined]);
    expect(rows[2]?.cells).toEqual(['c', 'd']);
  });

  it('reads 2 MB within four seconds of CPU time, whatever the quotes', () => {
    const patterns = [
      '"',
      '""',
      '"""',
      '"a,',
      'a,"\n',
      '"x""\n',
      '"\n""\n',
      '",""\n',
      '"a"b"\n',
      ',"',
    ];
    for (const pattern of patterns) {
      const text = pattern.repeat(Math.ceil(2_000_000 / pattern.length));
      // Processor time is measured, because a busy machine stretches wall time.
      const cpuBefore = process.cpuUsage();
      scan(text, ',', 65_536);
      expect(process.cpuUsage(cpuBefore).user / 1000, JSON.stringify(pattern)).toBeLessThan(4000);
    }
  });
});
