// NOTICE lists the licenses of everything an installation contains.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { listClientPackages, type Lock, listPackages, writeNotice } from './notice.ts';

const NOTICE = readFileSync(join(import.meta.dirname, '../NOTICE'), 'utf8');

test('NOTICE is current', () => {
  expect(writeNotice(true)).toBe(true);
});

test('packages are found in the nearest node_modules first, then in its parents, as in Node', () => {
  const lock: Lock = {
    packages: {
      'node_modules/a': { dependencies: { b: '1', c: '1' } },
      'node_modules/a/node_modules/b': { dependencies: { c: '1', absent: '1' } },
      'node_modules/b': {},
      'node_modules/c': { optionalDependencies: { a: '1' }, peerDependencies: { d: '1' } },
      'node_modules/d': {},
      'node_modules/tool': {},
    },
  };
  expect(listPackages(lock, ['a'])).toEqual([
    'node_modules/a',
    'node_modules/a/node_modules/b',
    'node_modules/c',
    'node_modules/d',
  ]);
});

test('packages of the web client are listed, and tools are not', () => {
  const names = listClientPackages();
  expect(names).toEqual(expect.arrayContaining(['react', '@mantine/core', '@tiptap/core']));
  for (const name of ['react', '@mantine/core', 'scheduler', 'pg', 'fastify']) {
    expect(NOTICE).toMatch(new RegExp(`^  ${name}\\. `, 'm'));
  }
  for (const name of ['vite', 'vitest', 'oxlint', '@biomejs/biome', 'playwright-core']) {
    expect(NOTICE).not.toMatch(new RegExp(`^  ${name}\\. `, 'm'));
  }
});

/**
 * Licenses that a part of a work under the AGPL-3.0 may have. A new license is reviewed before it
 * is added.
 */
const COMPATIBLE = new Set(
  (
    'MIT MIT-0 ISC 0BSD BSD-2-Clause BSD-3-Clause Apache-2.0 BlueOak-1.0.0 Unlicense CC0-1.0 CC-BY-4.0 MPL-2.0 ' +
    'LGPL-3.0-or-later Python-2.0 OFL-1.1 ODbL-1.0 Unicode-3.0 PostgreSQL'
  ).split(' '),
);

test('each license is compatible with the license of the product', () => {
  const entries = NOTICE.split('\n').filter((line) => line.startsWith('  '));
  expect(entries.length).toBeGreaterThan(400);
  const incompatible = entries.filter((line) => {
    const expression = /(?:\([^()]+\)|[^ ]+(?: (?:AND|OR) [^ ]+)*)$/.exec(line)?.[0] ?? '';
    const licenses = expression.replace(/[()]/g, '').split(' AND ');
    // If a package has alternative licenses, the product uses a compatible one.
    const isCompatible = (license: string) =>
      license.split(' OR ').some((name) => COMPATIBLE.has(name));
    return !licenses.every(isCompatible);
  });
  expect(incompatible).toEqual([]);
});
