// Every menu and popover has a variant for touch: screens use the shared components, which open a
// bottom sheet on touch devices.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..');

test('every component with a menu or popover opens a sheet on touch', () => {
  const files = globSync(['areas/*/web/**/*.tsx', 'platform/web/**/*.tsx'], { cwd: ROOT }).filter(
    (file) => !file.includes('.test.'),
  );
  const floating = files
    .map((file) => ({ file, source: readFileSync(join(ROOT, file), 'utf8') }))
    .filter(({ source }) => /<(?:Menu|Popover|HoverCard)(?![\w.])/.test(source));
  expect(floating.length).toBeGreaterThan(3);
  const lacking = floating.filter(
    ({ source }) => !/\buseTouch\(\)/.test(source) || !source.includes('BottomSheet'),
  );
  expect(lacking.map(({ file }) => file)).toEqual([]);
});
