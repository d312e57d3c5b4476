// Each navigation shortcut of two keys opens one screen, so no two screens may use the same keys.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

test('the navigation shortcuts are unique', () => {
  const keys = globSync('areas/*/web/**/routes.tsx', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bkeys: '(g [a-z])'/g)].map(
      ([, shortcut]) => shortcut,
    ),
  );
  expect(keys.length).toBeGreaterThan(6);
  expect(keys.filter((shortcut, index) => keys.indexOf(shortcut) !== index)).toEqual([]);
});
