// Other users of the machine cannot read files with contacts, including older files; formulas in
// CSV cells are escaped.
import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, expect, test } from 'vitest';
import { formatCsvCell } from './csv.ts';
import { closeFiles, diskFiles } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendloom-files-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

test('new files and folders are private, and older ones become private at startup', async () => {
  const files = join(folder, 'files');
  await diskFiles(files).put('exports/1/people.csv', Readable.from(['a@b.example']));
  expect(modeOf(join(files, 'exports/1/people.csv'))).toBe('600');
  expect(['', 'exports', 'exports/1'].map((path) => modeOf(join(files, path)))).toEqual([
    '700',
    '700',
    '700',
  ]);
  const oldPath = join(folder, 'old');
  mkdirSync(join(oldPath, 'imports'), { recursive: true });
  writeFileSync(join(oldPath, 'imports/x.csv'), 'x');
  chmodSync(join(oldPath, 'imports/x.csv'), 0o644);
  for (const path of ['', 'imports']) chmodSync(join(oldPath, path), 0o755);
  await closeFiles(oldPath);
  expect([
    modeOf(oldPath),
    modeOf(join(oldPath, 'imports')),
    modeOf(join(oldPath, 'imports/x.csv')),
  ]).toEqual(['700', '700', '600']);
  await closeFiles(join(folder, 'missing'));
});

test('a formula after a semicolon or tab within a cell is escaped', () => {
  expect(formatCsvCell('x;=cmd|A1')).toBe("x;'=cmd|A1");
  expect(formatCsvCell('x\t@SUM(A1)')).toBe("x\t'@SUM(A1)");
  expect(formatCsvCell('x;;+1+2;y')).toBe("x;;'+1+2;y");
  expect(formatCsvCell('5;-5;+4712345678')).toBe('5;-5;+4712345678');
  expect(formatCsvCell('=1;=2')).toBe("'=1;'=2");
  expect(formatCsvCell('plain; words - of course')).toBe('plain; words - of course');
});
