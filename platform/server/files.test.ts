// A disk that cannot be read is an error, never an empty store: a backup must not pass it over.
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
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

const listed = (files: ReturnType<typeof diskFiles>) => Array.fromAsync(files.list());

test('a store that nothing was ever put into is empty', async () => {
  const files = diskFiles(path.join(folder, 'never-made'));
  expect(await listed(files)).toEqual([]);
  expect(await files.get('images/1.png')).toBeUndefined();
  expect(await files.size('images/1.png')).toBeUndefined();
});

test('a folder that cannot be read fails the list', async () => {
  await writeFile(path.join(folder, 'a-file'), '');
  await expect(listed(diskFiles(path.join(folder, 'a-file')))).rejects.toThrow('ENOTDIR');
  await symlink('round', path.join(folder, 'round'));
  await expect(listed(diskFiles(path.join(folder, 'round')))).rejects.toThrow('ELOOP');
});

test('a file that cannot be read is no missing file', async () => {
  const files = diskFiles(folder);
  await expect(files.get('round')).rejects.toThrow('ELOOP');
  await expect(files.size('round')).rejects.toThrow('ELOOP');
});

test('a file that goes while it is read comes whole; one that went before is missing', async () => {
  const files = diskFiles(path.join(folder, 'store'));
  await files.put('images/1.png', Readable.from([Buffer.alloc(300_000, 'x')]));
  expect(await listed(files)).toEqual(['images/1.png']);
  const content = await files.get('images/1.png');
  await files.remove('images/1.png');
  expect(await files.get('images/1.png')).toBeUndefined();
  expect(await text(content as Readable)).toHaveLength(300_000);
});
