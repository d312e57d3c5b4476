import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { staleness } from './install.mjs';

const root = mkdtempSync(join(tmpdir(), 'install-'));
const modules = join(root, 'node_modules');
afterAll(() => rmSync(root, { recursive: true }));

const PINNED = {
  '': { name: 'sendloom' },
  'node_modules/fastify': { version: '5.0.0' },
  'node_modules/vite': { version: '8.0.0', dev: true },
  'node_modules/for-another-system': { version: '1.0.0', optional: true },
};
const INSTALLED = {
  'node_modules/fastify': { version: '5.0.0' },
  'node_modules/vite': { version: '8.0.0', dev: true },
};

function reasonFor(installedLock: object | undefined, isBuilt = false): string | undefined {
  rmSync(modules, { recursive: true, force: true });
  rmSync(join(root, 'dist'), { recursive: true, force: true });
  if (isBuilt) mkdirSync(join(root, 'dist', 'web'), { recursive: true });
  writeFileSync(join(root, 'package-lock.json'), JSON.stringify({ packages: PINNED }));
  if (installedLock) {
    mkdirSync(modules);
    writeFileSync(join(modules, '.package-lock.json'), JSON.stringify({ packages: installedLock }));
  }
  return staleness(root, modules);
}

test('installed packages are compared with the pinned ones', () => {
  expect(reasonFor(undefined)).toBe('first start');
  expect(reasonFor(INSTALLED)).toBeUndefined();
  expect(reasonFor({ ...INSTALLED, 'node_modules/fastify': { version: '4.9.0' } })).toBe(
    'fastify 5.0.0 is pinned',
  );
  expect(reasonFor({ 'node_modules/vite': { version: '8.0.0' } })).toBe('fastify is missing');
});

test('a production install may lack the build tools once the client is built', () => {
  const production = { 'node_modules/fastify': { version: '5.0.0' } };
  expect(reasonFor(production, true)).toBeUndefined();
  expect(reasonFor(production)).toBe('vite is missing');
});
