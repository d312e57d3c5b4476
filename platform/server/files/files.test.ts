// Leftovers are deleted, reads survive a deletion, and an unreadable disk causes an error. If it
// were treated as an empty store, a backup would omit its files.
import { mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { diskFiles } from './files.ts';

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'sendloom-files-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const listFiles = (files: ReturnType<typeof diskFiles>) => Array.fromAsync(files.list());

test('a store that was never written to is empty', async () => {
  const files = diskFiles(path.join(folder, 'never-made'));
  expect(await listFiles(files)).toEqual([]);
  expect(await files.get('images/1.png')).toBeUndefined();
  expect(await files.size('images/1.png')).toBeUndefined();
});

test('listing an unreadable folder fails', async () => {
  await writeFile(path.join(folder, 'a-file'), '');
  await expect(listFiles(diskFiles(path.join(folder, 'a-file')))).rejects.toThrow('ENOTDIR');
  await symlink('round', path.join(folder, 'round'));
  await expect(listFiles(diskFiles(path.join(folder, 'round')))).rejects.toThrow('ELOOP');
});

test('an unreadable file is not reported as missing', async () => {
  const files = diskFiles(folder);
  await expect(files.get('round')).rejects.toThrow('ELOOP');
  await expect(files.size('round')).rejects.toThrow('ELOOP');
});

test('files left by an interrupted write are deleted after a day, and files still being written are kept', async () => {
  const leftoversPath = path.join(folder, 'leftovers');
  const files = diskFiles(leftoversPath);
  await files.put('exports/1/whole/2', Readable.from(['people']));
  const now = new Date();
  for (const [name, days] of Object.entries({ old: 2, young: 0 })) {
    const file = path.join(leftoversPath, `exports/1/whole/${name}.partial-1-x`);
    await writeFile(file, 'people');
    const at = new Date(now.getTime() - days * 86_400_000);
    await utimes(file, at, at);
  }
  await files.removeLeftovers(new Date(now.getTime() - 86_400_000));
  expect((await readdir(path.join(leftoversPath, 'exports/1/whole'))).sort()).toEqual([
    '2',
    'young.partial-1-x',
  ]);
});

test('a file deleted during a read is still read completely; a later read finds no file', async () => {
  const files = diskFiles(path.join(folder, 'store'));
  await files.put('images/1.png', Readable.from([Buffer.alloc(300_000, 'x')]));
  expect(await listFiles(files)).toEqual(['images/1.png']);
  const content = await files.get('images/1.png');
  await files.remove('images/1.png');
  expect(await files.get('images/1.png')).toBeUndefined();
  expect(await text(content as Readable)).toHaveLength(300_000);
});
