// Two keys lead to one screen: no two areas offer the same ones.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

test('the keys of the navigation are unique', () => {
  const keys = globSync('areas/*/web/**/routes.tsx', { cwd: ROOT }).flatMap((file) =>
    [...readFileSync(join(ROOT, file), 'utf8').matchAll(/\bkeys: '(g [a-z])'/g)].map(
      ([, pair]) => pair,
    ),
  );
  expect(keys.length).toBeGreaterThan(6);
  expect(keys.filter((pair, index) => keys.indexOf(pair) !== index)).toEqual([]);
});
