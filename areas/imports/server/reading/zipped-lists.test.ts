// Lists in a ZIP: text files and workbooks, statuses by file name, limits, and damaged files.
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import { createZip } from '#testing/setup/zip.ts';
import { MAX_COLUMNS } from '../../shared.ts';
import { detectArchiveKind, readZippedLists } from './zipped-lists.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendloom-lists-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function readLists(lists: Record<string, string | Buffer>): Promise<string[]> {
  const path = join(folder, 'export.zip');
  writeFileSync(path, createZip(lists));
  let text = '';
  for await (const part of readZippedLists(path)) text += part;
  return text.trimEnd().split('\n');
}

test('contacts in unsubscribed.csv are marked as unsubscribed even if its headings do not identify the service', async () => {
  const lines = await readLists({
    'subscribed.csv': 'Email Address,MEMBER_RATING,LEID,EUID\nmona@m.example,4,1,a\n',
    'unsubscribed.csv': 'Email\ngone@m.example\n',
    'opens.csv': 'Email,Opens\nreader@m.example,4\n',
  });
  expect(lines[0]).toBe('Email Address,MEMBER_RATING,LEID,EUID,Status');
  expect(lines.slice(1)).toEqual(['gone@m.example,,,,unsubscribed', 'mona@m.example,4,1,a,']);
});

test('columns above the limit are dropped, and unsubscribed contacts remain marked', async () => {
  const titles = Array.from({ length: MAX_COLUMNS + 5 }, (_, n) => `Column ${n}`);
  const lines = await readLists({
    'all.csv': `Email,${titles.join()}\nmona@m.example\n`,
    'unsubscribed.csv': 'Email\ngone@m.example\n',
  });
  const [header, unsubscribed] = lines.map((line) => line.split(','));
  expect([header?.length, header?.[0], header?.at(-1)]).toEqual([MAX_COLUMNS, 'Email', 'Status']);
  expect([unsubscribed?.[0], unsubscribed?.at(-1)]).toEqual(['gone@m.example', 'unsubscribed']);
});

const buildBook = (rows: string[][]) =>
  writeXlsxFile(rows.map((row) => row.map((value) => ({ value })))).toBuffer();

/** Returns a minimal workbook with one sheet. */
const plainBook = (sheet: string) =>
  createZip({
    'xl/workbook.xml': '<workbook><sheets><sheet name="A" r:id="r1"/></sheets></workbook>',
    'xl/_rels/workbook.xml.rels':
      '<Relationships><Relationship Id="r1" Type="x/worksheet" Target="sheet.xml"/></Relationships>',
    'xl/sheet.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
  });
const cell = (text: string) => `<c t="inlineStr"><is><t>${text}</t></is></c>`;

test('workbooks are read like text files, and the contacts of files named after an opt-out or bounce come first', async () => {
  const lines = await readLists({
    'export/subscribed.xlsx': await buildBook([
      ['Email', 'Name', 'City'],
      ['ada@x.example', 'Ada "L", Lovelace', 'Oslo'],
    ]),
    'export/unsubscribed.csv': 'Email;City\nleft@x.example;Riga\n',
    'export/bounced.xlsx': await buildBook([['E-mail'], ['lost@x.example']]),
    'export/~$subscribed.xlsx': 'a lock file of the program that has it open',
    '__MACOSX/export/._subscribed.xlsx': 'x',
    'export/notes.xlsx': await buildBook([['Colour'], ['red']]),
    'export/empty.xlsx': await buildBook([]),
    'export/picture.xlsx': Buffer.from('89504e470d0a1a0a', 'hex'),
  });
  expect(lines).toEqual([
    'Email,City,Name,Status',
    'left@x.example,Riga,,unsubscribed',
    'lost@x.example,,,bounced',
    'ada@x.example,Oslo,"Ada ""L"", Lovelace",',
  ]);
  // Files unpacked for reading are deleted.
  expect(readdirSync(folder)).toEqual(['export.zip']);
});

test('an unreadable workbook and a nested zip bomb are reported, each with its error', async () => {
  const readErrorCode = async (name: string, book: Buffer) => {
    const error = await readLists({ 'a.csv': 'Email\na@x.example\n', [name]: book }).catch(
      (reason: unknown) => reason as { code?: string },
    );
    expect(readdirSync(folder)).toEqual(['export.zip']);
    return (error as { code?: string }).code;
  };
  const intact = plainBook(`<row>${cell('Email')}</row>`);
  expect(await readErrorCode('b.xlsx', intact)).toBeUndefined();
  expect(await readErrorCode('b.xlsx', intact.subarray(0, intact.length - 30))).toBe(
    'workbook_damaged',
  );
  expect(await readErrorCode('b.xlsx', createZip({ 'xl/styles.xml': '' }))).toBe(
    'workbook_damaged',
  );
  const protectedBook = Buffer.concat([Buffer.from('d0cf11e0a1b11ae1', 'hex'), Buffer.alloc(600)]);
  expect(await readErrorCode('b.xlsx', protectedBook)).toBe('old_workbook');
  const head = `<row>${cell('Email')}</row>`;
  const rows = `<row>${cell('a@x.example')}</row>`.repeat(400_000);
  expect(await readErrorCode('b.xlsx', plainBook(head + rows))).toBe('too_large');
  // This workbook is small because it is itself compressed.
  expect(
    await readErrorCode('b.xlsx', createZip({ 'xl/workbook.xml': '<a/>'.repeat(1024 * 1024) })),
  ).toBe('too_large');
});

test('an archive is a workbook, a bundle of lists, or neither', async () => {
  const detectKind = (entries: Record<string, string>) => {
    const path = join(folder, 'export.zip');
    writeFileSync(path, createZip(entries));
    return detectArchiveKind(path);
  };
  expect(await detectKind({ 'xl/workbook.xml': '', 'xl/embeddings/inner.xlsx': '' })).toBe(
    'workbook',
  );
  expect(await detectKind({ '[Content_Types].xml': '' })).toBe('workbook');
  expect(await detectKind({ 'LIST.XLSX': '' })).toBe('lists');
  expect(await detectKind({ 'readme.html': '', 'a.pdf': '' })).toBe('other');
});
