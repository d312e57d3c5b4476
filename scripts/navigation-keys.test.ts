// Each navigation shortcut of two keys opens one screen, so areas must not share them.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

test('the navigation shortcuts are unique', () => {
  const keys = globSync('areas/*/web/**/routes.tsx', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bkeys: '(g [a-z])'/g)].map(
      ([, pair]) => pair,
    ),
  );
  expect(keys.length).toBeGreaterThan(6);
  expect(keys.filter((pair, index) => keys.indexOf(pair) !== index)).toEqual([]);
});
