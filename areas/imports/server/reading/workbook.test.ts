// Workbooks: conversion of cells, and refusal of hostile files in constant memory.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import writeXlsxFile from 'write-excel-file/node';
import { createZip as zip } from '#testing/setup/zip.ts';
import { MAX_ROW_LENGTH } from '../../shared.ts';
import { detectFileKind, readWorkbookText, type WorkbookBudget } from './workbook.ts';
import { XmlReader } from './xml.ts';

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'workbook-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

let count = 0;
async function readText(bytes: Buffer): Promise<string> {
  count += 1;
  const path = join(folder, `${count}.xlsx`);
  await writeFile(path, bytes);
  let text = '';
  for await (const part of readWorkbookText(path)) text += part;
  return text;
}

function book(
  sheet: string,
  extraFiles: Record<string, string | Buffer> = {},
  properties = '',
): Record<string, string | Buffer> {
  return {
    'xl/workbook.xml': `<workbook xmlns:r="x">${properties}<sheets><sheet name="Hidden" sheetId="1" state="hidden" r:id="rId1"/><sheet name="A &gt; B" sheetId="2" r:id="rId2"/></sheets></workbook>`,
    'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://x/worksheet" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
    'xl/worksheets/sheet1.xml': '<worksheet/>',
    'xl/worksheets/sheet2.xml': `<worksheet><sheetData>${sheet}</sheetData></worksheet>`,
    ...extraFiles,
  };
}

describe('readWorkbookText', () => {
  it.each([
    ['00000', '1103', '01103'],
    ['&quot;LT-&quot;0000', '42', 'LT-0042'],
    ['hh:mm', '0.4375', '10:30'],
    ['[h]:mm:ss', '1.5', '36:00:00'],
    ['\\(000\\)\\ 000\\-0000', '2125550199', '(212) 555-0199'],
    ['&quot;+&quot;0', '37061234567', '+37061234567'],
    ['0.00', '1.5', '1.5'],
    ['#,##0', '1234', '1234'],
    ['0%', '0.5', '0.5'],
    ['#,##0.00\\ &quot;€&quot;', '12.5', '12.5'],
    ['0 &quot;pcs&quot;', '12', '12'],
  ])('reads a cell of the format %s and the value %s as %s', async (code, value, text) => {
    const styles = `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="${code}"/></numFmts><cellXfs><xf/><xf numFmtId="164"/></cellXfs></styleSheet>`;
    const sheet = `<row><c s="1"><v>${value}</v></c></row>`;
    expect(await readText(zip(book(sheet, { 'xl/styles.xml': styles })))).toBe(`${text}\n`);
  });

  it('reads the sheet with contacts, or the active one if several sheets have contacts', async () => {
    const cell = (text: string) => `<row><c t="inlineStr"><is><t>${text}</t></is></c></row>`;
    const sheets = (first: string, second: string, view = '') => ({
      'xl/workbook.xml': `<workbook xmlns:r="x">${view}<sheets><sheet name="A" r:id="rId1"/><sheet name="B" r:id="rId2"/></sheets></workbook>`,
      'xl/_rels/workbook.xml.rels': `<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://x/worksheet" Target="worksheets/sheet2.xml"/></Relationships>`,
      'xl/worksheets/sheet1.xml': `<worksheet><sheetData>${first}</sheetData></worksheet>`,
      'xl/worksheets/sheet2.xml': `<worksheet><sheetData>${second}</sheetData></worksheet>`,
    });
    const cover = cell('Write to hello@x.example with questions');
    expect(await readText(zip(sheets(cover, cell('a@x.example'))))).toBe('a@x.example\n');
    const cells = [cell('a@x.example'), cell('b@x.example')] as const;
    expect(await readText(zip(sheets(...cells)))).toBe('a@x.example\n');
    const view = '<bookViews><workbookView activeTab="1"/></bookViews>';
    expect(await readText(zip(sheets(...cells, view)))).toBe('b@x.example\n');
    const chart = sheets('', cell('b@x.example'));
    chart['xl/_rels/workbook.xml.rels'] = chart['xl/_rels/workbook.xml.rels'].replace(
      'worksheet" Target="worksheets/sheet1',
      'chartsheet" Target="chartsheets/sheet1',
    );
    expect(await readText(zip(chart))).toBe('b@x.example\n');
  });

  it('shares one limit among several workbooks', async () => {
    const path = join(folder, 'shared.xlsx');
    await writeFile(path, zip(book(`<row><c t="inlineStr"><is><t>text</t></is></c></row>`)));
    const readWithin = async (budget: WorkbookBudget) => {
      let text = '';
      for await (const part of readWorkbookText(path, budget)) text += part;
      return text;
    };
    const ample = { unpacked: 100_000, text: 100 };
    await readWithin(ample);
    const singleSize = 100_000 - ample.unpacked;
    const limits = { unpacked: singleSize * 1.5, text: 100 };
    const text = { unpacked: singleSize * 3, text: 9 };
    for (const budget of [limits, text]) {
      expect(await readWithin(budget)).toBe('text\n');
      await expect(readWithin(budget)).rejects.toMatchObject({ code: 'too_large' });
    }
  });

  it('writes a row once even if its end tag occurs several times', async () => {
    const long = `<c t="inlineStr"><is><t>${'x'.repeat(30_000)}</t></is></c>`;
    const ends = '</row>'.repeat(16_000);
    expect((await readText(zip(book(`<row r="1">${long}</row>${ends}`)))).length).toBeLessThan(
      31_000,
    );
    const cells = '</c>'.repeat(16_000);
    expect((await readText(zip(book(`<row r="1">${long}${cells}</row>`)))).length).toBeLessThan(
      31_000,
    );
  });

  it('reads the output of a workbook writer', async () => {
    const bytes = await writeXlsxFile([
      [{ value: 'Email' }, { value: 'Name' }, { value: 'Age' }, { value: 'Since' }],
      [
        { value: 'ada@example.com' },
        { value: 'Ada "L", Žydrūnė' },
        { value: 36.5 },
        { value: new Date(Date.UTC(2026, 0, 31)), format: 'yyyy-mm-dd' },
      ],
    ]).toBuffer();
    expect(await readText(bytes)).toBe(
      'Email,Name,Age,Since\nada@example.com,"Ada ""L"", Žydrūnė",36.5,2026-01-31\n',
    );
  });

  it('reads each cell type, missing cells and rows, entities, text runs and line breaks', async () => {
    const sheet = `
      <row r="2"><c r="B2" t="s"><v>0</v></c><c r="D2" t="inlineStr"><is><t>in &amp; line</t><rPh><t>x</t></rPh></is></c></row>
      <row r="4"><c t="b"><v>1</v></c><c t="e"><v>#REF!</v></c><c t="str"><f>A1&gt;2</f><v>a&#10;b_x000D_</v></c><c><v>3.7060000001E+10</v></c><c><v>0.30000000000000004</v></c></row>
      <row><c t="d"><v>2026-01-31T10:00:00</v></c><c s="1"><v>46053</v></c><c s="2"><v>46053.5</v></c></row>`;
    const text = await readText(
      zip(
        book(sheet, {
          'xl/sharedStrings.xml':
            '<sst><si><r><t>run</t></r><r><t xml:space="preserve"> two</t></r><rPh><t>no</t></rPh></si></sst>',
          'xl/styles.xml':
            '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="dd\\.mm &quot;x&quot;"/></numFmts><cellStyleXfs><xf numFmtId="14"/></cellStyleXfs><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>',
          'xl/_rels/workbook.xml.rels':
            '<Relationships><Relationship Id="rId1" Type="http://x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="http://x/worksheet" Target="./worksheets/sheet2.xml"/></Relationships>',
        }),
      ),
    );
    expect(text).toBe(
      '\n,run two,,in & line\n\ntrue,,"a\nb\r",37060000001,0.3\n2026-01-31 10:00:00,2026-01-31,2026-01-31 12:00:00\n',
    );
  });

  it('reads dates in the 1904 date system if the workbook uses it', async () => {
    const styles = '<styleSheet><cellXfs><xf/><xf numFmtId="14"/></cellXfs></styleSheet>';
    const sheet = '<row><c s="1"><v>44591</v></c></row>';
    const workbook = book(sheet, { 'xl/styles.xml': styles }, '<workbookPr date1904="1"/>');
    expect(await readText(zip(workbook))).toBe('2026-01-31\n');
  });

  it('refuses a zip bomb by its ratio, whatever its headers claim', async () => {
    const bomb = Buffer.alloc(100 * 1024 * 1024, '<row><c><v>1</v></c></row>');
    const before = process.memoryUsage().rss;
    const bytes = zip(book('', { 'xl/worksheets/sheet2.xml': bomb }), { unpackedBytes: 10 });
    await expect(readText(bytes)).rejects.toMatchObject({ code: 'too_large' });
    expect(process.memoryUsage().rss - before - bomb.length).toBeLessThan(128 * 1024 * 1024);
  });

  it('refuses shared strings that would exhaust memory and a long string repeated in many cells', async () => {
    const strings = Array.from(
      { length: 90_000 },
      (_, i) => `<si><t>${(i * 7919).toString(36).repeat(250)}</t></si>`,
    );
    await expect(
      readText(zip(book('', { 'xl/sharedStrings.xml': `<sst>${strings.join('')}</sst>` }))),
    ).rejects.toMatchObject({ code: 'too_large' });
    const cells = Array.from(
      { length: 60_000 },
      (_, i) => `<row r="${i + 1}" spans="${i}"><c t="s"><v>0</v></c></row>`,
    );
    const long = Array.from({ length: 3000 }, (_, i) => (i * 7919).toString(36)).join('');
    await expect(
      readText(
        zip(book(cells.join(''), { 'xl/sharedStrings.xml': `<sst><si><t>${long}</t></si></sst>` })),
      ),
    ).rejects.toMatchObject({ code: 'too_large' });
  });

  it('refuses text that is too long for a cell, and truncates an overlong row', async () => {
    const chunk = Array.from({ length: 9000 }, (_, i) => (i * 7919).toString(36)).join('');
    const long = Array.from({ length: 6 }, () => chunk).join('<!-- -->');
    const sharedStrings = { 'xl/sharedStrings.xml': `<sst><si><t>${long}</t></si></sst>` };
    await expect(readText(zip(book('', sharedStrings)))).rejects.toMatchObject({ code: 'damaged' });
    const inlineRow = `<row><c t="str"><v>${long}</v></c></row>`;
    await expect(readText(zip(book(inlineRow)))).rejects.toMatchObject({ code: 'damaged' });
    const text = chunk.slice(0, 32_767);
    const row = `<row>${'<c t="s"><v>0</v></c>'.repeat(500)}</row>`;
    const fitting = { 'xl/sharedStrings.xml': `<sst><si><t>${text}</t></si></sst>` };
    const output = await readText(zip(book(row, fitting)));
    expect(output.length).toBeGreaterThan(MAX_ROW_LENGTH);
    expect(output.length).toBeLessThan(MAX_ROW_LENGTH + 2 * 32_767);
  });

  it('parses a tag with thousands of quotes in linear time', () => {
    const tag = `<a ${'x=">" '.repeat(30_000)}/>`;
    const names: string[] = [];
    const reader = new XmlReader({
      onOpenTag: (name, attributes) => void names.push(`${name} ${attributes.length}`),
      onCloseTag: () => undefined,
      onText: () => undefined,
      wantsText: () => false,
    });
    const startedAt = performance.now();
    for (let at = 0; at < tag.length; at += 1000) reader.write(tag.slice(at, at + 1000));
    expect(names).toEqual([`a ${tag.length - 4}`]);
    // This takes 20 ms; rescanning from the start for each quote took minutes.
    expect(performance.now() - startedAt).toBeLessThan(2_000);
  });

  it('refuses damaged and protected files', async () => {
    const workbook = zip(book('<row><c><v>1</v></c></row>'));
    expect(await readText(workbook)).toBe('1\n');
    const encrypted = Buffer.from(workbook);
    for (
      let at = encrypted.indexOf('PK\x01\x02');
      at !== -1;
      at = encrypted.indexOf('PK\x01\x02', at + 1)
    )
      encrypted.writeUInt16LE(1, at + 8);
    await expect(readText(encrypted)).rejects.toMatchObject({ code: 'encrypted' });
    await expect(readText(workbook.subarray(0, workbook.length - 30))).rejects.toMatchObject({
      code: 'damaged',
    });
    // The zip64 directory is at an offset beyond any file size.
    const end = workbook.lastIndexOf('PK\x05\x06');
    const locator = Buffer.alloc(20, 0xff);
    locator.writeUInt32LE(0x07064b50, 0);
    const far = Buffer.concat([workbook.subarray(0, end), locator, workbook.subarray(end)]);
    far.writeUInt32LE(0xffffffff, end + 20 + 16);
    await expect(readText(far)).rejects.toMatchObject({ code: 'damaged' });
    await expect(readText(zip({ 'a.txt': 'x' }))).rejects.toMatchObject({ code: 'damaged' });
    await expect(readText(zip(book('<row><c><v>' + 'x'.repeat(3_000_000))))).rejects.toMatchObject({
      code: expect.stringMatching(/^(damaged|too_large)$/),
    });
  });

  it('reads or refuses any damaged file, and never hangs', async () => {
    const workbook = zip(
      book('<row r="1"><c r="A1" t="s"><v>0</v></c></row>', {
        'xl/sharedStrings.xml': '<sst><si><t>a</t></si></sst>',
      }),
    );
    const damage = fc.array(
      fc.tuple(fc.nat(workbook.length - 1), fc.integer({ min: 0, max: 255 })),
      {
        minLength: 1,
        maxLength: 6,
      },
    );
    await fc.assert(
      fc.asyncProperty(damage, async (changes) => {
        const bytes = Buffer.from(workbook);
        for (const [at, value] of changes) bytes[at] = value;
        const result = await readText(bytes).catch(
          (error: { code?: string }) => error.code ?? String(error),
        );
        expect(typeof result === 'string').toBe(true);
        expect(result).not.toMatch(/Error/);
      }),
      { numRuns: 300 },
    );
  });
});

it('detectFileKind distinguishes workbooks from text by the first bytes', () => {
  expect(detectFileKind(Buffer.from('PK\x03\x04rest'))).toBe('workbook');
  expect(detectFileKind(Buffer.from([0xd0, 0xcf, 0x11, 0xe0, 1]))).toBe('old_workbook');
  expect(detectFileKind(Buffer.from('%PDF-1.7'))).toBe('no_list');
  expect(detectFileKind(Buffer.from('GIF,MZ,Rar,PK'))).toBe('text');
  expect(detectFileKind(Buffer.from('a,b'))).toBe('text');
  expect(detectFileKind(Buffer.alloc(0))).toBe('text');
});
