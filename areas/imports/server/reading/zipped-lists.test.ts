import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { zipOf } from '#testing/zip.ts';
import { maxColumns } from '../../limits.ts';
import { zippedLists } from './zipped-lists.ts';

const folder = mkdtempSync(join(tmpdir(), 'sendloom-lists-'));
afterAll(() => rmSync(folder, { recursive: true }));

async function read(lists: Record<string, string>): Promise<string[]> {
  const path = join(folder, 'export.zip');
  writeFileSync(path, zipOf(lists));
  let text = '';
  for await (const part of zippedLists(path)) text += part;
  return text.trimEnd().split('\n');
}

test('whom a file’s name says to have left is there, though nothing else tells whose export it is', async () => {
  const lines = await read({
    'subscribed.csv': 'Email Address,MEMBER_RATING,LEID,EUID\nmona@m.example,4,1,a\n',
    'unsubscribed.csv': 'Email\ngone@m.example\n',
    'opens.csv': 'Email,Opens\nreader@m.example,4\n',
  });
  expect(lines[0]).toBe('Email Address,MEMBER_RATING,LEID,EUID,Status');
  expect(lines.slice(1)).toEqual(['gone@m.example,,,,unsubscribed', 'mona@m.example,4,1,a,']);
});

test('of more columns than an import takes the last are left out, and who left is still told', async () => {
  const titles = Array.from({ length: maxColumns + 5 }, (_, n) => `Column ${n}`);
  const lines = await read({
    'all.csv': `Email,${titles.join()}\nmona@m.example\n`,
    'unsubscribed.csv': 'Email\ngone@m.example\n',
  });
  const [header, gone] = lines.map((line) => line.split(','));
  expect([header?.length, header?.[0], header?.at(-1)]).toEqual([maxColumns, 'Email', 'Status']);
  expect([gone?.[0], gone?.at(-1)]).toEqual(['gone@m.example', 'unsubscribed']);
});
